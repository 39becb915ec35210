//! Affine bodies [Lan2022]: closed laws, and that they never intersect.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use rigor_geometry::intersection::{Relation, mesh_mesh};
use rigor_ipc::{Bodies, Config, Integrator, Ipc};
use rigor_math::{Mat3, Vec3};
use rigor_scene::{BodyId, Clock, Method, Scene, State, StepReport, Travel, Turn, inspect};

use crate::scene;

fn world(head: &str, bodies: &str) -> Scene {
    scene::text(format!("format = 1\nname = \"affine\"\n{head}\n[time]\ndt = 0.01\nduration = 1\n{bodies}"))
}

fn affine(integrator: Integrator) -> Config {
    Config { bodies: Bodies::Affine, integrator, ..Config::default() }
}

/// The state after `steps` steps of `dt` (s); `each` sees every state.
fn run(scene: &Scene, config: Config, dt: f64, steps: u64, mut each: impl FnMut(&State)) -> State {
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut state = State::initial(scene);
    for _ in 0..steps {
        method.step(scene, &mut state, dt).unwrap();
        state.step += 1;
        state.time = state.step as f64 * dt;
        each(&state);
    }
    state
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
        scene.can_collide(BodyId(a), BodyId(b))
            && mesh_mesh::contact(&meshes[a], &meshes[b]).is_some_and(|(how, _)| how == Relation::Crossing)
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
        let state = run(&scene, affine(integrator), 0.01, 100, |_| {});
        let omega = state.bodies[0].angular_velocity;
        assert!((omega - Vec3::z() * 10.0).norm() < 1e-9, "{integrator:?} {omega}");
    }
    // [Lan2022]: ω₀/√(1 + 2 ω₀² h t).
    let state = run(&scene, affine(Integrator::ImplicitEuler), 0.01, 100, |_| {});
    let (omega, law) =
        (state.bodies[0].angular_velocity.norm(), 10.0 / (1.0_f64 + 2.0 * 100.0 * 0.01).sqrt());
    assert!((omega / law - 1.0).abs() < 0.02, "{omega} {law}");
}

#[test]
fn a_spinning_cube_is_stretched_by_what_it_is_flung_out_by() {
    let scene = world("gravity = [0, 0, 0]", SPINNING);
    let kappa = 1e6;
    let config = Config { affine_stiffness: kappa, ..affine(Integrator::Impulse) };
    let state = run(&scene, config, 0.01, 10, |_| {});
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
        let state = run(&scene, affine(integrator), 0.01, 200, |state| assert!(!crosses(&scene, state)));
        let at = &state.bodies[1];
        assert!(
            (at.pose.position.y - 0.1).abs() < 1e-3 && at.linear_velocity.norm() < 1e-4,
            "{integrator:?}: {at:?}"
        );
    }
}

/// Whether each body that moved is where its last piece of path leads.
fn is_where_the_path_ends(state: &State, report: &StepReport) -> bool {
    let pieces = report.path.as_deref().unwrap_or_default();
    let travels: BTreeMap<BodyId, &Travel> =
        pieces.iter().flat_map(|piece| &piece.travels).map(|travel| (travel.body, travel)).collect();
    travels.values().all(|travel| match travel.turn {
        Turn::Affine { from, by } => (from + by - state.matrix(travel.body)).norm() < 1e-13,
        Turn::About(_) | Turn::Straight { .. } => false,
    })
}

/// Kinetic and potential energy (J) of the rigid motion.
fn energy(scene: &Scene, state: &State) -> f64 {
    let of = |(body, at): (&rigor_scene::Body, &rigor_scene::BodyState)| {
        let spin = body.inertia_world(&at.pose) * at.angular_velocity;
        0.5 * body.mass * at.linear_velocity.norm_squared() + 0.5 * spin.dot(&at.angular_velocity)
            - body.mass * scene.gravity.dot(&at.pose.position)
    };
    scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()).map(of).sum()
}

/// A plate that turns about the vertical axis, and a bar that may turn about that axis alone.
const MACHINES: &str = r#"
[[body]]
name = "plate"
role = "kinematic"
angular_velocity = [0, 2, 0]
position = [0, 0.1, 0]
friction = 0.4
shape = [{ box = { size = [1.2, 0.1, 0.3] } }]

