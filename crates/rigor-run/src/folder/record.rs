//! `run.json`: scene, method, settings, versions, machine and outcome of a run.

use std::io;
use std::path::Path;

use rigor_file::Exported;
use rigor_scene::{Outcome, Scene};
use serde::{Deserialize, Serialize};

use super::write_whole;
use crate::error::{Fault, RunError};
use crate::machine::{Machine, Versions};
use crate::notice::{FlawCount, NoticeRecord};

/// The content of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version of this format.
    pub format: u32,
    /// Name of the scene.
    pub scene: String,
    /// BLAKE3 hash of the scene file and its meshes in `scene/`.
    pub scene_hash: String,
    /// Name of the method.
    pub method: String,
    /// All its settings, including defaults.
    pub settings: serde_json::Value,
    /// Δt (s).
    pub dt: f64,
    /// Steps requested.
    pub steps: u64,
    /// Interval of kept frames, in steps.
    pub every: u64,
    /// How the run ended.
    pub outcome: Ending,
    /// Steps taken.
    pub steps_done: u64,
    /// Steps taken since the run was started or last resumed.
    #[serde(default)]
    pub steps_timed: u64,
    /// Wall time of those steps (s).
    pub seconds: f64,
    /// Mean number of contacts in those steps.
    pub contacts_mean: f64,
    /// Requests of the scene that the method ignores.
    #[serde(default)]
    pub notices: Vec<NoticeRecord>,
    /// Flaws of those steps.
    #[serde(default)]
    pub flaws: Vec<FlawCount>,
    /// Versions.
    pub versions: Versions,
    /// The computer.
    pub machine: Machine,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Ending {
    /// Not ended: the process is still running, or was killed.
    Running,
    /// Every step was taken.
    Completed,
    /// A step failed.
    Stopped {
        /// The error message.
        error: String,
        /// The bodies involved, by name.
        bodies: Vec<String>,
        /// The particles involved, by the name of their soft body and their number in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        particles: Vec<String>,
    },
    /// Interrupted; the run can be resumed.
    Interrupted,
}

impl Ending {
    /// Converts the outcome of a run of `scene` to data.
    pub fn of(outcome: &Outcome, scene: &Scene) -> Self {
        match outcome {
            Outcome::Completed => Self::Completed,
            Outcome::Interrupted { .. } => Self::Interrupted,
            Outcome::Stopped { error, .. } => Self::Stopped {
                error: error.to_string(),
                bodies: error.bodies().iter().map(|id| scene.bodies[id.0].name.clone()).collect(),
                particles: error.particles().iter().map(|id| scene.particle_name(*id)).collect(),
            },
        }
    }
}

impl Record {
    /// Returns the number of frames kept; `None` if the run has not ended.
    pub fn frames(&self) -> Option<u64> {
        let has_ended = self.outcome != Ending::Running;
        has_ended.then(|| 1 + self.steps_done / self.every.max(1))
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), RunError> {
        let text = serde_json::to_string_pretty(self).map_err(|error| RunError::new(path, error))?;
        write_whole(path, (text + "\n").as_bytes())
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`RunError`] when it is missing or no record.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => RunError::new(path, Fault::NoRecord),
            _ => RunError::new(path, error),
        })?;
        serde_json::from_str(&text).map_err(|source| RunError::new(path, Fault::NotARecord { source }))
    }
}

/// Returns the BLAKE3 hash of an exported scene: of its text and of each mesh with its name.
pub fn hash(exported: &Exported) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(exported.scene.as_bytes());
    for (name, bytes) in &exported.meshes {
        hasher.update(name.as_bytes()).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
    hasher.finalize().to_hex().to_string()
}
