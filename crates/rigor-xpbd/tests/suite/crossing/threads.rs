//! Concave bodies inside each other.

use rigor_math::Vec3;
use rigor_math::{Pose, rotation_vector};
use rigor_scene::{BodySpec, Friction, Role};
use rigor_shapes::{Bolt, Extrusion, Nut, Outline, Thread};
use rigor_xpbd::Config;

use super::places;
use crate::scenes::{cuboid, record, scene, shape};

/// A bolt in a fixed nut, with friction `mu`.
fn screw(mu: f64) -> Vec<BodySpec> {
    let thread = Thread { radius: 0.05, pitch: 0.03 };
    let nut = Nut { thread, clearance: 0.002, height: 0.06, radius: 0.09, segments: 24 };
    let bolt = Bolt { thread, length: 0.18, head_radius: 0.08, head_height: 0.03, segments: 24 };
    let friction = Friction::uniform(mu);
    let nut = BodySpec {
        role: Role::Static,
        friction,
        ..BodySpec::new("nut", vec![shape(nut.mesh().expect("a valid nut"))])
    };
    let bolt = BodySpec {
        pose: Pose::translation(Vec3::new(0.0, -0.03, 0.0)),
        friction,
        ..BodySpec::new("bolt", vec![shape(bolt.mesh().expect("a valid bolt"))])
    };
    vec![nut, bolt]
}

#[test]
fn a_bolt_sticks_in_its_nut_with_friction_and_turns_through_it_without() {
    for mu in [0.0, 0.5] {
        let run = record(&scene(screw(mu)), Config::default(), 1e-2, 40);
        let (first, last) = (&run.trajectory.frames[0].bodies[1], &run.last().bodies[1]);
        let drop = first.pose.position.y - last.pose.position.y;
        // Free fall would be 0.78 m.
        if mu > 0.0 {
            assert!(drop < 0.003, "with friction it drops by {drop} m");
        } else {
            assert!(drop > 0.002 && drop < 0.02, "without friction it drops by {drop} m");
            // g/(1 + (2π/pitch)² I/m) on the thread, after a short fall onto it, gives 12 rad/s by now.
            let turn = last.angular_velocity.y.abs();
            assert!(turn > 8.0 && turn < 13.0, "it turns at {turn} rad/s");
        }
    }
}

/// A plate with a square hole, a peg slightly too large for it, and one that fits.
#[test]
fn a_peg_goes_into_the_hole_that_it_fits() {
    let square = |a: f64| Outline::Polygon(vec![[-a, -a], [a, -a], [a, a], [-a, a]]);
    let plate = Extrusion { outline: square(0.5), holes: vec![square(0.1)], depth: Some(0.2) };
    let lie = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    for (width, fits) in [(0.198, true), (0.204, false)] {
        let plate = BodySpec {
            role: Role::Static,
            pose: Pose::new(Vec3::y() * -0.1, lie),
            ..BodySpec::new("plate", vec![shape(plate.mesh().expect("a valid plate"))])
        };
        let peg = cuboid("peg", [width, 0.3, width], [0.0, 0.151, 0.0]);
        let run = record(&scene(vec![plate, peg]), Config::default(), 1e-2, 50);
        let y = places(&run, 1)[50].y;
        // Free fall would be 1.2 m.
        assert!(if fits { y < -1.0 } else { (y - 0.15).abs() < 1e-3 }, "{width} m wide: the peg is at {y} m");
    }
}
