//! Joints, bounds and drives.

use rigor_avbd::Config;
use rigor_math::{Pose, Vec3};
use rigor_scene::{
    BodyId, BodySpec, Drive, FlawKind, Freedom, Goal, Joint, JointKind, Method, Range, Scene, Strength,
    Weight,
};

use crate::scenes::{avbd, cuboid, record, scene};

/// A bar of 1 m whose end is at the origin, with a joint to the world there about z.
fn bar(kind: JointKind) -> Scene {
    let body = cuboid("bar", [1.0, 0.1, 0.1], [0.5, 0.0, 0.0]);
    let about_z = rigor_math::rotation_vector::exp(&(Vec3::y() * -std::f64::consts::FRAC_PI_2));
    let mut scene = scene(vec![BodySpec { group: 0, ..body }]);
    let at = Pose::new(Vec3::new(-0.5, 0.0, 0.0), about_z);
    let frame = scene.bodies[0].authored_pose(&Pose::identity()).inverse().compose(&at);
    scene.joints.push(Joint::new(
        "joint",
        kind,
        (BodyId(0), frame),
        (None, Pose::new(Vec3::zeros(), about_z)),
    ));
    scene
}

fn largest_gap(run: &rigor_scene::Run) -> f64 {
    run.reports.iter().flat_map(|report| &report.joints).map(|joint| joint.position_error).fold(0.0, f64::max)
}

#[test]
fn a_pendulum_tends_to_implicit_eulers_and_its_pin_closes_with_sweeps() {
    let scene = bar(JointKind::HINGE);
    // 3 g/(2 L) from rest on the horizontal: ω² = 3 g/L at the bottom.
    let speed = |dt: f64| {
        let run = record(&scene, Config { iterations: 40, ..Config::default() }, dt, (1.2 / dt) as u64);
        let speeds = run.trajectory.frames.iter().map(|state| state.bodies[0].angular_velocity.norm());
        (speeds.fold(0.0, f64::max) / (3.0 * 9.81_f64).sqrt() - 1.0).abs()
    };
    let errors = [4e-3, 2e-3, 1e-3].map(speed);
    let orders = [errors[0] / errors[1], errors[1] / errors[2]];
    assert!(orders.iter().all(|order| (order - 2.0).abs() < 0.2), "{errors:?}");
    let gap =
        |iterations| largest_gap(&record(&scene, Config { iterations, ..Config::default() }, 1e-2, 100));
    assert!(gap(4) < 2e-3 && gap(40) < 1e-6, "{} m, {} m", gap(4), gap(40));
}

#[test]
fn bounds_hold_and_drives_reach_their_goals() {
    let range = Range::new(-0.5, 0.5);
    let run = record(&bar(JointKind::Hinge { turn: Freedom::within(range) }), Config::default(), 5e-3, 400);
    let turn = run.reports.last().unwrap().joints[0].turn.unwrap();
    assert!((turn.abs() - 0.5).abs() < 1e-4, "{turn} rad");
    let drive = Drive::new(Goal::Velocity(1.5));
    let run = record(&bar(JointKind::Hinge { turn: Freedom::driven(drive) }), Config::default(), 5e-3, 400);
    let spin = run.last().bodies[0].angular_velocity;
    assert!((spin.norm() - 1.5).abs() < 1e-3, "{spin:?}");
}

#[test]
fn joints_break_at_their_strength() {
    let mut scene = bar(JointKind::BALL);
    // At the bottom the pin carries 5/2 m g.
    let weight = scene.bodies[0].mass * 9.81;
    let breaks =
        |scene: &Scene| record(scene, Config::default(), 5e-3, 200).reports.last().unwrap().joints[0].broken;
    scene.joints[0].strength = Strength { force: 2.7 * weight, torque: f64::INFINITY };
    assert!(!breaks(&scene));
    scene.joints[0].strength = Strength { force: 2.2 * weight, torque: f64::INFINITY };
    assert!(breaks(&scene));
}

#[test]
fn springs_between_a_light_and_a_heavy_body_hang_as_they_should() {
    // 1 g between the world and 1 kg: without the curvature of distances the gram is thrown about.
    let body = |name: &str, mass: f64, y: f64| {
        let mut body = cuboid(name, [0.05; 3], [0.0, y, 0.0]);
        body.weight = Weight::Mass(mass);
        body
    };
    let mut scene = scene(vec![body("light", 1e-3, -0.5), body("heavy", 1.0, -1.0)]);
    let joint = |name: &str, a: usize, b: Option<usize>| {
        let kind = JointKind::distance(0.5, 0.5);
        let joint = Joint::new(name, kind, (BodyId(a), Pose::identity()), (b.map(BodyId), Pose::identity()));
        Joint { compliance: 1e-2, ..joint }
    };
    scene.joints = vec![joint("upper", 0, None), joint("lower", 1, Some(0))];
    // A little aside, so that what would grow has something to grow from.
    scene.bodies[0].initial.pose.position.x = 1e-5;
    let run = record(&scene, Config::default(), 1.0 / 60.0, 600);
    let aside = run.trajectory.frames.iter().flat_map(|state| &state.bodies);
    let aside = aside.map(|body| body.pose.position.xz().norm()).fold(0.0, f64::max);
    assert!(aside < 1e-4, "{aside} m");
    let hangs = -run.last().bodies[1].pose.position.y;
    // Each spring is longer by α m g.
    assert!((hangs - 1.0 - 2e-2 * 9.81).abs() < 1e-3, "{hangs} m");
}

#[test]
fn a_start_whose_joints_do_not_hold_is_told() {
    let mut scene = bar(JointKind::BALL);
    scene.joints[0].frame_b.position.y += 0.1;
    let run = record(&scene, Config::default(), 1e-2, 2);
    let told = |i: usize| run.reports[i].flaws.iter().any(|flaw| flaw.kind == FlawKind::StartCorrected);
    assert!(told(0) && !told(1));
}

#[test]
fn what_turns_about_joints_is_damped_and_that_is_told() {
    // Two bars, welded at their ends, that spin in space: ω₀/√(1 + 2 s ω₀² h t), s the share of the inertia that lies in the motion of their centres.
    let bar = |name: &str, x: f64| {
        let mut body = cuboid(name, [0.4, 0.1, 0.1], [x, 0.0, 0.0]);
        body.angular_velocity = Vec3::z() * 5.0;
        body.linear_velocity = Vec3::y() * (5.0 * x);
        body
    };
    let mut scene = scene(vec![bar("a", -0.2), bar("b", 0.2)]);
    scene.gravity = Vec3::zeros();
    // Frames at the joint, with the world's axes.
    let at = |b: usize| scene.bodies[b].initial.pose.inverse();
    let (frame_a, frame_b) = (at(0), at(1));
    scene.joints.push(Joint::new("weld", JointKind::Fixed, (BodyId(0), frame_a), (Some(BodyId(1)), frame_b)));
    let notices = avbd(Config::default()).notices(&scene, 1e-2);
    assert!(notices.iter().any(|notice| notice.to_string().starts_with("motion of joint \"weld\": damped")));
    let run = record(&scene, Config::default(), 1e-2, 1000);
    let omega = run.last().bodies[0].angular_velocity.norm();
    let s = 0.04 / (0.04 + (0.16 + 0.01) / 12.0);
    let due = 5.0 / (1.0 + 2.0 * s * 25.0 * 1e-2 * 10.0_f64).sqrt();
    assert!((omega / due - 1.0).abs() < 0.02, "{omega} rad/s, due {due}");
}
