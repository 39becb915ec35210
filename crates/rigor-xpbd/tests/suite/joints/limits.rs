//! Joint limits under load.

use rigor_math::{Pose, Vec3, elementary, quaternion};
use rigor_scene::{BodySpec, Drive, Freedom, Goal, Joint, JointDamping, JointKind, Range, State};
use rigor_xpbd::Config;

use super::{G, about_z, angle_z, arm, joint, sledge, told, weighing, with};
use crate::scenes::{cuboid, record, scene};

const DAMPED: JointDamping = JointDamping { linear: 5.0, angular: 5.0 };

#[test]
fn a_hinge_rests_on_its_bound_with_the_torque_of_the_load() {
    let turn = Freedom::within(Range::new(-0.5, 3.0));
    let run = record(&arm(JointKind::Hinge { turn }), Config::default(), 0.01, 300);
    let angle = angle_z(run.last(), 0);
    assert!((angle + 0.5).abs() < 1e-5, "{angle}");
    let torque = told(&run).torque_world.z;
    assert!((torque - G * elementary::cos(0.5)).abs() < 1e-2, "{torque}");
}

#[test]
fn a_compliant_bound_gives_way_by_torque_times_compliance() {
    let range = Range { compliance: 0.02, ..Range::new(-0.5, 3.0) };
    let mut arm = arm(JointKind::Hinge { turn: Freedom::within(range) });
    arm.joints[0].damping = JointDamping { linear: 0.0, angular: 50.0 };
    let run = record(&arm, Config::default(), 0.01, 1000);
    let angle = angle_z(run.last(), 0);
    assert!((angle + 0.5 + 0.02 * G * elementary::cos(angle)).abs() < 1e-9, "{angle}");
}

#[test]
fn a_slide_rests_on_its_bound_with_the_weight() {
    let up = quaternion::from_axis_angle(&Vec3::z_axis(), 0.5 * std::f64::consts::PI);
    let run = record(&sledge(Freedom::within(Range::new(-0.25, 1.0)), up), Config::default(), 0.01, 300);
    assert!((run.last().bodies[0].pose.position.y + 0.25).abs() < 1e-5);
    assert!((told(&run).force_world - Vec3::y() * 2.0 * G).norm() < 1e-2);
    let end = run.last().bodies[0];
    assert!(
        end.pose.position.x.abs() + end.pose.position.z.abs() < 1e-12 && end.angular_velocity.norm() < 1e-12
    );
}

#[test]
fn a_ball_joint_stops_at_its_swing() {
    let swing = Range::new(f64::NEG_INFINITY, 0.7);
    let bob = scene(vec![weighing(2.0, cuboid("bob", [1.0, 0.1, 0.1], [0.5, 0.0, 0.0]))]);
    let mut pin = joint(&bob, JointKind::Ball { swing, twist: Range::UNBOUNDED }, 0, None, Pose::identity());
    pin.damping = DAMPED;
    let run = record(&with(bob, vec![pin]), Config::default(), 0.01, 500);
    assert!((angle_z(run.last(), 0) + 0.7).abs() < 1e-5, "{}", angle_z(run.last(), 0));
    let torque = told(&run).torque_world.z;
    assert!((torque - G * elementary::cos(0.7)).abs() < 1e-2, "{torque}");
}

#[test]
fn a_ball_joint_stops_at_its_twist_whatever_its_swing() {
    for swing in [0.0, 0.8] {
        let tilt = quaternion::from_axis_angle(&Vec3::z_axis(), swing);
        let axis = tilt * Vec3::x();
        let top =
            BodySpec { angular_velocity: 2.0 * axis, ..cuboid("top", [1.0, 0.3, 0.3], [0.5, 0.0, 0.0]) };
        let mut top = scene(vec![BodySpec { pose: Pose::new(0.5 * axis, tilt), ..top }]);
        top.gravity = Vec3::zeros();
        let twist = Range::new(-1.0, 0.4);
        let mut pin =
            joint(&top, JointKind::Ball { swing: Range::UNBOUNDED, twist }, 0, None, Pose::identity());
        // Frames that coincide where the top stands, as seen from an untilted frame B.
        pin.frame_a = Pose::translation(-0.5 * Vec3::x());
        pin.damping = JointDamping { linear: 0.0, angular: 3.0 };
        let run = record(&with(top, vec![pin]), Config::default(), 0.01, 100);
        let largest = run.reports.iter().map(|r| r.joints[0].angle_error).fold(0.0, f64::max);
        let q = run.last().bodies[0].pose.rotation;
        let turn = 2.0 * elementary::atan2(q.i, q.w);
        assert!(largest < 1e-4, "swing {swing}: beyond by {largest}");
        assert!((0.2..=0.4 + 1e-5).contains(&turn), "swing {swing}: turned by {turn}");
    }
}

