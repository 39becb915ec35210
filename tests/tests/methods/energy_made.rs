//! A step that makes energy from nowhere has a flaw, under every method; steps that make none have none.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io;
use std::path::Path;

use rigor_audit::energy;
use rigor_file::{Files, LoadOptions, load};
use rigor_run::registry;
use rigor_scene::{BodyId, FlawKind, Run, Scene, State, StepReport};
use rigor_tests::roster;
use rigor_tests::scenes::case;

/// Scenes in which some method made energy and did not tell.
const SCENES: [(&str, &str); 4] = [
    ("squeeze", include_str!("energy_made/squeeze.toml")),
    ("inertia", include_str!("energy_made/inertia9.toml")),
    ("bar", include_str!("energy_made/bar-four-wheels.toml")),
    ("start beyond bound", include_str!("energy_made/start-beyond-bound.toml")),
];

const METHODS: [&str; 5] = ["free", "xpbd", "pbd", "ipc", "rapier"];

/// A single file in memory.
struct One(&'static str);

impl Files for One {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn read(text: &'static str) -> Scene {
    load(Path::new("scene.toml"), &One(text), &LoadOptions::default()).unwrap().scene
}

/// Runs at most `most` steps; `None` if the method does not support the scene.
fn run(scene: &Scene, name: &str, most: u64) -> Option<Run> {
    let mut method = roster::method(registry::find(name).unwrap(), scene);
    method.supports(scene).ok()?;
    Some(Run::record(scene, method.as_mut(), scene.time.dt, scene.time.steps().min(most)))
}

fn is_told(report: &StepReport) -> bool {
    report.flaws.iter().any(|flaw| flaw.kind == FlawKind::EnergyMade)
}

/// Returns the energy (J) that all forces on bodies could have passed on at the speed of the fastest moving body.
fn pressed(scene: &Scene, report: &StepReport, after: &State) -> f64 {
    let moving = |id: BodyId| !scene.bodies[id.0].is_dynamic();
    let speed = |id: BodyId| after.bodies[id.0].linear_velocity.norm();
    let of = |id: BodyId, force: f64| if moving(id) { scene.time.dt * force * speed(id) } else { 0.0 };
    report.contacts.iter().map(|c| of(c.body_a, c.normal_force) + of(c.body_b, c.normal_force)).sum()
}

#[test]
fn no_step_makes_much_energy_without_a_word() {
    let mut n_told = 0;
    for (name, text) in SCENES {
        let scene = read(text);
        for method in METHODS {
            let Some(run) = run(&scene, method, 150) else { continue };
            let frames = run.trajectory.frames.windows(2);
            for (i, (pair, report)) in frames.zip(&run.reports).enumerate() {
                let [from, to] = [&pair[0], &pair[1]].map(|state| energy::of_step(&scene, state, None));
                let rise = to.0 + to.1 - from.0 - from.1;
                let released = report.released.unwrap_or(0.0).max(0.0);
                let known = 1.2 * (pressed(&scene, report, &pair[1]) + released);
                let is_much = rise > known + 0.1 * (from.0 + to.0) + 0.2;
                assert!(!is_much || is_told(report), "{name} with {method}: {rise} J in step {}", i + 1);
                n_told += usize::from(is_told(report));
            }
        }
    }
    // Each mended cause lowers this number; the rule itself is tested with `inspect`.
    assert!(n_told < 400, "{n_told} steps");
}

#[test]
fn sound_runs_have_no_such_flaw() {
    for name in ["bouncing/ball", "free/symmetric-top", "rolling/ball", "unit-tests/face-vertex"] {
        let scene = case(name);
        for method in METHODS {
            let Some(run) = run(&scene, method, 200) else { continue };
            let made = run.reports.iter().position(is_told);
            assert_eq!(made, None, "{name} with {method}: {:?}", made.map(|i| &run.reports[i].flaws));
        }
    }
}

#[test]
fn a_touching_cradle_keeps_its_energy() {
    let scene = read(include_str!("energy_made/cradle-touching.toml"));
    for method in ["xpbd", "pbd"] {
        // The first ball hits after half a second; the last has then swung out and come back.
        let run = run(&scene, method, 700).unwrap();
        let total = |state: &State| {
            let (kinetic, potential) = energy::of_step(&scene, state, None);
            kinetic + potential
        };
        // Potential energy is 0 where the balls hang at rest.
        let start = total(&run.trajectory.frames[0]);
        let highest = run.trajectory.frames.iter().map(total).fold(f64::NEG_INFINITY, f64::max);
        let last = total(run.last());
        assert!(highest < 1.01 * start, "{method}: {start} J become {highest} J");
        assert!(last > 0.99 * start, "{method}: {start} J become {last} J");
    }
}

const STACK: &str = r#"
    format = 1
    name = "stack of two"
    [time]
    dt = 0.01
    duration = 2
    [[body]]
    name = "floor"
    role = "static"
    friction = 0.5
    position = [0, -0.05, 0]
    shape = [{ box = { size = [4, 0.1, 4] } }]
    [[body]]
    name = "light"
    mass = 1
    friction = 0.5
    position = [0, 0.1, 0]
    shape = [{ box = { size = [0.2, 0.2, 0.2] } }]
    [[body]]
    name = "heavy"
    mass = 10000
    friction = 0.5
    position = [0, 0.4, 0]
    shape = [{ box = { size = [0.4, 0.4, 0.4] } }]
"#;

#[test]
fn a_light_box_that_a_heavy_one_pushes_out_is_told() {
    let scene = read(STACK);
    for method in ["xpbd", "pbd", "rapier"] {
        let run = run(&scene, method, 200).unwrap();
        for (i, (state, report)) in run.trajectory.frames[1..].iter().zip(&run.reports).enumerate() {
            let is_told = report
                .flaws
                .iter()
                .any(|flaw| matches!(flaw.kind, FlawKind::EnergyMade | FlawKind::Squeezed));
            if is_told {
                break;
            }
            let [light, heavy] =
                [1, 2].map(|k| state.bodies[k].pose.position - scene.bodies[k].initial.pose.position);
            let is_out = light.norm() > 0.05 || heavy.norm() > 0.05;
            assert!(!is_out, "{method}: in step {} the boxes moved by {light:?} and {heavy:?}", i + 1);
        }
    }
}
