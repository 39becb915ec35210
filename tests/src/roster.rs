//! Every method, with a scene's settings for it.

use rigor_bench::peers::rapier::Rapier;
use rigor_free::Free;
use rigor_scene::{Clock, Method, Scene};
use rigor_xpbd::Xpbd;
use serde::de::DeserializeOwned;

/// A method by name.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    make: fn(&Scene) -> Box<dyn Method>,
}

/// Every method that a test can run.
pub const METHODS: &[Entry] = &[
    Entry {
        name: "free",
        make: |scene| Box::new(ready(Free::new(settings(scene, "free"), Clock::default()))),
    },
    Entry {
        name: "xpbd",
        make: |scene| Box::new(ready(Xpbd::new(settings(scene, "xpbd"), Clock::default()))),
    },
    Entry {
        name: "rapier",
        make: |scene| Box::new(Rapier::new(settings(scene, "rapier"), Clock::default())),
    },
];

impl Entry {
    /// The method, fresh, on a clock that stands still.
    ///
    /// # Panics
    /// If the scene has settings for it that are not in range.
    pub fn method(&self, scene: &Scene) -> Box<dyn Method> {
        (self.make)(scene)
    }
}

/// What the scene says under `[method.NAME]`, defaults for the rest.
fn settings<T: DeserializeOwned>(scene: &Scene, method: &str) -> T {
    let given = scene.methods.get(method).cloned().unwrap_or_default();
    serde_json::from_value(given.into()).unwrap_or_else(|e| panic!("{}: method.{method}: {e}", scene.name))
}

fn ready<M>(method: Result<M, String>) -> M {
    method.unwrap_or_else(|why| panic!("settings out of range: {why}"))
}
