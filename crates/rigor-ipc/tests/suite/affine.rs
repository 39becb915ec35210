//! Affine bodies [Lan2022]: closed laws, and that they never intersect.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rigor_geometry::intersection::{Relation, mesh_mesh};
use rigor_ipc::{Bodies, Config, Integrator, Ipc};
use rigor_math::{Mat3, Vec3};
use rigor_scene::{BodyId, Clock, Method, Scene, State, StepReport};

use crate::scene;

fn world(head: &str, bodies: &str) -> Scene {
    scene::text(format!("format = 1\nname = \"affine\"\n{head}\n[time]\ndt = 0.01\nduration = 1\n{bodies}"))
}

fn affine(integrator: Integrator) -> Config {
    Config { bodies: Bodies::Affine, integrator, ..Config::default() }
}

/// The state after `steps` steps of `dt` (s), and all reports; `each` sees every state.
fn run(
    scene: &Scene,
    config: Config,
    dt: f64,
    steps: u64,
    mut each: impl FnMut(&State),
) -> (State, Vec<StepReport>) {
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut state = State::initial(scene);
    let step = |_| {
        let report = method.step(scene, &mut state, dt).unwrap();
        state.step += 1;
        state.time = state.step as f64 * dt;
        each(&state);
        report
    };
    let reports = (0..steps).map(step).collect();
    (state, reports)
}

/// Whether any two surfaces cross, exactly for the rounded coordinates of their vertices.
fn crosses(scene: &Scene, state: &State) -> bool {
    let placed = |b: usize| {
        let (matrix, at) = (state.matrix(BodyId(b)), &state.bodies[b].pose.position);
        scene.bodies[b].skeleton.mesh.map_vertices(|x| matrix * x + at)
    };
    let n = scene.bodies.len();
    let meshes: Vec<_> = (0..n).map(placed).collect();
    let crosses = |a: usize, b: usize| {
        mesh_mesh::contact(&meshes[a], &meshes[b]).is_some_and(|(how, _)| how == Relation::Crossing)
    };
    (0..n).any(|a| (0..a).any(|b| crosses(a, b)))
}

const SPINNING: &str = r#"
[[body]]
name = "cube"
density = 1000
angular_velocity = [0, 0, 10]
shape = [{ box = { size = [0.2, 0.2, 0.2] } }]
"#;

#[test]
fn a_cube_in_free_flight_spins_on_unless_implicit_euler_brakes_it() {
    let scene = world("gravity = [0, 0, 0]", SPINNING);
    for integrator in [Integrator::Impulse, Integrator::Bdf2] {
        let (state, _) = run(&scene, affine(integrator), 0.01, 100, |_| {});
        let omega = state.bodies[0].angular_velocity;
        assert!((omega - Vec3::z() * 10.0).norm() < 1e-9, "{integrator:?} {omega}");
    }
    // [Lan2022]: ω₀/√(1 + 2 ω₀² h t).
    let (state, _) = run(&scene, affine(Integrator::ImplicitEuler), 0.01, 100, |_| {});
    let (omega, law) =
        (state.bodies[0].angular_velocity.norm(), 10.0 / (1.0_f64 + 2.0 * 100.0 * 0.01).sqrt());
    assert!((omega / law - 1.0).abs() < 0.02, "{omega} {law}");
}

#[test]
fn a_spinning_cube_is_stretched_by_what_it_is_flung_out_by() {
    let scene = world("gravity = [0, 0, 0]", SPINNING);
    let kappa = 1e6;
    let config = Config { affine_stiffness: kappa, ..affine(Integrator::Impulse) };
    let (state, _) = run(&scene, config, 0.01, 10, |_| {});
    let square: Mat3 = (Mat3::identity() + state.strains[0]) * (Mat3::identity() + state.strains[0]);
    let law = 1000.0 * 100.0 * 0.04 / (48.0 * kappa);
    for (k, law) in [law, law, 0.0].into_iter().enumerate() {
        assert!(
            (square[(k, k)] - 1.0 - law).abs() < 1e-3 * law.max(1e-6),
            "{k}: {} {law}",
            square[(k, k)] - 1.0
        );
    }
}

const FLOOR: &str = r#"
[[body]]
name = "floor"
role = "static"
friction = 0.5
position = [0, -0.5, 0]
shape = [{ box = { size = [20, 1, 20] } }]
"#;

#[test]
fn a_box_falls_and_rests() {
    let boxes = r#"
[[body]]
name = "box"
density = 1000
friction = 0.5
position = [0, 0.3, 0]
rotation_deg = [10, 20, 30]
shape = [{ box = { size = [0.2, 0.2, 0.2] } }]
"#;
    let scene = world("", &format!("{FLOOR}{boxes}"));
    for integrator in [Integrator::Impulse, Integrator::Bdf2, Integrator::ImplicitEuler] {
        let (state, reports) =
            run(&scene, affine(integrator), 0.01, 200, |state| assert!(!crosses(&scene, state)));
        let at = &state.bodies[1];
        let iterations: u64 = reports.iter().map(|report| report.iterations).sum();
        eprintln!("{integrator:?} {:?} {iterations}", at);
        assert!(
            (at.pose.position.y - 0.1).abs() < 1e-3 && at.linear_velocity.norm() < 1e-4,
            "{integrator:?}: {at:?}"
        );
    }
}
