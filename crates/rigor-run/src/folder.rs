//! The folder of a run.
//!
//! A run is a folder that stands by itself:
//!
//! | file | what |
//! | --- | --- |
//! | `run.json` | scene and its hash, method, settings in full, versions, machine, outcome ([`record`]) |
//! | `scene/scene.toml` | the scene as it was simulated, with its meshes |
//! | `frames.bin` | every frame with the forces on each body, appended as the run goes ([`frames`]) |
//! | `steps.csv` | one line per step: what the method reported ([`steps`]) |
//! | `contacts.csv` | one line per contact of each frame, if asked for ([`contacts`]) |
//! | `joints.csv` | one line per joint of each frame, if asked for ([`joints`]) |
//! | `checkpoint.bin` | a state to resume from, the method's memory included ([`checkpoint`]) |
//! | `path.bin` | the path between the states, if the method records it, appended as the run goes ([`path`]) |
//! | `trajectory.npz` | the frames as numpy arrays, made from `frames.bin` at the end |
//! | `scene.glb` | the motion as animated glTF |
//!
//! A process that is killed leaves `frames.bin`, `steps.csv`, `contacts.csv`, `joints.csv`, `path.bin` and the last
//! checkpoint, from which [`execute`](crate::execute::execute) resumes with the same bits.

pub mod checkpoint;
pub mod contacts;
pub mod frames;
pub mod joints;
pub mod path;
pub mod record;
pub mod steps;
pub mod table;

use std::path::{Path, PathBuf};

use crate::error::RunError;

/// Where the parts of a run lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// The folder itself.
    pub root: PathBuf,
}

impl Folder {
    /// The run in `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// `run.json`.
    pub fn record(&self) -> PathBuf {
        self.root.join("run.json")
    }

    /// `scene/scene.toml`.
    pub fn scene(&self) -> PathBuf {
        self.root.join("scene").join("scene.toml")
    }

    /// `frames.bin`.
    pub fn frames(&self) -> PathBuf {
        self.root.join("frames.bin")
    }

    /// `steps.csv`.
    pub fn steps(&self) -> PathBuf {
        self.root.join("steps.csv")
    }

    /// `contacts.csv`.
    pub fn contacts(&self) -> PathBuf {
        self.root.join("contacts.csv")
    }

    /// `joints.csv`.
    pub fn joints(&self) -> PathBuf {
        self.root.join("joints.csv")
    }

    /// `checkpoint.bin`.
    pub fn checkpoint(&self) -> PathBuf {
        self.root.join("checkpoint.bin")
    }

    /// `path.bin`.
    pub fn path(&self) -> PathBuf {
        self.root.join("path.bin")
    }

    /// `trajectory.npz`.
    pub fn trajectory(&self) -> PathBuf {
        self.root.join("trajectory.npz")
    }

    /// `scene.glb`.
    pub fn glb(&self) -> PathBuf {
        self.root.join("scene.glb")
    }
}

/// Writes a file whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes).map_err(|error| RunError::new(&part, error))?;
    std::fs::rename(&part, path).map_err(|error| RunError::new(path, error))
}
