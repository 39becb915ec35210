//! Motion compared with exact results.

use std::f64::consts::TAU;

use rigor_math::{Pose, Vec3, quaternion};
use rigor_scene::{BodySpec, Drive, Freedom, Goal, Joint, JointDamping, JointKind, Run, Scene};
use rigor_xpbd::Config;

use super::{G, about_z, angle_z, arm, joint, sledge, weighing, wheel, with};
use crate::scenes::{cuboid, record, scene};

/// The first time (s) at which `f` turns negative, with linear interpolation between frames.
fn zero_crossing(run: &Run, f: impl Fn(&rigor_scene::State) -> f64) -> f64 {
    let crossing = run.trajectory.frames.windows(2).find(|w| f(&w[0]) > 0.0 && f(&w[1]) <= 0.0);
    let [before, after] = crossing.expect("a crossing") else { unreachable!() };
    before.time + (after.time - before.time) * f(before) / (f(before) - f(after))
}

#[test]
fn a_compound_pendulum_keeps_its_period() {
    for kind in [JointKind::HINGE, JointKind::BALL] {
        let amplitude = 0.1;
        let rod = cuboid("rod", [0.05, 1.0, 0.05], [0.0; 3]);
        let turned = quaternion::from_axis_angle(&Vec3::z_axis(), amplitude);
        let pose = Pose::new(turned * Vec3::new(0.0, -0.5, 0.0), turned);
        let rod = scene(vec![weighing(3.0, BodySpec { pose, ..rod })]);
        let pin = joint(&rod, kind.clone(), 0, None, Pose::new(Vec3::zeros(), about_z()));
        // T = 2π √(I/(m g ½)) (1 + θ₀²/16 + 11 θ₀⁴/3072), with I of a box about its end.
        let inertia = (1.0 + 0.05 * 0.05) / 12.0 + 0.25;
        let theta_sq = amplitude * amplitude;
        let swing = 1.0 + theta_sq / 16.0 + 11.0 * theta_sq * theta_sq / 3072.0;
        let period = TAU * (inertia / (0.5 * G)).sqrt() * swing;
        let errors = [10, 20].map(|substeps| {
            let config = Config { substeps, ..Config::default() };
            let run = record(&with(rod.clone(), vec![pin.clone()]), config, 0.01, 60);
            zero_crossing(&run, |s| s.bodies[0].pose.position.x) / (0.25 * period) - 1.0
        });
        assert!(errors[1].abs() < 1e-3, "{kind:?}: {errors:?}");
        assert!(errors[1].abs() < 0.6 * errors[0].abs(), "{kind:?}: of first order in h: {errors:?}");
    }
}

#[test]
fn a_free_wheel_is_damped_by_one_factor_a_substep() {
    let mut wheel = wheel(Freedom::FREE);
    wheel.bodies[0].initial.angular_velocity = Vec3::z() * 3.0;
    wheel.joints[0].damping = JointDamping { linear: 0.0, angular: 2.0 };
    let run = record(&wheel, Config { substeps: 10, ..Config::default() }, 0.01, 100);
    let left = (0..1000).fold(3.0, |omega, _| omega * (1.0 - 2.0 * 1e-3));
    let omega = run.last().bodies[0].angular_velocity.z;
    assert!((omega / left - 1.0).abs() < 1e-9, "{omega} against {left}");
}

#[test]
fn a_sledge_is_damped_by_one_factor_a_substep_and_stops_at_the_most() {
    for (k, substeps) in [(2.0, 10), (1e9, 1)] {
        let mut sledge = sledge(Freedom::FREE, quaternion::from_axis_angle(&Vec3::y_axis(), 0.0));
        sledge.bodies[0].initial.linear_velocity = Vec3::x() * 3.0;
        sledge.joints[0].damping = JointDamping { linear: k, angular: 0.0 };
        let run = record(&sledge, Config { substeps, ..Config::default() }, 0.01, 100);
        let h = 0.01 / f64::from(substeps);
        let left = (0..100 * substeps).fold(3.0, |v, _| v * (1.0 - (k * h).min(1.0)));
        let v = run.last().bodies[0].linear_velocity.x;
        assert!((v - left).abs() < 1e-9, "{v} against {left}");
    }
}

#[test]
fn a_velocity_drive_turns_on_and_on() {
    for v in [7.0, -40.0] {
        let run =
            record(&wheel(Freedom::driven(Drive::new(Goal::Velocity(v)))), Config::default(), 0.01, 300);
        let last = &run.last().bodies[0];
        assert!((last.angular_velocity.z - v).abs() < 1e-9 * v.abs(), "{}", last.angular_velocity.z);
        let expected = quaternion::from_axis_angle(&Vec3::z_axis(), 3.0 * v);
        let off = quaternion::difference(&expected, &last.pose.rotation).norm();
        assert!(off < 1e-6, "after {} turns: {off} rad off", 3.0 * v / TAU);
    }
}

