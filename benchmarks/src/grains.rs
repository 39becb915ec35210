//! A block of grains that settles in a box.

use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, BodySpec, Friction, PartKind, Particle, PlacedShape, Role, Scene};
use rigor_shapes::Cuboid;

/// Radius of a grain (m).
pub const RADIUS: f64 = 0.01;
/// Mass of a grain (kg).
pub const MASS: f64 = 0.01;
/// Friction coefficient of grains and walls.
pub const FRICTION: f64 = 0.5;
/// Restitution coefficient of two grains.
pub const RESTITUTION: f64 = 0.5;

/// Edge length (m) of the floor between the walls around `side`² grains.
pub fn width(side: u32) -> f64 {
    (f64::from(side) + 0.5) * 2.0 * RADIUS
}

/// `side`³ grains on a floor between four walls, with every other layer shifted so that the block settles.
pub fn settling_block(side: u32) -> Scene {
    let (d, width) = (2.0 * RADIUS, width(side));
    let grain = |i: u32, j: u32, k: u32| {
        let shift = 0.4 * RADIUS * f64::from(j % 2);
        let at = Vec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, f64::from(k) + 0.5) * d;
        let position = at + Vec3::new(shift, 0.0, shift);
        let friction = Friction::uniform(FRICTION);
        Particle { radius: RADIUS, friction, restitution: RESTITUTION, ..Particle::new(MASS, position) }
    };
    let layers = (0..side).flat_map(|j| (0..side).flat_map(move |i| (0..side).map(move |k| (i, j, k))));
    let (m, thick) = (0.5 * width, 0.2);
    let tall = Vec3::new(thick, 2.0 * width, width + 2.0 * thick);
    let wide = Vec3::new(width, 2.0 * width, thick);
    Scene {
        gravity: -9.81 * Vec3::y(),
        particles: layers.map(|(i, j, k)| grain(i, j, k)).collect(),
        bodies: vec![
            wall("floor", Vec3::new(2.0 * width, thick, 2.0 * width), Vec3::new(m, -0.5 * thick, m)),
            wall("left", tall, Vec3::new(-0.5 * thick, m, m)),
            wall("right", tall, Vec3::new(width + 0.5 * thick, m, m)),
            wall("back", wide, Vec3::new(m, m, -0.5 * thick)),
            wall("front", wide, Vec3::new(m, m, width + 0.5 * thick)),
        ],
        ..Scene::default()
    }
}

fn wall(name: &str, size: Vec3, centre: Vec3) -> Body {
    let mesh = Cuboid::new(size).mesh().expect("a box is a mesh");
    let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
    let (role, friction, pose) = (Role::Static, Friction::uniform(FRICTION), Pose::translation(centre));
    let spec = BodySpec { role, friction, pose, ..BodySpec::new(name, vec![shape]) };
    spec.build().expect("a box is a body")
}
