//! The method as a caller sees it: scenes in, states out.

#![allow(clippy::unwrap_used, reason = "what a test builds is right, or the test fails")]

use std::f64::consts::PI;

use rigor_free::{Config, Free};
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::build::{BodySpec, PlacedShape, Weight};
use rigor_scene::{
    Body, BodyId, BodyState, Clock, FlawKind, Joint, JointKind, Method, Motion, Outcome, PartKind, Particle,
    Role, Run, Scene, State, Subject, TimeSpan,
};
use rigor_shapes::Cuboid;

/// Relative rounding error of L per step. A state stores ω, so each step maps L through R I Rᵀ and back: four
/// rotations by a quaternion whose norm is off by ε/2.
const ROUNDING_PER_STEP: f64 = 4.0 * f64::EPSILON;

fn brick(name: &str) -> BodySpec {
    let size = Vec3::new(0.1, 0.2, 0.3);
    let mesh = Cuboid::new(size).mesh().unwrap();
    let shape =
        PlacedShape { mesh, kind: PartKind::Box { half_extents: 0.5 * size }, pose: Pose::identity() };
    BodySpec {
        weight: Weight::Mass(2.0),
        pose: Pose::new(Vec3::new(0.3, 1.0, -0.2), rotation_vector::exp(&Vec3::new(0.1, 0.2, 0.3))),
        linear_velocity: Vec3::new(1.0, 4.0, -2.0),
        angular_velocity: Vec3::new(0.3, 6.0, 0.2),
        ..BodySpec::new(name, vec![shape])
    }
}

fn scene(bodies: Vec<Body>) -> Scene {
    Scene {
        name: "flight".into(),
        gravity: Vec3::new(0.0, -9.81, 0.0),
        time: TimeSpan { dt: 0.01, duration: 1.0 },
        bodies,
        ..Scene::default()
    }
}

fn one(spec: BodySpec) -> Scene {
    scene(vec![spec.build().unwrap()])
}

fn free(substeps: u32) -> Free {
    Free::new(Config { substeps }, Clock::default()).unwrap()
}

fn run(scene: &Scene, substeps: u32, dt: f64, steps: u64) -> Run {
    let run = Run::record(scene, &mut free(substeps), dt, steps);
    assert_eq!(run.outcome, Outcome::Completed);
    run
}

#[test]
fn centre_of_mass_follows_the_parabola_whatever_the_step() {
    let scene = one(BodySpec { force: Vec3::new(3.0, 0.0, 1.0), ..brick("brick") });
    let start = scene.bodies[0].initial;
    let acceleration = scene.gravity + Vec3::new(1.5, 0.0, 0.5);
    for steps in [1, 7, 100] {
        let end = run(&scene, 1, 2.0 / steps as f64, steps).last().bodies[0];
        let exact = start.pose.position + 2.0 * start.linear_velocity + 2.0 * acceleration;
        assert!((end.pose.position - exact).norm() < 1e-13, "{steps} steps");
        assert!((end.linear_velocity - start.linear_velocity - 2.0 * acceleration).norm() < 1e-13);
    }
}

#[test]
fn substeps_are_shorter_steps_of_the_rotation() {
    let scene = one(BodySpec { torque: Vec3::new(0.01, 0.0, 0.02), ..brick("brick") });
    let (substepped, stepped) = (run(&scene, 8, 0.08, 10), run(&scene, 1, 0.01, 80));
    let (a, b) = (substepped.last().bodies[0], stepped.last().bodies[0]);
    assert!(rotation_vector::log(&(a.pose.rotation * b.pose.rotation.inverse())).norm() < 1e-12);
    assert!((a.angular_velocity - b.angular_velocity).norm() < 1e-12 * b.angular_velocity.norm());
}

