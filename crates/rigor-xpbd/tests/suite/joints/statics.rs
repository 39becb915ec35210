//! Static loads.

use rigor_math::{Pose, Vec3, elementary, quaternion};
use rigor_scene::{BodyId, Drive, Freedom, Goal, Joint, JointDamping, JointKind, Scene, State};
use rigor_xpbd::Config;

use super::{G, about_z, angle_z, arm, joint, sledge, told, weighing, with};
use crate::scenes::{cuboid, record, scene};

/// Adds damping, so that a spring comes to rest.
fn damped(joint: Joint) -> Joint {
    Joint { damping: JointDamping { linear: 20.0, angular: 20.0 }, ..joint }
}

#[test]
fn springs_hang_at_rest_length_plus_weight_over_stiffness() {
    // [Mueller2020] fig. 4: 1 and 1/8 kg at 0.01 m/N under 10 m/s² stretch by 0.1 and 0.0125 m.
    for (mass, stretch) in [(1.0, 0.1), (0.125, 0.0125)] {
        let bob = scene(vec![weighing(mass, cuboid("bob", [0.1; 3], [0.0, -0.5, 0.0]))]);
        let bob = Scene { gravity: Vec3::new(0.0, -10.0, 0.0), ..bob };
        for rest in [0.5, 0.0] {
            let kind = JointKind::distance(rest, rest);
            let mut spring = damped(joint(&bob, kind, 0, None, Pose::translation(Vec3::new(0.0, -0.5, 0.0))));
            spring.compliance = 0.01;
            spring.frame_b = Pose::translation(Vec3::new(0.0, -0.5 + rest, 0.0));
            let run = record(&with(bob.clone(), vec![spring]), Config::default(), 1.0 / 60.0, 600);
            let length = rest - 0.5 - run.last().bodies[0].pose.position.y;
            // Rounding of a spring of h²k = 7e-5 kg against 1 kg.
            assert!((length - rest - stretch).abs() < 1e-11, "{mass} kg at rest length {rest}: {length}");
            assert!((told(&run).force_world - Vec3::y() * 10.0 * mass).norm() < 1e-8);
        }
    }
}

#[test]
fn a_stiff_spring_under_a_thousandfold_weight_is_as_long_as_it_should_be() {
    // [Mueller2020] fig. 6: 1 g carries 1 kg, at compliances 0.01, 0.001 and 0 m/N.
    for compliance in [0.01, 0.001, 0.0] {
        let stretch = compliance * G;
        let small = 0.5 + 1.001 * stretch;
        let large = small + 0.5 + stretch;
        let cube = |name: &str, size: f64, depth: f64| cuboid(name, [size; 3], [0.0, -depth, 0.0]);
        let pair = scene(vec![
            weighing(0.001, cube("small", 0.05, small)),
            weighing(1.0, cube("large", 0.2, large)),
        ]);
        let hang = |a: usize, b: Option<usize>| {
            let kind = JointKind::distance(0.5, 0.5);
            let ends = ((BodyId(a), Pose::identity()), (b.map(BodyId), Pose::identity()));
            Joint { compliance, ..Joint::new("spring", kind, ends.0, ends.1) }
        };
        let pair = with(pair, vec![hang(0, None), hang(1, Some(0))]);
        for substeps in [10, 20, 40] {
            let run = record(&pair, Config { substeps, ..Config::default() }, 1.0 / 60.0, 300);
            // One sweep solves the upper spring before the lower one pulls the gram down by g h² · 1 kg/1 g;
            // the pair swings about a position that is off by that much.
            let h = 1.0 / 60.0 / f64::from(substeps);
            let bound = 2.2 * G * h * h * 1000.0;
            for frame in &run.trajectory.frames {
                let [a, b] = [0, 1].map(|i| -frame.bodies[i].pose.position.y);
                let off = (a - small).abs().max((b - large).abs());
                assert!(off < bound, "α {compliance}, {substeps} substeps: {off} beyond {bound}");
            }
        }
    }
}

#[test]
fn a_rigid_drive_holds_an_arm_with_the_torque_that_statics_demands() {
    let turn = Freedom::driven(Drive::new(Goal::Position(0.0)));
    let run = record(&arm(JointKind::Hinge { turn }), Config::default(), 0.01, 100);
    // 2 kg · 9.81 m/s² · ½ m, and the weight itself.
    let report = told(&run);
    assert!((report.torque_world - Vec3::z() * G).norm() < 1e-6, "{}", report.torque_world);
    assert!((report.force_world - Vec3::y() * 2.0 * G).norm() < 1e-6, "{}", report.force_world);
    assert!(angle_z(run.last(), 0).abs() < 1e-6);
}

#[test]
fn a_compliant_drive_sags_by_torque_times_compliance() {
    let drive = Drive { damping: 5.0, ..Drive::spring(Goal::Position(0.3), 0.05) };
    let run = record(&arm(JointKind::Hinge { turn: Freedom::driven(drive) }), Config::default(), 0.01, 800);
    let angle = angle_z(run.last(), 0);
    // φ = 0.3 − α m g ½ cos φ.
    let balance = angle - 0.3 + 0.05 * G * elementary::cos(angle);
    assert!(balance.abs() < 1e-9, "angle {angle}, off by {balance}");
}

