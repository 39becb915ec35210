//! Every method on every scene, for a few steps: requirements on all methods, whatever their accuracy.
//!
//! A method that does not support a scene is skipped, with its reason. Known failures are listed in
//! `tests/expected_failures.toml`; a listed check that passes is an error, like an unlisted one that fails.

mod check;
mod expected;

use rigor_file::cases;
use rigor_run::registry::Entry;
use rigor_scene::{Run, Scene};
use rigor_tests::roster::{method, methods};
use rigor_tests::scenes;

use check::CHECKS;
use expected::{Failure, compare};

/// The result of a method on a scene.
enum Trial {
    /// It does not support the scene, for this reason.
    Skipped(String),
    /// The failed checks, each with an explanation.
    Run(Vec<(&'static str, String)>),
}

fn try_out(scene: &Scene, entry: &Entry) -> Trial {
    let mut method = method(entry, scene);
    if let Err(unsupported) = method.supports(scene) {
        return Trial::Skipped(unsupported.to_string());
    }
    let run = Run::record(scene, method.as_mut(), scene.time.dt, steps(scene));
    let failed = CHECKS.iter().filter_map(|check| Some((check.name, (check.holds)(scene, &run).err()?)));
    Trial::Run(failed.collect())
}

/// Returns enough steps for the smaller scenes to come into contact, and few enough for the larger ones to be
/// quick. The scenes of papers are large; `rigor reproduce` runs them completely.
fn steps(scene: &Scene) -> u64 {
    let papers = ["ferguson2021/", "mueller2020/", "macklin2016/", "mueller2007/", "harada2007/"];
    if papers.iter().any(|group| scene.name.starts_with(group)) {
        return 1;
    }
    let n_triangles: usize = scene.bodies.iter().map(|b| b.mesh.triangles().len()).sum();
    let affordable = if n_triangles < 1_000 { 20 } else { 2 };
    affordable.min(scene.time.steps())
}

#[test]
fn every_method_conforms_on_every_scene() {
    let mut found = Vec::new();
    let mut skipped = Vec::new();
    for scene in scenes::own().into_iter().chain(cases::names().map(scenes::case)) {
        for entry in methods() {
            match try_out(&scene, entry) {
                Trial::Skipped(reason) => skipped.push((entry.name, scene.name.clone(), reason)),
                Trial::Run(failures) => found.extend(failures.into_iter().map(|(check, what)| {
                    (
                        Failure { method: entry.name.into(), scene: scene.name.clone(), check: check.into() },
                        what,
                    )
                })),
            }
        }
    }
    for (method, scene, reason) in &skipped {
        println!("skipped {method} on {scene}: {reason}");
    }
    let complaints = compare(&found, &expected::read());
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
