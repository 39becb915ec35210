//! Groups of bodies that are solved apart.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::scene;
use rigor_ipc::{Config, Ipc};
use rigor_scene::{BodyState, Clock, Method, Scene, State, StepReport};

/// Settings that do not depend on the scene.
fn config() -> Config {
    Config {
        d_hat: Some(1e-2),
        eps_v: Some(1e-3),
        kappa: Some(1e6),
        velocity_tolerance: Some(1e-5),
        ..Config::default()
    }
}

/// A scene with gravity along −y and these bodies.
fn scene(gravity: f64, bodies: &str) -> Scene {
    let text = format!(
        "format = 1\nname = \"groups\"\ngravity = [0, {gravity}, 0]\n[time]\ndt = 0.01\nduration = 1\n{bodies}"
    );
    scene::text(text)
}

fn cube(name: &str, position: [f64; 3], velocity: [f64; 3], turn: [f64; 3], friction: f64) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nposition = {position:?}\nlinear_velocity = {velocity:?}\n\
         rotation_vector_deg = {turn:?}\nfriction = {friction:?}\n[[body.shape]]\n\
         box = {{ size = [1, 1, 1] }}\n"
    )
}

const FLOOR: &str = "[[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.5, 0]\nfriction = 0.5\n\
    [[body.shape]]\nbox = { size = [200, 1, 20] }\n";

/// Takes `steps` steps; calls `see` after each.
fn run(scene: &Scene, config: Config, steps: u64, mut see: impl FnMut(&State, &StepReport)) {
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut state = State::initial(scene);
    for step in 0..steps {
        let report = method.step(scene, &mut state, scene.time.dt).unwrap();
        state.step = step + 1;
        state.time = state.step as f64 * scene.time.dt;
        see(&state, &report);
    }
}

/// Returns the states of the bodies from `first` on after each step, and the iterations of all steps.
fn history(scene: &Scene, first: usize, steps: u64) -> (Vec<Vec<BodyState>>, Vec<u64>) {
    let (mut states, mut iterations) = (Vec::new(), Vec::new());
    run(scene, config(), steps, |state, report| {
        states.push(state.bodies[first..].to_vec());
        iterations.push(report.iterations);
    });
    (states, iterations)
}

/// Two cubes, one of which falls on the other: heights and turns decide what they do, and when.
fn two(name: &str, x: f64, height: f64, turn: [f64; 3]) -> String {
    let below = cube(&format!("{name} below"), [x, 0.52, 0.0], [0.0; 3], [0.0; 3], 0.5);
    below + &cube(&format!("{name} above"), [x + 0.1, height, 0.2], [0.0, -3.0, 0.0], turn, 0.5)
}

/// Each has the bits that it has alone, and the steps take the iterations of the slower one.
#[test]
fn groups_far_apart_do_not_feel_each_other() {
    let left = two("left", -40.0, 1.9, [20.0, 10.0, 5.0]);
    let right = two("right", 30.0, 2.1, [0.0, 3.0, 40.0]);
    let steps = 30;
    let (left_alone, left_iterations) = history(&scene(-9.81, &format!("{FLOOR}{left}")), 1, steps);
    let (right_alone, right_iterations) = history(&scene(-9.81, &format!("{FLOOR}{right}")), 1, steps);
    let (both, iterations) = history(&scene(-9.81, &format!("{FLOOR}{left}{right}")), 1, steps);
    for (step, both) in both.iter().enumerate() {
        assert_eq!(both[..2], left_alone[step][..], "left, step {step}");
        assert_eq!(both[2..], right_alone[step][..], "right, step {step}");
        // The first step is solved twice if contact acts in it, for all bodies.
        let slower = left_iterations[step].max(right_iterations[step]);
        assert!(step == 0 || iterations[step] <= slower, "step {step}");
    }
    assert!(
        left_iterations.iter().sum::<u64>() > 3 * steps && right_iterations.iter().sum::<u64>() > 3 * steps
    );
}

