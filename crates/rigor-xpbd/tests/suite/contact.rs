//! Bodies rest, slide, bounce and stay apart correctly.

use std::path::Path;

use crate::scenes::{cuboid, floor, record, scene, shape};
use rigor_file::{LoadOptions, cases, load};
use rigor_math::{Vec3, quaternion};
use rigor_scene::{BodySpec, BodyState, Flaw, FlawKind, Friction, Outcome, Role, Run, Subject};
use rigor_shapes::Torus;
use rigor_xpbd::{Config, ContactSolver};

/// Displacement (m) and rotation (rad) of each body from start to end.
fn moved(run: &Run) -> Vec<(Vec3, f64)> {
    let (start, end) = (&run.trajectory.frames[0].bodies, &run.last().bodies);
    let change = |(s, e): (&BodyState, &BodyState)| {
        let turned = quaternion::difference(&s.pose.rotation, &e.pose.rotation).norm();
        (e.pose.position - s.pose.position, turned)
    };
    start.iter().zip(end).map(change).collect()
}

fn stack(n: usize) -> Vec<BodySpec> {
    let boxes = (0..n).map(|i| BodySpec {
        friction: Friction::uniform(0.5),
        ..cuboid(&format!("box {i}"), [1.0; 3], [0.0, 0.5 + i as f64, 0.0])
    });
    std::iter::once(floor(0.5)).chain(boxes).collect()
}

#[test]
fn box_at_rest_keeps_still() {
    let run = record(&scene(stack(1)), Config::default(), 1e-2, 1000);
    assert_eq!(run.outcome, Outcome::Completed);
    let (shift, turn) = moved(&run)[1];
    assert!(shift.norm() < 1e-7 && turn < 1e-7, "after 10 s: moved {shift:?}, turned {turn}");
}

/// Small boxes fall by a large part of their size in a substep: one sweep let their stacks topple.
#[test]
fn stacks_of_small_boxes_stand_and_are_told_where_they_cannot() {
    for (size, n, dt, gap) in
        [(0.01, 10, 1.0 / 60.0, 0.0), (0.01, 5, 1.0 / 30.0, 0.02), (1e-3, 5, 1.0 / 60.0, 0.02)]
    {
        let place = |i: usize| [0.0, size * (0.5 + gap + (1.0 + gap) * i as f64), 0.0];
        let boxes = (0..n).map(|i| {
            let cube = cuboid(&format!("{i}"), [size; 3], place(i));
            BodySpec { friction: Friction::uniform(0.5), ..cube }
        });
        let scene = scene(std::iter::once(floor(0.5)).chain(boxes).collect());
        let run = record(&scene, Config::default(), dt, 180);
        let aside = |i: usize| {
            let x = run.last().bodies[i].pose.position;
            x.x.hypot(x.z) / size
        };
        let most = (1..=n).map(aside).fold(0.0, f64::max);
        assert!(most < 1e-3, "{n} boxes of {size} m moved aside by {most} sizes");
        let told = |config: Config| {
            let run = record(&scene, config, dt, 5);
            run.reports
                .iter()
                .all(|report| report.flaws.iter().any(|flaw| flaw.kind == FlawKind::Unconverged))
        };
        assert!(!told(Config::default()) && told(Config { max_substeps: 20, ..Config::default() }));
    }
}

#[test]
fn stack_of_ten_stands_for_ten_seconds() {
    let run = record(&scene(stack(10)), Config::default(), 1e-2, 1000);
    let worst = moved(&run).iter().map(|(shift, _)| shift.norm()).fold(0.0, f64::max);
    // Ten contacts share an overlap of up to 1e-4 of the radius each.
    assert!(worst < 10.0 * 1e-4, "the worst box moved {worst} m");
}

#[test]
fn columns_stand_on_long_steps() {
    // Boxes out of line, which load some corners more than others.
    let mut bodies = stack(5);
    bodies.iter_mut().skip(1).zip([9e-3, 12e-3, 15e-3, 18e-3, 0.0]).for_each(|(b, x)| b.pose.position.x = x);
    let scene = scene(bodies);
    // With two iterations the bodies sway for some seconds until the load distribution has converged.
    for (iterations, most) in [(2, 1e-2), (20, 1e-3)] {
        let config = Config { substeps: 1, iterations, contact_sweeps: 8, ..Config::default() };
        let run = record(&scene, config, 2e-2, 2000);
        let sideways = moved(&run).iter().map(|(shift, _)| shift.x.hypot(shift.z)).fold(0.0, f64::max);
        assert!(sideways < most, "{iterations} iterations: {sideways} m sideways after 40 s");
        let speed = run.last().bodies.iter().map(|b| b.linear_velocity.norm()).fold(0.0, f64::max);
        assert!(speed < 1e-3, "{iterations} iterations: {speed} m/s after 40 s");
    }
}

