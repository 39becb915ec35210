//! Every method, with its default settings.

use rigor_bench::peers::rapier::{self, Rapier};
use rigor_free::Free;
use rigor_scene::{Clock, Method};
use rigor_xpbd::Xpbd;

/// A method by name.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Makes a fresh one.
    pub make: fn() -> Box<dyn Method>,
}

/// Every method that a test can run.
pub const METHODS: &[Entry] = &[
    Entry {
        name: "free",
        make: || Box::new(ready(Free::new(rigor_free::Config::default(), Clock::default()))),
    },
    Entry {
        name: "xpbd",
        make: || Box::new(ready(Xpbd::new(rigor_xpbd::Config::default(), Clock::default()))),
    },
    Entry { name: "rapier", make: || Box::new(Rapier::new(rapier::Config::default(), Clock::default())) },
];

fn ready<M>(method: Result<M, String>) -> M {
    method.unwrap_or_else(|why| panic!("default settings are in range: {why}"))
}
