//! Joints that break, and joints that cannot hold.

use rigor_math::{Pose, Vec3};
use rigor_scene::{FixedAxes, Joint, JointKind, Outcome, Strength};
use rigor_xpbd::Config;

use super::{G, about_z, arm, joint, told, weighing, with};
use crate::scenes::{cuboid, record, scene};

#[test]
fn a_joint_breaks_at_its_force_and_not_below() {
    for kind in [JointKind::Fixed, JointKind::BALL, JointKind::PRISMATIC] {
        for (factor, breaks) in [(1.001, false), (0.999, true)] {
            let weight = scene(vec![weighing(2.0, cuboid("weight", [0.2; 3], [0.0; 3]))]);
            let mut hook = joint(&weight, kind.clone(), 0, None, Pose::new(Vec3::zeros(), about_z()));
            hook.strength.force = factor * 2.0 * G;
            let run = record(&with(weight, vec![hook]), Config::default(), 0.01, 100);
            assert_eq!(told(&run).broken, breaks, "{kind:?} of {factor} times the weight");
            let fallen = -run.last().bodies[0].pose.position.y;
            assert_eq!(fallen > 1.0, breaks, "{kind:?} fell by {fallen}");
        }
    }
}

#[test]
fn a_joint_breaks_at_its_torque_and_not_below() {
    for (factor, breaks) in [(1.001, false), (0.999, true)] {
        let mut arm = arm(JointKind::Fixed);
        arm.joints[0].strength = Strength { torque: factor * G, ..Strength::default() };
        let run = record(&arm, Config::default(), 0.01, 100);
        assert_eq!(told(&run).broken, breaks, "{factor} times the moment");
    }
}

#[test]
fn contradictory_joints_give_a_finite_result_that_tells_their_error() {
    let block = scene(vec![cuboid("block", [0.2; 3], [0.0; 3])]);
    let nail = |x: f64| {
        let frame_b = Pose::translation(Vec3::x() * x);
        Joint { frame_b, ..joint(&block, JointKind::Fixed, 0, None, Pose::identity()) }
    };
    let torn = with(block.clone(), vec![nail(-0.5), nail(0.5)]);
    for iterations in [1, 10] {
        let run = record(&torn, Config { iterations, ..Config::default() }, 0.01, 100);
        assert_eq!(run.outcome, Outcome::Completed);
        let [a, b] = [0, 1].map(|i| run.reports.last().unwrap().joints[i].position_error);
        assert!((a + b - 1.0).abs() < 1e-2, "{a} + {b}");
        assert!(run.last().bodies[0].is_finite() && run.last().bodies[0].linear_velocity.norm() < 1e3);
    }
}

#[test]
fn joints_of_bodies_that_may_not_move_are_no_trouble() {
    let mut stuck = scene(vec![cuboid("stuck", [0.2; 3], [0.0; 3])]);
    stuck.bodies[0].fixed = FixedAxes { translation: [true, true, false], rotation: [true; 3] };
    let mut pin = joint(&stuck, JointKind::Fixed, 0, None, Pose::identity());
    pin.frame_b.position = Vec3::new(0.1, 0.0, 0.2);
    let run = record(&with(stuck, vec![pin]), Config::default(), 0.01, 20);
    let x = run.last().bodies[0].pose.position;
    assert!(x.x == 0.0 && (x.z - 0.2).abs() < 0.05, "{x}");
    assert!(told(&run).force_world.norm().is_finite() && told(&run).position_error >= 0.1 - 1e-12);
}

#[test]
fn the_step_tells_the_largest_error_of_its_joints() {
    let run = record(&arm(JointKind::HINGE), Config::default(), 0.01, 50);
    for report in &run.reports {
        let joint = report.joints[0];
        assert_eq!(report.quantity("joint_error"), Some(joint.position_error));
        assert_eq!(report.quantity("joint_angle_error"), Some(joint.angle_error));
        assert!(joint.position_error < 1e-5, "{}", joint.position_error);
    }
}