/// A box on a plane of slope tan θ = ½, with friction `mu`.
fn incline(mu: f64) -> Vec<BodySpec> {
    let axis = rigor_math::UnitVec3::new_normalize(Vec3::z());
    let rotation = quaternion::from_axis_angle(&axis, rigor_math::elementary::atan2(1.0, 2.0));
    let mut plane = floor(mu);
    plane.pose.position = rotation * plane.pose.position;
    plane.pose.rotation = rotation;
    let mut block = cuboid("block", [1.0, 0.5, 1.0], [0.0; 3]);
    block.pose.position = rotation * Vec3::new(0.0, 0.25, 0.0);
    block.pose.rotation = rotation;
    vec![plane, BodySpec { friction: Friction::uniform(mu), ..block }]
}

#[test]
fn block_on_an_incline_holds_above_the_critical_friction_and_slides_below() {
    let slid = |mu: f64| {
        let run = record(&scene(incline(mu)), Config { substeps: 4, ..Config::default() }, 1e-3, 1000);
        moved(&run)[1].0.norm()
    };
    let expected = |mu: f64| 0.5 * 9.81 * (1.0 - 2.0 * mu) / 5.0_f64.sqrt();
    assert!(slid(0.505) < 1e-6, "held with μ 1 % above tan θ, but moved {} m", slid(0.505));
    for mu in [0.0, 0.25, 0.49, 0.495] {
        let (found, expected) = (slid(mu), expected(mu));
        assert!((found / expected - 1.0).abs() < 0.01, "μ = {mu}: slid {found} m instead of {expected} m");
    }
}

/// Friction above tan θ removes the sliding velocity during the impact itself: μ v cos θ ≥ v sin θ.
#[test]
fn block_that_lands_on_an_incline_stays_where_it_lands() {
    for gap in [1e-5, 1e-4, 1e-3, 1e-2] {
        let mut bodies = incline(0.55);
        bodies[1].pose.position.y += gap;
        let run = record(&scene(bodies), Config::default(), 1e-2, 200);
        let shift = moved(&run)[1].0;
        assert!(shift.norm() < 1.2 * gap + 1e-5, "dropped from {gap} m: moved {} m", shift.norm());
    }
}

#[test]
fn stopping_distance_does_not_depend_on_mass() {
    let stop = |mass: f64, contacts: ContactSolver| {
        let puck = BodySpec {
            weight: rigor_scene::Weight::Mass(mass),
            friction: Friction::uniform(0.4),
            linear_velocity: Vec3::new(3.0, 0.0, 0.0),
            ..cuboid("puck", [1.0, 0.2, 1.0], [0.0, 0.1, 0.0])
        };
        let config = Config { contacts, ..Config::default() };
        moved(&record(&scene(vec![floor(0.4), puck]), config, 5e-3, 300))[1].0.x
    };
    let expected = 3.0 * 3.0 / (2.0 * 0.4 * 9.81);
    // One corner after another rotates the sliding puck slightly, which costs some of the friction.
    for (contacts, tolerance) in [(ContactSolver::Block, 0.01), (ContactSolver::Sequential, 0.03)] {
        let (light, heavy) = (stop(1.0, contacts), stop(1000.0, contacts));
        assert!(
            (light / heavy - 1.0).abs() < 1e-6,
            "{contacts:?}: 1 kg stops after {light} m, 1000 kg after {heavy} m"
        );
        assert!(
            (light / expected - 1.0).abs() < tolerance,
            "{contacts:?}: {light} m instead of {expected} m"
        );
    }
}

#[test]
fn rebound_height_is_the_square_of_the_restitution() {
    for e in [0.25, 0.5, 0.8, 1.0] {
        let ball = BodySpec { restitution: e, ..cuboid("ball", [0.2; 3], [0.0, 1.1, 0.0]) };
        let floor = BodySpec { restitution: e, ..floor(0.0) };
        let run = record(&scene(vec![floor, ball]), Config::default(), 1e-3, 1200);
        let ball: Vec<BodyState> = run.trajectory.frames.iter().map(|f| f.bodies[1]).collect();
        let bounce = ball.iter().position(|b| b.linear_velocity.y > 0.0).unwrap();
        let rebound = ball[bounce..].iter().map(|b| b.pose.position.y - 0.1).fold(0.0, f64::max);
        assert!((rebound / (e * e) - 1.0).abs() < 0.02, "e = {e}: rebounds to {rebound} m");
    }
}

