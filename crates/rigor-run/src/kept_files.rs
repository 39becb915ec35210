//! Which files a run keeps.

use serde::{Deserialize, Serialize};

/// The files that a run keeps. A resumed run keeps those that it kept before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFiles {
    /// Interval of kept frames, in steps.
    pub every: u64,
    /// Whether to keep the contacts of each frame.
    pub contacts: bool,
    /// Whether to keep force, torque and error of each joint of each frame.
    pub joints: bool,
    /// Whether to keep values over time, for plots.
    pub series: bool,
    /// Whether to write the files for other programs: `trajectory.npz`, `scene.glb`, `bodies.json` and `surfaces/`.
    pub products: bool,
}

impl Default for KeptFiles {
    /// Every frame, series and files for other programs; no contacts or joints.
    fn default() -> Self {
        Self { every: 1, contacts: false, joints: false, series: true, products: true }
    }
}
