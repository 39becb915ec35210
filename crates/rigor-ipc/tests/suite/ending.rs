//! Termination of a step: by the balance of forces, whatever tolerance a file asks for.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::scene;
use rigor_ipc::{Config, Ending, Ipc};
use rigor_scene::{Clock, Method, Scene, State};

/// A box on a floor with this friction; gravity is that on a slope of `slope` (degrees), and the box moves
/// down it at `speed` (m/s).
fn sliding(slope: f64, friction: f64, speed: f64) -> Scene {
    let (s, c) = slope.to_radians().sin_cos();
    let text = format!(
        r#"
format = 1
name = "sliding"
gravity = [{}, {}, 0]
[time]
dt = 0.01
duration = 1
[[body]]
name = "floor"
role = "static"
position = [0, -0.5, 0]
friction = {friction}
[[body.shape]]
box = {{ size = [40, 1, 4] }}
[[body]]
name = "box"
position = [0, 0.10098, 0]
friction = {friction}
linear_velocity = [{speed}, 0, 0]
[[body.shape]]
box = {{ size = [0.4, 0.2, 0.4] }}
"#,
        9.81 * s,
        -9.81 * c
    );
    scene::text(text)
}

/// The speed (m/s) along x after `steps` steps.
fn speed(scene: &Scene, config: &Config, steps: u64) -> f64 {
    let mut method = Ipc::new(config.clone(), Clock::default()).unwrap();
    let mut state = State::initial(scene);
    for step in 0..steps {
        method.step(scene, &mut state, scene.time.dt).unwrap();
        state.step = step + 1;
        state.time = state.step as f64 * scene.time.dt;
    }
    state.bodies[1].linear_velocity.x
}

/// Settings with a tolerance of 10 m/s, a hundred times the speed that gravity gives in a step.
fn coarse(ending: Ending) -> Config {
    Config {
        velocity_tolerance: Some(10.0),
        ending,
        d_hat: Some(1e-3),
        eps_v: Some(1e-3),
        ..Config::default()
    }
}

#[test]
fn a_coarse_tolerance_does_not_stop_what_slides() {
    let scene = sliding(0.0, 0.05, 10.0);
    let exact = 10.0 - 0.05 * 9.81 * 0.25;
    let found = speed(&scene, &coarse(Ending::Balance), 25);
    assert!((found - exact).abs() < 2e-3, "{found} m/s instead of {exact} m/s");
}

#[test]
fn a_coarse_tolerance_does_not_hold_what_must_slide() {
    // tan 26.565° = 0.5: a = g (sin − 0.49 cos) = 0.0877 m/s².
    let scene = sliding(0.5_f64.atan().to_degrees(), 0.49, 0.0);
    let slope = 0.5_f64.atan();
    let exact = 2.0 * 9.81 * (slope.sin() - 0.49 * slope.cos());
    let found = speed(&scene, &coarse(Ending::Balance), 200);
    assert!((found - exact).abs() < 0.02 * exact, "{found} m/s instead of {exact} m/s");
}

/// With the rule of the reference program and the same tolerance, friction after the first iteration is that
/// of sticking bodies, and nothing corrects it.
#[test]
fn the_ending_of_the_reference_program_holds_it() {
    let scene = sliding(0.5_f64.atan().to_degrees(), 0.49, 0.0);
    let found = speed(&scene, &coarse(Ending::Reference), 200);
    assert!(found < 0.05, "{found} m/s");
}

/// The method reports that it does not honour such a tolerance.
#[test]
fn a_tolerance_that_hides_gravity_is_told() {
    let scene = sliding(0.0, 0.05, 10.0);
    let told = |config: Config| {
        let notices = Ipc::new(config, Clock::default()).unwrap().notices(&scene, 0.01);
        notices.iter().any(|notice| notice.quantity == "velocity_tolerance")
    };
    assert!(told(coarse(Ending::Balance)));
    assert!(!told(coarse(Ending::Reference)) && !told(Config::default()));
    let fine = Config { velocity_tolerance: Some(0.9 * 1e-4 * 0.0981), ..Config::default() };
    assert!(!told(fine));
}

/// In a step of a second, 10⁻⁴ of what gravity does is a millimetre: the contact distance bounds it.
#[test]
fn the_tolerance_of_a_long_step_is_small_beside_the_contact_distance() {
    let scene = sliding(0.0, 0.05, 10.0);
    let config = Config { d_hat: Some(1e-3), ..Config::default() };
    let tolerance = |dt: f64| Ipc::new(config.clone(), Clock::default()).unwrap().tolerance(&scene, dt);
    assert!((tolerance(1.0) - 1e-4).abs() < 1e-12, "{}", tolerance(1.0));
    assert!((tolerance(0.01) - 1e-4 * 0.0981).abs() < 1e-12, "{}", tolerance(0.01));
}
