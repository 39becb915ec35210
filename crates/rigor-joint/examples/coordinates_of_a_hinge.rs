//! The coordinates of a hinge whose arm turns and is pulled off by a millimetre.
#![allow(clippy::print_stdout, reason = "an example prints")]

use rigor_joint::PlacedJoint;
use rigor_math::{Pose, Vec3};
use rigor_scene::{BodyId, Joint, JointKind};

fn main() {
    let frame = Pose::identity();
    let joint = Joint::new("hinge", JointKind::HINGE, (BodyId(0), frame), (None, frame));
    println!("turn [rad]   gaps [mm]              rotations held [rad]");
    for turn in [0.0, 0.5, 1.0, 2.0] {
        let pose = Pose::from_rotation_vector(Vec3::y() * 1e-3, &(Vec3::x() * turn));
        let placed = PlacedJoint::new(&joint, |_| pose);
        let gaps: Vec<String> = placed.gaps().map(|c| format!("{:.1}", 1e3 * c.x)).collect();
        let held: Vec<String> = placed.rotations().map(|c| format!("{:.1}", c.x)).collect();
        let turn = placed.turn(0.0).map_or(f64::NAN, |c| c.x);
        println!("{turn:10.3}   {:22} {}", gaps.join(", "), held.join(", "));
    }
}
