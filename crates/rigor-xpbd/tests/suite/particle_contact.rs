//! Particles against bodies and each other: statics, Coulomb's law, restitution, conservation.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{
    Body, BodyForce, BodySpec, Clock, Friction, PartKind, Particle, PlacedShape, Role, Run, Scene, State,
    Weight,
};
use rigor_shapes::{Cuboid, Icosphere};
use rigor_xpbd::{Config, Xpbd};

const G: f64 = 10.0;

fn body(name: &str, mesh: rigor_geometry::Mesh, role: Role, pose: Pose, mass: f64, mu: f64) -> Body {
    let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
    let spec = BodySpec {
        role,
        pose,
        weight: Weight::Mass(mass),
        friction: Friction::uniform(mu),
        ..BodySpec::new(name, vec![shape])
    };
    spec.build().unwrap()
}

fn cuboid(role: Role, size: [f64; 3], pose: Pose, mass: f64, mu: f64) -> Body {
    body("box", Cuboid::new(size.into()).mesh().unwrap(), role, pose, mass, mu)
}

/// A static box of 4 m × 1 m × 4 m whose top is at y = 0 before it is tilted by `degrees` about z through the
/// origin.
fn floor(degrees: f64, mu: f64) -> Body {
    let turn = rotation_vector::exp(&(Vec3::z() * degrees.to_radians()));
    cuboid(Role::Static, [4.0, 1.0, 4.0], Pose::new(turn * Vec3::new(0.0, -0.5, 0.0), turn), 1.0, mu)
}

fn marble(radius: f64, position: Vec3, velocity: Vec3, mu: f64, e: f64) -> Particle {
    Particle {
        radius,
        velocity,
        friction: Friction::uniform(mu),
        restitution: e,
        ..Particle::new(1.0, position)
    }
}

fn scene(gravity: f64, bodies: Vec<Body>, particles: Vec<Particle>) -> Scene {
    let bodies = bodies.into_iter().zip(0..).map(|(body, group)| Body { group, ..body }).collect();
    Scene { gravity: Vec3::y() * -gravity, bodies, particles, ..Scene::default() }
}

fn run(scene: &Scene, seconds: f64) -> Run {
    iterate(scene, seconds, 1)
}

fn iterate(scene: &Scene, seconds: f64, iterations: u32) -> Run {
    let mut xpbd = Xpbd::new(Config { iterations, ..Config::default() }, Clock::default()).unwrap();
    let run = Run::record(scene, &mut xpbd, 0.01, (seconds * 100.0) as u64);
    assert_eq!(run.outcome, rigor_scene::Outcome::Completed);
    run
}

fn forces(run: &Run) -> Vec<BodyForce> {
    run.reports.last().unwrap().body_forces(run.last().bodies.len())
}

/// Σ m v and Σ x × m v + I ω of particles and bodies, and the kinetic energy.
fn conserved(scene: &Scene, state: &State) -> (Vec3, Vec3, f64) {
    let mut sums = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for (p, at) in scene.particles.iter().zip(&state.particles) {
        sums.0 += p.mass * at.velocity;
        sums.1 += at.position.cross(&(p.mass * at.velocity));
        sums.2 += 0.5 * p.mass * at.velocity.norm_squared();
    }
    for (b, at) in scene.bodies.iter().zip(&state.bodies).filter(|(b, _)| b.is_dynamic()) {
        let spin = b.inertia_world(&at.pose) * at.angular_velocity;
        sums.0 += b.mass * at.linear_velocity;
        sums.1 += at.pose.position.cross(&(b.mass * at.linear_velocity)) + spin;
        sums.2 += 0.5 * (b.mass * at.linear_velocity.norm_squared() + at.angular_velocity.dot(&spin));
    }
    sums
}

#[test]
fn a_marble_rests_on_a_floor_with_its_weight() {
    for radius in [0.0, 0.1] {
        let scene = scene(
            G,
            vec![floor(0.0, 0.5)],
            vec![marble(radius, Vec3::new(0.3, radius + 0.05, 0.2), Vec3::zeros(), 0.5, 0.0)],
        );
        let run = run(&scene, 1.0);
        let at = run.last().particles[0];
        assert!((at.position - Vec3::new(0.3, radius, 0.2)).norm() < 1e-12, "{at:?}");
        assert!(at.velocity.norm() < 1e-12);
        let force = forces(&run)[0];
        assert!((force.contact - Vec3::y() * -G).norm() < 1e-9, "{force:?}");
        assert!(force.friction.norm() < 1e-9);
    }
}

