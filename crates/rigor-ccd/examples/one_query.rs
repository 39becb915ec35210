//! One query of each type of motion: `cargo run -p rigor-ccd --example one_query`.
#![allow(clippy::print_stdout)]

use rigor_ccd::StraightMotion;
use rigor_ccd::{Ccd, Impact, InvalidQuery, LinearMethod, LinearQuery, RigidMethod, RigidMotion, RigidQuery};
use rigor_math::{UnitQuaternion, Vec3};

fn show(what: &str, answer: Impact) {
    match answer {
        Impact::Free => println!("{what}: apart for the whole step"),
        Impact::At { t_safe, t_hit } => println!("{what}: apart up to {t_safe}, impact near {t_hit}"),
        Impact::Undecided { t_safe, boxes } => println!("{what}: apart up to {t_safe}, after {boxes} boxes"),
    }
}

fn main() -> Result<(), InvalidQuery> {
    // A point falls through a triangle, from 1 m above to 1 m below, and must stay 1 cm away.
    let point = StraightMotion::between(Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 1.0, -1.0));
    let triangle = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 3.0].map(StraightMotion::at_rest);
    let falling = LinearQuery::point_triangle(point, triangle, 0.01);
    show("a falling point", LinearMethod::default().impact(&falling, 1.0)?);

    // A rod of length 1 m makes half a turn about one end; an upright bar stands in its way after a quarter.
    let still = UnitQuaternion::identity();
    let rod = RigidMotion::about_axis([Vec3::zeros(); 2], still, Vec3::z() * std::f64::consts::PI);
    let bar = RigidMotion::at_rest(Vec3::y() * 0.5, still);
    let turning = RigidQuery::edge_edge([rod, bar], [Vec3::zeros(), Vec3::x()], [-Vec3::z(), Vec3::z()], 0.0);
    for method in RigidMethod::ALL {
        show(method.name(), method.impact(&turning, 1.0)?);
    }

    // A query with NaN is reported as an error.
    let lost = falling.with_d_min(f64::NAN);
    if let Err(error) = LinearMethod::default().impact(&lost, 1.0) {
        println!("invalid: {error}");
    }
    Ok(())
}
