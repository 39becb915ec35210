//! Whole steps: flight, rest, freedom from intersection, and bitwise reproducibility.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::scene;
use crate::scene::case;
use rigor_ipc::{Config, Coordinates, Integrator, Ipc};
use rigor_math::Vec3;
use rigor_scene::{BodyId, Clock, Method, Motion, Role, Scene, State, StepError};

fn ipc(config: Config) -> Ipc {
    Ipc::new(config, Clock::default()).unwrap()
}

/// Returns the state after `steps` steps and the smallest distance of all steps.
fn after(scene: &Scene, config: Config, steps: u64) -> (State, f64) {
    let mut method = ipc(config);
    let mut state = State::initial(scene);
    let mut nearest = f64::INFINITY;
    for step in 0..steps {
        let report = method.step(scene, &mut state, scene.time.dt).unwrap();
        nearest = nearest.min(report.min_distance.unwrap_or(f64::INFINITY));
        state.step = step + 1;
        state.time = state.step as f64 * scene.time.dt;
    }
    (state, nearest)
}

#[test]
fn a_falling_body_follows_implicit_euler() {
    let scene = case("unit-tests/5-cubes");
    let config = Config { integrator: Integrator::ImplicitEuler, ..Config::default() };
    let (state, _) = after(&scene, config, 10);
    let top = scene.bodies.len() - 1;
    // x_n = x_0 + g h² n (n + 1)/2.
    let h = scene.time.dt;
    let fallen = scene.gravity.y * h * h * 55.0;
    assert!(
        (state.bodies[top].pose.position.y - scene.bodies[top].initial.pose.position.y - fallen).abs() < 1e-9
    );
}

#[test]
fn a_stack_that_falls_together_never_touches() {
    let scene = case("unit-tests/5-cubes");
    let (state, nearest) = after(&scene, Config::default(), 200);
    assert!(nearest > 0.0, "{nearest}");
    for (below, above) in state.bodies[1..].iter().zip(&state.bodies[2..]) {
        let gap = above.pose.position.y - below.pose.position.y;
        assert!(gap > 0.99, "cubes of 1 m are {gap} m apart");
    }
}

#[test]
fn minimum_separation_is_kept() {
    let scene = case("unit-tests/vertex-face");
    let config = Config { d_hat: Some(1e-3), minimum_separation: 0.01, ..Config::default() };
    let (_, nearest) = after(&scene, config, 300);
    assert!(nearest > 0.01 && nearest < 0.011, "{nearest}");
}

#[test]
fn both_coordinates_find_the_same_minimum() {
    let scene = case("unit-tests/tet-corner");
    let config = |coordinates| Config {
        coordinates,
        velocity_tolerance: Some(1e-8),
        friction_iterations: 0,
        kappa: Some(1e3),
        ..Config::default()
    };
    let (local, _) = after(&scene, config(Coordinates::Local), 40);
    let (rotation_vector, _) = after(&scene, config(Coordinates::RotationVector), 40);
    for (a, b) in local.bodies.iter().zip(&rotation_vector.bodies) {
        assert!((a.pose.position - b.pose.position).norm() < 1e-6);
        assert!(a.pose.rotation.angle_to(&b.pose.rotation) < 1e-6);
    }
}

#[test]
fn a_run_cut_in_two_has_the_same_bits() {
    let scene = case("unit-tests/tet-corner");
    for integrator in [Integrator::ImplicitEuler, Integrator::Impulse, Integrator::Bdf2] {
        let config = Config { integrator, ..Config::default() };
        let (whole, _) = after(&scene, config.clone(), 60);
        let (mut state, _) = after(&scene, config.clone(), 30);
        let mut fresh = ipc(config);
        for step in 30..60 {
            fresh.step(&scene, &mut state, scene.time.dt).unwrap();
            state.step = step + 1;
            state.time = state.step as f64 * scene.time.dt;
        }
        assert_eq!(whole, state);
    }
}

#[test]
fn the_recorded_path_leads_from_state_to_state_and_changes_nothing() {
    let scene = case("unit-tests/vertex-vertex");
    for coordinates in [Coordinates::Local, Coordinates::RotationVector] {
        let config = Config { coordinates, ..Config::default() };
        let mut plain = ipc(config.clone());
        let mut recording = ipc(Config { record_path: true, ..config });
        let mut state = State::initial(&scene);
        for step in 0..60 {
            let mut expected = state.clone();
            let report = plain.step(&scene, &mut expected, scene.time.dt).unwrap();
            assert_eq!(report.path, None);
            let mut at: Vec<_> = state.bodies.iter().map(|body| body.pose).collect();
            let path = recording.step(&scene, &mut state, scene.time.dt).unwrap().path.unwrap();
            assert_eq!(state, expected);
            assert!(!path.is_empty());
            for travel in path.iter().flat_map(|piece| &piece.travels) {
                assert_eq!(at[travel.body.0], travel.from);
                assert_eq!(travel.from.position + travel.by, travel.to.position);
                at[travel.body.0] = travel.to;
            }
            assert!(state.bodies.iter().zip(&at).all(|(body, pose)| body.pose == *pose));
            state.step = step + 1;
            state.time = state.step as f64 * scene.time.dt;
        }
    }
}

