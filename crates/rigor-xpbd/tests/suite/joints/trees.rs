//! Trees of joints solved at once, compared with many sweeps over the same joints.

use rigor_math::{Pose, Vec3};
use rigor_scene::{JointKind, Run, Scene, State};
use rigor_xpbd::{Config, JointSolver};

use super::{about_z, joint, weighing, with};
use crate::scenes::{cuboid, record, scene};

fn direct(substeps: u32, iterations: u32) -> Config {
    Config { substeps, iterations, joints: JointSolver::Direct, ..Config::default() }
}

fn sweeps(substeps: u32, iterations: u32) -> Config {
    Config { joints: JointSolver::Sweep, ..direct(substeps, iterations) }
}

/// Twigs of a bent, branching tree: each is joined to the parent that its entry names, the first to the
/// world, cycling through `kinds`.
fn tree(parents: &[usize], kinds: &[JointKind]) -> Scene {
    let place = |i: usize| Vec3::new(0.9 * i as f64, 0.2 * (i * i % 3) as f64, 0.3 * (i % 2) as f64);
    let twigs = (0..=parents.len())
        .map(|i| weighing(1.0 + i as f64, cuboid(&format!("twig {i}"), [0.8, 0.2, 0.3], place(i).into())));
    let bodies = scene(twigs.collect());
    let frame = |at: Vec3| Pose::new(at, about_z());
    let mut joints = vec![joint(&bodies, kinds[0].clone(), 0, None, frame(place(0) - Vec3::x()))];
    for (i, &parent) in (1..).zip(parents) {
        let middle = frame(0.5 * (place(i) + place(parent)));
        // Alternates which body comes first.
        let (a, b) = if i % 2 == 0 { (i, parent) } else { (parent, i) };
        joints.push(joint(&bodies, kinds[i % kinds.len()].clone(), a, Some(b), middle));
    }
    with(bodies, joints)
}

/// Maximum distance (m) between positions of bodies.
fn apart(a: &State, b: &State) -> f64 {
    let pairs = a.bodies.iter().zip(&b.bodies);
    pairs.map(|(a, b)| (a.pose.position - b.pose.position).norm()).fold(0.0, f64::max)
}

/// Maximum joint error (m) after a step.
fn worst(run: &Run) -> f64 {
    let joints = run.reports.iter().flat_map(|report| &report.joints);
    joints.map(|joint| joint.position_error.max(joint.angle_error)).fold(0.0, f64::max)
}

const KINDS: [JointKind; 3] = [JointKind::BALL, JointKind::HINGE, JointKind::Fixed];

#[test]
fn a_branching_tree_moves_as_by_many_sweeps() {
    let scene = tree(&[0, 1, 1, 0, 4, 5], &KINDS);
    let [once, often] = [direct(10, 1), sweeps(10, 400)].map(|config| record(&scene, config, 0.01, 5));
    assert!(worst(&once) < 1e-7, "{}", worst(&once));
    // The change that a second solve would make, and the error that sweeps have left.
    assert!(apart(once.last(), often.last()) < 1e-6, "{}", apart(once.last(), often.last()));
}

#[test]
fn compliant_joints_give_way_as_by_many_sweeps() {
    let mut scene = tree(&[0, 1, 1, 0], &KINDS);
    for joint in &mut scene.joints {
        (joint.compliance, joint.angular_compliance) = (1e-4, 2e-4);
    }
    let [once, often] = [direct(10, 3), sweeps(10, 400)].map(|config| record(&scene, config, 0.01, 5));
    // λ accumulates along axes that rotate with each sweep: slightly differently with one more sweep.
    assert!(apart(once.last(), often.last()) < 1e-8, "{}", apart(once.last(), often.last()));
    let force = |run: &Run| run.reports[4].joints[0].force_world;
    assert!((force(&once) - force(&often)).norm() < 1e-4 * force(&often).norm());
}

#[test]
fn a_thousandfold_weight_on_a_light_chain_is_carried_in_one_sweep() {
    let links = (0..20).map(|i| {
        let kilograms = if i == 19 { 1000.0 } else { 1.0 };
        weighing(
            kilograms,
            cuboid(&format!("link {i}"), [0.1, 0.4, 0.1], [0.0, -0.2 - 0.4 * f64::from(i), 0.0]),
        )
    });
    let bodies = scene(links.collect());
    let at = |i: usize| Pose::new(Vec3::new(0.0, -0.4 * i as f64, 0.0), about_z());
    let joints = (0..20).map(|i| joint(&bodies, JointKind::BALL, i, i.checked_sub(1), at(i))).collect();
    let scene = with(bodies, joints);
    let [once, swept] = [direct(10, 1), sweeps(10, 1)].map(|config| record(&scene, config, 0.01, 50));
    assert!(worst(&once) < 1e-12, "{}", worst(&once));
    assert!(worst(&swept) > 1e-3, "{}", worst(&swept));
    let weight = 9.81 * 1019.0;
    let carried = once.reports.last().unwrap().joints[0].force_world.y;
    assert!((carried - weight).abs() < 1e-9 * weight, "{carried} N");
}

#[test]
fn a_chain_between_two_supports_and_a_loop_are_kept() {
    let kinds = [JointKind::BALL];
    let mut bridge = tree(&[0, 1, 2, 3], &kinds);
    let end = Pose::new(Vec3::new(4.1, 0.2, 0.0), about_z());
    bridge.joints.push(joint(&bridge, JointKind::BALL, 4, None, end));
    let run = record(&bridge, direct(10, 1), 0.01, 50);
    assert!(worst(&run) < 1e-6, "{}", worst(&run));
    let mut ring = tree(&[0, 1, 2, 3], &kinds);
    let middle = Pose::new(Vec3::new(1.8, 0.0, 0.6), about_z());
    ring.joints.push(joint(&ring, JointKind::BALL, 4, Some(0), middle));
    let run = record(&ring, direct(20, 1), 0.01, 50);
    assert!(worst(&run) < 1e-3, "{}", worst(&run));
}

#[test]
fn what_two_hinges_hold_twice_is_held() {
    let door = scene(vec![weighing(5.0, cuboid("door", [0.8, 2.0, 0.05], [0.4, 0.0, 0.0]))]);
    let upright = rigor_math::quaternion::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
    let at = |y: f64| Pose::new(Vec3::new(0.0, y, 0.0), upright);
    let hinges = [0.8, -0.8].map(|y| joint(&door, JointKind::HINGE, 0, None, at(y)));
    let scene = with(door, hinges.to_vec());
    let run = record(&scene, direct(10, 1), 0.01, 100);
    assert!(worst(&run) < 1e-9, "{}", worst(&run));
    let borne: Vec3 = run.reports[99].joints.iter().map(|joint| joint.force_world).sum();
    assert!((borne - Vec3::y() * (5.0 * 9.81)).norm() < 1e-6, "{borne}");
}
