//! Exit codes.

use std::process::ExitCode;

/// The exit code of the program; `rigor --help` lists the same meanings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success.
    Ok = 0,
    /// An expectation or a claim of a paper failed, a scene is invalid, or a collision query was answered
    /// late.
    Failed = 1,
    /// The command line is invalid, or a file could not be read or written.
    Refused = 2,
    /// A step failed and stopped the run.
    Stopped = 3,
    /// The user interrupted the program: 128 + SIGINT, as in shells.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
