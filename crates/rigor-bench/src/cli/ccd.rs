//! `rigor ccd`.

mod choice;
mod verify;

use clap::{Args, Subcommand};

use super::{CliError, Exit};
use crate::ccd::FileError;

/// Arguments of `rigor ccd`.
#[derive(Debug, Args)]
pub struct CcdArgs {
    #[command(subcommand)]
    command: CcdCommand,
}

#[derive(Debug, Subcommand)]
enum CcdCommand {
    /// Ask methods the queries of files, and lay their answers beside the truth.
    Verify(verify::VerifyArgs),
}

/// Verifies, times or generates queries.
///
/// # Errors
/// [`CliError`] when queries cannot be read, a method is not there, or a file cannot be written.
pub fn execute(args: &CcdArgs) -> Result<Exit, CliError> {
    match &args.command {
        CcdCommand::Verify(args) => verify::execute(args),
    }
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        Self::new(error.to_string()).with_help("docs/ccd-queries.md describes the files that are read")
    }
}
