//! Impacts of marbles: energy under gravity, and simultaneous impacts.

use rigor_math::{Pose, Vec3};
use rigor_scene::{
    Body, BodySpec, Clock, Friction, PartKind, Particle, PlacedShape, Role, Run, Scene, State, Weight,
};
use rigor_shapes::Cuboid;
use rigor_xpbd::{Config, Integrator, Xpbd};

const G: f64 = 10.0;
const RADIUS: f64 = 0.02;

fn marble(position: Vec3, velocity: Vec3, e: f64) -> Particle {
    Particle { radius: RADIUS, velocity, restitution: e, ..Particle::new(0.03, position) }
}

/// A static floor whose top is at y = 0.
fn floor(e: f64) -> Body {
    let mesh = Cuboid::new(Vec3::new(4.0, 1.0, 4.0)).mesh().expect("a box");
    let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
    let spec = BodySpec {
        role: Role::Static,
        pose: Pose::translation(Vec3::y() * -0.5),
        weight: Weight::Mass(1.0),
        friction: Friction::uniform(0.0),
        restitution: e,
        ..BodySpec::new("floor", vec![shape])
    };
    spec.build().expect("a floor")
}

fn run(scene: &Scene, config: Config, steps: u64) -> Run {
    let mut xpbd = Xpbd::new(config, Clock::default()).expect("valid settings");
    let run = Run::record(scene, &mut xpbd, 0.01, steps);
    assert_eq!(run.outcome, rigor_scene::Outcome::Completed);
    run
}

/// Kinetic and potential energy of movable particles and bodies (J).
fn energy(scene: &Scene, state: &State) -> f64 {
    let moving = scene.particles.iter().zip(&state.particles).filter(|(p, _)| !p.is_pinned());
    moving.map(|(p, at)| p.mass * (0.5 * at.velocity.norm_squared() - scene.gravity.dot(&at.position))).sum()
}

fn momentum(scene: &Scene, state: &State) -> Vec3 {
    scene.particles.iter().zip(&state.particles).map(|(p, at)| p.mass * at.velocity).sum()
}

/// Two marbles above each other that bounce on the floor, and a third on a pinned one.
fn bouncing(e: f64) -> Scene {
    let at = |x: f64, y: f64| Vec3::new(x, y, 0.001 * x);
    let mut pinned = marble(at(1.0, 0.2), Vec3::zeros(), e);
    pinned.mass = f64::INFINITY;
    let particles = vec![
        marble(at(0.0, 0.1), Vec3::zeros(), e),
        marble(at(0.003, 0.4), Vec3::y() * -1.0, e),
        pinned,
        marble(at(1.005, 0.5), Vec3::zeros(), e),
    ];
    Scene { gravity: Vec3::y() * -G, bodies: vec![floor(e)], particles, ..Scene::default() }
}

/// A substep of symplectic Euler without an impact changes the energy by −½ m g² h². Impacts do not change
/// it.
#[test]
fn with_e_1_only_the_integrator_changes_the_energy() {
    let scene = bouncing(1.0);
    let start = energy(&scene, &State::initial(&scene));
    for substeps in [1_u32, 3, 10, 20, 100] {
        for integrator in [Integrator::SymplecticEuler, Integrator::VelocityVerlet] {
            let h = 0.01 / f64::from(substeps);
            let run = run(&scene, Config { substeps, integrator, ..Config::default() }, 60);
            let lost_per_step = match integrator {
                Integrator::SymplecticEuler => 3.0 * 0.03 * 0.5 * G * G * h * 0.01,
                _ => 0.0,
            };
            let bounced = run.trajectory.frames.iter().any(|f| f.particles[0].velocity.y > 0.5);
            assert!(bounced, "the marble reached the floor");
            for (k, frame) in run.trajectory.frames.iter().enumerate() {
                let expected = start - lost_per_step * k as f64;
                let off = (energy(&scene, frame) - expected) / start;
                assert!(off.abs() < 1e-9, "{substeps} {integrator:?}: {off} at frame {k}");
            }
        }
    }
}

/// The height of a bounce converges to e² of the fall, from below.
#[test]
fn a_bounce_keeps_e_squared_of_the_height() {
    for e in [0.5, 0.8] {
        let height = 0.3;
        let marbles = vec![marble(Vec3::y() * (height + RADIUS), Vec3::zeros(), e)];
        let scene =
            Scene { gravity: Vec3::y() * -G, bodies: vec![floor(e)], particles: marbles, ..Scene::default() };
        let mut errors = Vec::new();
        for substeps in [5, 20, 80] {
            let run = run(&scene, Config { substeps, ..Config::default() }, 40);
            let energy = energy(&scene, run.last()) / 0.03 - G * RADIUS;
            errors.push(energy / (G * height) - e * e);
        }
        for (pair, substeps) in errors.windows(2).zip([20, 80]) {
            assert!(pair[1].abs() < 0.3 * pair[0].abs(), "{e}, {substeps}: {errors:?}");
        }
        assert!(errors.iter().all(|error| *error <= 1e-12), "{e}: more than e²: {errors:?}");
        assert!(errors[2].abs() < 2e-3, "{e}: {errors:?}");
    }
}