#[test]
fn a_rope_is_slack_until_it_is_taut() {
    let bob = scene(vec![cuboid("bob", [0.1; 3], [0.0; 3])]);
    let mut rope = joint(&bob, JointKind::distance(0.0, 0.5), 0, None, Pose::identity());
    rope.damping = DAMPED;
    let run = record(&with(bob, vec![rope]), Config::default(), 0.01, 200);
    let falling = &run.trajectory.frames[20];
    assert!((falling.bodies[0].linear_velocity.y + 0.2 * G).abs() < 1e-12, "it falls freely at first");
    assert_eq!(run.reports[19].joints[0].force_world, Vec3::zeros());
    assert!((run.last().bodies[0].pose.position.y + 0.5).abs() < 1e-5);
    // A cube of 0.1 m of water.
    assert!((told(&run).force_world - Vec3::y() * G).norm() < 1e-2, "{}", told(&run).force_world);
}

#[test]
fn a_rod_keeps_ends_apart_even_if_they_start_together() {
    let mut pair = scene(vec![cuboid("a", [0.1; 3], [0.0; 3]), cuboid("b", [0.1; 3], [0.0; 3])]);
    pair.gravity = Vec3::zeros();
    let rod = joint(&pair, JointKind::distance(0.3, 1.0), 0, Some(1), Pose::identity());
    let run = record(&with(pair, vec![rod]), Config { closing_time: 0.0, ..Config::default() }, 0.01, 1);
    let [a, b] = [0, 1].map(|i| run.trajectory.frames[1].bodies[i].pose.position);
    assert!((a - b).norm() >= 0.3 - 1e-12 && (a + b).norm() < 1e-12);
}

#[test]
fn an_angle_beyond_half_a_turn_is_pushed_back_to_the_nearer_bound() {
    let range = Range::new(-1.0, 3.0);
    let mut arm = arm(JointKind::Hinge { turn: Freedom::within(range) });
    arm.gravity = Vec3::new(0.0, 1.0, 0.0);
    arm.bodies[0].torque = Vec3::z() * 5.0;
    arm.joints[0] = Joint { damping: DAMPED, ..arm.joints[0].clone() };
    let run = record(&arm, Config { substeps: 5, ..Config::default() }, 0.02, 500);
    assert!((angle_z(run.last(), 0) - 3.0).abs() < 1e-3, "{}", angle_z(run.last(), 0));
}

/// Whatever a drive aims at and however strong it is, its rigid bound stops it, without energy.
#[test]
fn a_drive_stops_at_its_bound() {
    let goals = [Goal::Velocity(1.5), Goal::Velocity(40.0), Goal::Position(1.6), Goal::Position(-20.0)];
    for goal in goals {
        for (compliance, max_effort) in [(0.0, f64::INFINITY), (0.0, 30.0), (1e-9, 30.0), (1e-3, 1e4)] {
            let range = Range::new(-0.8, 0.8);
            let bound = match goal {
                Goal::Position(x) | Goal::Velocity(x) => 0.8 * x.signum(),
            };
            let drive = Drive { damping: 2.0, max_effort, ..Drive::spring(goal, compliance) };
            let turn = Freedom { range, drive: Some(drive) };
            let mut arm = arm(JointKind::Hinge { turn });
            arm.gravity = Vec3::zeros();
            arm.joints[0].damping = JointDamping { linear: 0.0, angular: 1.0 };
            let run = record(&arm, Config::default(), 0.002, 1000);
            let case = format!("{goal:?}, {compliance}, {max_effort}: ");
            assert!((angle_z(run.last(), 0) - bound).abs() < 1e-6, "{case}{}", angle_z(run.last(), 0));
            let speed = |state: &State| state.bodies[0].angular_velocity.norm();
            let fastest = run.trajectory.frames.iter().map(speed).fold(0.0, f64::max);
            let most = match goal {
                Goal::Velocity(rate) if max_effort == f64::INFINITY => 1.2 * rate,
                Goal::Velocity(_) | Goal::Position(_) => 1e3,
            };
            assert!(fastest < most, "{case}{fastest} rad/s");
            assert!(speed(run.last()) < 1e-6, "{case}{} rad/s at the end", speed(run.last()));
        }
    }
}

/// A load that is less than the drive can hold does not take it off its bound, and a larger one does.
#[test]
fn a_drive_holds_at_its_bound_against_what_it_is_strong_enough_for() {
    for (max_effort, holds) in [(2.0 * G, true), (0.5 * G, false)] {
        let drive = Drive { max_effort, ..Drive::new(Goal::Velocity(1.0)) };
        let turn = Freedom { range: Range::new(-3.0, 0.0), drive: Some(drive) };
        let run = record(&arm(JointKind::Hinge { turn }), Config::default(), 0.01, 30);
        assert_eq!(angle_z(run.last(), 0).abs() < 1e-6, holds, "{max_effort} N m");
        let torque = told(&run).torque_world.z;
        assert!((torque - max_effort.min(G)).abs() < 1e-2 * G, "{torque}");
    }
}

