//! Friction and resting contact.

use rigor_avbd::{Config, Penalties, Stabilization};
use rigor_math::{Vec3, elementary, quaternion};
use rigor_scene::{BodySpec, FlawKind, Friction, Method, Role, Scene, StepReport, Weight};

use crate::scenes::{avbd, cuboid, floor, record, scene};

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

fn stack(n: usize, density: impl Fn(usize) -> f64) -> Scene {
    let boxes = (0..n).map(|i| {
        let mut spec = BodySpec {
            friction: Friction::uniform(0.5),
            ..cuboid(&format!("box {i}"), [1.0; 3], [0.0, 0.5 + i as f64, 0.0])
        };
        spec.weight = Weight::Mass(density(i));
        spec
    });
    scene(std::iter::once(floor(0.5)).chain(boxes).collect())
}

fn told(report: &StepReport) -> bool {
    report.flaws.iter().any(|flaw| flaw.kind == FlawKind::Unconverged)
}

#[test]
fn a_box_on_a_slope_holds_and_slides_at_the_critical_friction() {
    let moved = |mu: f64| {
        let run = record(&incline(mu), Config { iterations: 50, ..Config::default() }, 1e-2, 200);
        let bodies = |state: &rigor_scene::State| state.bodies[1].pose.position;
        (bodies(run.last()) - bodies(&run.trajectory.frames[0])).norm()
    };
    // a = g (sin θ − μ cos θ) for 2 s.
    let cos = 2.0 / 5.0_f64.sqrt();
    let due = 0.5 * 9.81 * 1e-3 * cos * 4.0;
    assert!(moved(0.501) < 0.01 * due, "{} m above", moved(0.501));
    let below = moved(0.499);
    assert!((below / due - 1.0).abs() < 0.02, "{below} m below, due {due}");
}

#[test]
fn sweeps_bring_a_sliding_box_to_the_friction_of_sliding() {
    // v²/2μg = 0.4077 m from 2 m/s with μ = ½, less the ½ v Δt of implicit Euler.
    let distance = |iterations: u32| {
        let block = BodySpec {
            friction: Friction::uniform(0.5),
            linear_velocity: Vec3::x() * 2.0,
            ..cuboid("block", [0.5, 0.2, 0.5], [0.0, 0.1, 0.0])
        };
        let scene = scene(vec![floor(0.5), block]);
        record(&scene, Config { iterations, ..Config::default() }, 1e-2, 60).last().bodies[1].pose.position.x
    };
    let due = 4.0 / (2.0 * 0.5 * 9.81) - 0.5 * 2.0 * 1e-2;
    assert!((distance(50) - due).abs() < 1e-4, "{} m, due {due} m", distance(50));
}

#[test]
fn stacks_stand() {
    for stabilization in [Stabilization::Alpha, Stabilization::Post] {
        let config = Config { stabilization, ..Config::default() };
        let run = record(&stack(10, |_| 1.0), config, 1e-2, 300);
        for (start, end) in run.trajectory.frames[0].bodies.iter().zip(&run.last().bodies) {
            let moved = (start.pose.position - end.pose.position).norm();
            assert!(moved < 1e-2, "{stabilization:?}: {moved} m");
        }
        let last: f64 = run.last().bodies.iter().map(|body| body.linear_velocity.norm()).fold(0.0, f64::max);
        let rests = if stabilization == Stabilization::Post { 1e-9 } else { 1e-3 };
        assert!(last < rests, "{stabilization:?}: {last} m/s");
    }
}

#[test]
fn heavy_loads_on_light_boxes_are_told() {
    let heavy = stack(3, |i| if i == 2 { 1000.0 } else { 1.0 });
    let run = record(&heavy, Config::default(), 1e-2, 100);
    assert!(run.reports.iter().any(told));
    // The forces after the sweeps tell, not the number of sweeps.
    assert!(!record(&stack(3, |_| 1.0), Config::default(), 1e-2, 20).reports.iter().skip(5).any(told));
}

