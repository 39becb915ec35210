//! The contacts of a box that comes down on another one, flat, on an edge and on a corner.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_contact::{Detection, Features, Motion, Pace, Place, Placed};
use rigor_math::{Pose, Vec3};
use rigor_shapes::Cuboid;

fn main() -> Result<(), Box<dyn Error>> {
    let features = Features::of(&Cuboid::new(Vec3::repeat(1.0)).mesh()?);
    let below = Motion::still(Pose::identity());
    // Rotations that stand a box on an edge and on a corner.
    let on_edge = Vec3::z() * (0.25 * std::f64::consts::PI);
    let on_corner = Vec3::new(-1.0, 0.0, 1.0) * (0.955_316_618_124_509_3 * std::f64::consts::FRAC_1_SQRT_2);
    for (name, pose) in [
        ("flat", Pose::translation(Vec3::new(0.2, 0.999, 0.1))),
        ("edge", Pose::from_rotation_vector(Vec3::new(0.2, 1.206, 0.1), &on_edge)),
        ("corner", Pose::from_rotation_vector(Vec3::new(0.2, 1.365, 0.1), &on_corner)),
    ] {
        let above = Motion { linear_velocity: -Vec3::y(), ..Motion::still(pose) };
        let [a, b] = [&above, &below].map(|body| Placed { body, features: &features });
        let [in_a, in_b] = [a, b].map(|placed| Place::new(placed.body, &features));
        let mut pair = Detection::default();
        pair.prepare(&above.now.relative_to(&below.now), features.radius, 0.1);
        let pace = Pace { safety: 1.0, substeps: 1, h: 0.01, struck: 0.0 };
        println!("{name}:");
        pair.detect((a, &in_a), (b, &in_b), &pace, std::iter::empty(), |found| {
            let (p, q) = (in_a.now.point(&found.point_a_local), in_b.now.point(&found.point_b_local));
            let n = found.feature.normal(&in_a.now, &in_b.now);
            println!(
                "  at ({:6.3}, {:6.3}, {:6.3}) m, normal ({:5.2}, {:5.2}, {:5.2}), gap {:7.4} m",
                q.x,
                q.y,
                q.z,
                n.x,
                n.y,
                n.z,
                (p - q).dot(&n)
            );
        });
    }
    Ok(())
}
