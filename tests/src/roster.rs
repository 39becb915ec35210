//! All methods, with the settings of a scene.

use rigor_run::registry::{self, Entry};
use rigor_scene::{Clock, Method, Scene};

/// Returns every method that runs in this process; engines from outside have tests of their own.
pub fn methods() -> Vec<&'static Entry> {
    registry::in_process()
}

/// Creates a new method with the scene's settings under `[method.NAME]` and a clock that stands still.
///
/// # Panics
/// If these settings are invalid.
pub fn method(entry: &Entry, scene: &Scene) -> Box<dyn Method> {
    let settings = scene.methods.get(entry.name).cloned().unwrap_or_default();
    let chosen = entry.make(&settings, Clock::default());
    chosen.unwrap_or_else(|error| panic!("{}: {error}", scene.name)).method
}
