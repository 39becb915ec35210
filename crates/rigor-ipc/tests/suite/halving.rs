//! Steps that Newton's method cannot finish: halved and told, or refused with the state as it was.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rigor_ipc::{Config, Ipc};
use rigor_scene::{Clock, FlawKind, Method, Scene, State, StepError, StepReport, Subject};

use crate::scene;

/// Makes this many steps, as long as they succeed.
fn run(scene: &Scene, config: Config, steps: u64) -> (State, Result<Vec<StepReport>, StepError>) {
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut state = State::initial(scene);
    let dt = scene.time.dt;
    let step = |state: &mut State| {
        let report = method.step(scene, state, dt)?;
        state.step += 1;
        state.time = state.step as f64 * dt;
        Ok(report)
    };
    let mut step = step;
    let reports = (0..steps).map(|_| step(&mut state)).collect();
    (state, reports)
}

/// The amounts of this flaw, step by step.
fn amounts(reports: &[StepReport], kind: &FlawKind) -> Vec<(usize, f64)> {
    let flaws =
        reports.iter().enumerate().flat_map(|(step, report)| report.flaws.iter().map(move |f| (step, f)));
    flaws.filter(|(_, flaw)| flaw.kind == *kind).map(|(step, flaw)| (step, flaw.amount)).collect()
}

/// Two cubes that fly at each other, one of them turning, so that they need many iterations where they meet.
fn encounter() -> Scene {
    scene::text(
        r#"
format = 1
name = "encounter"
gravity = [0, 0, 0]
[time]
dt = 0.01
duration = 1
[[body]]
name = "a"
mass = 1
position = [-0.12, 0, 0]
linear_velocity = [1, 0, 0]
shape = [{ box = { size = [0.2, 0.2, 0.2] } }]
[[body]]
name = "b"
mass = 3
position = [0.12, 0.03, 0.02]
rotation_deg = [20, 30, 40]
linear_velocity = [-1, 0, 0]
angular_velocity = [3, 5, 7]
shape = [{ box = { size = [0.15, 0.15, 0.15] } }]
"#
        .into(),
    )
}

/// Settings with so few iterations that some step of the encounter is halved, yet none fails.
fn scarce() -> Config {
    let few = (2..12).map(|max_newton_iterations| Config { max_newton_iterations, ..Config::default() });
    let is_halved = |config: &Config| {
        let (_, reports) = run(&encounter(), config.clone(), 20);
        reports.is_ok_and(|reports| !amounts(&reports, &FlawKind::Halved).is_empty())
    };
    few.into_iter().find(is_halved).expect("a number of iterations at which steps are halved")
}

#[test]
fn a_step_that_newtons_method_cannot_finish_is_halved_and_told() {
    let (_, reports) = run(&encounter(), scarce(), 20);
    let reports = reports.unwrap();
    for (step, parts) in amounts(&reports, &FlawKind::Halved) {
        let substeps = reports[step].quantities.iter().find(|quantity| quantity.name == "substeps").unwrap();
        assert!(parts >= 2.0 && substeps.value >= 2.0, "{parts} {substeps:?}");
        let flaw = reports[step].flaws.iter().find(|flaw| flaw.kind == FlawKind::Halved).unwrap();
        assert_eq!(flaw.subject, Subject::Scene);
    }
}

#[test]
fn without_halvings_the_run_stops_and_its_state_stays() {
    for config in [Config { max_halvings: 0, ..scarce() }, Config { max_substeps: 1, ..scarce() }] {
        let (state, reports) = run(&encounter(), config, 20);
        assert!(matches!(reports, Err(StepError::NotConverged { .. })), "{reports:?}");
        assert!(state.step < 20 && state.bodies.iter().all(rigor_scene::BodyState::is_finite));
    }
}

/// However few iterations are allowed: momentum is that of the start, or the run stops and says why.
#[test]
fn halved_steps_keep_momentum() {
    let scene = encounter();
    let momentum = |state: &State| {
        scene
            .bodies
            .iter()
            .zip(&state.bodies)
            .map(|(body, at)| body.mass * at.linear_velocity)
            .sum::<rigor_math::Vec3>()
    };
    let before = momentum(&State::initial(&scene));
    let mut halved = 0;
    for max_newton_iterations in 2..12 {
        let (state, reports) = run(&scene, Config { max_newton_iterations, ..Config::default() }, 20);
        let drift = (momentum(&state) - before).norm();
        assert!(drift < 1e-9 * before.norm(), "{max_newton_iterations} iterations: {drift:e}");
        match reports {
            Ok(reports) => halved += amounts(&reports, &FlawKind::Halved).len(),
            Err(error) => assert!(matches!(error, StepError::NotConverged { .. }), "{error}"),
        }
    }
    assert!(halved > 0);
}

#[test]
fn the_number_of_halvings_has_a_range() {
    let error = Config { max_halvings: 31, ..Config::default() }.validate().unwrap_err();
    assert_eq!(error.setting, "max_halvings");
}

/// A box rests 10⁻¹¹ m above a slope whose corners are 20 m away: their rounding moves the distance, and hides that the last step
/// decreases the potential.
#[test]
fn a_box_rests_on_a_slope_at_the_rounding_of_its_corners() {
    for friction in [0.3561, 0.35625000000000007, 0.3565, 0.3575, 0.36] {
        let scene = scene::text(format!(
            r#"
format = 1
name = "slide"
gravity = [0, -9.81, 0]
[time]
dt = 2.5e-3
duration = 0.1
[[body]]
name = "slope"
role = "static"
rotation_deg = [0, 0, 20]
friction = 0.36
position = [0.171010071662834, -0.469846310392954, 0]
[[body.shape]]
box = {{ size = [40, 1, 4] }}
[[body]]
name = "box"
friction = {friction}
density = 1000
rotation_deg = [0, 0, 20]
position = [-0.0342054345, 0.0939786612, 0]
[[body.shape]]
box = {{ size = [0.4, 0.2, 0.4] }}
"#
        ));
        let (_, reports) = run(&scene, Config::default(), 40);
        let reports = reports.unwrap_or_else(|error| panic!("friction {friction}: {error}"));
        assert_eq!(amounts(&reports, &FlawKind::Halved), [], "friction {friction}");
        let over = amounts(&reports, &FlawKind::Unconverged);
        assert!(over.iter().all(|(_, excess)| *excess < 1.1), "friction {friction}: {over:?}");
    }
}
