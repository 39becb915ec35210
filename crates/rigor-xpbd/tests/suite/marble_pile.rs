//! A pile of marbles comes to rest without overlap, with velocities consistent with positions.

use rigor_math::{Pose, Vec3};
use rigor_scene::{
    Body, BodySpec, Clock, Friction, Method, PartKind, Particle, PlacedShape, Role, Scene, State, Weight,
};
use rigor_shapes::Cuboid;
use rigor_xpbd::{Config, Xpbd};

const RADIUS: f64 = 0.01;
/// Half the width of the box (m).
const HALF: f64 = 0.05;

fn wall(size: [f64; 3], at: [f64; 3], mu: f64) -> Body {
    let mesh = Cuboid::new(size.into()).mesh().expect("a box");
    let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
    let spec = BodySpec {
        role: Role::Static,
        pose: Pose::translation(at.into()),
        weight: Weight::Mass(1.0),
        friction: Friction::uniform(mu),
        ..BodySpec::new("wall", vec![shape])
    };
    Body { group: 0, ..spec.build().expect("a wall") }
}

/// 320 marbles above each other in a box, in slightly irregular columns.
fn pile(mu: f64) -> Scene {
    let out = HALF + 0.05;
    let bodies = vec![
        wall([1.0, 1.0, 1.0], [0.0, -0.5, 0.0], mu),
        wall([0.1, 4.0, 1.0], [-out, 2.0, 0.0], mu),
        wall([0.1, 4.0, 1.0], [out, 2.0, 0.0], mu),
        wall([1.0, 4.0, 0.1], [0.0, 2.0, -out], mu),
        wall([1.0, 4.0, 0.1], [0.0, 2.0, out], mu),
    ];
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let particles = (0..320)
        .map(|k| {
            let (i, j, layer) = (k % 4, (k / 4) % 4, k / 16);
            let shift = if layer % 2 == 0 { -0.004 } else { 0.004 };
            let place = |i: i32| f64::from(i - 2) * 0.0235 + 0.01175 + shift;
            let x = Vec3::new(place(i), 0.012 + 0.022 * f64::from(layer), place(j));
            let x = x + 0.0009 * Vec3::from_fn(|_, _| random());
            Particle { radius: RADIUS, friction: Friction::uniform(mu), ..Particle::new(0.01, x) }
        })
        .collect();
    Scene { gravity: Vec3::y() * -9.81, bodies, particles, ..Scene::default() }
}

/// Maximum overlap of marbles with each other and with the box (m).
fn overlap(state: &State) -> f64 {
    let at = |i: usize| state.particles[i].position;
    let n = state.particles.len();
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| 2.0 * RADIUS - (at(i) - at(j)).norm()));
    let walls = (0..n).map(|i| RADIUS - (HALF - at(i).x.abs()).min(HALF - at(i).z.abs()).min(at(i).y));
    pairs.chain(walls).fold(0.0, f64::max)
}

fn mean(n: usize, f: impl Fn(usize) -> f64) -> f64 {
    (0..n).map(f).sum::<f64>() / n as f64
}

#[test]
fn a_pile_settles_without_overlap_and_its_speeds_are_true() {
    for mu in [0.0, 0.3] {
        let scene = pile(mu);
        let mut xpbd = Xpbd::new(Config::default(), Clock::default()).expect("valid settings");
        let mut state = State::initial(&scene);
        let (mut deepest, mut lie, mut speed) = (0.0_f64, 0.0_f64, 0.0_f64);
        for k in 1..=250 {
            let before = state.clone();
            xpbd.step(&scene, &mut state, 0.01).expect("a step");
            if k <= 200 {
                continue;
            }
            let moved = |i: usize| (state.particles[i].position - before.particles[i].position) / 0.01;
            let n = state.particles.len();
            deepest = deepest.max(overlap(&state));
            lie = lie.max(mean(n, |i| (state.particles[i].velocity - moved(i)).norm()));
            speed = speed.max(mean(n, |i| state.particles[i].velocity.norm()));
        }
        println!("mu {mu}: overlap {deepest:e} m, |v - dx/dt| {lie:e} m/s, speed {speed:e} m/s");
        assert!(deepest < 0.01 * RADIUS, "mu {mu}: {deepest} m");
        // Without friction some marbles still trickle into place.
        let slow = if mu > 0.0 { 1e-3 } else { 1e-2 };
        assert!(lie < slow && speed < slow, "mu {mu}: {lie} m/s of {speed} m/s");
    }
}

/// λ is part of the state: an interrupted run continues with the same bits.
#[test]
fn a_pile_can_be_resumed() {
    let scene = pile(0.3);
    let new = || Xpbd::new(Config::default(), Clock::default()).expect("valid settings");
    let (mut one, mut state) = (new(), State::initial(&scene));
    for _ in 0..60 {
        one.step(&scene, &mut state, 0.01).expect("a step");
    }
    assert!(state.memory.numbers.contains_key("xpbd/particle_lambda"));
    let mut resumed = state.clone();
    let mut other = new();
    for _ in 0..5 {
        one.step(&scene, &mut state, 0.01).expect("a step");
        other.step(&scene, &mut resumed, 0.01).expect("a step");
    }
    assert_eq!(state, resumed);
}
