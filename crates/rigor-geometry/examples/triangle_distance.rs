//! The squared distance of a point to a triangle, its closest feature, and its gradient checked by differences.
#![allow(clippy::print_stdout, reason = "an example prints")]

use rigor_geometry::distance::point_triangle;
use rigor_math::{Vec3, finite_difference};

fn main() {
    let (a, b, c) = (Vec3::zeros(), Vec3::x(), Vec3::y());
    println!("point               closest to     d [m]   ∂d²/∂p                     error of gradient");
    for p in [
        Vec3::new(0.2, 0.2, 0.5),
        Vec3::new(0.5, -0.3, 0.4),
        Vec3::new(0.8, 0.7, 0.1),
        Vec3::new(-0.3, -0.4, 0.0),
    ] {
        let closest = point_triangle::closest(&p, &a, &b, &c);
        let gradient = point_triangle::distance_sq_gradient(&p, &a, &b, &c);
        let by_point: Vec3 = gradient.fixed_rows::<3>(0).into_owned();
        let differences = finite_difference::gradient(|p| point_triangle::distance_sq(p, &a, &b, &c), &p);
        println!(
            "{}   {:<10}   {:7.4}   {}   {:.0e}",
            text(&p),
            format!("{:?}", closest.region),
            closest.separation.norm(),
            text(&by_point),
            (by_point - differences).norm()
        );
    }
}

fn text(v: &Vec3) -> String {
    format!("({:4.1}, {:4.1}, {:4.1})", v.x, v.y, v.z)
}
