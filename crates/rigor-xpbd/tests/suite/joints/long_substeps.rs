//! Bodies that rotate by a radian and more within a substep.

use rigor_math::{Pose, Vec3};
use rigor_scene::{JointKind, Run, Scene, State};
use rigor_xpbd::Config;

use super::{G, joint, weighing, with};
use crate::scenes::{cuboid, record, scene};

/// Links of 0.1 kg and 0.1 m along x, on ball joints, the first on a hook at the origin.
fn chain(n: usize) -> Scene {
    let link = |i: usize| cuboid(&format!("link {i}"), [0.07; 3], [0.05 + 0.1 * i as f64, 0.0, 0.0]);
    let bodies = scene((0..n).map(|i| weighing(0.1, link(i))).collect());
    let hook = |i: usize| Pose::translation(Vec3::x() * 0.1 * i as f64);
    let joints = (0..n).map(|i| joint(&bodies, JointKind::BALL, i, i.checked_sub(1), hook(i))).collect();
    with(bodies, joints)
}

/// One substep of 1/60 s per step, for 3 s.
fn swing(scene: &Scene, iterations: u32) -> Run {
    record(
        scene,
        Config { substeps: 1, iterations, max_motion: f64::MAX, ..Config::default() },
        1.0 / 60.0,
        180,
    )
}

/// Energy (J), 0 at the level of the hook.
fn energy(scene: &Scene, state: &State) -> f64 {
    let of = |(body, s): (&rigor_scene::Body, &rigor_scene::BodyState)| {
        let spin = s.angular_velocity.dot(&(body.inertia_world(&s.pose) * s.angular_velocity));
        0.5 * (body.mass * s.linear_velocity.norm_squared() + spin) + body.mass * G * s.pose.position.y
    };
    scene.bodies.iter().zip(&state.bodies).map(of).sum()
}

/// Angular momentum (kg m²/s) about the origin.
fn spin(scene: &Scene, state: &State) -> Vec3 {
    let each = scene.bodies.iter().zip(&state.bodies);
    each.map(|(body, s)| {
        body.inertia_world(&s.pose) * s.angular_velocity
            + body.mass * s.pose.position.cross(&s.linear_velocity)
    })
    .sum()
}

/// \[Mueller2020\] figs. 10 and 11: a chain of 100 bodies released horizontally, with one substep. More
/// iterations stretch it less. It swings down, and rises above its start by at most a hundredth of the 500 J
/// that it could lose.
#[test]
fn a_hundred_links_stretch_less_with_every_iteration_of_a_single_substep() {
    let scene = chain(100);
    let mut before = f64::INFINITY;
    for iterations in [1, 2, 5, 10, 20, 50, 100] {
        let run = swing(&scene, iterations);
        let stretch = |gaps: f64| gaps / 10.0;
        let of = |report: &rigor_scene::StepReport| report.joints.iter().map(|j| j.position_error).sum();
        let most = stretch(run.reports.iter().map(of).fold(0.0, f64::max));
        let highest = run.trajectory.frames.iter().map(|f| energy(&scene, f)).fold(f64::MIN, f64::max);
        println!("{iterations} iterations: stretched by at most {most:.3} of its length, {highest:.1} J");
        assert!(most < before, "{iterations} iterations: {most} after {before}");
        if iterations > 1 {
            assert!(highest < 5.0, "{iterations} iterations: {highest} J");
        }
        before = most;
    }
    assert!(before < 0.08, "{before}");
}

/// Three links released with a rotation of ω/60 per substep: exact as long as that is below half a radian.
#[test]
fn angular_momentum_is_exact_up_to_half_a_radian_a_substep_and_not_made_beyond() {
    for (omega, is_exact) in [(5.0, true), (20.0, true), (40.0, false), (80.0, false)] {
        let mut scene = Scene { gravity: Vec3::zeros(), ..chain(3) };
        scene.joints.remove(0);
        let turn = Vec3::new(0.1, 0.2, 1.0) * omega;
        for body in &mut scene.bodies {
            body.initial.angular_velocity = turn;
            body.initial.linear_velocity = turn.cross(&(body.initial.pose.position - Vec3::x() * 0.15));
        }
        let run = swing(&scene, 5);
        let start = spin(&scene, &run.trajectory.frames[0]);
        let end = spin(&scene, run.last());
        println!("{omega} rad/s: {:.1e} of the momentum gone", (end - start).norm() / start.norm());
        if is_exact {
            assert!((end - start).norm() < 1e-13 * start.norm(), "{omega} rad/s: {start} became {end}");
        }
        assert!(end.norm() < (1.0 + 1e-13) * start.norm(), "{omega} rad/s: {start} became {end}");
    }
}

/// The same figures for a chain that hangs straight: its maximum relative stretch within 3 s. The stretch at
/// the end depends on the phase of its bounce.
#[test]
fn a_hanging_chain_stretches_less_with_more_iterations_and_still_less_with_as_many_substeps() {
    let scene = Scene { gravity: Vec3::x() * G, ..chain(100) };
    let stretch = |substeps: u32, iterations: u32| {
        let config = Config { substeps, iterations, ..Config::default() };
        let frames = record(&scene, config, 1.0 / 60.0, 180).trajectory.frames;
        frames.iter().map(|f| f.bodies[99].pose.position.norm() / 9.95 - 1.0).fold(0.0, f64::max)
    };
    let mut before = (f64::INFINITY, f64::INFINITY);
    for n in [1, 5, 10, 20, 40] {
        let (by_iterations, by_substeps) = (stretch(1, n), stretch(n, 1));
        println!("{n}: {by_iterations:.4} with iterations, {by_substeps:.4} with substeps");
        assert!(by_iterations < before.0 && by_substeps < before.1, "{n}: {by_iterations}, {by_substeps}");
        assert!(n == 1 || by_substeps < 0.25 * by_iterations, "{n}: {by_substeps} against {by_iterations}");
        before = (by_iterations, by_substeps);
    }
}
