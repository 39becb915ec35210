//! Every method, with a scene's settings for it.

use rigor_run::registry::{self, Entry};
use rigor_scene::{Clock, Method, Scene};

/// Every method that the program knows.
pub fn methods() -> &'static [Entry] {
    registry::entries()
}

/// The method, fresh, with what the scene says under `[method.NAME]`, on a clock that stands still.
///
/// # Panics
/// If the scene has settings for it that make no sense.
pub fn method(entry: &Entry, scene: &Scene) -> Box<dyn Method> {
    let settings = scene.methods.get(entry.name).cloned().unwrap_or_default();
    let chosen = entry.make(&settings, Clock::default());
    chosen.unwrap_or_else(|error| panic!("{}: {error}", scene.name)).method
}