/// A cube at rest ends before the one that flies at it has arrived, and must take part again.
#[test]
fn a_group_at_rest_is_woken_by_what_touches_it() {
    let moving = cube("moving", [0.0; 3], [3.0, 0.0, 0.0], [0.0; 3], 0.0);
    let resting = cube("resting", [1.1, 0.05, 0.0], [0.0; 3], [0.0; 3], 0.0);
    let behind = cube("behind", [2.15, 0.0, 0.05], [0.0; 3], [0.0; 3], 0.0);
    let scene = scene(0.0, &(moving + &resting + &behind));
    let mut last = [0.0; 3];
    run(&scene, config(), 60, |state, _| {
        last = [0, 1, 2].map(|body| state.bodies[body].linear_velocity.x);
        let sum: f64 = last.iter().sum();
        assert!((sum - 3.0).abs() < 1e-3, "momentum is conserved: {last:?}");
        let [a, b, c] = [0, 1, 2].map(|body| state.bodies[body].pose.position.x);
        assert!(b - a > 1.0 && c - b > 1.0, "none passes another");
    });
    assert!(last[2] > 1.0 && last[0] < 2.0, "the push reaches the last: {last:?}");
}

/// Three cubes on each other, at rest from the first step on, and beside them a cube that arrives later.
fn tower() -> String {
    let of = |i| cube(&format!("{i}"), [0.0, 0.501 + 1.001 * f64::from(i), 0.0], [0.0; 3], [0.0; 3], 0.5);
    format!("{FLOOR}{}", (0..3).map(of).collect::<String>())
}

fn tower_and_missile() -> String {
    let missile = cube("missile", [-4.0, 2.5, 0.2], [6.0, 3.0, 0.0], [10.0, 20.0, 30.0], 0.5);
    format!("{}{missile}", tower())
}

/// Returns a quantity of a step.
fn quantity(report: &StepReport, name: &str) -> f64 {
    report.quantities.iter().find(|quantity| quantity.name == name).unwrap().value
}

#[test]
fn what_rests_costs_nothing_and_stays_where_it_is() {
    let scene =
        scene(-9.81, &tower_and_missile().replace("missile\"\nposition = [-4", "missile\"\nposition = [40"));
    let mut states: Vec<Vec<BodyState>> = Vec::new();
    run(&scene, Config::default(), 80, |state, report| {
        if state.step > 40 && state.step < 80 {
            assert_eq!(quantity(report, "factorizations"), 1.0, "step {}: that of the missile", state.step);
            let weight: f64 = report.contacts.iter().map(|contact| contact.normal_force).sum();
            // The cubes weigh 1, 2 and 3 times as much as one, at their lower faces.
            assert!((weight / (6.0 * 9.81 * scene.bodies[1].mass) - 1.0).abs() < 1e-3, "{weight}");
        }
        states.push(state.bodies[1..4].to_vec());
    });
    assert!(states[40..].iter().all(|state| *state == states[40]));
}

/// Takes steps from `state` with the memory of what rests and without it, in which every step minimizes f of all bodies;
/// both have the same bits. Returns the state and the number of steps that the memory made cheaper; `dt` gives the length
/// of a step (s).
fn repeated(
    scene: &Scene,
    config: &Config,
    mut state: State,
    steps: u64,
    dt: impl Fn(u64) -> f64,
) -> (State, u32) {
    let method = || Ipc::new(config.clone(), Clock::default()).unwrap();
    let (mut with, mut without) = (method(), method());
    let mut n_repeated = 0;
    let mut other = state.clone();
    for step in 1..=steps {
        let dt = dt(step);
        other.memory.numbers.remove("ipc/rest");
        let [cost, full] = [(&mut with, &mut state), (&mut without, &mut other)].map(|(method, state)| {
            let report = method.step(scene, state, dt).unwrap();
            (state.step, state.time) = (state.step + 1, state.time + dt);
            quantity(&report, "factorizations")
        });
        n_repeated += u32::from(cost < full);
        assert_eq!(state, other, "step {step}");
    }
    (state, n_repeated)
}

fn stepped(scene: &Scene, config: &Config, steps: u64) -> (State, u32) {
    repeated(scene, config, State::initial(scene), steps, |_| 0.01)
}

#[test]
fn rest_changes_no_bit() {
    for config in [Config::default(), config()] {
        let (state, n_repeated) = stepped(&scene(-9.81, &tower_and_missile()), &config, 150);
        // With a contact distance of 10 mm the tower still sways when it is struck.
        assert!(config.d_hat.is_some() || n_repeated > 20, "{n_repeated}");
        let top = state.bodies[3].pose.position;
        assert!(top.x.abs() > 0.1, "the missile has struck the tower: {top}");
    }
}

/// A body so heavy that its part of a step of both is lost in rounding is not at rest while the other one moves.
#[test]
fn rest_changes_no_bit_of_what_a_light_body_leaves() {
    let heavy = cube("heavy", [0.0, 0.501, 0.0], [0.0; 3], [0.0; 3], 0.5)
        .replace("friction = 0.5", "friction = 0.5\ndensity = 1e15");
    let light = cube("light", [0.0, 1.505, 0.0], [0.4, 0.0, 0.0], [0.0; 3], 0.0);
    let scene = scene(-9.81, &format!("{FLOOR}{heavy}{light}"));
    let (_, n_repeated) = stepped(&scene, &Config::default(), 300);
    assert!(n_repeated > 20, "{n_repeated}");
}

