//! Small scenes with known answers.

use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{BodySpec, Friction, PartKind, PlacedShape, Role, Scene, TimeSpan};
use rigor_shapes::{Cuboid, Plane};

/// g (m/s²).
pub const G: f64 = 9.81;

fn block(size: Vec3, pose: Pose) -> PlacedShape {
    let mesh = Cuboid::new(size).mesh().expect("a box");
    PlacedShape { mesh, kind: PartKind::Box { half_extents: 0.5 * size }, pose }
}

/// A cube with edges of 0.2 m whose centre is at height `y` (m).
pub fn cube(y: f64) -> BodySpec {
    let shape = block(Vec3::repeat(0.2), Pose::identity());
    BodySpec { group: 1, pose: Pose::translation(Vec3::y() * y), ..BodySpec::new("cube", vec![shape]) }
}

/// A cube with edges of 1 m that touches a floor at height 0: its corners have the same numbers in every binary precision.
pub fn touching_cube() -> BodySpec {
    let shape = block(Vec3::repeat(1.0), Pose::identity());
    BodySpec { group: 1, pose: Pose::translation(Vec3::y() * 0.5), ..BodySpec::new("cube", vec![shape]) }
}

/// A floor of 20 m at height 0: a box, or a plane without a thickness.
pub fn floor(is_plane: bool) -> BodySpec {
    let shape = if is_plane {
        let mesh = Plane { size: [20.0, 20.0], segments: [1, 1] }.mesh().expect("a plane");
        PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() }
    } else {
        block(Vec3::new(20.0, 1.0, 20.0), Pose::translation(Vec3::y() * -0.5))
    };
    BodySpec { role: Role::Static, ..BodySpec::new("floor", vec![shape]) }
}

/// An asymmetric body of two boxes whose principal frame is not its author's: it is placed with an offset and a
/// rotation, and tumbles.
pub fn boomerang() -> BodySpec {
    let shapes = vec![
        block(Vec3::new(0.6, 0.1, 0.2), Pose::translation(Vec3::new(0.3, 0.0, 0.1))),
        block(Vec3::new(0.1, 0.5, 0.1), Pose::translation(Vec3::new(0.6, 0.25, 0.0))),
    ];
    let placed = Pose::new(Vec3::new(0.3, 2.0, -0.4), rotation_vector::exp(&Vec3::new(0.4, -0.7, 0.2)));
    BodySpec {
        group: 1,
        pose: placed,
        linear_velocity: Vec3::new(0.5, 1.0, -0.2),
        angular_velocity: Vec3::new(1.0, 2.0, -1.5),
        ..BodySpec::new("boomerang", shapes)
    }
}

/// A closed concave body: the boomerang as one mesh.
pub fn concave() -> BodySpec {
    let mut spec = boomerang();
    let torus = rigor_shapes::Torus { major_radius: 0.3, minor_radius: 0.1, segments: 16, sides: 8 };
    spec.shapes = vec![PlacedShape {
        mesh: torus.mesh().expect("a torus"),
        kind: PartKind::Concave,
        pose: Pose::identity(),
    }];
    BodySpec { pose: Pose::translation(Vec3::y() * 0.2), ..spec }
}

/// A scene of these bodies with friction μ, restitution e and gravity (m/s²).
pub fn scene(bodies: Vec<BodySpec>, mu: f64, e: f64, gravity: Vec3, dt: f64) -> Scene {
    let build = |spec: BodySpec| {
        let spec = BodySpec { friction: Friction::uniform(mu), restitution: e, ..spec };
        spec.build().expect("a body")
    };
    Scene {
        name: "test".to_owned(),
        gravity,
        time: TimeSpan { dt, duration: 1.0 },
        bodies: bodies.into_iter().map(build).collect(),
        ..Scene::default()
    }
}

/// A cube on a floor that falls from rest.
pub fn drop(height: f64, e: f64, dt: f64) -> Scene {
    scene(vec![floor(false), cube(0.1 + height)], 0.5, e, -G * Vec3::y(), dt)
}
