//! How the program ends.

use std::process::ExitCode;

/// What the exit status says, as `rigor --help` lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All is well.
    Ok = 0,
    /// A judge's expectation was not met, or a scene failed the check.
    Failed = 1,
    /// What was asked makes no sense, or an input could not be read.
    Refused = 2,
    /// A run was stopped by a step that failed.
    Stopped = 3,
    /// The user interrupted the program; 128 + SIGINT, as shells have it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
