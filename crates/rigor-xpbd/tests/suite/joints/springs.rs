//! Springs and dampers of any law against closed forms.

use std::sync::Arc;

use proptest::prelude::*;
use rigor_math::elliptic::carlson_rf;
use rigor_math::{Pose, Vec3, elementary};
use rigor_scene::{
    Clock, Drive, FlawKind, ForceLaw, ForceTable, Freedom, Goal, JointError, JointKind, Method, Run, Scene,
};
use rigor_xpbd::{Config, JointSolver, Solver, pbd};

use super::{G, about_z, joint, sledge, told, wheel, with};
use crate::scenes::{cuboid, record, scene, xpbd};

/// Length (m) without force of the springs between two points.
const REST: f64 = 1.0;

/// What a spring pulls.
#[derive(Debug, Clone, Copy)]
enum Coordinate {
    Turn,
    Slide,
    Distance,
}

const ALL: [Coordinate; 3] = [Coordinate::Turn, Coordinate::Slide, Coordinate::Distance];

/// A body without gravity whose coordinate starts at rest at `start` (rad or m) from the goal of a drive, and its inertia along that
/// coordinate (kg m² or kg).
fn oscillator(coordinate: Coordinate, law: ForceLaw, damping: f64, start: f64) -> (Scene, f64) {
    let drive = |goal: f64| Drive { law: law.clone(), damping, ..Drive::new(Goal::Position(goal)) };
    let mut scene = match coordinate {
        Coordinate::Turn => wheel(Freedom::driven(drive(-start))),
        Coordinate::Slide => sledge(Freedom::driven(drive(-start)), Default::default()),
        Coordinate::Distance => {
            let mut scene = scene(vec![cuboid("box", [0.2; 3], [REST + start, 0.0, 0.0])]);
            let kind = JointKind::Distance { min: 0.0, max: f64::INFINITY, drive: Some(drive(REST)) };
            let mut spring = joint(&scene, kind, 0, None, Pose::translation(Vec3::x() * (REST + start)));
            spring.frame_b = Pose::identity();
            scene.joints = vec![spring];
            scene
        }
    };
    scene.gravity = Vec3::zeros();
    let body = &scene.bodies[0];
    let inertia = match coordinate {
        Coordinate::Turn => body.inertia_world(&body.initial.pose)[(2, 2)],
        Coordinate::Slide | Coordinate::Distance => body.mass,
    };
    (scene, inertia)
}

/// The coordinate less the goal at the end of a run.
fn deviation(scene: &Scene, run: &Run) -> f64 {
    let error = JointError::of(&scene.joints[0], run.last());
    error.length_miss.or(error.turn_miss).expect("a drive")
}

fn methods() -> Vec<Box<dyn Method>> {
    let boxed = |config: Config| -> Box<dyn Method> { Box::new(xpbd(config)) };
    let pbd = pbd::Pbd::new(pbd::Config::default(), Clock::default()).expect("valid settings");
    vec![
        boxed(Config::default()),
        boxed(Config { joints: JointSolver::Direct, ..Config::default() }),
        boxed(Config { solver: Solver::Coloured, ..Config::default() }),
        Box::new(pbd),
    ]
}

/// Checks that the error of the deviation after `time` (s) is below `bound` and halves with the step, of all methods.
fn converges(of: impl Fn(Coordinate) -> (Scene, f64), time: f64, exact: f64, bound: f64) {
    for coordinate in ALL {
        let (scene, _) = of(coordinate);
        for mut method in methods() {
            // One substep of pbd is twenty of the others.
            let n = if method.name() == "pbd" { 2000_u32 } else { 100 };
            let errors = [n, 2 * n].map(|n| {
                let run = Run::record(&scene, method.as_mut(), time / f64::from(n), u64::from(n));
                (deviation(&scene, &run) - exact).abs()
            });
            let ratio = errors[0] / errors[1];
            let name = method.name();
            assert!(errors[0] < bound, "{name}, {coordinate:?}: off by {errors:?}");
            assert!((1.8..2.2).contains(&ratio), "{name}, {coordinate:?}: off by {errors:?}, {ratio} times");
        }
    }
}

#[test]
fn a_cubic_spring_oscillates_with_the_period_of_the_elliptic_integral() {
    let amplitude = 0.25;
    // For the stiffness k₁ = m ω², k₃ = 4 k₁/A²: Ω² = 5 ω², k² = ⅖.
    let of = |coordinate| {
        let inertia = oscillator(coordinate, ForceLaw::NONE, 0.0, amplitude).1;
        let law = ForceLaw::polynomial(&[inertia, 0.0, 4.0 * inertia / (amplitude * amplitude)]);
        oscillator(coordinate, law, 0.0, amplitude)
    };
    let quarter = carlson_rf(0.0, 0.6, 1.0) / 5.0_f64.sqrt();
    // After a quarter of a period it passes through the goal, after 1¼ as well.
    converges(of, quarter, 0.0, 2e-4);
    converges(of, 5.0 * quarter, 0.0, 1e-2);
}

