//! `rigor report`.

use std::path::PathBuf;

use clap::Args;
use rigor_run::Folder;
use rigor_run::disk::load_run;
use rigor_run::folder::record::Record;
use rigor_study::{Plan, Results, Row, Task};

use super::{CliError, Exit, study};

/// Write one report on runs that are there, made by any command, or adopted from another program.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor report out/ipc out/mujoco --out out/both

WRITES
  report.html (opens offline), results.csv, results.parquet

EXIT CODES
  0 the report was written; 2 a folder holds no run, or one whose files were changed")]
pub struct ReportArgs {
    /// Folders of runs.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Folder for the report.
    #[arg(long)]
    out: PathBuf,
    /// Heading of the report.
    #[arg(long, default_value = "Runs")]
    title: String,
}

/// Writes the report and prints its path.
///
/// # Errors
/// A run cannot be read, or the report cannot be written.
pub fn execute(args: &ReportArgs) -> Result<Exit, CliError> {
    let mut plan = Plan::default();
    plan.study.title.clone_from(&args.title);
    let rows = args.runs.iter().map(|root| row(Folder::new(root))).collect::<Result<_, _>>()?;
    let results = Results { rows, ..Results::default() };
    let report = study::write(&plan, &results, &args.out)?;
    super::print(&format!("{}\n", report.display())).map(|()| Exit::Ok)
}

fn row(folder: Folder) -> Result<Row, CliError> {
    let record = Record::read_unchanged(&folder).map_err(|error| CliError::new(error.to_string()))?;
    let loaded = load_run(&folder)?;
    let task = Task::of_loaded(loaded, record.method.clone(), record.steps as f64 * record.dt);
    Ok(Row::new(task, record, folder))
}
