//! `rigor ccd`.

mod bench;
mod choice;
mod generate;
mod guests;
mod judge;
mod stress;
mod verify;

use std::sync::atomic::Ordering;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use rigor_ccd_test::Family;

use super::{CliError, Exit, interrupt};
use crate::ccd::FileError;

/// Arguments of `rigor ccd`.
#[derive(Debug, Args)]
pub struct CcdArgs {
    #[command(subcommand)]
    command: CcdCommand,
}

#[derive(Debug, Subcommand)]
enum CcdCommand {
    /// Check methods against query files, with ground truth from the file or from a proof.
    Verify(verify::VerifyArgs),
    /// Time methods side by side on the same queries.
    Bench(bench::BenchArgs),
    /// Generate a set of queries from a seed.
    Generate(generate::GenerateArgs),
    Judge(judge::JudgeArgs),
    Leaderboard(guests::LeaderboardArgs),
    Install(guests::InstallArgs),
    Serve(guests::ServeArgs),
    /// Run methods on millions of generated queries, and count late answers.
    Stress(stress::StressArgs),
}

/// Runs a subcommand of `rigor ccd`.
///
/// # Errors
/// Queries cannot be read, a method or family does not exist, or a file cannot be written.
pub fn execute(args: &CcdArgs) -> Result<Exit, CliError> {
    match &args.command {
        CcdCommand::Verify(args) => verify::execute(args),
        CcdCommand::Bench(args) => bench::execute(args),
        CcdCommand::Generate(args) => generate::execute(args),
        CcdCommand::Judge(args) => judge::execute(args),
        CcdCommand::Leaderboard(args) => guests::leaderboard(args),
        CcdCommand::Install(args) => guests::install(args),
        CcdCommand::Serve(args) => guests::serve(args),
        CcdCommand::Stress(args) => stress::execute(args),
    }
}

/// The families with these `names`, or all families if `names` is empty.
///
/// # Errors
/// A family does not exist.
fn families(names: &[String]) -> Result<Vec<Family>, CliError> {
    if names.is_empty() {
        return Ok(Family::ALL.to_vec());
    }
    let known = || format!("families are {}", Family::ALL.map(Family::name).join(", "));
    let unknown = |name: &String| CliError::new(format!("there is no family {name:?}")).with_help(known());
    names.iter().map(|name| Family::named(name).ok_or_else(|| unknown(name))).collect()
}

/// A progress bar for `n` items, which it calls `things`.
fn progress(n: u64, things: &str) -> ProgressBar {
    let template = format!("{{bar:30.cyan/dim}} {{pos}}/{{len}} {things}  {{eta}} left  {{msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(n).with_style(style)
}

/// Returns the exit code after all answers: a late or malformed answer counts even if the user interrupted.
fn exit(is_broken: bool) -> Exit {
    exit_if(is_broken, interrupt::flag().load(Ordering::SeqCst))
}

fn exit_if(is_broken: bool, is_interrupted: bool) -> Exit {
    match (is_broken, is_interrupted) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Interrupted,
        (false, false) => Exit::Ok,
    }
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        Self::new(error.to_string()).with_help("docs/ccd-queries.md describes the file formats")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_fails_even_an_interrupted_command() {
        assert_eq!([true, false].map(|is_interrupted| exit_if(true, is_interrupted)), [Exit::Failed; 2]);
        assert_eq!((exit_if(false, true), exit_if(false, false)), (Exit::Interrupted, Exit::Ok));
    }
}
