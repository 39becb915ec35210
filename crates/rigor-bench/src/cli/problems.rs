//! `rigor problems`.

mod input;
mod profile;
mod record;
mod solve;

use clap::{Args, Subcommand};

use super::{CliError, Exit};

/// Arguments of `rigor problems`.
#[derive(Debug, Args)]
pub struct ProblemsArgs {
    #[command(subcommand)]
    command: ProblemsCommand,
}

#[derive(Debug, Subcommand)]
enum ProblemsCommand {
    /// Solve friction problems from files, and say how well.
    Solve(solve::SolveArgs),
    /// Write the steps of a run as friction problems.
    Record(record::RecordArgs),
    /// Compare solvers on friction problems: how many each solves, at which cost.
    Profile(profile::ProfileArgs),
}

/// Runs a subcommand of `rigor problems`.
///
/// # Errors
/// Problems cannot be read, a solver or law does not exist, or a file cannot be written.
pub fn execute(args: &ProblemsArgs) -> Result<Exit, CliError> {
    match &args.command {
        ProblemsCommand::Solve(args) => solve::execute(args),
        ProblemsCommand::Record(args) => record::execute(args),
        ProblemsCommand::Profile(args) => profile::execute(args),
    }
}