[[body]]
name = "bar"
position = [0, 0.9, 0]
friction = 0.2
fixed = { translation = [true, true, true], rotation = [true, false, true] }
shape = [{ box = { size = [0.8, 0.1, 0.1] } }]
"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn thrown_bodies_never_cross_and_make_no_energy(
        kinds in prop::collection::vec(0usize..4, 2..6),
        sizes in prop::collection::vec(0.5..2.0f64, 6),
        vectors in prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 18),
        speed in prop_oneof![0.5..3.0f64, 3.0..30.0],
        (mu, e) in (prop_oneof![Just(0.0), 0.1..1.0f64], prop_oneof![Just(0.0), 0.1..1.0f64]),
        stiffness in 6.0..10.0f64,
        integrator in prop_oneof![Just(Integrator::Impulse), Just(Integrator::Bdf2), Just(Integrator::ImplicitEuler)],
        has_machines in any::<bool>(),
    ) {
        let mut text = String::new();
        for (k, kind) in kinds.iter().enumerate() {
            let s = 0.1 * sizes[k];
            let shape = match kind {
                0 => format!("{{ icosphere = {{ radius = {s}, subdivisions = 1 }} }}"),
                1 => format!("{{ capsule = {{ radius = {}, length = {s}, segments = 6, rings = 1 }} }}", 0.5 * s),
                2 => format!("{{ box = {{ size = [{s}, {}, {s}] }} }}", 0.6 * s),
                _ => format!("{{ box = {{ size = [{}, {s}, {s}] }} }}", 0.02 * s),
            };
            let [v, w, turn] = [0, 6, 12].map(|i| Vec3::from(vectors[i + k]));
            let at = Vec3::new(0.8 * (k as f64 - 2.0), 0.7 + 0.5 * (k % 2) as f64, 0.7 + 0.1 * v.x);
            let v = v * speed - Vec3::new(at.x, 0.0, at.z) * speed;
            let (w, turn) = (w * 5.0, turn * 90.0);
            let three = |v: Vec3| format!("[{}, {}, {}]", v.x, v.y, v.z);
            text.push_str(&format!(
                "[[body]]\nname = \"b{k}\"\nfriction = {mu}\nrestitution = {e}\nposition = {}\nrotation_deg = {}\nlinear_velocity = {}\nangular_velocity = {}\nshape = [{shape}]\n",
                three(at), three(turn), three(v), three(w)
            ));
        }
        let machines = if has_machines { MACHINES } else { "" };
        let scene = world("gravity = [0, -9.81, 0]", &format!("{FLOOR}{machines}{text}"));
        let config =
            Config { affine_stiffness: 10.0_f64.powf(stiffness), record_path: true, ..affine(integrator) };
        let mut method = Ipc::new(config, Clock::default()).unwrap();
        let mut state = State::initial(&scene);
        let given = energy(&scene, &state);
        let (mut made, mut is_told) = (0.0_f64, false);
        for _ in 0..60 {
            let before = state.clone();
            let mut report = method.step(&scene, &mut state, 0.01).unwrap();
            state.step += 1;
            state.time += 0.01;
            report.flaws.extend(inspect(&scene, &before, &state, &report, 0.01));
            prop_assert!(!crosses(&scene, &state));
            prop_assert!(state.is_finite() && state.check_strains().is_ok());
            prop_assert!(is_where_the_path_ends(&state, &report), "at {} s", state.time);
            is_told |= !report.flaws.is_empty();
            if !is_told && !has_machines {
                made = made.max(energy(&scene, &state) - given);
            }
        }
        prop_assert!(made < 5e-3 * given.abs().max(1.0), "{made} J more than {given} J");
    }
}

const LINKS: &str = r#"
[[body]]
name = "upper"
density = 1000
position = [0.25, 1, 0]
shape = [{ box = { size = [0.5, 0.05, 0.05] } }]

[[body]]
name = "lower"
density = 1000
position = [0.8, 1, 0]
shape = [{ box = { size = [0.5, 0.05, 0.05] } }]

[[joint]]
name = "top"
kind = "hinge"
body_a = "upper"
position = [0, 1, 0]
axis = [0, 0, 1]

[[joint]]
name = "middle"
kind = "hinge"
body_a = "upper"
body_b = "lower"
position = [0.525, 1, 0]
axis = [0, 0, 1]
"#;