/// Boxes at rest on a belt of 1 m/s slip for v/(μ g) = 0.204 s, on which they lose v²/(2 μ g) = 0.102 m.
#[test]
fn a_moving_belt_takes_boxes_along() {
    let mut scene = case("friction/stopping-distance");
    scene.bodies[0].role = Role::Kinematic(Motion::constant_velocity());
    scene.bodies[0].initial.linear_velocity = Vec3::x();
    for body in &mut scene.bodies[1..] {
        body.initial.linear_velocity = Vec3::zeros();
    }
    // Friction that agrees with the normal forces of the same step: the boxes start 1 µm above the belt.
    let config = Config { friction_iterations: -1, ..Config::default() };
    let (state, _) = after(&scene, config, 100);
    for (body, now) in scene.bodies.iter().zip(&state.bodies).skip(1) {
        let way = now.pose.position.x - body.initial.pose.position.x;
        assert!((now.linear_velocity.x - 1.0).abs() < 1e-2, "{}: {} m/s", body.name, now.linear_velocity.x);
        assert!((way - (0.5 - 0.102)).abs() < 0.01, "{}: {way} m", body.name);
    }
}

/// A load of 10⁷ times the mean weight comes closer than 10⁻³ d̂ with the initial κ.
#[test]
fn kappa_rises_under_a_load_that_comes_too_near() {
    let mut scene = case("unit-tests/5-cubes");
    // Loads the lowest cube: a stack under such a load would buckle.
    scene.bodies[1].force = scene.gravity * scene.bodies[1].mass * 1e7;
    let kappa = |state: &State| state.memory.numbers["ipc/kappa"][0];
    let config = Config { d_hat: Some(1e-3), ..Config::default() };
    let (before, _) = after(&scene, config.clone(), 1);
    let (loaded, nearest) = after(&scene, config, 20);
    assert!(kappa(&loaded) > kappa(&before), "{} {}", kappa(&loaded), kappa(&before));
    assert!(nearest > 0.0);
}

/// Nothing slows it: along flat walls the barrier is flat, for any triangulation.
#[test]
fn a_cube_keeps_its_speed_in_a_tunnel_far_narrower_than_the_barrier() {
    let scene = case("ferguson2021/tunnel-four-walls");
    let config = Config { d_hat: Some(1e-2), ..Config::default() };
    let (state, _) = after(&scene, config, 100);
    assert!((state.bodies[1].pose.position.x - 10.0).abs() < 1e-9, "{}", state.bodies[1].pose.position.x);
}

/// A box falls onto a floor on its edge, with friction; all lengths are `s` times those at s = 1.
fn tumble(s: f64) -> Scene {
    let text = format!(
        r#"
format = 1
name = "tumble"
gravity = [0, {g}, 0]
[time]
dt = 0.01
duration = 1
[[body]]
name = "floor"
role = "static"
friction = 0.3
[[body.shape]]
box = {{ size = [{wide}, {size}, {wide}] }}
position = [0, {below}, 0]
[[body]]
name = "box"
friction = 0.3
position = [0, {size}, 0]
rotation_deg = [20, 10, 30]
linear_velocity = [{size}, 0, 0]
[[body.shape]]
box = {{ size = [{size}, {half}, {half}] }}
"#,
        g = -9.81 * s,
        wide = 8.0 * s,
        size = s,
        half = 0.5 * s,
        below = -0.5 * s
    );
    scene::text(text)
}

/// All default settings are derived from lengths, masses and the step: with s times the lengths and s³ times
/// the masses the motion is the same.
#[test]
fn size_does_not_matter() {
    let (plain, _) = after(&tumble(1.0), Config::default(), 60);
    for s in [0.01, 0.1, 10.0, 100.0] {
        let (scaled, _) = after(&tumble(s), Config::default(), 60);
        for (a, b) in plain.bodies.iter().zip(&scaled.bodies) {
            // Newton's method ends at the same iterate up to rounding, which impacts amplify.
            assert!((a.pose.position - b.pose.position / s).norm() < 1e-6, "{s}");
            assert!(a.pose.rotation.angle_to(&b.pose.rotation) < 1e-6, "{s}");
        }
    }
}

#[test]
fn what_begins_nearer_than_the_minimum_separation_is_refused() {
    let scene = case("stacks/02");
    let config = Config { minimum_separation: 0.01, ..Config::default() };
    let mut state = State::initial(&scene);
    let before = state.clone();
    let error = ipc(config).step(&scene, &mut state, scene.time.dt).unwrap_err();
    assert!(error.to_string().contains("minimum_separation"), "{error}");
    assert_eq!(state, before);
}

/// A needle that pierces the middle of a plate: all vertices and edges are far from each other.
#[test]
fn bodies_that_intersect_at_the_start_are_refused_by_name() {
    let text = r#"
format = 1
name = "pierced"
[time]
dt = 0.01
duration = 1
[[body]]
name = "plate"
role = "static"
[[body.shape]]
box = { size = [4, 0.1, 4] }
[[body]]
name = "far away"
position = [0, 5, 0]
[[body.shape]]
box = { size = [1, 1, 1] }
[[body]]
name = "needle"
position = [0.9, 0.3, 0.2]
[[body.shape]]
box = { size = [0.1, 4, 0.1] }
"#;
    for d_hat in [None, Some(1e-3)] {
        let mut scene = scene::text(text.into());
        let mut state = State::initial(&scene);
        let before = state.clone();
        let error = ipc(Config { d_hat, ..Config::default() }).step(&scene, &mut state, 0.01).unwrap_err();
        let StepError::Intersecting { bodies, .. } = &error else { panic!("{error:?}") };
        let what = error.to_string();
        assert!(what.starts_with("\"plate\" and \"needle\" intersect at the start, near (0."), "{what}");
        assert_eq!((bodies[..].to_vec(), &state), (vec![BodyId(0), BodyId(2)], &before));
        // Bodies between which contact is disabled may intersect.
        scene.contact_free.insert((BodyId(0), BodyId(2)));
        assert!(ipc(Config { d_hat, ..Config::default() }).step(&scene, &mut state, 0.01).is_ok());
    }
}