#[test]
fn energy_and_angular_momentum_survive_a_thousand_steps() {
    let mut scene = one(brick("brick"));
    scene.gravity = Vec3::zeros();
    let body = &scene.bodies[0];
    let momentum = |s: &BodyState| body.inertia_world(&s.pose) * s.angular_velocity;
    let energy = |s: &BodyState| 0.5 * s.angular_velocity.dot(&momentum(s));
    let run = run(&scene, 1, 0.01, 1000);
    let (first, last) = (body.initial, run.last().bodies[0]);
    let drift = (momentum(&last) - momentum(&first)).norm() / momentum(&first).norm();
    assert!(drift < 1000.0 * ROUNDING_PER_STEP, "{drift:e}");
    assert!((energy(&last) / energy(&first) - 1.0).abs() < 1e-11);
}

/// Half a radian to a hundred turns per step, about the stable axes and tumbling about the middle one: one long step and many
/// short ones end alike, and energy and angular momentum stay.
#[test]
fn a_spin_of_any_rate_keeps_its_energy_and_momentum() {
    let size = Vec3::new(0.4, 0.05, 0.1);
    let mesh = Cuboid::new(size).mesh().unwrap();
    let shape =
        PlacedShape { mesh, kind: PartKind::Box { half_extents: 0.5 * size }, pose: Pose::identity() };
    for (axis, rate) in [(0, 50.0), (1, 200.0), (1, 2.0e4 * PI), (2, 200.0), (2, 2.0e4 * PI)] {
        let mut spec = BodySpec::new("block", vec![shape.clone()]);
        spec.angular_velocity = Vec3::ith(axis, rate) + rate * Vec3::new(1e-3, 2e-3, -1e-3);
        let mut scene = one(spec);
        scene.gravity = Vec3::zeros();
        let body = &scene.bodies[0];
        let momentum = |s: &BodyState| body.inertia_world(&s.pose) * s.angular_velocity;
        let energy = |s: &BodyState| 0.5 * s.angular_velocity.dot(&momentum(s));
        let first = body.initial;
        let end = run(&scene, 1, 0.01, 100);
        for last in end.trajectory.frames.iter().map(|frame| &frame.bodies[0]) {
            let off = (momentum(last) - momentum(&first)).norm() / momentum(&first).norm();
            assert!(off < 1e-11, "axis {axis} at {rate} rad/s: momentum {off:e}");
            let off = energy(last) / energy(&first) - 1.0;
            assert!(off.abs() < 1e-11, "axis {axis} at {rate} rad/s: energy {off:e}");
        }
        if axis != 2 {
            let (short, long) = (end.last().bodies[0], run(&scene, 1, 1.0, 1).last().bodies[0]);
            let off = rotation_vector::log(&(short.pose.rotation * long.pose.rotation.inverse())).norm();
            // Each of a hundred steps rounds ω, and with it the turn of those that follow.
            assert!(off < 1e-11 + 3e-14 * rate, "axis {axis} at {rate} rad/s: orientation {off:e}");
        }
    }
}

#[test]
fn a_turn_under_torque_that_is_too_large_to_follow_is_a_flaw() {
    let scene = one(BodySpec { torque: Vec3::new(30.0, 0.0, 20.0), ..brick("brick") });
    let flaws = |dt: f64| {
        let mut state = State::initial(&scene);
        free(1).step(&scene, &mut state, dt).unwrap().flaws
    };
    assert!(flaws(0.1).is_empty());
    let found = flaws(1e3);
    assert!(found.len() == 1 && found[0].kind == FlawKind::Unconverged && found[0].amount > 1.0, "{found:?}");
    assert_eq!(found[0].subject, Subject::Body(BodyId(0)));
}