/// A rigid drive at any rate turns an arm on its circle: the substeps follow the turn.
#[test]
fn drives_at_any_rate_keep_the_arm_on_its_circle() {
    for rate in [20.0, 500.0, 1000.0, 6000.0] {
        let turn = Freedom::driven(Drive::new(Goal::Velocity(rate)));
        let mut arm = arm(JointKind::Hinge { turn });
        arm.gravity = Vec3::zeros();
        let run = record(&arm, Config::default(), 0.01, 20);
        for state in &run.trajectory.frames[1..] {
            let turned = rate * state.time;
            let place = Vec3::new(elementary::cos(turned), elementary::sin(turned), 0.0) * 0.5;
            assert!(
                (state.bodies[0].pose.position - place).norm() < 1e-5,
                "{rate}: {:?}",
                state.bodies[0].pose
            );
            assert!((state.bodies[0].angular_velocity - Vec3::z() * rate).norm() < 0.02 * rate);
        }
    }
}

/// A compact body far from its hinge (m l²/I = 24, 96, 600) keeps its circle at a rigid rate, and stops at a bound.
#[test]
fn compact_bodies_on_levers_are_driven_and_stopped() {
    for (lever, rates) in [(0.1, [35.0, 52.0, 90.0]), (0.2, [20.0, 35.0, 90.0]), (0.5, [10.0, 35.0, 87.0])] {
        for rate in rates {
            for is_driven in [true, false] {
                let turn = if is_driven {
                    Freedom::driven(Drive::new(Goal::Velocity(rate)))
                } else {
                    Freedom::within(Range::new(-1.0, 1.7))
                };
                let mut cube = cuboid("cube", [0.05; 3], [lever, 0.0, 0.0]);
                if !is_driven {
                    (cube.linear_velocity, cube.angular_velocity) =
                        (Vec3::y() * (rate * lever), Vec3::z() * rate);
                }
                let mut cube = scene(vec![weighing(1.0, cube)]);
                cube.gravity = Vec3::zeros();
                let hinge = JointKind::Hinge { turn };
                let pin = joint(&cube, hinge, 0, None, Pose::new(Vec3::zeros(), about_z()));
                let cube = with(cube, vec![pin]);
                let run = record(&cube, Config::default(), 0.01, 40);
                let why = format!("{lever} m, {rate} rad/s, driven: {is_driven}");
                assert_eq!(run.outcome, rigor_scene::Outcome::Completed, "{why}");
                let spin = run.last().bodies[0].angular_velocity.z;
                let due = if is_driven { rate } else { 0.0 };
                // A bound gives up to a twelfth of the rate back where m l²/I is 600.
                let slack = if is_driven { 1e-6 } else { 0.08 };
                assert!((spin - due).abs() < slack * rate, "{why}: {spin}");
                let place = run.last().bodies[0].pose.position.norm();
                assert!((place - lever).abs() < 1e-3 * lever, "{why}: {place} m from its hinge");
            }
        }
    }
}

/// About an axis askew to its inertia an arm starts at the rate of its drive, and stops at the bound, at any rate.
#[test]
fn a_drive_turns_an_arm_about_a_skewed_axis_alone() {
    let askew = quaternion::from_axis_angle(&Vec3::y_axis(), -0.25 * std::f64::consts::PI);
    for rate in [3.0, 35.0, 164.0, 3500.0] {
        for range in [Range::UNBOUNDED, Range::new(-1.0, 0.9)] {
            let turn = Freedom { range, drive: Some(Drive::new(Goal::Velocity(rate))) };
            let mut arm = scene(vec![weighing(3.0, cuboid("arm", [0.4, 0.05, 0.05], [0.2, 0.0, 0.0]))]);
            arm.gravity = Vec3::zeros();
            let pin = joint(&arm, JointKind::Hinge { turn }, 0, None, Pose::new(Vec3::zeros(), askew));
            let arm = with(arm, vec![pin]);
            let run = record(&arm, Config::default(), 0.02, 25);
            let spin = |state: &State| state.bodies[0].angular_velocity.norm();
            let frames = &run.trajectory.frames[1..];
            if range.is_bounded() {
                let turned = told(&run).turn.unwrap();
                let rest = spin(&frames[frames.len() - 1]);
                assert!((turned - 0.9).abs() < 1e-6 && rest < 1e-2, "{rate}: {turned}");
            } else {
                for spin in frames.iter().map(spin) {
                    assert!((spin - rate).abs() < 0.05 * rate, "{rate}: {spin}");
                }
            }
        }
    }
}
