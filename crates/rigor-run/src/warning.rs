//! Warnings about a scene, as every run, comparison and check reports them.

use rigor_file::check::{MAX_FOUND, initial_intersections, misspelt_methods};
use rigor_file::{Finding, Loaded, Warning};
use rigor_scene::Scene;

use crate::registry;

/// Maximum number of intersecting pairs of bodies that are named one by one.
const NAMED: usize = 5;

/// Returns all warnings about a scene: those of its file, settings that nothing reads, and bodies that intersect at the
/// start.
pub fn warnings(loaded: &Loaded) -> Vec<Warning> {
    let scene = &loaded.scene;
    let misspelt = misspelt_methods(&scene.name, scene, registry::names());
    loaded.warnings.iter().cloned().chain(misspelt).chain(meetings(scene)).collect()
}

/// Warnings for bodies that intersect at the start.
fn meetings(scene: &Scene) -> Vec<Warning> {
    let found = initial_intersections(scene);
    let about = |message: String| Finding::of_file(&scene.name, message);
    let mut warnings: Vec<Warning> = found.iter().take(NAMED).map(|m| about(m.to_string())).collect();
    if found.len() > NAMED {
        let more = found.len() - NAMED;
        let at_least = if found.len() == MAX_FOUND { "at least " } else { "" };
        warnings
            .push(about(format!("{at_least}{more} more pairs of bodies intersect or touch at the start")));
    }
    warnings
}
