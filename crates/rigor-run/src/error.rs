//! Errors in the files of a run.

use std::io;
use std::path::{Path, PathBuf};

/// A file of a run that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct RunError {
    /// The file.
    pub path: PathBuf,
    /// The cause, and advice.
    pub why: Fault,
}

impl RunError {
    /// Creates the error `why` about the file `path`.
    pub fn new(path: &Path, why: impl Into<Fault>) -> Self {
        Self { path: path.to_owned(), why: why.into() }
    }
}

/// The cause of an error in a file of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Reading or writing failed.
    #[error(transparent)]
    System {
        /// The error of the system.
        #[from]
        source: io::Error,
    },
    /// Writing a part of the scene failed.
    #[error("it cannot be written: {source}")]
    Unwritten {
        /// The error of the system.
        source: io::Error,
    },
    /// A record cannot be converted to JSON.
    #[error(transparent)]
    Json {
        /// The cause.
        #[from]
        source: serde_json::Error,
    },
    /// A state cannot be serialised.
    #[error(transparent)]
    Bytes {
        /// The cause.
        #[from]
        source: postcard::Error,
    },
    /// The folder for a new run already contains one.
    #[error("the folder already contains a run: resume it with --resume, or choose another folder")]
    Occupied,
    /// The plan differs from that of the run to resume.
    #[error("the run was made with another {what}: it cannot be resumed with this one")]
    Changed {
        /// The part of the plan that differs.
        what: &'static str,
    },
    /// The record does not exist.
    #[error("there is no such file; name a folder made by `rigor run`")]
    NoRecord,
    /// The file is not a record.
    #[error("not a record of a run: {source}")]
    NotARecord {
        /// The cause.
        source: serde_json::Error,
    },
    /// The run has no checkpoint.
    #[error("there is no checkpoint: run the scene again, into another folder")]
    NoCheckpoint,
    /// The checkpoint does not tell what the steps before it cost and told.
    #[error(
        "an earlier version of the program wrote the checkpoint, without costs and flaws of the steps: run the scene again, into another folder"
    )]
    OtherCheckpoint,
    /// The time asked for is shorter than what was simulated.
    #[error("the run has {done} steps already, and {asked} are asked for: ask for a longer --time")]
    Shorter {
        /// Number of steps that were taken.
        done: u64,
        /// Number of steps asked for.
        asked: u64,
    },
    /// A checkpoint is damaged.
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
    /// The scene in the folder is not that of the record.
    #[error(
        "the scene is not that of the run: its hash is not the `scene_hash` of run.json; run the scene again, into another folder"
    )]
    OtherSceneHash,
    /// The identity of the record is not the hash of what it says.
    #[error(
        "the record was changed: `identity` is not the hash of what it says; run the scene again, into another folder"
    )]
    OtherIdentity,
    /// A file that the run wrote is missing.
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
    /// The file of frames does not start with the expected bytes.
    #[error("this is not a frames file of this version: it does not begin with RIGORFR2")]
    NotFrames,
    /// The file of strains does not start with the expected bytes.
    #[error("this is not a strains file: it does not begin with RIGORST1")]
    NotStrains,
    /// A line of a table is not what the program writes.
    #[error("line {line} is damaged: run the scene again, into another folder")]
    DamagedLine {
        /// Number of the line, from 1.
        line: usize,
    },
    /// The file contains no frame.
    #[error("it contains no frame")]
    NoFrame,
    /// The file contains fewer frames than its length indicates.
    #[error("a frame is missing")]
    MissingFrame,
    /// The number of frames differs from that in the record.
    #[error("it contains {found} frames, but the run kept {kept}: the file is damaged; run the scene again")]
    FrameCount {
        /// Number of frames in the file.
        found: u64,
        /// Number of frames according to the record.
        kept: u64,
    },
    /// A frame is not finite, or not later than the previous one.
    #[error("the file is damaged at the frame of step {step}: run the scene again")]
    DamagedFrame {
        /// The step of the frame.
        step: u64,
    },
    /// The frames have a different number of bodies or particles than the scene.
    #[error("the frames belong to another scene")]
    OtherScene,
    /// The frames or the path have a different number of bodies than the scene.
    #[error("the frames or the path belong to another scene")]
    OtherBodies,
    /// The file of the path does not start with the expected bytes.
    #[error("this is not a path file: it does not begin with RIGORPA1")]
    NotAPath,
    /// A piece of the path lists more bodies than the file declares.
    #[error("a piece of the path lists {listed} bodies, but there are only {bodies}")]
    TooManyBodies {
        /// Number of listed bodies.
        listed: u32,
        /// Number of bodies in the file.
        bodies: usize,
    },
    /// The kind of a turn is unknown to this version.
    #[error("a piece of the path has an unknown kind of turn")]
    UnknownTurn,
}
