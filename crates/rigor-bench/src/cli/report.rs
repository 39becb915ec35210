//! `rigor report`.

use std::path::PathBuf;

use clap::Args;
use rigor_study::Plan;
use rigor_study::found::found;
use rigor_study::plan::Head;

use super::{CliError, Exit, study};

/// Write one report on runs that are there, made by any command, or adopted from another program.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor report out/ipc out/mujoco --out out/both
  rigor report out/first --out out/again

WRITES
  report.html (opens offline), results.csv, results.parquet

EXIT CODES
  0 the report was written; 2 a folder holds no run, or one whose files were changed")]
pub struct ReportArgs {
    /// Folders of runs, comparisons or studies.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Folder for the report.
    #[arg(long)]
    out: PathBuf,
    /// Heading of the report [default: that of the study, or "Runs"].
    #[arg(long)]
    title: Option<String>,
}

/// Writes the report and prints its path.
///
/// # Errors
/// A run cannot be read, or the report cannot be written.
pub fn execute(args: &ReportArgs) -> Result<Exit, CliError> {
    let (found, results) = found(&args.runs)?;
    let runs = || Plan { study: Head { title: "Runs".into(), ..Head::default() }, ..Plan::default() };
    let mut plan = found.unwrap_or_else(runs);
    plan.study.title = args.title.clone().unwrap_or(plan.study.title);
    let report = study::write(&plan, &results, &args.out)?;
    super::print(&format!("{}\n", report.display())).map(|()| Exit::Ok)
}