#[test]
fn results_do_not_depend_on_units_unless_penalties_are_absolute() {
    // The same scene in units in which lengths are 1000, masses 10 and times 100 times as large.
    let scenes = |length: f64, mass: f64, time: f64| {
        let size = |x: [f64; 3]| x.map(|x| x * length);
        let slab = cuboid("floor", size([20.0, 1.0, 20.0]), size([0.0, -0.5, 0.0]));
        let slab = BodySpec { role: Role::Static, friction: Friction::uniform(0.5), ..slab };
        let mut block = cuboid("block", size([0.5, 0.2, 0.3]), size([0.0, 0.3, 0.0]));
        block.friction = Friction::uniform(0.5);
        block.linear_velocity = Vec3::x() * (length / time);
        block.angular_velocity = Vec3::new(1.0, 2.0, 3.0) / time;
        block.weight = Weight::Mass(2.0 * mass);
        let gravity = Vec3::y() * (-9.81 * length / (time * time));
        Scene { gravity, ..scene(vec![slab, block]) }
    };
    let end = |penalties, length: f64, mass: f64, time: f64| {
        let config = Config { penalties, ..Config::default() };
        let run = record(&scenes(length, mass, time), config, 1e-2 * time, 60);
        run.last().bodies[1].pose.position / length
    };
    let apart = |penalties| (end(penalties, 1.0, 1.0, 1.0) - end(penalties, 1024.0, 16.0, 128.0)).norm();
    assert!(apart(Penalties::Relative) < 1e-9, "{}", apart(Penalties::Relative));
    assert!(apart(Penalties::Absolute) > 1e-6, "{}", apart(Penalties::Absolute));
}

#[test]
fn restitution_is_not_used_and_that_is_told() {
    let ball = BodySpec { restitution: 0.5, ..cuboid("box", [0.1; 3], [0.0, 0.3, 0.0]) };
    let scene = scene(vec![floor(0.5), ball]);
    let notices = avbd(Config::default()).notices(&scene, 1e-2);
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].to_string(), "restitution 0.5 of body \"box\": not used; contacts do not rebound");
    let run = record(&scene, Config::default(), 5e-3, 200);
    let landed = run.trajectory.frames.iter().skip_while(|state| state.bodies[1].pose.position.y > 0.0501);
    let rises = landed.map(|state| state.bodies[1].linear_velocity.y).fold(0.0, f64::max);
    assert!(rises < 0.05, "{rises} m/s");
}

#[test]
fn fast_boxes_do_not_pass_a_plate() {
    for speed in [20.0, 200.0, 2000.0] {
        let plate = cuboid("plate", [0.02, 4.0, 4.0], [0.0, 0.0, 0.0]);
        let plate = BodySpec { role: Role::Static, ..plate };
        let mut bullet = cuboid("bullet", [0.1; 3], [-1.0, 0.0, 0.0]);
        bullet.linear_velocity.x = speed;
        let scene = Scene { gravity: Vec3::zeros(), ..scene(vec![plate, bullet]) };
        let dt = 1e-2;
        let run = record(&scene, Config::default(), dt, (2.0 / (speed * dt)).ceil() as u64 + 5);
        let x = run.last().bodies[1].pose.position.x;
        assert!(x < 0.0, "{speed} m/s: {x} m");
    }
}

#[test]
fn old_overlaps_are_removed_without_speed() {
    // Two boxes in space, 1 cm into each other.
    let bodies = vec![cuboid("a", [1.0; 3], [0.0; 3]), cuboid("b", [1.0; 3], [0.99, 0.0, 0.0])];
    let scene = Scene { gravity: Vec3::zeros(), ..scene(bodies) };
    let run = record(&scene, Config::default(), 1e-2, 20);
    let [a, b] = [0, 1].map(|i| run.last().bodies[i]);
    let gap = b.pose.position.x - a.pose.position.x - 1.0;
    assert!(gap > -1e-4, "{gap} m");
    assert!(a.linear_velocity.norm() + b.linear_velocity.norm() < 1e-9);
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
