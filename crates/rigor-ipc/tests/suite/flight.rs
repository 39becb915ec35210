//! Motion between and during contacts: what the integrators conserve, and their order.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::scene;
use rigor_ipc::{Config, Integrator, Ipc};
use rigor_math::{Vec3, inertia};
use rigor_scene::{Clock, Method, Scene, State};

/// A scene of these bodies, without gravity.
fn weightless(bodies: &str) -> Scene {
    let text = format!(
        "format = 1\nname = \"flight\"\ngravity = [0, 0, 0]\n[time]\ndt = 0.01\nduration = 1\n{bodies}"
    );
    scene::text(text)
}

/// The initial state and the states after each of `steps` steps of `dt` (s).
fn run(scene: &Scene, config: Config, dt: f64, steps: u64) -> Vec<State> {
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut states = vec![State::initial(scene)];
    for step in 0..steps {
        let mut state = states[step as usize].clone();
        method.step(scene, &mut state, dt).unwrap();
        state.step = step + 1;
        state.time = state.step as f64 * dt;
        states.push(state);
    }
    states
}

fn with(integrator: Integrator) -> Config {
    Config { integrator, ..Config::default() }
}

const EXACT_IN_FLIGHT: [Integrator; 2] = [Integrator::Impulse, Integrator::Bdf2];

const WHEEL: &str = r#"
[[body]]
name = "wheel"
angular_velocity = [0, 10, 0]
[[body.shape]]
box = { size = [1, 0.1, 1] }
"#;

#[test]
fn a_free_wheel_keeps_its_speed() {
    for integrator in EXACT_IN_FLIGHT {
        for dt in [1e-2, 1e-4] {
            let states = run(&weightless(WHEEL), with(integrator), dt, 1000);
            for pair in states.windows(2) {
                let change = pair[1].bodies[0].angular_velocity - pair[0].bodies[0].angular_velocity;
                assert!(change.norm() < 1e-12, "{integrator:?}: {change:?}");
            }
        }
    }
}

/// The integrator of \[Ferguson2021\] damps it: Q̇ is the chord, which is shorter than the arc by (hω)²/24 in
/// every step.
#[test]
fn implicit_euler_slows_a_free_wheel() {
    let states = run(&weightless(WHEEL), with(Integrator::ImplicitEuler), 1e-2, 1000);
    assert!(states[1000].bodies[0].angular_velocity.norm() < 3.0);
}

#[test]
fn a_tumbling_body_keeps_its_angular_momentum_and_energy() {
    let text = r#"
[[body]]
name = "box"
angular_velocity = [0.05, 5, 0.02]
linear_velocity = [1, 2, 3]
[[body.shape]]
box = { size = [1, 0.5, 0.25] }
"#;
    let mut scene = weightless(text);
    scene.gravity = Vec3::new(0.0, -9.81, 0.0);
    for integrator in EXACT_IN_FLIGHT {
        let states = run(&scene, with(integrator), 1e-2, 1000);
        let moments = &scene.bodies[0].inertia;
        let spin = |state: &State| {
            let body = &state.bodies[0];
            inertia::angular_momentum(moments, &body.pose.rotation, &body.angular_velocity)
        };
        let energy = |state: &State| 0.5 * spin(state).dot(&state.bodies[0].angular_velocity);
        let (first, last) = (&states[0], &states[1000]);
        assert!((spin(last) - spin(first)).norm() < 1e-11 * spin(first).norm());
        assert!((energy(last) / energy(first) - 1.0).abs() < 1e-4, "{}", energy(last) / energy(first));
        // The parabola is exact.
        let exact = first.bodies[0].pose.position + Vec3::new(10.0, 20.0 - 0.5 * 9.81 * 100.0, 30.0);
        assert!((last.bodies[0].pose.position - exact).norm() < 1e-9);
        assert!((last.bodies[0].linear_velocity - Vec3::new(1.0, 2.0 - 98.1, 3.0)).norm() < 1e-10);
    }
}