#[test]
fn a_weak_motor_speeds_up_by_torque_over_inertia_and_then_holds_its_speed() {
    let drive = Drive { max_effort: 1.0, ..Drive::new(Goal::Velocity(4.0)) };
    let wheel = wheel(Freedom::driven(drive));
    let inertia = 2.0 * (1.0 + 1.0) / 12.0;
    let run = record(&wheel, Config::default(), 0.01, 300);
    for frame in &run.trajectory.frames {
        let expected = (frame.time / inertia).min(4.0);
        let omega = frame.bodies[0].angular_velocity.z;
        // One substep of torque at the corner.
        assert!(
            (omega - expected).abs() < 1.1 * 5e-4 / inertia,
            "at {} s: {omega} against {expected}",
            frame.time
        );
    }
    assert!((run.last().bodies[0].angular_velocity.z - 4.0).abs() < 1e-9);
}

#[test]
fn a_motor_that_was_held_back_does_not_make_up_for_it() {
    // Too weak for the arm's weight, the drive waits; without gravity it turns at its speed.
    let drive = Drive { max_effort: 5.0, ..Drive::new(Goal::Velocity(1.0)) };
    let mut arm = arm(JointKind::Hinge { turn: Freedom::driven(drive.clone()) });
    let stop = rigor_scene::Range::new(-0.2, f64::INFINITY);
    arm.joints[0].kind = JointKind::Hinge { turn: Freedom { range: stop, drive: Some(drive) } };
    let held = record(&arm, Config::default(), 0.01, 500);
    assert!((angle_z(held.last(), 0) + 0.2).abs() < 1e-3);
    arm.gravity = Vec3::zeros();
    let mut state = held.last().clone();
    let mut method = crate::scenes::xpbd(Config::default());
    for _ in 0..100 {
        rigor_scene::Method::step(&mut method, &arm, &mut state, 0.01).unwrap();
        assert!(state.bodies[0].angular_velocity.z < 1.0 + 1e-6, "{}", state.bodies[0].angular_velocity.z);
    }
    assert!((state.bodies[0].angular_velocity.z - 1.0).abs() < 1e-6);
}

#[test]
fn a_rail_drive_moves_at_its_speed() {
    let drive = Drive::new(Goal::Velocity(0.5));
    let run = record(&sledge(Freedom::driven(drive), about_z()), Config::default(), 0.01, 200);
    assert!((run.last().bodies[0].pose.position.z - 1.0).abs() < 1e-9);
    assert!(run.last().bodies[0].pose.position.y.abs() < 1e-5, "the rail bears the weight");
}

#[test]
fn a_cylindrical_joint_falls_and_turns_along_its_axis_only() {
    let tilted = quaternion::from_axis_angle(&Vec3::z_axis(), 0.5);
    let axis = tilted * Vec3::x();
    let spin = BodySpec { angular_velocity: 3.0 * axis, ..cuboid("sleeve", [0.3, 0.2, 0.2], [0.0; 3]) };
    let sleeve = scene(vec![BodySpec { pose: Pose::new(Vec3::zeros(), tilted), ..spin }]);
    let rod = joint(&sleeve, JointKind::CYLINDRICAL, 0, None, Pose::new(Vec3::zeros(), tilted));
    let run = record(&with(sleeve, vec![rod]), Config::default(), 0.01, 100);
    let last = &run.last().bodies[0];
    let along = last.pose.position.dot(&axis);
    let fallen = -0.5 * G * axis.y;
    assert!((along / fallen - 1.0).abs() < 1e-3, "{along} against {fallen}"); // of first order in h
    assert!(last.pose.position.cross(&axis).norm() < 1e-4);
    assert!((last.angular_velocity - 3.0 * axis).norm() < 1e-6);
}