#[test]
fn fast_ball_does_not_pass_a_slab_within_its_step() {
    // 30 m/s at 1/100 s: 0.3 m per step, 15 mm per substep.
    let ball = BodySpec {
        linear_velocity: Vec3::new(0.0, -30.0, 0.0),
        ..cuboid("ball", [0.2; 3], [0.0, 2.03, 0.0])
    };
    let run = record(&scene(vec![floor(0.0), ball]), Config::default(), 1e-2, 100);
    assert!(run.last().bodies[1].pose.position.y > 0.09);
}

#[test]
fn contact_forces_carry_the_weight() {
    let run = record(&scene(stack(3)), Config::default(), 1e-2, 100);
    let on_floor = run.reports.last().unwrap().contacts.iter().filter(|c| c.body_a.0 == 0 || c.body_b.0 == 0);
    let total: f64 = on_floor.map(|c| c.normal_force).sum();
    assert!((total / (3.0 * 1000.0 * 9.81) - 1.0).abs() < 1e-3, "the floor carries {total} N");
}

#[test]
fn static_bodies_never_move_and_kinematic_ones_carry_what_lies_on_them() {
    let lift = BodySpec {
        role: Role::Kinematic(rigor_scene::Motion::constant_velocity()),
        linear_velocity: Vec3::new(0.3, 0.5, 0.0),
        ..floor(0.5)
    };
    let cargo = BodySpec { friction: Friction::uniform(0.5), ..cuboid("cargo", [0.5; 3], [0.0, 0.25, 0.0]) };
    let cargo = BodySpec { linear_velocity: Vec3::new(0.3, 0.5, 0.0), ..cargo };
    let run = record(&scene(vec![lift, cargo]), Config::default(), 1e-2, 100);
    let carried = moved(&run);
    assert!((carried[0].0 - Vec3::new(0.3, 0.5, 0.0)).norm() < 1e-12);
    assert!((carried[1].0 - carried[0].0).norm() < 1e-4, "{:?}", carried[1].0);
}

/// Bodies that start deep inside each other are left as they are, and no contact pushes.
#[test]
fn solids_that_stay_inside_each_other_are_told_and_those_that_rest_are_not() {
    let torus = Torus { major_radius: 1.0, minor_radius: 0.4, segments: 32, sides: 16 }.mesh().unwrap();
    let ring = BodySpec { role: Role::Static, ..BodySpec::new("ring", vec![shape(torus)]) };
    let sunk = |under: BodySpec, position: [f64; 3]| -> Vec<Flaw> {
        let mut scene = scene(vec![under, cuboid("box", [0.2; 3], position)]);
        scene.gravity *= 1e-3;
        let run = record(&scene, Config::default(), 1e-2, 5);
        run.reports.into_iter().flat_map(|r| r.flaws).filter(|flaw| flaw.kind == FlawKind::Sunk).collect()
    };
    for (under, position, depth) in
        [(floor(0.5), [0.0, -0.3, 0.0], 0.4), (ring.clone(), [1.0, 0.0, 0.0], 0.25)]
    {
        let told = sunk(under, position);
        assert_eq!(told.len(), 5, "{told:?}");
        let ids = [0, 1].map(rigor_scene::BodyId);
        assert!(told.iter().all(|flaw| flaw.subject == Subject::Pair(ids[0], ids[1])), "{told:?}");
        assert!(told.iter().all(|flaw| (flaw.amount * 0.2 / depth - 1.0).abs() < 0.1), "{told:?}");
    }
    for (under, position) in [
        (floor(0.5), [0.0, 0.1, 0.0]),
        (floor(0.5), [10.05, 0.1, 0.0]),
        (ring.clone(), [0.0; 3]),
        (ring, [1.0, 0.5, 0.0]),
    ] {
        assert_eq!(sunk(under, position), [], "{position:?}");
    }
}

/// An impact presses the lowest cube through a plane of two triangles, which has no face behind another.
#[test]
fn a_plane_bears_cubes_that_fall_onto_each_other_whatever_the_number_of_substeps() {
    let path = Path::new(cases::find("unit-tests/5-cubes").expect("a case of the library"));
    let scene = load(path, &cases::files(), &LoadOptions::default()).expect("a valid scene").scene;
    for substeps in [5, 10, 12, 16, 20, 30, 40, 60] {
        let run = record(&scene, Config { substeps, ..Config::default() }, 1e-2, 250);
        let heights =
            run.trajectory.frames.iter().flat_map(|frame| &frame.bodies[1..]).map(|b| b.pose.position.y);
        let lowest = heights.fold(f64::INFINITY, f64::min);
        assert!(lowest > -0.52, "{substeps} substeps: a centre came down to {lowest} m");
    }
}
