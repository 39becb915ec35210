//! The collision detection of \[Ferguson2021\], which settings select: algorithm 1, and boxes from interval arithmetic.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rigor_geometry::Mesh;
use rigor_geometry::intersection::mesh_mesh;
use rigor_ipc::{BroadPhase, CcdMethod, Config, Ipc};
use rigor_scene::{Body, BodyState, Clock, Method, Scene, State};
use serde::Deserialize;
use serde::de::IntoDeserializer;

use crate::scene;

const DEFAULT: (CcdMethod, BroadPhase) = (CcdMethod::SeparatingPlane, BroadPhase::ClosedForm);
const ALGORITHM_1: (CcdMethod, BroadPhase) = (CcdMethod::PiecewiseLinearInterval, BroadPhase::ClosedForm);
const INTERVALS: (CcdMethod, BroadPhase) = (CcdMethod::SeparatingPlane, BroadPhase::Interval);
const BOTH: (CcdMethod, BroadPhase) = (CcdMethod::PiecewiseLinearInterval, BroadPhase::Interval);

/// A run, and what its steps report.
#[derive(Debug, PartialEq)]
struct Run {
    end: State,
    queries: u64,
    iterations: u64,
}

/// Runs the scene, and checks after each step that no two bodies have a common point.
fn run(scene: &Scene, (ccd, broad_phase): (CcdMethod, BroadPhase), steps: u64) -> Run {
    let config = Config { ccd, broad_phase, ..Config::default() };
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut run = Run { end: State::initial(scene), queries: 0, iterations: 0 };
    for step in 1..=steps {
        let report = method.step(scene, &mut run.end, scene.time.dt).unwrap();
        run.end.step = step;
        run.end.time = step as f64 * scene.time.dt;
        run.queries += report.ccd_queries;
        run.iterations += report.iterations;
        let placed = |(body, at): (&Body, &BodyState)| body.mesh.map_vertices(|x| at.pose.point(x));
        let meshes: Vec<Mesh> = scene.bodies.iter().zip(&run.end.bodies).map(placed).collect();
        for (i, j) in (0..meshes.len()).flat_map(|j| (0..j).map(move |i| (i, j))) {
            let common = mesh_mesh::contact(&meshes[i], &meshes[j]);
            assert_eq!(common, None, "{ccd:?} {broad_phase:?}: bodies {i} and {j} in step {step}");
        }
    }
    run
}

/// Largest distance (m) of the centres of bodies between two states.
fn apart(a: &State, b: &State) -> f64 {
    let distance = |(a, b): (&BodyState, &BodyState)| (a.pose.position - b.pose.position).norm();
    a.bodies.iter().zip(&b.bodies).map(distance).fold(0.0, f64::max)
}

/// A box that spins at 200 rad/s, 2 rad per step, flies at a post and a ball.
fn spinning() -> Scene {
    scene::text(
        r#"
        format = 1
        name = "spinning"
        gravity = [0, -9.81, 0]
        [time]
        dt = 0.01
        duration = 1
        [[body]]
        name = "box"
        position = [-0.3, 0.02, 0.01]
        linear_velocity = [6, 0, 0]
        angular_velocity = [20, 0, 200]
        shape = [{ box = { size = [0.4, 0.1, 0.2] } }]
        [[body]]
        name = "ball"
        position = [0.2, 0.1, 0.03]
        shape = [{ icosphere = { radius = 0.1, subdivisions = 1 } }]
        [[body]]
        name = "post"
        role = "static"
        position = [0.36, 0.1, 0]
        shape = [{ box = { size = [0.1, 0.1, 1] } }]
        "#
        .to_owned(),
    )
}

/// Boxes of intervals select more pairs, which are judged as the others: the motion keeps its bits, and only the number of
/// queries tells of the setting. Algorithm 1 proves less of a step free. So the step of the impact is divided otherwise, and an impact is as
/// exact as the substeps are short: they are 2 cm apart, and 14 cm from the limit of short steps (20 µs).
#[test]
fn bodies_that_spin_fast_stay_apart_and_move_alike() {
    let scene = spinning();
    let default = run(&scene, DEFAULT, 8);
    let ball = |run: &Run| run.end.bodies[1].linear_velocity;
    assert!(ball(&default).norm() > 0.1, "the box has hit the ball: {}", ball(&default));
    let intervals = run(&scene, INTERVALS, 8);
    assert_eq!(default.end, intervals.end);
    assert_ne!(default.queries, intervals.queries);
    let (algorithm_1, both) = (run(&scene, ALGORITHM_1, 8), run(&scene, BOTH, 8));
    assert_eq!(algorithm_1.end, both.end);
    assert_ne!(algorithm_1.iterations, default.iterations);
    let off = apart(&default.end, &algorithm_1.end);
    assert!(0.0 < off && off < 0.03, "{off} m of 0.4 m, after 50 cm");
}

/// A spike gets stuck in a hole as wide as its base.
#[test]
fn a_spike_in_a_hole_stays_apart_from_it_and_moves_alike() {
    let scene = scene::case("erleben/spike-in-hole");
    let default = run(&scene, DEFAULT, 40);
    assert_eq!(default.end, run(&scene, INTERVALS, 40).end);
    let both = run(&scene, BOTH, 40);
    let off = apart(&default.end, &both.end);
    assert!(0.0 < off && off < 1e-6, "{off} m of 3 m");
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let scene = spinning();
    for settings in [ALGORITHM_1, INTERVALS, BOTH] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&scene, settings, 6))
        };
        assert_eq!(on(1), on(2), "{settings:?}");
    }
}

#[test]
fn other_words_are_refused() {
    type Error = serde::de::value::Error;
    let ccd = |word: &str| CcdMethod::deserialize(IntoDeserializer::<Error>::into_deserializer(word));
    let broad_phase =
        |word: &str| BroadPhase::deserialize(IntoDeserializer::<Error>::into_deserializer(word));
    assert_eq!(ccd("piecewise_linear_interval"), Ok(CcdMethod::PiecewiseLinearInterval));
    assert_eq!(broad_phase("interval"), Ok(BroadPhase::Interval));
    for word in ["redon", "algorithm-1", "Interval", ""] {
        let of_ccd = ccd(word).unwrap_err().to_string();
        assert!(of_ccd.contains("expected `separating_plane` or `piecewise_linear_interval`"), "{of_ccd}");
        let of_phase = broad_phase(word).unwrap_err().to_string();
        assert!(of_phase.contains("expected `closed_form` or `interval`"), "{of_phase}");
    }
}