#[test]
fn a_spring_of_the_square_of_its_deviation_has_the_period_of_its_integral() {
    let amplitude = 0.25;
    // R = m |c| c/A: T/4 = √(3/2) ∫₀¹ dx/√(1 − x³) = √(3/2) · 1.402182105325454.
    let of = |coordinate| {
        let inertia = oscillator(coordinate, ForceLaw::NONE, 0.0, amplitude).1;
        oscillator(coordinate, ForceLaw::polynomial(&[0.0, inertia / amplitude]), 0.0, amplitude)
    };
    converges(of, 1.5_f64.sqrt() * 1.402_182_105_325_454, 0.0, 1e-3);
}

#[test]
fn a_spring_and_a_damper_decay_by_the_closed_form() {
    let start = 0.25;
    // k/m = 101/s², d/m = 2/s: exp(−t) (cos 10 t + sin 10 t/10).
    let time = 0.9;
    let (s, c) = elementary::sin_cos(10.0 * time);
    let exact = start * elementary::exp(-time) * (c + 0.1 * s);
    let of = |coordinate| {
        let inertia = oscillator(coordinate, ForceLaw::NONE, 0.0, start).1;
        oscillator(coordinate, ForceLaw::polynomial(&[101.0 * inertia]), 2.0 * inertia, start)
    };
    converges(of, time, exact, 1e-2);
}

#[test]
fn a_damper_alone_slows_by_its_force_over_the_velocity() {
    // v = exp(−d t/m) m/s, along the line between both ends.
    let of = |coordinate| {
        let inertia = oscillator(coordinate, ForceLaw::NONE, 0.0, 0.0).1;
        let (mut scene, _) = oscillator(coordinate, ForceLaw::NONE, 3.0 * inertia, 0.0);
        let start = &mut scene.bodies[0].initial;
        match coordinate {
            Coordinate::Turn => start.angular_velocity = Vec3::z(),
            Coordinate::Slide | Coordinate::Distance => start.linear_velocity = Vec3::x(),
        }
        (scene, inertia)
    };
    converges(of, 0.5, (1.0 - elementary::exp(-1.5)) / 3.0, 1e-3);
}

#[test]
fn a_law_said_by_points_or_by_coefficients_is_that_law() {
    for coordinate in ALL {
        let of = |law: ForceLaw| {
            let (scene, _) = oscillator(coordinate, law, 0.3, 0.25);
            let run = record(&scene, Config::default(), 0.01, 50);
            deviation(&scene, &run)
        };
        let linear = of(ForceLaw::Linear { compliance: 0.05 });
        let points = ForceTable::new(vec![[-1.0, -20.0], [0.1, 2.0], [0.5, 10.0]]).unwrap();
        let table = of(ForceLaw::Table(Arc::new(points)));
        let stiffness = [20.0, 0.0, 0.0, 0.0, 0.0];
        let polynomial = of(ForceLaw::Polynomial { stiffness });
        assert!((table - linear).abs() < 1e-11, "{coordinate:?}: {table} for {linear}");
        assert!((polynomial - linear).abs() < 1e-11, "{coordinate:?}: {polynomial} for {linear}");
    }
}

#[test]
fn weights_hang_where_the_force_of_the_spring_is_their_weight() {
    let points = vec![[-0.1, -1.0], [0.05, 1.0], [0.1, 30.0], [0.3, 31.0]];
    let laws = [
        ForceLaw::polynomial(&[50.0, 100.0]),
        ForceLaw::polynomial(&[0.0, 0.0, 4000.0]),
        ForceLaw::Table(Arc::new(ForceTable::new(points).unwrap())),
    ];
    for law in laws {
        let drive = Drive { law: law.clone(), damping: 40.0, ..Drive::new(Goal::Position(REST)) };
        let box_ = scene(vec![super::weighing(2.0, cuboid("box", [0.2; 3], [0.0, -REST, 0.0]))]);
        let kind = JointKind::Distance { min: 0.0, max: f64::INFINITY, drive: Some(drive) };
        let mut spring = joint(&box_, kind, 0, None, Pose::translation(Vec3::y() * -REST));
        spring.frame_b = Pose::identity();
        let hung = with(box_, vec![spring]);
        let run = record(&hung, Config::default(), 0.01, 3000);
        let c = deviation(&hung, &run);
        assert!((law.force(c) - 2.0 * G).abs() < 1e-5 * G, "{law:?} at {c}: {} N", law.force(c));
        assert!((told(&run).force_world - Vec3::y() * 2.0 * G).norm() < 1e-5 * G, "{:?}", told(&run));
    }
}