/// A cube rests on a lift that stands, and then moves.
#[test]
fn rest_ends_when_a_kinematic_body_moves() {
    let lift = "[[body]]\nname = \"lift\"\nrole = \"kinematic\"\nposition = [0, -0.5, 0]\nfriction = 0.5\n\
        [[body.motion.keyframes]]\ntime = 0.5\nposition = [0, -0.5, 0]\n\
        [[body.motion.keyframes]]\ntime = 2\nposition = [0.3, 0.5, 0]\n\
        [[body.shape]]\nbox = { size = [4, 1, 4] }\n";
    let scene = scene(-9.81, &format!("{lift}{}", cube("load", [0.0, 0.501, 0.0], [0.0; 3], [0.0; 3], 0.5)));
    let (state, _) = stepped(&scene, &Config::default(), 100);
    assert!(state.bodies[1].pose.position.y > 0.8, "{}", state.bodies[1].pose.position);
}

/// The forces that balance in a step of another length are others.
#[test]
fn rest_changes_no_bit_when_the_step_changes() {
    let scene = scene(-9.81, &tower());
    let (_, n_repeated) = repeated(&scene, &Config::default(), State::initial(&scene), 60, |step| {
        if step <= 30 { 0.01 } else { 0.004 }
    });
    assert!(n_repeated > 20, "{n_repeated}");
}

/// What rests with one contact distance or stiffness does not rest with another.
#[test]
fn rest_changes_no_bit_when_the_settings_change() {
    let scene = scene(-9.81, &tower());
    let (at_rest, n_repeated) = stepped(&scene, &Config::default(), 30);
    assert!(n_repeated > 10, "{n_repeated}");
    let kappa = at_rest.memory.numbers["ipc/kappa"][0];
    for config in [
        Config { kappa: Some(2.0 * kappa), ..Config::default() },
        Config { d_hat: Some(2e-3), ..Config::default() },
        Config { minimum_separation: 1e-4, ..Config::default() },
    ] {
        let (state, _) = repeated(&scene, &config, at_rest.clone(), 2, |_| 0.01);
        assert_ne!(state.bodies, at_rest.bodies);
    }
}

/// Cubes that fly in line at the same speed, half a cube per step and a twentieth of one apart: only the first
/// meets the wall, and must stop those behind it, towards which nothing moves while all go on.
#[test]
fn bodies_that_fly_together_do_not_overrun_one_that_is_stopped() {
    let wall = "[[body]]\nname = \"wall\"\nrole = \"static\"\nposition = [2, 0, 0]\n[[body.shape]]\n\
        box = { size = [1, 9, 9] }\n";
    let line: String = (0..4)
        .map(|i| cube(&format!("{i}"), [-1.05 * f64::from(i), 0.0, 0.0], [50.0, 0.0, 0.0], [0.0; 3], 0.0))
        .collect();
    let scene = scene(0.0, &format!("{wall}{line}"));
    run(&scene, config(), 10, |state, _| {
        let x: Vec<f64> = state.bodies.iter().map(|body| body.pose.position.x).collect();
        assert!(x.windows(2).all(|pair| pair[0] - pair[1] > 1.0), "{x:?}");
    });
}

/// A body that nothing touches takes its one iteration, however many the others take.
#[test]
fn a_body_in_flight_does_not_wait_for_others() {
    let impact = two("pair", 0.0, 1.9, [20.0, 10.0, 5.0]);
    let flying = cube("flying", [50.0, 60.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3], 0.5);
    let moves = |bodies: &str| {
        let mut all = Vec::new();
        run(&scene(-9.81, bodies), config(), 20, |_, report| {
            let moves = report.quantities.iter().find(|quantity| quantity.name == "moves").unwrap();
            all.push((moves.value, report.iterations));
        });
        all
    };
    let alone = moves(&format!("{FLOOR}{impact}"));
    let beside = moves(&format!("{FLOOR}{impact}{flying}"));
    for (step, (alone, beside)) in alone.iter().zip(&beside).enumerate().skip(1) {
        assert!(beside.0 - alone.0 == 1.0 && beside.1 == alone.1, "step {step}: {alone:?} {beside:?}");
    }
}