/// A marble hits two touching ones centrally: they leave at 30° with 2 √3/5 of its speed, and it returns with
/// a fifth.
#[test]
fn a_marble_between_two_others_returns_with_a_fifth() {
    let d = 2.0 * RADIUS;
    let (sine, cosine) = rigor_math::elementary::sin_cos_degrees(30.0);
    for gap in [0.01, 0.0237] {
        let marbles = vec![
            marble(Vec3::x() * -(cosine * d + gap), Vec3::x(), 1.0),
            marble(Vec3::y() * sine * d, Vec3::zeros(), 1.0),
            marble(Vec3::y() * -sine * d, Vec3::zeros(), 1.0),
        ];
        let scene = Scene { gravity: Vec3::zeros(), particles: marbles, ..Scene::default() };
        let run = run(&scene, Config::default(), 10);
        let v: Vec<Vec3> = run.last().particles.iter().map(|p| p.velocity).collect();
        let speed = 0.4 * 3.0_f64.sqrt();
        for (v, expected) in v.iter().zip([
            Vec3::x() * -0.2,
            Vec3::new(cosine, sine, 0.0) * speed,
            Vec3::new(cosine, -sine, 0.0) * speed,
        ]) {
            assert!((v - expected).norm() < 1e-9, "{v:?} {expected:?}");
        }
    }
}

/// A rack of fifteen touching marbles, and a marble that hits its tip along its axis.
fn rack(e: f64) -> Scene {
    let d = 2.0 * RADIUS;
    let (_, cosine) = rigor_math::elementary::sin_cos_degrees(30.0);
    let mut particles = vec![marble(Vec3::x() * -0.1, Vec3::x() * 3.0, e)];
    for row in 0..5 {
        for k in 0..=row {
            let y = d * (f64::from(k) - 0.5 * f64::from(row));
            particles.push(marble(Vec3::new(f64::from(row) * cosine * d, y, 0.0), Vec3::zeros(), e));
        }
    }
    Scene { gravity: Vec3::zeros(), particles, ..Scene::default() }
}

#[test]
fn the_break_of_a_rack_keeps_symmetry_momentum_and_energy() {
    for e in [1.0, 0.7] {
        let scene = rack(e);
        let start = State::initial(&scene);
        let run = run(&scene, Config::default(), 20);
        let end = run.last();
        let kinetic = energy(&scene, end) / energy(&scene, &start);
        let p = (momentum(&scene, end) - momentum(&scene, &start)).norm() / momentum(&scene, &start).norm();
        assert!(p < 1e-12, "{e}: {p}");
        if e == 1.0 {
            assert!((kinetic - 1.0).abs() < 1e-11, "{kinetic}");
        } else {
            assert!(kinetic < 0.9, "{kinetic}");
        }
        for p in &end.particles {
            let is_mirror = |q: &&rigor_scene::ParticleState| {
                let mirrored = q.position.component_mul(&Vec3::new(1.0, -1.0, 1.0));
                (mirrored - p.position).norm() < 1e-8
            };
            assert!(end.particles.iter().any(|q| is_mirror(&q)), "{e}: {p:?} has no mirror image");
        }
        // Break-away: no marble runs into a neighbour that it touches.
        for (i, a) in end.particles.iter().enumerate() {
            for b in &end.particles[..i] {
                let (x, v) = (a.position - b.position, a.velocity - b.velocity);
                assert!(x.norm() > 2.0 * RADIUS * (1.0 - 1e-9), "{e}: overlap");
                assert!(x.norm() > 2.0 * RADIUS * (1.0 + 1e-9) || v.dot(&x) > -1e-9, "{e}: {x:?} {v:?}");
            }
        }
        assert!(end.particles.iter().filter(|p| p.velocity.norm() > 1e-3).count() > 5, "it broke");
    }
}

/// A row hit from both ends at the same moment throws both back.
#[test]
fn a_row_that_is_hit_from_both_ends_throws_both_back() {
    let d = 2.0 * RADIUS;
    let mut marbles: Vec<Particle> =
        (-1..=1).map(|k| marble(Vec3::x() * (d * f64::from(k)), Vec3::zeros(), 1.0)).collect();
    marbles.push(marble(Vec3::x() * -0.1, Vec3::x(), 1.0));
    marbles.push(marble(Vec3::x() * 0.1, -Vec3::x(), 1.0));
    let scene = Scene { gravity: Vec3::zeros(), particles: marbles, ..Scene::default() };
    let run = run(&scene, Config::default(), 10);
    let v: Vec<f64> = run.last().particles.iter().map(|p| p.velocity.x).collect();
    assert!(v[..3].iter().all(|v| v.abs() < 1e-10), "{v:?}");
    assert!((v[3] + 1.0).abs() < 1e-10 && (v[4] - 1.0).abs() < 1e-10, "{v:?}");
}
