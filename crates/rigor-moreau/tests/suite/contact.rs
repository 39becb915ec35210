//! Friction, impacts and resting contact.

use rigor_math::{Vec3, elementary, quaternion};
use rigor_moreau::{Config, ContactLaw, Impacts};
use rigor_scene::{BodySpec, FlawKind, Friction, Role, Scene, Weight};

use crate::scenes::{cuboid, floor, record, scene};

/// A box on a plane of slope tan θ = ½.
fn incline(mu: f64) -> Scene {
    let axis = rigor_math::UnitVec3::new_normalize(Vec3::z());
    let rotation = quaternion::from_axis_angle(&axis, elementary::atan2(1.0, 2.0));
    let mut plane = floor(mu);
    plane.pose.position = rotation * plane.pose.position;
    plane.pose.rotation = rotation;
    let mut block = cuboid("block", [1.0, 0.5, 1.0], [0.0; 3]);
    block.pose.position = rotation * Vec3::new(0.0, 0.25, 0.0);
    block.pose.rotation = rotation;
    scene(vec![plane, BodySpec { friction: Friction::uniform(mu), ..block }])
}

#[test]
fn a_box_on_a_slope_holds_from_the_critical_friction_on_to_a_millionth() {
    let moved = |mu: f64| {
        let run = record(&incline(mu), Config::default(), 1e-2, 200);
        let bodies = |state: &rigor_scene::State| state.bodies[1].pose.position;
        (bodies(run.last()) - bodies(&run.trajectory.frames[0])).norm()
    };
    // a = g (sin θ − μ cos θ) for 2 s.
    let cos = 2.0 / 5.0_f64.sqrt();
    let due = 0.5 * 9.81 * 1e-6 * cos * 4.0;
    assert!(moved(0.5 * (1.0 + 2e-6)) < 0.01 * due, "{} m above", moved(0.5 * (1.0 + 2e-6)));
    let below = moved(0.5 - 1e-6);
    assert!((below / due - 1.0).abs() < 0.01, "{below} m below, due {due}");
}

#[test]
fn a_row_of_boxes_passes_a_blow_on_and_newtons_law_spreads_it() {
    let row = |impacts| {
        let body = |i: usize| {
            let mut body = cuboid(&format!("box {i}"), [0.1; 3], [0.1 * i as f64, 0.0, 0.0]);
            if i == 0 {
                body.pose.position.x -= 0.05;
                body.linear_velocity.x = 1.0;
            }
            BodySpec { restitution: 1.0, friction: Friction::uniform(0.0), ..body }
        };
        let scene = Scene { gravity: Vec3::zeros(), ..scene((0..4).map(body).collect()) };
        let run = record(&scene, Config { impacts, ..Config::default() }, 1e-2, 20);
        [0, 1, 2, 3].map(|i| run.last().bodies[i].linear_velocity.x)
    };
    let passed = row(Impacts::Reflections);
    assert!(passed.iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(v, due)| (v - due).abs() < 1e-9), "{passed:?}");
    // u_i⁺ ≥ −e u_i⁻ at the first pair alone: (1 − n)/(1 + n) and 2/(1 + n) with n = 3 behind.
    let spread = row(Impacts::Newton);
    assert!(spread.iter().zip([-0.5, 0.5, 0.5, 0.5]).all(|(v, due)| (v - due).abs() < 1e-9), "{spread:?}");
}

#[test]
fn restitution_that_friction_would_turn_into_energy_is_reduced() {
    // A rod that falls at 45° with a spin: Newton's law with e = 1 and μ = 0.6 would make energy.
    let mut rod = cuboid("rod", [1.0, 0.05, 0.05], [0.0, 0.5, 0.0]);
    let axis = rigor_math::UnitVec3::new_normalize(Vec3::z());
    rod.pose.rotation = quaternion::from_axis_angle(&axis, 1.0);
    rod.linear_velocity = Vec3::new(-3.0, -2.0, 0.0);
    rod.angular_velocity = Vec3::z() * -8.0;
    let rod = BodySpec { restitution: 1.0, friction: Friction::uniform(0.6), ..rod };
    let scene = scene(vec![BodySpec { restitution: 1.0, ..floor(0.6) }, rod]);
    let run = record(&scene, Config::default(), 5e-3, 200);
    let energies: Vec<f64> =
        run.trajectory.frames.iter().map(|state| crate::energy::total(&scene, state)).collect();
    let rise = energies.windows(2).map(|e| e[1] - e[0]).fold(0.0, f64::max) / energies[0];
    assert!(rise < 1e-6, "{rise}");
}