/// Two boxes collide off centre: contact impulses on them are equal and opposite.
#[test]
fn contact_keeps_momentum_and_angular_momentum() {
    let text = r#"
[[body]]
name = "a"
position = [-1, 0, 0]
linear_velocity = [3, 0.1, 0]
angular_velocity = [1, 2, 3]
[[body.shape]]
box = { size = [0.8, 0.6, 0.4] }
[[body]]
name = "b"
position = [0.3, 0.2, 0.1]
angular_velocity = [0, -1, 0.5]
[[body.shape]]
box = { size = [0.5, 0.7, 0.9] }
"#;
    let scene = weightless(text);
    let momentum = |state: &State| -> (Vec3, Vec3) {
        scene.bodies.iter().zip(&state.bodies).fold((Vec3::zeros(), Vec3::zeros()), |(p, l), (body, now)| {
            let spin = inertia::angular_momentum(&body.inertia, &now.pose.rotation, &now.angular_velocity);
            let own = body.mass * now.linear_velocity;
            (p + own, l + now.pose.position.cross(&own) + spin)
        })
    };
    for (integrator, dt) in EXACT_IN_FLIGHT.into_iter().flat_map(|i| [(i, 1e-2), (i, 1e-3)]) {
        let config = Config { velocity_tolerance: Some(1e-10), ..with(integrator) };
        let states = run(&scene, config, dt, (1.0 / dt) as u64);
        let (first, last) = (&states[0], &states[states.len() - 1]);
        let ((p, l), (p_end, l_end)) = (momentum(first), momentum(last));
        assert!((last.bodies[1].linear_velocity - first.bodies[1].linear_velocity).norm() > 0.5, "they met");
        assert!((p_end - p).norm() < 1e-8 * p.norm(), "{integrator:?}: {p:?} {p_end:?}");
        // Lever arms are those at the end of the step, and the bodies slide past each other at 3 m/s during
        // the impact: angular momentum is conserved to first order in the step.
        let change = (l_end - l).norm() / l.norm();
        assert!(change < 10.0 * dt, "{integrator:?}, {dt} s: {change}");
    }
}

/// A cube slides along a floor, whose smooth push lets it use the second-order formula, and hits a wall. The
/// formula would give it, stopped after the distance x within a step, the speed ½ v − 3x/(2h) backwards.
#[test]
fn what_is_hit_does_not_rebound() {
    let text = r#"
[[body]]
name = "floor"
role = "static"
position = [0, -0.5, 0]
friction = 0
[[body.shape]]
box = { size = [4, 1, 4] }
[[body]]
name = "wall"
role = "static"
position = [1.5, 2, 0]
friction = 0
[[body.shape]]
box = { size = [1, 3, 4] }
[[body]]
name = "cube"
position = [0, 0.501, 0]
friction = 0
linear_velocity = [1, 0, 0]
[[body.shape]]
box = { size = [1, 1, 1] }
"#;
    let mut scene = weightless(text);
    scene.gravity = Vec3::new(0.0, -9.81, 0.0);
    scene.bodies[2].fixed.rotation = [true; 3];
    for integrator in EXACT_IN_FLIGHT {
        // After ten steps the cube is this far (m) from the wall.
        for apart in [0.5e-3, 2e-3, 9.5e-3] {
            scene.bodies[2].initial.pose.position.x = 0.4 - apart;
            let states = run(&scene, Config { d_hat: Some(1e-3), ..with(integrator) }, 1e-2, 20);
            let speeds: Vec<f64> = states.iter().map(|state| state.bodies[2].linear_velocity.x).collect();
            let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((speeds[9] - 1.0).abs() < 1e-6 && speeds[20] < 0.1, "{apart} m: {speeds:?}");
            // The barrier gives back 0.06 m/s where the step before the impact ends within it.
            assert!(slowest > -0.1, "{integrator:?}, {apart} m: {speeds:?}");
        }
    }
}