#[test]
fn fixed_axes_stay_and_the_others_do_not_notice() {
    let mut spec = brick("brick");
    spec.fixed.translation = [false, true, false];
    spec.fixed.rotation = [true, false, true];
    let scene = one(spec);
    let (start, end) = (scene.bodies[0].initial, run(&scene, 1, 0.01, 100).last().bodies[0]);
    assert_eq!(end.pose.position.y, start.pose.position.y);
    assert_eq!(end.linear_velocity, Vec3::new(1.0, 0.0, -2.0));
    assert!((end.pose.position.x - start.pose.position.x - 1.0).abs() < 1e-14);
    let change = (end.angular_velocity - Vec3::new(0.0, 6.0, 0.0)).norm() / 6.0;
    assert!(change < 100.0 * ROUNDING_PER_STEP, "{change:e}");
}

#[test]
fn prescribed_bodies_are_where_they_must_be() {
    let moving = Role::Kinematic(Motion::constant_velocity());
    let bodies =
        [brick("wall"), brick("piston")].into_iter().zip([Role::Static, moving]).map(|(spec, role)| {
            let spec = BodySpec { role, ..spec };
            spec.build().unwrap()
        });
    let scene = scene(bodies.collect());
    let end = run(&scene, 1, 0.01, 50);
    for (body, state) in scene.bodies.iter().zip(&end.last().bodies) {
        // The last step ends at 49 · 0.01 s + 0.01 s.
        assert_eq!(*state, body.prescribed(49.0 * 0.01 + 0.01).unwrap());
    }
    assert_eq!(end.last().bodies[0].pose, scene.bodies[0].initial.pose);
}

#[test]
fn particles_fly_and_pinned_ones_stay() {
    let mut scene = scene(Vec::new());
    let throw = Particle { velocity: Vec3::new(0.0, 5.0, 1.0), ..Particle::new(0.1, Vec3::x()) };
    let pin = Particle { mass: f64::INFINITY, velocity: Vec3::zeros(), ..throw.clone() };
    scene.particles = vec![throw, pin];
    let end = run(&scene, 1, 0.1, 10);
    let [thrown, pinned] = &end.last().particles[..] else { panic!("two particles went in") };
    assert!((thrown.position - Vec3::new(1.0, 5.0 - 0.5 * 9.81, 1.0)).norm() < 1e-14);
    assert_eq!((pinned.position, pinned.velocity), (Vec3::x(), Vec3::zeros()));
}

#[test]
fn two_runs_and_a_resumed_run_give_the_same_bits() {
    let scene = one(BodySpec { torque: Vec3::new(0.01, 0.0, 0.02), ..brick("brick") });
    let whole = run(&scene, 3, 0.01, 40);
    assert_eq!(run(&scene, 3, 0.01, 40), whole);

    let mut state = whole.trajectory.frames[15].clone();
    let mut method = free(3);
    while state.step < 40 {
        method.step(&scene, &mut state, 0.01).unwrap();
        state.step += 1;
        state.time = state.step as f64 * 0.01;
    }
    assert_eq!(state, *whole.last());
}

#[test]
fn overflow_stops_the_run_at_the_last_good_state() {
    let scene = one(BodySpec { linear_velocity: Vec3::new(1e308, 0.0, 0.0), ..brick("brick") });
    let run = Run::record(&scene, &mut free(1), 1.0, 10);
    assert!(matches!(run.outcome, Outcome::Stopped { step: 1, .. }), "{:?}", run.outcome);
    assert!(run.last().bodies.iter().all(BodyState::is_finite));
}

#[test]
fn joints_are_refused_by_name() {
    let mut scene = one(brick("brick"));
    let pin = Joint::new("pin", JointKind::BALL, (BodyId(0), Pose::identity()), (None, Pose::identity()));
    scene.joints.push(pin);
    let reason = free(1).supports(&scene).unwrap_err();
    assert_eq!(reason.to_string(), "free does not support joints");
}

#[test]
fn an_empty_scene_is_no_trouble() {
    let run = run(&scene(Vec::new()), 1, 0.1, 3);
    assert_eq!(*run.last(), State { step: 3, time: 3.0 * 0.1, ..State::default() });
}