#[test]
fn stacks_stand_without_overlap() {
    let boxes = (0..10).map(|i| BodySpec {
        friction: Friction::uniform(0.5),
        ..cuboid(&format!("box {i}"), [1.0; 3], [0.0, 0.5 + f64::from(i), 0.0])
    });
    let scene = scene(std::iter::once(floor(0.5)).chain(boxes).collect());
    let run = record(&scene, Config::default(), 1e-2, 200);
    for (start, end) in run.trajectory.frames[0].bodies.iter().zip(&run.last().bodies) {
        assert!((start.pose.position - end.pose.position).norm() < 1e-8);
    }
    let deepest = run.reports.iter().filter_map(|report| report.min_distance).fold(0.0, f64::min);
    assert!(deepest > -1e-7, "{deepest} m");
}

#[test]
fn what_slides_lifts_off_under_the_convex_law_only() {
    let height = |law| {
        let block = BodySpec {
            friction: Friction::uniform(0.5),
            linear_velocity: Vec3::x() * 2.0,
            ..cuboid("block", [0.5, 0.2, 0.5], [0.0, 0.1, 0.0])
        };
        let scene = scene(vec![floor(0.5), block]);
        let run = record(&scene, Config { law, ..Config::default() }, 1e-2, 20);
        run.trajectory.frames.iter().map(|state| state.bodies[1].pose.position.y - 0.1).fold(0.0, f64::max)
    };
    let (exact, convex) = (height(ContactLaw::Coulomb), height(ContactLaw::Convex));
    // u_N = μ ‖u_T‖ = 1 m/s throws it up by at most (μ v)²/2g = 51 mm.
    assert!(exact < 1e-9 && convex > 0.01 && convex < 0.051, "{exact} m, {convex} m");
}

#[test]
fn problems_that_are_not_solved_are_told() {
    let boxes = (0..8).map(|i| BodySpec {
        friction: Friction::uniform(0.5),
        ..cuboid(&format!("box {i}"), [1.0; 3], [0.05 * f64::from(i), 0.5 + f64::from(i), 0.0])
    });
    let scene = scene(std::iter::once(floor(0.5)).chain(boxes).collect());
    let run = record(&scene, Config { iterations: 1, ..Config::default() }, 1e-2, 5);
    let told =
        |report: &rigor_scene::StepReport| report.flaws.iter().any(|flaw| flaw.kind == FlawKind::Unconverged);
    assert!(run.reports.iter().any(told));
}

/// The first corner that strikes stops the plate there and turns it: the others cross within that substep.
#[test]
fn a_thin_plate_does_not_pass_a_thin_wall() {
    let scene = crate::joints::case("tunnelling/high-speed");
    let run = record(&scene, Config::default(), 1e-2, 10);
    assert!(run.last().bodies[1].pose.position.x < 0.0, "{}", run.last().bodies[1].pose.position);
}

/// No motion removes the overlap of a spike in a hole of its size: pushes would lift it out.
#[test]
fn a_wedged_spike_does_not_climb() {
    let scene = crate::joints::case("erleben/spike-in-hole");
    let run = record(&scene, Config::default(), 1e-2, 200);
    let energies: Vec<f64> =
        run.trajectory.frames.iter().map(|state| crate::energy::total(&scene, state)).collect();
    let rise = energies.iter().fold(0.0_f64, |most, e| most.max(e - energies[0]));
    assert!(rise < 1e-3 * energies[0].abs(), "{rise} J");
}