/// A cube deep in the barrier of a floor, which acts as a spring: frequency and decay depend smoothly on the
/// step.
#[test]
fn contact_that_lasts_is_followed_to_first_or_second_order() {
    let text = r#"
[[body]]
name = "floor"
role = "static"
position = [0, -0.5, 0]
[[body.shape]]
box = { size = [4, 1, 4] }
[[body]]
name = "cube"
position = [0, 0.56, 0]
[[body.shape]]
box = { size = [1, 1, 1] }
"#;
    let mut scene = weightless(text);
    scene.gravity = Vec3::new(0.0, -9.81, 0.0);
    // κ (J/m⁴ s²) is h² times the stiffness, which is kept constant.
    let height = |integrator, n: u64| {
        let dt = 0.08 / n as f64;
        let config = Config {
            d_hat: Some(0.1),
            kappa: Some(1e9 * dt * dt),
            velocity_tolerance: Some(1e-12),
            ..with(integrator)
        };
        run(&scene, config, dt, n)[n as usize].bodies[1].pose.position.y
    };
    let order = |integrator, n: u64| {
        let [coarse, middle, fine] = [n, 2 * n, 4 * n].map(|n| height(integrator, n));
        ((coarse - middle) / (middle - fine)).abs().log2()
    };
    let (first, second) = (order(Integrator::Impulse, 1024), order(Integrator::Bdf2, 2048));
    assert!((0.9..1.1).contains(&first), "{first}");
    // The order tends to 2 from above: 2.52, 2.40, 2.27 from 512, 1024, 2048 steps.
    assert!((1.8..2.4).contains(&second), "{second}");
}

/// Bodies at rest have velocity 0 with every integrator; no part of a step's gravity remains in it.
#[test]
fn what_rests_has_no_velocity() {
    let text = r#"
[[body]]
name = "floor"
role = "static"
position = [0, -0.5, 0]
friction = 0.5
[[body.shape]]
box = { size = [4, 1, 4] }
[[body]]
name = "cube"
position = [0, 0.501, 0]
friction = 0.5
[[body.shape]]
box = { size = [1, 1, 1] }
"#;
    let mut scene = weightless(text);
    scene.gravity = Vec3::new(1.0, -9.81, 0.0);
    for integrator in [Integrator::ImplicitEuler, Integrator::Impulse, Integrator::Bdf2] {
        let states = run(&scene, with(integrator), 1e-2, 200);
        let cube = &states[200].bodies[1];
        assert!(cube.linear_velocity.norm() < 2e-3 * 9.81e-2, "{integrator:?}: {:?}", cube.linear_velocity);
        assert!(cube.angular_velocity.norm() < 1e-3);
    }
}

/// Small cubes, and strong weights, whose steps are divided into parts of different lengths: they rest all the same.
#[test]
fn what_rests_in_divided_steps_has_no_velocity() {
    for (size, dt, weight) in
        [(1e-3, 1.0 / 60.0, 9.81), (1e-3, 1.0 / 30.0, 9.81), (0.01, 0.1, 9.81), (1.0, 0.01, 1e5)]
    {
        let text = format!(
            "[[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.5, 0]\nfriction = 0.5\n[[body.shape]]\nbox = {{ size = [4, 1, 4] }}\n\
             [[body]]\nname = \"cube\"\nposition = [0, {}, 0]\nfriction = 0.5\n[[body.shape]]\nbox = {{ size = [{size}, {size}, {size}] }}\n",
            0.51 * size
        );
        let mut scene = weightless(&text);
        scene.gravity = Vec3::new(0.1 * weight, -weight, 0.0);
        for integrator in [Integrator::Impulse, Integrator::Bdf2] {
            let states = run(&scene, with(integrator), dt, 60);
            let fastest =
                states[40..].iter().map(|state| state.bodies[1].linear_velocity.norm()).fold(0.0, f64::max);
            assert!(
                fastest < 2e-3 * weight * dt,
                "{integrator:?}, {size} m, {dt} s, {weight} m/s²: {fastest} m/s"
            );
        }
    }
}