#[test]
fn a_marble_holds_on_an_incline_below_mu_and_slides_above() {
    // tan 20° = 0.364.
    for (mu, holds) in [(0.37, true), (0.36, false), (0.1, false)] {
        let turn = rotation_vector::exp(&(Vec3::z() * 20.0_f64.to_radians()));
        let start = turn * Vec3::new(1.0, 0.1, 0.0);
        let scene = scene(G, vec![floor(20.0, mu)], vec![marble(0.1, start, Vec3::zeros(), mu, 0.0)]);
        let run = run(&scene, 0.5);
        let at = run.last().particles[0];
        let (sine, cosine) = rigor_math::elementary::sin_cos_degrees(20.0);
        let acceleration = if holds { 0.0 } else { G * (sine - mu * cosine) };
        let expected = start - turn * Vec3::x() * (0.5 * acceleration * 0.25);
        // First-order error of the substep: a t h/2.
        assert!(
            (at.position - expected).norm() < 1e-3 * 0.5 * acceleration + 1e-6,
            "{mu}: {at:?} {expected:?}"
        );
        let force = forces(&run)[0];
        assert!((force.contact.norm() - G * cosine).abs() < 1e-6 * G, "{mu}: {force:?}");
        let friction = if holds { G * sine } else { mu * G * cosine };
        assert!((force.friction.norm() - friction).abs() < 1e-6 * G, "{mu}: {force:?}");
    }
}

#[test]
fn a_row_of_marbles_passes_a_blow_on() {
    for gap in [0.0, 1e-3, 0.013] {
        let at = |k: f64| Vec3::x() * (k * (0.1 + gap));
        let mut marbles: Vec<_> =
            (0..5).map(|k| marble(0.05, at(f64::from(k)), Vec3::zeros(), 0.0, 1.0)).collect();
        marbles.push(marble(0.05, Vec3::x() * -0.5, Vec3::x(), 0.0, 1.0));
        let scene = scene(0.0, vec![], marbles);
        let run = run(&scene, 1.0);
        let v: Vec<f64> = run.last().particles.iter().map(|p| p.velocity.x).collect();
        assert!(v[..4].iter().chain(&v[5..]).all(|v| v.abs() < 1e-12), "{gap}: {v:?}");
        assert!((v[4] - 1.0).abs() < 1e-12, "{gap}: {v:?}");
    }
}

#[test]
fn two_unequal_marbles_swap_as_they_must() {
    let mut marbles = vec![
        marble(0.1, Vec3::new(-0.5, 0.03, 0.0), Vec3::x() * 2.0, 0.0, 1.0),
        marble(0.1, Vec3::new(0.5, 0.0, 0.02), Vec3::x() * -1.0, 0.0, 1.0),
    ];
    marbles[1].mass = 3.0;
    let scene = scene(0.0, vec![], marbles);
    let (p, l, energy) = conserved(&scene, &State::initial(&scene));
    let run = run(&scene, 0.6);
    let (p_end, l_end, energy_end) = conserved(&scene, run.last());
    // Velocities come from positions: ε/h of them.
    assert!((p - p_end).norm() < 1e-12 && (l - l_end).norm() < 1e-12);
    assert!((energy - energy_end).abs() < 1e-12 * energy);
    assert!(run.last().particles[0].velocity.x < 0.0, "they met");
}

#[test]
fn a_fast_marble_does_not_tunnel() {
    for (radius, speed) in [(0.0, 500.0), (0.05, 500.0), (0.01, 30.0)] {
        let wall = cuboid(Role::Static, [0.02, 2.0, 2.0], Pose::identity(), 1.0, 0.0);
        let start = Vec3::new(-3.0, 0.1, 0.2);
        let scene = scene(0.0, vec![wall], vec![marble(radius, start, Vec3::x() * speed, 0.0, 0.0)]);
        let run = run(&scene, 0.3);
        let at = run.last().particles[0].position;
        assert!((at.x + 0.01 + radius).abs() < 1e-9, "{radius} {speed}: {at:?}");
    }
    let marbles = vec![
        marble(0.05, Vec3::x() * -3.0, Vec3::x() * 300.0, 0.0, 1.0),
        marble(0.05, Vec3::zeros(), Vec3::zeros(), 0.0, 1.0),
    ];
    let run = run(&scene(0.0, vec![], marbles), 0.1);
    assert!((run.last().particles[1].velocity.x - 300.0).abs() < 1e-9, "marbles neither");
}