/// A block that tips about an edge that sticks is a pendulum: its energy stays.
#[test]
fn what_turns_about_an_edge_that_sticks_keeps_its_energy_to_order_two() {
    let drift = |substeps: u32| {
        let axis = rigor_math::UnitVec3::new_normalize(Vec3::z());
        let turn = quaternion::from_axis_angle(&axis, -0.4);
        let mut block = cuboid("block", [0.2, 0.6, 0.2], [0.0; 3]);
        block.pose.rotation = turn;
        block.pose.position = turn * Vec3::new(-0.1, 0.3, 0.0);
        let block = BodySpec { friction: Friction::uniform(3.0), ..block };
        let scene = scene(vec![floor(3.0), block]);
        let run = record(&scene, Config { substeps, ..Config::default() }, 1e-2, 20);
        let total = |state| crate::energy::total(&scene, state);
        let start = total(&run.trajectory.frames[0]);
        run.trajectory.frames.iter().map(|state| (total(state) / start - 1.0).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (drift(2), drift(4));
    assert!(coarse < 1e-4 && coarse > 3.0 * fine, "{coarse:e}, {fine:e}");
}

/// Boxes that start inside each other are lifted by a tenth of a radius each, not by what it takes.
#[test]
fn old_overlaps_lift_bodies_with_a_bounded_energy() {
    let boxes =
        (0..5).map(|i| cuboid(&format!("box {i}"), [1.0; 3], [0.0, 0.425 + 0.85 * f64::from(i), 0.0]));
    let scene = scene(std::iter::once(floor(0.5)).chain(boxes).collect());
    let run = record(&scene, Config { overlap: 0.3, ..Config::default() }, 1e-2, 100);
    let total = |state| crate::energy::total(&scene, state);
    let gain =
        run.trajectory.frames.iter().map(total).fold(f64::MIN, f64::max) - total(&run.trajectory.frames[0]);
    let body = &scene.bodies[1];
    let purse = 5.0 * 0.1 * body.radius * body.mass * 9.81;
    assert!(gain > 0.5 * purse && gain < 1.01 * purse, "{gain} J, {purse} J");
}

/// What sticks to a turntable goes round with it: without the curvature of the way it would creep outwards with order 1.
#[test]
fn what_sticks_to_a_turntable_does_not_creep_outwards() {
    let scene = crate::joints::case("ferguson2021/13-turntable-mu-1.0");
    let run = record(&scene, Config { substeps: 2, ..Config::default() }, 1e-2, 300);
    let radius = |i: usize| run.trajectory.frames[i].bodies[1].pose.position.xz().norm();
    // 5e-5 in a second, since the table's acceleration jumps at its keyframes; 2.4e-3 without the curvature.
    assert!((radius(300) / radius(200) - 1.0).abs() < 2e-4, "{} m, {} m", radius(200), radius(300));
}

/// A box at rest is struck, and meets a third one in the same step: pairs are found from the velocities at its start.
#[test]
fn a_body_that_is_struck_and_passes_a_third_in_one_step_is_told() {
    for (thick, gap, speed) in
        [(0.02, 0.005, 10.0), (0.02, 0.02, 20.0), (0.1, 0.005, 5.0), (0.02, 0.001, 2.0)]
    {
        let wall = BodySpec { role: Role::Static, ..cuboid("wall", [thick, 2.0, 2.0], [0.0; 3]) };
        let start = -0.5 * thick - gap - 0.05;
        let light = cuboid("light", [0.1; 3], [start, 0.0, 0.0]);
        let mut heavy = cuboid("heavy", [0.2; 3], [start - 0.15 - 0.3, 0.0, 0.0]);
        heavy.weight = Weight::Density(5000.0);
        heavy.linear_velocity.x = speed;
        let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![wall, light, heavy]) };
        let run = record(&scene, Config::default(), 1e-2, 30);
        let is_through = run.last().bodies[1].pose.position.x > 0.5 * thick - 0.05 + 1e-3;
        let flaws = run.reports.iter().flat_map(|report| &report.flaws);
        let is_told = flaws.into_iter().any(|flaw| flaw.kind == FlawKind::TooFast);
        assert!(!is_through || is_told, "{thick}, {gap}, {speed}: {:?}", run.last().bodies[1]);
    }
}
