//! How much of a run to make.

use rigor_file::Loaded;

/// How much of a run to make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Extent {
    /// The scene's own duration.
    Whole,
    /// So many steps at most.
    Steps(u64),
    /// So much simulated time (s) at most.
    Until(f64),
}

impl Extent {
    /// The duration (s) of a run of the scene.
    pub(crate) fn duration(self, loaded: &Loaded) -> f64 {
        let time = loaded.scene.time;
        match self {
            Self::Whole => time.duration,
            Self::Steps(steps) => time.duration.min(steps as f64 * time.dt),
            Self::Until(seconds) => time.duration.min(seconds),
        }
    }
}
