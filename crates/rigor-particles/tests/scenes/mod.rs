//! Scenes built in code, and runs of them.
#![allow(dead_code, reason = "each test binary uses some of them")]

use std::borrow::Borrow;

use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3};
use rigor_particles::{Config, Particles};
use rigor_scene::{
    Body, BodySpec, Clock, Method, Outcome, PartKind, PlacedShape, Role, Run, Scene, State, Weight,
};
use rigor_shapes::{Cuboid, Icosphere};

/// A shape of a body, at its origin.
pub fn shape(mesh: Mesh, kind: PartKind) -> PlacedShape {
    PlacedShape { mesh, kind, pose: Pose::identity() }
}

/// A box of 2 kg with these edges (m).
pub fn cuboid(name: &str, size: Vec3, group: u32) -> BodySpec {
    let shape = shape(Cuboid::new(size).mesh().unwrap(), PartKind::Convex);
    BodySpec { group, weight: Weight::Mass(2.0), ..BodySpec::new(name, vec![shape]) }
}

/// A ball of 2 kg.
pub fn ball(name: &str, radius: f64, group: u32) -> BodySpec {
    let shape = shape(Icosphere { radius, subdivisions: 3 }.mesh().unwrap(), PartKind::Convex);
    BodySpec { group, weight: Weight::Mass(2.0), ..BodySpec::new(name, vec![shape]) }
}

/// A plate with its top at y = 0.
pub fn floor() -> BodySpec {
    let pose = Pose::translation(Vec3::new(0.0, -0.5, 0.0));
    BodySpec { role: Role::Static, pose, ..cuboid("floor", Vec3::new(40.0, 1.0, 40.0), 0) }
}

pub fn scene(gravity: Vec3, specs: Vec<BodySpec>) -> Scene {
    let bodies: Vec<Body> = specs.into_iter().map(|spec| spec.build().unwrap()).collect();
    Scene { gravity, bodies, ..Scene::default() }
}

/// A run that completes.
pub fn record(scene: &Scene, config: impl Borrow<Config>, dt: f64, steps: u64) -> Run {
    let mut method = Particles::new(config.borrow().clone(), Clock::default()).unwrap();
    method.supports(scene).unwrap();
    let run = Run::record(scene, &mut method, dt, steps);
    assert_eq!(run.outcome, Outcome::Completed);
    run
}

/// The same run on `n` threads.
pub fn record_on(n: usize, scene: &Scene, config: &Config, dt: f64, steps: u64) -> Run {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    pool.install(|| record(scene, config, dt, steps))
}

/// The end of `run`, computed by new methods that go on from its state at each of the steps `cuts`.
pub fn resumed(scene: &Scene, config: &Config, run: &Run, dt: f64, cuts: &[u64]) -> State {
    let last = run.last().step;
    let mut state = run.trajectory.frames[cuts[0] as usize].clone();
    for (k, cut) in cuts.iter().enumerate() {
        let mut method = Particles::new(config.clone(), Clock::default()).unwrap();
        for step in *cut..cuts.get(k + 1).copied().unwrap_or(last) {
            method.step(scene, &mut state, dt).unwrap();
            (state.step, state.time) = (step + 1, (step + 1) as f64 * dt);
        }
    }
    state
}