#[test]
fn stiff_joined_bodies_move_as_rigid_ones() {
    let scene = world("", LINKS);
    let rigid = run(&scene, Config::default(), 0.01, 60, |_| {});
    let stiff =
        run(&scene, Config { affine_stiffness: 1e10, ..affine(Integrator::Impulse) }, 0.01, 60, |_| {});
    for (rigid, stiff) in rigid.bodies.iter().zip(&stiff.bodies) {
        assert!((rigid.pose.position - stiff.pose.position).norm() < 1e-9);
    }
}

#[test]
fn joints_hold_where_contact_stops_their_bodies() {
    // The arm swings against a block.
    let block = "[[body]]\nname = \"block\"\nrole = \"static\"\nfriction = 0.3\nposition = [0.9, 0.3, 0]\nshape = [{ box = { size = [0.2, 0.6, 0.4] } }]\n";
    let scene = world("", &format!("{block}{LINKS}"));
    for integrator in [Integrator::Impulse, Integrator::Bdf2] {
        let mut worst = 0.0_f64;
        let state = run(&scene, affine(integrator), 0.01, 300, |state| {
            assert!(!crosses(&scene, state));
            let at = |b: usize, x: f64| state.bodies[b].pose.point(&Vec3::new(x, 0.0, 0.0));
            // Bars have their length along the first principal axis, and either end first.
            let gap = [0.275, -0.275]
                .iter()
                .flat_map(|x| [0.275, -0.275].map(|y| (at(1, *x) - at(2, y)).norm()))
                .fold(f64::INFINITY, f64::min);
            worst = worst.max(gap);
        });
        assert!(worst < 1e-7, "{integrator:?}: {worst}");
        let free = run(&world("", LINKS), affine(integrator), 0.01, 300, |_| {});
        assert!(
            (state.bodies[2].pose.position - free.bodies[1].pose.position).norm() > 0.01,
            "the block stops it"
        );
    }
}

#[test]
fn a_heavy_cube_that_falls_on_a_pebble_is_not_thrown() {
    let bodies = |radius: f64, v: f64| {
        format!(
            "[[body]]\nname = \"pebble\"\nfriction = 0.3\nposition = [0.02, {}, 0.01]\nshape = [{{ icosphere = {{ radius = {radius}, subdivisions = 1 }} }}]\n\
             [[body]]\nname = \"cube\"\nfriction = 0.3\nposition = [0, {}, 0]\nlinear_velocity = [0, {}, 0]\nshape = [{{ box = {{ size = [1, 1, 1] }} }}]\n",
            radius + 1e-3,
            2.0 * radius + 0.6,
            -v
        )
    };
    for (radius, v) in [(0.05, 5.0), (0.03, 2.0), (0.1, 5.0)] {
        let scene = world("", &format!("{FLOOR}{}", bodies(radius, v)));
        let given = energy(&scene, &State::initial(&scene));
        for (integrator, stiffness) in
            [(Integrator::Impulse, 1e9), (Integrator::Bdf2, 1e9), (Integrator::Impulse, 1e10)]
        {
            let config = Config { affine_stiffness: stiffness, ..affine(integrator) };
            run(&scene, config, 0.01, 60, |state| {
                let made = energy(&scene, state) - given;
                assert!(
                    made < 5e-3 * given.abs(),
                    "{radius} {v} {integrator:?} {stiffness:e}: {made} J of {given} J"
                );
                assert!(!crosses(&scene, state));
            });
        }
    }
}

#[test]
fn what_rests_on_a_body_compresses_it_alike_at_every_step() {
    let bodies = "[[body]]\nname = \"lower\"\nposition = [0, 0.5002, 0]\nshape = [{ box = { size = [1, 1, 1] } }]\n\
                  [[body]]\nname = \"upper\"\nposition = [0, 1.5004, 0]\nshape = [{ box = { size = [1, 1, 1] } }]\n";
    let scene = world("", &format!("{FLOOR}{bodies}"));
    let strain = |dt: f64, steps: u64| {
        let config = Config { affine_stiffness: 1e7, ..affine(Integrator::Impulse) };
        run(&scene, config, dt, steps, |_| {}).strains[1].norm()
    };
    let (coarse, fine) = (strain(0.01, 300), strain(0.001, 1000));
    assert!(coarse > 1e-5 && (fine / coarse - 1.0).abs() < 0.01, "{coarse} {fine}");
}

