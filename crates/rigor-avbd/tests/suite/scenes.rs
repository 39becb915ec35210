//! Small scenes built in code.

use rigor_avbd::{Avbd, Config};
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, BodySpec, Clock, Friction, PartKind, PlacedShape, Role, Run, Scene, TimeSpan};
use rigor_shapes::Cuboid;

pub fn shape(mesh: Mesh) -> PlacedShape {
    PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() }
}

pub fn cuboid(name: &str, size: [f64; 3], position: [f64; 3]) -> BodySpec {
    let mesh = Cuboid::new(Vec3::from(size)).mesh().expect("a valid box");
    BodySpec { pose: Pose::translation(Vec3::from(position)), ..BodySpec::new(name, vec![shape(mesh)]) }
}

/// A fixed slab whose top is the plane y = 0.
pub fn floor(friction: f64) -> BodySpec {
    let slab = cuboid("floor", [20.0, 1.0, 20.0], [0.0, -0.5, 0.0]);
    BodySpec { role: Role::Static, friction: Friction::uniform(friction), ..slab }
}

pub fn scene(bodies: Vec<BodySpec>) -> Scene {
    let built = |(group, spec): (usize, BodySpec)| -> Body {
        BodySpec { group: group as u32, ..spec }.build().expect("a valid body")
    };
    Scene {
        name: "test".into(),
        gravity: Vec3::new(0.0, -9.81, 0.0),
        time: TimeSpan { dt: 1e-3, duration: 1.0 },
        bodies: bodies.into_iter().enumerate().map(built).collect(),
        ..Scene::default()
    }
}

pub fn avbd(config: Config) -> Avbd {
    Avbd::new(config, Clock::default()).expect("valid settings")
}

pub fn record(scene: &Scene, config: Config, dt: f64, steps: u64) -> Run {
    Run::record(scene, &mut avbd(config), dt, steps)
}

/// Numbers in [0, 1) from a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / 9_007_199_254_740_992.0
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    pub fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.between(-size, size))
    }
}
