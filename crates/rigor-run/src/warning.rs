//! Warnings about a scene, as every run, comparison and check reports them.

use rigor_file::check::{MAX_FOUND, initial_intersections};
use rigor_file::{Finding, Loaded, Warning};
use rigor_scene::Scene;

use crate::registry::{self, RegistryError};

/// Maximum number of intersecting pairs of bodies that are named one by one.
const NAMED: usize = 5;

/// Returns all warnings about a scene: those of its file, settings that nothing reads, and bodies that intersect at the
/// start.
pub fn warnings(loaded: &Loaded) -> Vec<Warning> {
    let of_file = loaded.warnings.iter().cloned();
    of_file.chain(unused_settings(&loaded.scene)).chain(meetings(&loaded.scene)).collect()
}

/// Warnings for settings under a misspelt method name, which nothing reads.
///
/// A name that resembles no known method is accepted: it may belong to a method of another program.
pub fn unused_settings(scene: &Scene) -> Vec<Warning> {
    let slip = |name: &String| match registry::find(name).err()? {
        RegistryError::Unknown { suggestion: Some(meant), .. } => {
            let message =
                format!("there is no method `{name}`: its settings are not used; did you mean `{meant}`?");
            Some(Finding::of_file(&scene.name, message).with_key(format!("method.{name}")))
        }
        _ => None,
    };
    scene.methods.keys().filter_map(slip).collect()
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
