//! The folder of a run.
//!
//! A run is a self-contained folder:
//!
//! | file | content |
//! | --- | --- |
//! | `run.json` | scene and its hash, method, all settings, versions, machine, outcome, findings, verdicts, hashes of all files ([`record`], [`seal`]) |
//! | `scene/scene.toml` | the scene as it was simulated, with its meshes |
//! | `frames.bin` | frames with the forces on each body, appended during the run ([`frames`]) |
//! | `strains.bin` | the strains of the bodies in these frames, if there are any ([`strains`]) |
//! | `steps.csv` | one line per step with the method's report ([`steps`]) |
//! | `contacts.csv` | one line per contact of each frame, on request ([`contacts`]) |
//! | `joints.csv` | one line per joint of each frame, on request ([`joints`]) |
//! | `breaks.csv` | one line per joint that broke, if joints of the scene can break ([`breaks`]) |
//! | `checkpoint.bin` | a state to resume from, including the method's memory, and what the other files held then ([`checkpoint`]) |
//! | `path.bin` | the path between the states, if the method records it, appended during the run ([`path`]) |
//! | `series.bin` | values over time, for plots ([`mod@series`]) |
//! | `trajectory.npz` | the frames as NumPy arrays |
//! | `bodies.json`, `surfaces/` | names, masses, frames and surfaces of the bodies |
//! | `scene.glb` | the motion as animated glTF |
//! | `lock` | empty; locked while a process writes the folder ([`lock`]) |
//!
//! A killed process leaves the files that grow and the last checkpoint, from which
//! [`execute`](crate::execute::execute) resumes with identical bits.

pub mod append;
pub mod breaks;
pub mod checkpoint;
pub mod contacts;
pub mod frames;
pub mod joints;
pub mod lock;
pub mod path;
pub mod record;
pub mod seal;
pub mod series;
pub mod steps;
pub mod strains;
pub mod table;

use std::path::{Path, PathBuf};

use crate::atomic;
use crate::error::RunError;

/// The paths of the files of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// The folder itself.
    pub root: PathBuf,
}

impl Folder {
    /// The run in the folder `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the path of `run.json`.
    pub fn record(&self) -> PathBuf {
        self.root.join("run.json")
    }

    /// Returns the path of `scene/scene.toml`.
    pub fn scene(&self) -> PathBuf {
        self.root.join("scene").join("scene.toml")
    }

    /// Returns the path of `frames.bin`.
    pub fn frames(&self) -> PathBuf {
        self.root.join("frames.bin")
    }

    /// Returns the path of `strains.bin`.
    pub fn strains(&self) -> PathBuf {
        strains::beside(&self.frames())
    }

    /// Returns the path of `steps.csv`.
    pub fn steps(&self) -> PathBuf {
        self.root.join("steps.csv")
    }

    /// Returns the path of `contacts.csv`.
    pub fn contacts(&self) -> PathBuf {
        self.root.join("contacts.csv")
    }

    /// Returns the path of `joints.csv`.
    pub fn joints(&self) -> PathBuf {
        self.root.join("joints.csv")
    }

    /// Returns the path of `breaks.csv`.
    pub fn breaks(&self) -> PathBuf {
        self.root.join("breaks.csv")
    }

    /// Returns the path of `checkpoint.bin`.
    pub fn checkpoint(&self) -> PathBuf {
        self.root.join("checkpoint.bin")
    }

    /// Returns the path of `path.bin`.
    pub fn path(&self) -> PathBuf {
        self.root.join("path.bin")
    }

    /// Returns the path of `series.bin`.
    pub fn series(&self) -> PathBuf {
        self.root.join("series.bin")
    }

    /// Returns the path of `lock`.
    pub fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// Returns the path of `bodies.json`.
    pub fn bodies(&self) -> PathBuf {
        self.root.join("bodies.json")
    }

    /// Returns the path of `trajectory.npz`.
    pub fn trajectory(&self) -> PathBuf {
        self.root.join("trajectory.npz")
    }

    /// Returns the path of `scene.glb`.
    pub fn glb(&self) -> PathBuf {
        self.root.join("scene.glb")
    }
}

/// [`atomic::write_whole`] with the error of a run.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    atomic::write_whole(path, bytes).map_err(|error| RunError::new(path, error))
}
