//! The one reader of folders of runs: it checks what it reads.

use std::path::{Path, PathBuf};

use rigor_file::Loaded;

use crate::disk::{DiskError, load_run};
use crate::error::{Fault, RunError};
use crate::folder::record::{self, Ending, Record};
use crate::folder::{Folder, frames};
use crate::judge::check_frames;

/// A run that was read from its folder.
///
/// All of its files have the hashes that its record lists, its scene has the hash that the record names, and so has the record
/// itself; its frames are as many as the run kept, of as many bodies as the scene has. Of a run that has not ended, record and scene
/// are checked.
#[derive(Debug, Clone)]
pub struct KeptRun {
    /// The folder.
    pub folder: Folder,
    /// The record.
    pub record: Record,
    /// The scene as it was simulated.
    pub loaded: Loaded,
}

/// An error in reading a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeptError {
    /// A file is missing, was changed, or does not belong to the run.
    #[error(transparent)]
    File {
        /// The cause.
        #[from]
        source: RunError,
    },
    /// The scene is missing or invalid.
    #[error(transparent)]
    Scene {
        /// The cause.
        #[from]
        source: Box<DiskError>,
    },
}

impl KeptRun {
    /// Reads and checks the run in `folder`.
    ///
    /// # Errors
    /// [`KeptError`] about the first file that is missing, was changed, or belongs to another run.
    ///
    /// ```
    /// use rigor_run::Folder;
    /// use rigor_run::kept::KeptRun;
    /// let error = KeptRun::open(&Folder::new("nowhere")).unwrap_err();
    /// assert!(error.to_string().contains("there is no such file"));
    /// ```
    pub fn open(folder: &Folder) -> Result<Self, KeptError> {
        let record = Record::read_unchanged(folder)?;
        let loaded = load_run(folder).map_err(Box::new)?;
        if record::hash_of_folder(folder, &loaded)? != record.scene_hash {
            return Err(RunError::new(&folder.scene(), Fault::OtherSceneHash).into());
        }
        if !has_its_identity(&record) {
            return Err(RunError::new(&folder.record(), Fault::OtherIdentity).into());
        }
        let path = folder.frames();
        if path.is_file() {
            let reader = frames::Reader::open(&path)?;
            if (reader.bodies, reader.particles) != (loaded.scene.bodies.len(), loaded.scene.particles.len())
            {
                return Err(RunError::new(&path, Fault::OtherScene).into());
            }
            if !matches!(record.outcome, Ending::Failed { .. }) {
                check_frames(folder, &record)?;
            }
        }
        Ok(Self { folder: folder.clone(), record, loaded })
    }

    /// Reads and checks all runs [`within`] `root`.
    ///
    /// # Errors
    /// [`KeptError`] about the first run that cannot be read, or when there is none.
    pub fn open_all(root: &Path) -> Result<Vec<Self>, KeptError> {
        within(root).iter().map(Self::open).collect()
    }
}

/// Whether the identity of a record is the hash of what it says; that of a trajectory from elsewhere is the hash of its frames.
fn has_its_identity(record: &Record) -> bool {
    let of_frames = record.files.get("frames.bin").map(|hash| hash.chars().take(32).collect::<String>());
    record.identity == record::identity(record) || of_frames.as_ref() == Some(&record.identity)
}

/// The folders of the runs of `root`: itself, or, in the folder of a comparison, a study or a reproduction, those in its folder
/// `runs`, in the order of their names. Where there is no run, `root` itself.
pub fn within(root: &Path) -> Vec<Folder> {
    let inner = std::fs::read_dir(root.join("runs")).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> = inner.map(|entry| entry.path()).collect();
    runs.retain(|path| Folder::new(path).record().is_file());
    runs.sort();
    if Folder::new(root).record().is_file() || runs.is_empty() {
        return vec![Folder::new(root)];
    }
    runs.into_iter().map(Folder::new).collect()
}
