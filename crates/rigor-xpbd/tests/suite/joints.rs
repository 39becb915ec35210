//! Joints against the demands of statics, dynamics and conservation laws.

mod break_apart;
mod conservation;
mod dynamics;
mod energy;
mod limits;
mod long_substeps;
mod order;
mod ropes;
mod springs;
mod statics;
mod trees;

use std::f64::consts::PI;

use crate::scenes::{cuboid, scene};
use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion};
use rigor_scene::{BodyId, BodySpec, Freedom, Joint, JointKind, JointReport, Run, Scene, State, Weight};

/// Gravity of the scenes (m/s²).
const G: f64 = 9.81;

/// Rotates x to z, so that a joint's axis is the world's z.
fn about_z() -> UnitQuaternion {
    quaternion::from_axis_angle(&Vec3::y_axis(), -0.5 * PI)
}

/// A joint of bodies `a` and `b` whose frames both coincide with `frame` (world) at time 0.
fn joint(scene: &Scene, kind: JointKind, a: usize, b: Option<usize>, frame: Pose) -> Joint {
    let within = |body: usize| scene.bodies[body].initial.pose.inverse().compose(&frame);
    Joint::new("joint", kind, (BodyId(a), within(a)), (b.map(BodyId), b.map_or(frame, within)))
}

/// `scene` with `joints`, without contacts between bodies.
fn with(mut scene: Scene, joints: Vec<Joint>) -> Scene {
    for i in 0..scene.bodies.len() {
        scene.contact_free.extend((0..i).map(|j| (BodyId(j), BodyId(i))));
    }
    scene.joints = joints;
    scene
}

fn weighing(kilograms: f64, spec: BodySpec) -> BodySpec {
    BodySpec { weight: Weight::Mass(kilograms), ..spec }
}

/// A horizontal arm of 2 kg and 1 m along x, joined to the world at the origin, with z as the joint's axis.
fn arm(kind: JointKind) -> Scene {
    let arm = scene(vec![weighing(2.0, cuboid("arm", [1.0, 0.1, 0.1], [0.5, 0.0, 0.0]))]);
    let pin = joint(&arm, kind, 0, None, Pose::new(Vec3::zeros(), about_z()));
    with(arm, vec![pin])
}

/// A wheel of 2 kg about z, on a hinge at its centre, at rest.
fn wheel(turn: Freedom) -> Scene {
    let wheel = scene(vec![weighing(2.0, cuboid("wheel", [1.0, 1.0, 0.1], [0.0; 3]))]);
    let pin = joint(&wheel, JointKind::Hinge { turn }, 0, None, Pose::new(Vec3::zeros(), about_z()));
    with(wheel, vec![pin])
}

/// A weight of 2 kg on a rail through the origin along `axis` (world).
fn sledge(slide: Freedom, axis: UnitQuaternion) -> Scene {
    let sledge = scene(vec![weighing(2.0, cuboid("sledge", [0.2; 3], [0.0; 3]))]);
    let rail = joint(&sledge, JointKind::Prismatic { slide }, 0, None, Pose::new(Vec3::zeros(), axis));
    with(sledge, vec![rail])
}

/// The last report of the first joint.
fn told(run: &Run) -> JointReport {
    run.reports.last().expect("a step").joints[0]
}

/// Angle (rad) about z of body `i`'s x axis.
fn angle_z(state: &State, i: usize) -> f64 {
    let x = state.bodies[i].pose.vector(&Vec3::x());
    rigor_math::elementary::atan2(x.y, x.x)
}