#[test]
fn a_universal_joint_hands_on_a_turn_as_cardan_has_it() {
    // Driven at 1 rad/s through a bend of β, the other shaft turns at cos β/(1 − sin²β sin²θ), with θ from
    // where its pin is level.
    let bend = 0.5;
    let turned = quaternion::from_axis_angle(&Vec3::y_axis(), bend);
    let shaft = |name: &str| weighing(1.0, cuboid(name, [0.5, 0.1, 0.1], [0.0; 3]));
    let out = BodySpec { pose: Pose::new(Vec3::zeros(), turned), ..shaft("out") };
    let mut shafts = scene(vec![out, shaft("in")]);
    shafts.gravity = Vec3::zeros();
    let drive = Freedom::driven(Drive::new(Goal::Velocity(1.0)));
    let bearing_in = joint(&shafts, JointKind::Hinge { turn: drive }, 1, None, Pose::identity());
    let bearing_out = joint(&shafts, JointKind::HINGE, 0, None, Pose::new(Vec3::zeros(), turned));
    let mut cross = joint(&shafts, JointKind::Universal, 0, Some(1), Pose::identity());
    // A's y axis is the pin of the output shaft, B's x axis that of the input shaft, perpendicular to its
    // axis.
    cross.frame_a = Pose::identity();
    cross.frame_b = Pose::new(Vec3::zeros(), about_z());
    let run = record(&with(shafts, vec![bearing_in, bearing_out, cross]), Config::default(), 0.01, 600);
    for frame in run.trajectory.frames.iter().skip(20) {
        let (s, c) = (rigor_math::elementary::sin(frame.time), rigor_math::elementary::cos(bend));
        let expected = c / (1.0 - (1.0 - c * c) * s * s);
        let omega = frame.bodies[0].angular_velocity.dot(&(turned * Vec3::x()));
        let other = c / (1.0 - (1.0 - c * c) * (1.0 - s * s));
        assert!(
            (omega - expected).abs().min((omega - other).abs()) < 0.01,
            "{}: {omega} against {expected} or {other}",
            frame.time
        );
    }
}

#[test]
fn a_gear_turns_as_its_ratio_says_and_multiplies_torque() {
    for ratio in [2.0, -0.5] {
        let disc = |name: &str, x: f64| cuboid(name, [0.5, 0.5, 0.1], [x, 0.0, 0.0]);
        let pair = scene(vec![disc("a", 0.0), disc("b", 1.0)]);
        let at = |x: f64| Pose::new(Vec3::x() * x, about_z());
        let mut drive = Drive::new(Goal::Velocity(1.5));
        drive.max_effort = 50.0;
        let driven = JointKind::Hinge { turn: Freedom::driven(drive) };
        let axles =
            [joint(&pair, driven, 0, None, at(0.0)), joint(&pair, JointKind::HINGE, 1, None, at(1.0))];
        let gear = joint(&pair, JointKind::Gear { ratio }, 0, Some(1), at(0.0));
        let [first, second] = axles;
        let run = record(&with(pair, vec![first, second, gear]), Config::default(), 0.01, 300);
        let last = run.last();
        assert!((last.bodies[0].angular_velocity.z - 1.5).abs() < 1e-6);
        assert!((last.bodies[1].angular_velocity.z - 1.5 * ratio).abs() < 1e-6);
        assert!(run.reports.last().unwrap().joints[2].angle_error < 1e-6);
        // While accelerating, both wheels share the motor's torque by their inertias, as seen through the
        // ratio.
        let early = &run.trajectory.frames[1].bodies;
        let inertia = 25.0 * 0.5 / 12.0;
        let rate = 50.0 / (inertia * (1.0 + ratio * ratio));
        let omega = early[0].angular_velocity.z;
        assert!((omega / (0.01 * rate).min(1.5) - 1.0).abs() < 1e-3, "{omega} against {}", 0.01 * rate);
    }
}

#[test]
fn a_hinge_keeps_its_axis_the_better_the_shorter_the_substep() {
    let tumbling = || {
        let brick = |name: &str, x: f64| cuboid(name, [1.0, 0.3, 0.2], [x, 0.0, 0.0]);
        let first = BodySpec { angular_velocity: Vec3::new(1.0, 3.0, 2.0), ..brick("a", 0.5) };
        let mut pair =
            scene(vec![first, BodySpec { angular_velocity: Vec3::new(1.0, 3.0, 5.0), ..brick("b", -0.5) }]);
        pair.gravity = Vec3::zeros();
        let pin: Joint = joint(&pair, JointKind::HINGE, 0, Some(1), Pose::new(Vec3::zeros(), about_z()));
        with(pair, vec![pin])
    };
    let worst = |scene: &Scene, substeps: u32| {
        let run = record(scene, Config { substeps, ..Config::default() }, 1.0 / 60.0, 120);
        let later = run.reports.iter().skip(10);
        later
            .map(|r| r.joints[0])
            .fold((0.0_f64, 0.0_f64), |(p, a), j| (p.max(j.position_error), a.max(j.angle_error)))
    };
    let scene = tumbling();
    let errors = [5, 10, 20, 40].map(|substeps| worst(&scene, substeps));
    for pair in errors.windows(2) {
        assert!(pair[1].0 < 0.35 * pair[0].0 && pair[1].1 < 0.35 * pair[0].1, "of second order: {errors:?}");
    }
    assert!(errors[2].0 < 1e-5 && errors[2].1 < 1e-4, "at 20 substeps: {errors:?}");
}
