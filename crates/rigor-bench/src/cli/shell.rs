//! Completions for shells, and manual pages.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use super::{CliError, Exit};

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor completions bash > ~/.local/share/bash-completion/completions/rigor")]
pub struct CompletionArgs {
    /// The shell.
    shell: Shell,
}

/// Write manual pages, one per command.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for the pages.
    #[arg(long)]
    out: PathBuf,
}

/// Prints completions for `command`.
///
/// # Errors
/// Standard output cannot be written.
pub fn completions(args: &CompletionArgs, mut command: Command) -> Result<Exit, CliError> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut command, "rigor", &mut bytes);
    super::print(&String::from_utf8_lossy(&bytes)).map(|()| Exit::Ok)
}

/// Writes the manual pages of `command` and its subcommands.
///
/// # Errors
/// A page cannot be written.
pub fn man(args: &ManArgs, command: Command) -> Result<Exit, CliError> {
    let written =
        std::fs::create_dir_all(&args.out).and_then(|()| clap_mangen::generate_to(command, &args.out));
    written.map(|()| Exit::Ok).map_err(|error| CliError::file(&args.out, "written", &error))
}