#[test]
fn a_compliant_rail_drive_sags_by_force_times_compliance() {
    let drive = Drive { damping: 100.0, ..Drive::spring(Goal::Position(0.25), 1e-3) };
    let up = quaternion::from_axis_angle(&Vec3::z_axis(), 0.5 * std::f64::consts::PI);
    let run = record(&sledge(Freedom::driven(drive), up), Config::default(), 0.01, 300);
    let height = run.last().bodies[0].pose.position.y;
    assert!((height - 0.25 + 2.0 * G * 1e-3).abs() < 1e-9, "{height}");
}

#[test]
fn a_motor_holds_what_it_is_strong_enough_for_and_no_more() {
    let held = |max_effort: f64| {
        let drive = Drive { max_effort, ..Drive::new(Goal::Position(0.0)) };
        let turn = Freedom::driven(drive);
        record(&arm(JointKind::Hinge { turn }), Config::default(), 0.01, 50)
    };
    assert!(angle_z(held(1.001 * G).last(), 0).abs() < 1e-6);
    let weak = held(0.999 * G);
    assert!(angle_z(weak.last(), 0) < -1e-3, "{}", angle_z(weak.last(), 0));
    assert!((told(&weak).torque_world.z - 0.999 * G).abs() < 1e-9, "it pulls with all it has");
}

#[test]
fn a_compliant_weld_bends_like_a_spring_of_angle_and_of_distance() {
    let mut beam = arm(JointKind::Fixed);
    beam.joints[0] = Joint { angular_compliance: 0.01, ..damped(beam.joints[0].clone()) };
    let run = record(&beam, Config::default(), 0.01, 1500);
    let angle = angle_z(run.last(), 0);
    assert!((angle + 0.01 * G * elementary::cos(angle)).abs() < 1e-8, "{angle}");
    assert!((told(&run).angle_error - angle.abs()).abs() < 1e-9);

    let mut weight = sledge(Freedom::FREE, about_z());
    weight.joints[0] = Joint { compliance: 1e-3, ..damped(weight.joints[0].clone()) };
    let run = record(&weight, Config::default(), 0.01, 300);
    assert!((run.last().bodies[0].pose.position.y + 1e-3 * 2.0 * G).abs() < 1e-9);
}

#[test]
fn a_fixed_joint_bears_force_and_moment() {
    let run = record(&arm(JointKind::Fixed), Config::default(), 0.01, 100);
    let report = told(&run);
    assert!((report.torque_world - Vec3::z() * G).norm() < 1e-6 * G, "{}", report.torque_world);
    assert!((report.force_world - Vec3::y() * 2.0 * G).norm() < 1e-6 * G);
    assert!(report.position_error < 1e-5 && report.angle_error < 1e-5, "{report:?}");
}

/// Share of each of five equal compliant welds, of α (rad/(N m)), in a total twist of one radian; they hold
/// four wheels in a row between two walls, with substeps of 1/1200 s.
fn twists(alpha: f64, config: Config) -> Vec<f64> {
    let wheel =
        |i: usize| weighing(2.0, cuboid(&format!("wheel {i}"), [0.1, 0.4, 0.4], [0.1 * i as f64, 0.0, 0.0]));
    let bodies = Scene { gravity: Vec3::zeros(), ..scene((0..4).map(wheel).collect()) };
    let frame = |i: usize| Pose::translation(Vec3::x() * (0.1 * i as f64 - 0.05));
    let weld = |a: usize, b: Option<usize>, i: usize| Joint {
        angular_compliance: alpha,
        ..damped(joint(&bodies, JointKind::Fixed, a, b, frame(i)))
    };
    let mut joints: Vec<Joint> = (0..4).map(|i| weld(i, i.checked_sub(1), i)).collect();
    joints.push(weld(3, None, 4));
    joints[4].frame_b.rotation = quaternion::from_axis_angle(&Vec3::x_axis(), 1.0);
    let scene = with(bodies, joints);
    let run = record(&scene, config, 1.0 / 60.0, 600);
    let turn = |i: usize| {
        let rotation = |state: &State| state.bodies[i].pose.rotation;
        quaternion::difference(&rotation(&run.trajectory.frames[0]), &rotation(run.last())).x
    };
    let ends: Vec<f64> = [0.0].into_iter().chain((0..4).map(turn)).chain([1.0]).collect();
    ends.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// At rest, each joint recomputes its torque λ in turn. By then the joint before it has rotated the wheel
/// between them by wλ, which this one rotates back: it rests where its twist is (α̃ + w)λ. Only the last
/// joint finds its other side at its final position: α̃λ.
#[test]
fn one_sweep_leaves_all_joints_of_a_row_but_the_last_softer_by_the_mobility_of_a_body() {
    let (w, h) = (1.0 / (2.0 / 12.0 * 2.0 * 0.16), 1.0 / 1200.0);
    let alpha = 2.0 * w * h * h;
    let swept = twists(alpha, Config::default());
    let [even, last] = [1.5, 1.0].map(|softness| softness / (4.0 * 1.5 + 1.0));
    let expected = [even, even, even, even, last];
    for (found, expected) in swept.iter().zip(expected) {
        // A rotation of 0.1 rad there and back is one of 2 atan(0.05) when linearised.
        assert!((found - expected).abs() < 5e-5, "{swept:?} instead of {expected}");
    }
    let often = twists(alpha, Config { iterations: 60, ..Config::default() });
    assert!(often.iter().all(|found| (found - 0.2).abs() < 1e-6), "{often:?} instead of a fifth");
}