#[test]
fn an_actuator_between_two_points_moves_them_apart_at_its_velocity() {
    let rigid = Drive::new(Goal::Velocity(0.5));
    let weak = Drive { max_effort: 0.9 * 2.0 * G, ..rigid.clone() };
    for (drive, lifts) in [(rigid, true), (weak, false)] {
        let box_ = scene(vec![super::weighing(2.0, cuboid("box", [0.2; 3], [0.0, REST, 0.0]))]);
        let kind = JointKind::Distance { min: 0.5, max: 1.2, drive: Some(drive) };
        let mut jack = joint(&box_, kind, 0, None, Pose::translation(Vec3::y() * REST));
        jack.frame_b = Pose::identity();
        let jack = with(box_, vec![jack]);
        let at = |steps: u64| record(&jack, Config::default(), 0.01, steps).last().bodies[0].pose.position.y;
        assert!(if lifts { (at(20) - 1.1).abs() < 1e-9 } else { at(20) < 1.0 }, "{}", at(20));
        // It stops at its bounds.
        let end = if lifts { 1.2 } else { 0.5 };
        assert!((at(200) - end).abs() < 1e-6, "{} for {end}", at(200));
    }
}

#[test]
fn a_winch_ends_where_its_ends_meet() {
    let laws =
        [ForceLaw::RIGID, ForceLaw::Linear { compliance: 1e-4 }, ForceLaw::polynomial(&[1e4, 0.0, 1e5])];
    for law in laws {
        for compliance in [0.0, 1e-3] {
            let drive = Drive { law: law.clone(), damping: 50.0, ..Drive::new(Goal::Velocity(-1.0)) };
            let hung = scene(vec![super::weighing(2.0, cuboid("box", [0.2; 3], [0.0, -0.25, 0.0]))]);
            let kind = JointKind::Distance { min: 0.0, max: 2.0, drive: Some(drive) };
            let mut winch = joint(&hung, kind, 0, None, Pose::translation(Vec3::y() * -0.25));
            winch.frame_b = Pose::identity();
            winch.compliance = compliance;
            let hung = with(hung, vec![winch]);
            let run = record(&hung, Config::default(), 0.01, 200);
            let end = run.last().bodies[0];
            let (distance, speed) = (end.pose.position.norm(), end.linear_velocity.norm());
            assert!(distance < 1e-2 && speed < 0.1, "{law:?}, {compliance}: {distance} m, {speed} m/s");
            let flaws = run.reports.iter().flat_map(|report| &report.flaws);
            assert_eq!(
                flaws.filter(|flaw| flaw.kind == FlawKind::EnergyMade).count(),
                0,
                "{law:?}, {compliance}"
            );
        }
    }
}

#[test]
fn a_target_that_a_weak_spring_cannot_follow_waits() {
    // Its law reaches 3 N at 1 m; a stop at 0.1 m holds the sledge.
    let law = ForceLaw::polynomial(&[1.0, 0.0, 2.0]);
    let drive = Drive { law, max_effort: 3.0, ..Drive::new(Goal::Velocity(1.0)) };
    let mut scene = sledge(Freedom::driven(drive), about_z());
    // Against gravity along the rail.
    scene.gravity = Vec3::z() * -G;
    let run = record(&scene, Config::default(), 0.01, 300);
    let numbers = &run.last().memory.numbers["xpbd/joints"];
    let frames = rigor_scene::JointFrames::of(&scene.joints[0], |body| run.last().bodies[body.0].pose);
    // It sinks under 3 N of 19.6, and the target is 1 m ahead.
    assert!(frames.slide() < -1.0 && (numbers[2] - frames.slide() - 1.0).abs() < 1e-9, "{numbers:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn springs_of_any_law_make_no_energy(
        k in prop::array::uniform5(prop_oneof![Just(0.0), 1e-2..1e4]),
        damping in prop_oneof![Just(0.0), 0.0..30.0],
        start in -0.9..0.9,
        coordinate in prop::sample::select(ALL.to_vec()),
        dt in 1e-3..0.02,
    ) {
        let (scene, _) = oscillator(coordinate, ForceLaw::polynomial(&k), damping, start);
        let joint = &scene.joints[0];
        let run = record(&scene, Config::default(), dt, 100);
        let energy = |state| JointError::of(joint, state).energy(joint) + rigor_scene::energy::of_state(&scene, state).0;
        let first = energy(&run.trajectory.frames[0]);
        for (frame, report) in run.trajectory.frames.iter().skip(1).zip(&run.reports) {
            prop_assert!(energy(frame) <= first * (1.0 + 1e-9) + 1e-12, "{} J of {first}", energy(frame));
            let made = report.flaws.iter().find(|flaw| flaw.kind == FlawKind::EnergyMade);
            prop_assert!(made.is_none(), "{made:?}");
        }
    }
}
