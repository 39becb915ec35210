//! Scenes of boxes.

use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, BodySpec, Friction, PartKind, PlacedShape, Scene, TimeSpan};
use rigor_shapes::Cuboid;

/// Creates a box of this size (m) with this coefficient of friction.
pub fn cuboid(name: String, size: Vec3, pose: Pose, group: usize, friction: f64) -> BodySpec {
    let mesh = Cuboid::new(size).mesh().expect("positive sizes");
    let kind = PartKind::Box { half_extents: size / 2.0 };
    let shape = PlacedShape { mesh, kind, pose: Pose::identity() };
    BodySpec {
        pose,
        friction: Friction::uniform(friction),
        group: group as u32,
        ..BodySpec::new(name, vec![shape])
    }
}

/// Creates a scene of these bodies under gravity of the Earth, along −y.
pub fn scene(name: String, bodies: Vec<Body>, time: TimeSpan) -> Scene {
    Scene { name, gravity: Vec3::new(0.0, -9.81, 0.0), time, bodies, ..Scene::default() }
}
