//! What is wrong with a file of a run.

use std::io;
use std::path::{Path, PathBuf};

/// A file of a run that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct RunError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, and what to do.
    pub why: Fault,
}

impl RunError {
    /// `why` about `path`.
    pub fn new(path: &Path, why: impl Into<Fault>) -> Self {
        Self { path: path.to_owned(), why: why.into() }
    }
}

/// What is wrong with a file of a run, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The system does not read or write it.
    #[error(transparent)]
    System {
        /// Why.
        #[from]
        source: io::Error,
    },
    /// The system does not write a part of the scene.
    #[error("it cannot be written: {source}")]
    Unwritten {
        /// Why.
        source: io::Error,
    },
    /// A record cannot be put into JSON.
    #[error(transparent)]
    Json {
        /// Why.
        #[from]
        source: serde_json::Error,
    },
    /// A state cannot be put into bytes.
    #[error(transparent)]
    Bytes {
        /// Why.
        #[from]
        source: postcard::Error,
    },
    /// A folder that is to hold a new run holds one already.
    #[error("there is a run here already: resume it with --resume, or choose another folder")]
    Occupied,
    /// A run that is to go on was made otherwise.
    #[error("the run was made with another {what}: it cannot be resumed with this one")]
    Changed {
        /// What of it differs.
        what: &'static str,
    },
    /// There is no record.
    #[error("there is no such file; name a folder made by `rigor run`")]
    NoRecord,
    /// The record is none.
    #[error("not a record of a run: {source}")]
    NotARecord {
        /// Why.
        source: serde_json::Error,
    },
    /// A checkpoint is not whole.
    #[error("the checkpoint is damaged: run the scene again, into another folder")]
    DamagedCheckpoint,
    /// Another process writes the folder.
    #[error("another process is writing this run: wait for it, or choose another folder")]
    Busy,
    /// A file is not what it was when the last checkpoint was written.
    #[error(
        "the file is damaged: it differs from what the last checkpoint recorded; run the scene again, into another folder"
    )]
    NotAsCheckpoint,
    /// A file of a finished run was changed.
    #[error(
        "the file was changed after the run had written it; restore it, or run the scene again, into another folder"
    )]
    Edited,
    /// A file of a finished run is missing.
    #[error(
        "the file is missing, though the run wrote it; restore it, or run the scene again, into another folder"
    )]
    Missing,
    /// The record has another format.
    #[error(
        "the run has format {found}, this program reads format 2: run the scene again, into another folder"
    )]
    OtherFormat {
        /// The format.
        found: u64,
    },
    /// The values over time are not readable.
    #[error("the file is damaged: run the scene again, into another folder")]
    DamagedSeries,
    /// The table of steps has other columns than the method fills.
    #[error("its columns differ from what the method reports now: another version of the program wrote it")]
    OtherColumns,
    /// The file of frames begins otherwise.
    #[error("this is not a frames file of this version: it does not begin with RIGORFR2")]
    NotFrames,
    /// There is not even the initial frame.
    #[error("there is no frame")]
    NoFrame,
    /// There are fewer frames than were counted.
    #[error("a frame is missing")]
    MissingFrame,
    /// There are more or fewer frames than the run kept.
    #[error("it holds {found} frames, the run kept {kept}: the file is damaged; run the scene again")]
    FrameCount {
        /// How many there are.
        found: u64,
        /// How many the run kept.
        kept: u64,
    },
    /// A frame is not later than the one before, or not finite.
    #[error("the file is damaged at the frame of step {step}: run the scene again")]
    DamagedFrame {
        /// Its step.
        step: u64,
    },
    /// Frames have other numbers of bodies or particles than the scene.
    #[error("the frames are of another scene")]
    OtherScene,
    /// Frames or path have another number of bodies than the scene.
    #[error("frames or path are of another scene")]
    OtherBodies,
    /// The file of the path begins otherwise.
    #[error("this is not a path file: it does not begin with RIGORPA1")]
    NotAPath,
    /// A piece of the path lists more bodies than the scene has.
    #[error("a piece lists {listed} bodies of {bodies}")]
    TooManyBodies {
        /// How many it lists.
        listed: u32,
        /// How many there are.
        bodies: usize,
    },
    /// A body turns in a way that this version does not know.
    #[error("a piece has an unknown kind of turn")]
    UnknownTurn,
}
