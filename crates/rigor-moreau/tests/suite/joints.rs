//! Joints hold, swing and drive.

use std::path::Path;

use rigor_file::{LoadOptions, cases, load};
use rigor_moreau::Config;
use rigor_scene::{FlawKind, Run, Scene, energy};

use crate::scenes::record;

pub fn case(name: &str) -> Scene {
    let path = cases::find(name).unwrap();
    load(Path::new(path), &cases::files(), &LoadOptions::default()).unwrap().scene
}

fn largest_error(run: &Run) -> f64 {
    let errors = run.reports.iter().flat_map(|report| &report.joints);
    errors.map(|joint| joint.position_error.max(joint.angle_error)).fold(0.0, f64::max)
}

#[test]
fn joints_of_every_kind_hold_to_a_hundred_millionth() {
    for name in [
        "joints/ball-swing",
        "joints/cylindrical",
        "joints/gear",
        "joints/hinge-drive",
        "joints/hinge-limit",
        "joints/prismatic-drive",
        "joints/universal",
        "mueller2020/pendulum-balls",
        "mueller2020/pendulum-hinges",
    ] {
        let scene = case(name);
        let run = record(&scene, Config::default(), scene.time.dt, 60.min(scene.time.steps()));
        let error = largest_error(&run);
        assert!(error < 1e-8, "{name}: {error:e}");
    }
}

#[test]
fn pendula_converge_with_order_two_and_keep_their_energy() {
    let scene = case("mueller2020/pendulum-hinges");
    let end = |substeps: u32| {
        let run = record(&scene, Config { substeps, ..Config::default() }, 1e-2, 100);
        let total = |state| {
            let (kinetic, potential) = energy::of_state(&scene, state);
            kinetic + potential
        };
        let start = total(&run.trajectory.frames[0]);
        let off = run.trajectory.frames.iter().map(|state| (total(state) - start).abs()).fold(0.0, f64::max);
        (run.last().bodies.last().unwrap().pose.position, off)
    };
    let (coarse, fine, exact) = (end(4), end(8), end(64));
    let order = ((coarse.0 - exact.0).norm() / (fine.0 - exact.0).norm()).log2();
    assert!((1.8..2.3).contains(&order), "order {order}");
    let order = (coarse.1 / fine.1).log2();
    assert!(order > 1.8, "energy: order {order}, {} J", fine.1);
}

#[test]
fn a_joint_that_does_not_hold_at_the_start_is_told_once() {
    let mut scene = case("joints/universal");
    let told = |run: &Run| {
        let is_told = |report: &&rigor_scene::StepReport| {
            report
                .flaws
                .iter()
                .any(|flaw| flaw.kind == FlawKind::StartCorrected && (flaw.amount - 0.01).abs() < 1e-6)
        };
        run.reports.iter().filter(is_told).count()
    };
    assert_eq!(told(&record(&scene, Config::default(), 1e-2, 5)), 0);
    scene.joints[0].frame_b.position.x += 0.01;
    assert_eq!(told(&record(&scene, Config::default(), 1e-2, 5)), 1);
}

#[test]
fn velocities_are_tangent_to_what_joints_hold() {
    let scene = case("mueller2020/pendulum-balls");
    let run = record(&scene, Config::default(), 1e-2, 50);
    let joint = scene.joints.iter().find(|joint| joint.body_b.is_none()).unwrap();
    let body = &run.last().bodies[joint.body_a.0];
    let lever = body.pose.vector(&joint.frame_a.position);
    let pivot = body.linear_velocity + body.angular_velocity.cross(&lever);
    assert!(pivot.norm() < 1e-9 && body.angular_velocity.norm() > 0.1, "{pivot}");
}

#[test]
fn joints_that_repeat_others_hold() {
    let mut scene = case("mueller2020/pendulum-hinges");
    let again = scene.joints.clone();
    scene.joints.extend(
        again.into_iter().map(|joint| rigor_scene::Joint { name: joint.name.clone() + " again", ..joint }),
    );
    let run = record(&scene, Config::default(), 1e-2, 100);
    let once = record(&case("mueller2020/pendulum-hinges"), Config::default(), 1e-2, 100);
    let end = |run: &Run| run.last().bodies.last().unwrap().pose.position;
    let off = (end(&run) - end(&once)).norm();
    assert!(largest_error(&run) < 1e-8 && off < 1e-6, "{:e}, {off:e} m", largest_error(&run));
}