#[test]
fn stiff_bodies_roll_slide_and_tip_as_rigid_ones() {
    // A ball that slips until it rolls, a block that slides, and one that tips over its edge.
    let bodies = "[[body]]\nname = \"ball\"\nfriction = 0.3\nposition = [0, 0.1002, 0]\nlinear_velocity = [1, 0, 0]\nshape = [{ icosphere = { radius = 0.1, subdivisions = 1 }, round = true }]\n\
                  [[body]]\nname = \"slides\"\nfriction = 0.3\nposition = [0, 0.0502, 1]\nlinear_velocity = [1, 0, 0]\nshape = [{ box = { size = [0.3, 0.1, 0.2] } }]\n\
                  [[body]]\nname = \"tips\"\nfriction = 0.9\nposition = [0, 0.2502, 2]\nlinear_velocity = [0.4, 0, 0]\nangular_velocity = [0, 0, -2]\nshape = [{ box = { size = [0.2, 0.5, 0.2] } }]\n";
    let scene = world("", &format!("{FLOOR}{bodies}"));
    for integrator in [Integrator::Impulse, Integrator::Bdf2] {
        let rigid = run(&scene, Config { integrator, ..Config::default() }, 0.01, 60, |_| {});
        let stiff = run(&scene, affine(integrator), 0.01, 60, |_| {});
        for (rigid, stiff) in rigid.bodies.iter().zip(&stiff.bodies).skip(1) {
            let off = (rigid.pose.position - stiff.pose.position).norm();
            assert!(off < 1e-4, "{integrator:?} {off}");
        }
    }
}

#[test]
fn a_soft_stack_makes_no_energy() {
    let cube = |k: usize| {
        let y = 0.5002 + 1.0002 * k as f64;
        format!(
            "[[body]]\nname = \"cube-{k}\"\nfriction = 0.5\nposition = [0, {y}, 0]\nshape = [{{ box = {{ size = [1, 1, 1] }} }}]\n"
        )
    };
    let scene = world("", &format!("{FLOOR}{}", (0..5).map(cube).collect::<String>()));
    let given = energy(&scene, &State::initial(&scene));
    let config = Config { affine_stiffness: 1e6, ..affine(Integrator::Impulse) };
    run(&scene, config, 0.01, 200, |state| assert!(energy(&scene, state) < 1.001 * given));
}

#[test]
fn a_rolling_ball_takes_about_as_many_iterations_as_a_rigid_one() {
    let ball = "[[body]]\nname = \"ball\"\nfriction = 0.5\nposition = [0, 0.17, 0]\nlinear_velocity = [1, 0, 0]\nangular_velocity = [0, 3, -5]\nshape = [{ icosphere = { radius = 0.15, subdivisions = 1 } }]\n";
    let scene = world("", &format!("{FLOOR}{ball}"));
    let iterations = |config: Config| -> u64 {
        let mut method = Ipc::new(config, Clock::default()).unwrap();
        let mut state = State::initial(&scene);
        let step = |k: u64| {
            let report = method.step(&scene, &mut state, 0.01).unwrap();
            (state.step, state.time) = (k + 1, (k + 1) as f64 * 0.01);
            report.iterations
        };
        (0..60).map(step).sum()
    };
    let rigid = iterations(Config::default());
    for stiffness in [1e8, 1e10] {
        let stiff = iterations(Config { affine_stiffness: stiffness, ..affine(Integrator::Impulse) });
        assert!(2 * stiff < 3 * rigid, "{stiffness:e}: {stiff}, rigid {rigid}");
    }
}

#[test]
fn a_step_that_refuses_a_crushed_body_leaves_the_state_as_it_was() {
    let scene = world(
        "gravity = [0, 0, 0]",
        r#"
        [[body]]
        name = "wall"
        role = "static"
        position = [0, -0.5, 0]
        shape = [{ box = { size = [10, 1, 10] } }]
        [[body]]
        name = "cube"
        density = 1000
        position = [0, 0.52, 0]
        linear_velocity = [0, -100, 0]
        shape = [{ box = { size = [1, 1, 1] } }]
        "#,
    );
    let config = Config { affine_stiffness: 1e5, max_substeps: 1, ..affine(Integrator::Impulse) };
    let mut ipc = Ipc::new(config, Clock::default()).unwrap();
    let mut state = State::initial(&scene);
    let is_refused = (0..50).any(|_| {
        let before = state.clone();
        let error = match ipc.step(&scene, &mut state, 0.005) {
            Ok(_) => return false,
            Err(error) => error.to_string(),
        };
        assert!(error.contains("is crushed"), "{error}");
        assert_eq!(state, before);
        true
    });
    assert!(is_refused);
}
