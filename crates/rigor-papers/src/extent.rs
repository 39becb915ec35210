//! The simulated part of a run.

use rigor_file::Loaded;

/// The simulated part of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// The scene's own duration.
    Whole,
    /// At most this number of steps.
    Steps(u64),
    /// At most this simulated time (s).
    Until(f64),
}

impl Extent {
    /// Returns the duration (s) of a run of the scene.
    pub(crate) fn duration(self, loaded: &Loaded) -> f64 {
        let time = loaded.scene.time;
        match self {
            Self::Whole => time.duration,
            Self::Steps(steps) => time.duration.min(steps as f64 * time.dt),
            Self::Until(seconds) => time.duration.min(seconds),
        }
    }
}