#[test]
fn a_blow_on_a_free_box_conserves_momenta_and_with_e_1_energy() {
    for (e, mu) in [(1.0, 0.0), (0.0, 0.0), (0.0, 0.7), (0.5, 0.5)] {
        let box_ =
            Body { restitution: e, ..cuboid(Role::Dynamic, [1.0, 0.6, 1.4], Pose::identity(), 3.0, mu) };
        let particles = vec![marble(0.1, Vec3::new(-2.0, 0.1, 0.2), Vec3::new(5.0, 0.2, 0.0), mu, e)];
        let scene = scene(0.0, vec![box_], particles);
        let (p, l, energy) = conserved(&scene, &State::initial(&scene));
        let run = run(&scene, 0.6);
        let (p_end, l_end, energy_end) = conserved(&scene, run.last());
        assert!((p - p_end).norm() < 1e-11, "{e} {mu}: {p_end:?}");
        // Overlap that one sweep leaves at the impact (friction rotates the box after its normal was solved)
        // is removed from positions only: its p × Δv and the rotation under ω are not balanced.
        let turned = if e == 1.0 { 1e-11 } else { 1e-4 };
        assert!((l - l_end).norm() < turned, "{e} {mu}: {l:?} {l_end:?}");
        assert!(run.last().bodies[0].linear_velocity.x > 0.5, "it was hit");
        if e == 1.0 {
            assert!((energy - energy_end).abs() < 1e-3 * energy, "{energy} {energy_end}");
        } else {
            assert!(energy_end < energy);
        }
    }
}

#[test]
fn a_box_rests_on_marbles_with_its_weight() {
    let box_ = cuboid(Role::Dynamic, [1.0, 0.2, 1.0], Pose::translation(Vec3::y() * 0.301), 4.0, 0.5);
    let at = |x: f64, z: f64| marble(0.1, Vec3::new(x, 0.1, z), Vec3::zeros(), 0.5, 0.0);
    let marbles = vec![at(0.4, 0.4), at(-0.4, 0.4), at(0.4, -0.4), at(-0.4, -0.4)];
    let scene = scene(G, vec![floor(0.0, 0.5), box_], marbles);
    // A transmitted load needs sweeps to arrive.
    let run = iterate(&scene, 1.0, 20);
    let end = run.last();
    assert!((end.bodies[1].pose.position.y - 0.3).abs() < 1e-3, "{:?}", end.bodies[1]);
    assert!(end.bodies[1].linear_velocity.norm() < 1e-3, "{:?}", end.bodies[1]);
    let force = forces(&run);
    assert!((force[1].contact - Vec3::y() * 4.0 * G).norm() < 0.5, "{force:?}");
    assert!((force[0].contact + Vec3::y() * 8.0 * G).norm() < 0.5, "{force:?}");
}

#[test]
fn a_marble_stays_on_top_of_a_faceted_ball_or_rolls_off_without_sinking() {
    let ball = Icosphere { radius: 0.5, subdivisions: 3 }.mesh().unwrap();
    let ball = body("ball", ball, Role::Static, Pose::identity(), 1.0, 0.0);
    let scene = scene(G, vec![ball], vec![marble(0.1, Vec3::new(0.05, 0.61, 0.02), Vec3::zeros(), 0.0, 0.0)]);
    let run = run(&scene, 1.5);
    for frame in &run.trajectory.frames {
        // No facet is farther inside than the sagitta of its edges.
        assert!(frame.particles[0].position.norm() > 0.59, "{:?}", frame.particles[0]);
    }
    assert!(run.last().particles[0].position.norm() > 0.62, "it left the ball");
}

#[test]
fn overlap_at_the_start_goes_without_a_pop() {
    let marbles = vec![
        marble(0.1, Vec3::zeros(), Vec3::zeros(), 0.0, 1.0),
        marble(0.1, Vec3::x() * 0.12, Vec3::zeros(), 0.0, 1.0),
    ];
    let run = run(&scene(0.0, vec![], marbles), 0.1);
    let [a, b] = [run.last().particles[0], run.last().particles[1]];
    assert!((b.position.x - a.position.x - 0.2).abs() < 1e-12);
    assert_eq!((a.velocity.norm(), b.velocity.norm()), (0.0, 0.0));
}
