//! `rigor study`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand, ValueEnum};
use rigor_report::Comparison;
use rigor_run::disk::load_scene;
use rigor_run::folder::record::Ending;
use rigor_run::registry;
use rigor_run::warning::warnings;
use rigor_scene::Clock;
use rigor_study::conduct::conduct;
use rigor_study::row::outcome;
use rigor_study::shard::Parts;
use rigor_study::task::{Task, bare_tasks, override_of, tasks};
use rigor_study::{
    Options, Plan, Rerun, Results, Row, Shard, StudyError, parquet, point, report, results, tables,
};
use toml::{Table, Value};

use super::frame::frame;
use super::progress::{Log, Progress};
use super::{CliError, Exit, interrupt};

/// Maximum number of parts: more than the tasks of a job array of any cluster.
const MAX_PARTS: usize = 100_000;

/// Carry out a plan of many runs: sweep keys, settings and methods, resume, share out and judge alike.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
EXAMPLES
  rigor study plan.toml --out out/slopes
  rigor study plan.toml --out out/slopes --shard 3/40
  rigor study submit plan.toml --out out/slopes --parts 40 --option=--time=1:00:00
  rigor study commands plan.toml --out out/slopes --parts 8 | parallel

A plan is a TOML file: docs/guide/make-a-study.md. A run that is found in the folder is not made again; several processes may
fill one folder at the same time.

WRITES
  report.html, results.csv, results.parquet, plan.toml, runs/ (a folder per run, named by its identity); orders.csv and
  orders.parquet where Δt varies and errors are plotted; critical.csv and critical.parquet of a search

EXIT CODES
  0 every run of the plan is there, or was not asked for by --shard; 1 a run could not be made; 2 the plan is invalid, or a
  file cannot be read or written; 3 a run or a reference stopped, failed or was cut, or a critical value is unknown (not
  with --no-report, which draws no conclusion); 130 interrupted"
)]
pub struct StudyArgs {
    #[command(subcommand)]
    command: Option<StudyCommand>,
    #[command(flatten)]
    make: Option<MakeArgs>,
}

#[derive(Debug, Subcommand)]
enum StudyCommand {
    /// Write a job array and submit it to Slurm, one task per part.
    Submit(SubmitArgs),
    /// Print one command per part, for GNU parallel, HyperQueue or xargs.
    Commands(PartArgs),
}

#[derive(Debug, Args)]
struct MakeArgs {
    /// The plan.
    plan: PathBuf,
    /// Folder of the study.
    #[arg(long)]
    out: PathBuf,
    /// Make one part of the runs only, such as 3/40.
    #[arg(long)]
    shard: Option<Shard>,
    /// Number of runs at the same time; a timed plan takes one [default: one per processor].
    #[arg(long)]
    jobs: Option<usize>,
    /// Make runs again although they are there.
    #[arg(long, value_enum)]
    redo: Option<Redo>,
    /// Make runs only: write neither table nor report.
    #[arg(long)]
    no_report: bool,
    /// Form of the progress messages.
    #[arg(long, value_enum, default_value_t)]
    log: Log,
    /// Print no progress.
    #[arg(long)]
    quiet: bool,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Redo {
    /// Runs that failed or were cut.
    Unfinished,
    /// All runs.
    All,
}

#[derive(Debug, Args)]
struct PartArgs {
    /// The plan.
    plan: PathBuf,
    /// Folder of the study.
    #[arg(long)]
    out: PathBuf,
    /// Number of parts.
    #[arg(long, default_value_t = 8)]
    parts: usize,
}

#[derive(Debug, Args)]
struct SubmitArgs {
    #[command(flatten)]
    part: PartArgs,
    /// Use Slurm, the only scheduler known.
    #[arg(long)]
    slurm: bool,
    /// A line for the job script, such as --option=--time=1:00:00; repeatable.
    #[arg(long = "option", allow_hyphen_values = true)]
    options: Vec<String>,
    /// Write the job script and do not submit it.
    #[arg(long)]
    dry_run: bool,
}

/// Carries out a plan, or shares it out.
///
/// # Errors
/// The plan is invalid, or a file cannot be read or written.
pub fn execute(args: &StudyArgs) -> Result<Exit, CliError> {
    match (&args.command, &args.make) {
        (Some(StudyCommand::Submit(args)), _) => submit(args),
        (Some(StudyCommand::Commands(args)), _) => {
            let program = program()?;
            super::print(&parts(args, &program)?.commands()).map(|()| Exit::Ok)
        }
        (None, Some(args)) => make(args),
        (None, None) => Err(CliError::new("no plan is named")),
    }
}

#[allow(clippy::print_stderr, reason = "errors go to standard error")]
fn make(args: &MakeArgs) -> Result<Exit, CliError> {
    let plan = Plan::read(&args.plan)?;
    let rerun = match args.redo {
        None => Rerun::Never,
        Some(Redo::Unfinished) => Rerun::Unfinished,
        Some(Redo::All) => Rerun::All,
    };
    let options = Options { root: args.out.clone(), jobs: jobs(args.jobs)?, shard: args.shard, rerun };
    let results = carry_out(&plan, &options, if args.quiet { Log::None } else { args.log })?;
    let copy = args.out.join("plan.toml");
    let text = std::fs::read(&args.plan).map_err(|error| CliError::file(&args.plan, "read", &error))?;
    // No run made the folder if none could begin.
    std::fs::create_dir_all(&args.out).map_err(|error| CliError::file(&args.out, "made", &error))?;
    write_whole(&copy, &text)?;
    if !args.no_report {
        write(&plan, &results, &args.out)?;
    }
    if args.quiet {
        // What could not be made is no progress.
        eprint!("{}", told(&results.errors));
    }
    if args.json {
        super::print_json(&tables::json(&plan, &results))?;
    } else if !args.quiet {
        super::print(&summary(&results, args))?;
    }
    Ok(exit(&results, !args.no_report))
}

fn summary(results: &Results, args: &MakeArgs) -> String {
    let Results { rows, criticals, errors, lost_references, n_missing, n_found } = results;
    let mut text = if criticals.is_empty() {
        format!("{} runs: {} made, {n_found} found", rows.len(), rows.len() - n_found)
    } else {
        let n_runs: usize = criticals.iter().map(|critical| critical.asked.len()).sum();
        format!(
            "{} {} with {n_runs} runs",
            criticals.len(),
            if criticals.len() == 1 { "search" } else { "searches" }
        )
    };
    if *n_missing > 0 {
        text += &format!("; {n_missing} are not there yet");
    }
    text.push('\n');
    for critical in criticals {
        let at = point::words(&critical.task.point, &[]);
        let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
        let (scene, label) = (&critical.scene, &critical.task.label);
        text += &format!("{scene} with {label}{at}: critical value {}\n", critical.found.words());
    }
    for (task, why) in lost_references {
        text += &format!("{} with {}: {why}\n", task.scene, task.label);
    }
    let cut = |row: &&Row| !matches!(row.record.outcome, Ending::Completed | Ending::Skipped { .. });
    for row in rows.iter().filter(cut).take(MAX_TOLD) {
        let at = row.point();
        let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
        text += &format!("{} with {}{at}: {}\n", row.scene, row.task.label, outcome(&row.record));
    }
    let more = rows.iter().filter(cut).count().saturating_sub(MAX_TOLD);
    if more > 0 {
        text += &format!("{more} more runs did not end: results.csv\n");
    }
    text += &told(errors);
    if !args.no_report {
        text += &format!("{}\n", args.out.join("report.html").display());
    }
    text
}

/// Runs that could not be made, each reason once.
fn told(errors: &[(Task, StudyError)]) -> String {
    let mut reasons: Vec<(String, &Task, usize)> = Vec::new();
    for (task, error) in errors {
        let reason = error.to_string();
        match reasons.iter_mut().find(|(other, ..)| *other == reason) {
            Some((.., n)) => *n += 1,
            None => reasons.push((reason, task, 1)),
        }
    }
    let line = |(reason, task, n): (String, &Task, usize)| {
        let others = if n > 1 { format!(" and {} other runs", n - 1) } else { String::new() };
        format!("{} with {}{others}: {reason}\n", task.scene, task.label)
    };
    reasons.into_iter().map(line).collect()
}

/// The exit code; `is_concluded` says whether tables and a report were written.
pub(super) fn exit(results: &Results, is_concluded: bool) -> Exit {
    if interrupt::flag().load(std::sync::atomic::Ordering::Relaxed) {
        Exit::Interrupted
    } else if !results.errors.is_empty() {
        Exit::Failed
    } else if is_concluded && results.n_missing == 0 && !results.is_conclusive() {
        Exit::Stopped
    } else {
        Exit::Ok
    }
}

/// Maximum number of runs that are told in the summary because they did not end.
const MAX_TOLD: usize = 20;

/// Maximum number of runs whose scenes are loaded before the first of them begins.
const MAX_CHECKED: usize = 1000;

/// Checks scenes, also with the values of keys that vary, names of methods and their settings before any run begins, and prints the
/// warnings about each scene once. Of a plan with very many runs, a scene that is invalid later is an error of its run.
///
/// # Errors
/// A scene cannot be loaded, there is no such method, or a setting is not allowed.
#[allow(clippy::print_stderr, reason = "warnings go to standard error")]
fn check(plan: &Plan, log: Log) -> Result<(), CliError> {
    let mut told = BTreeSet::new();
    for task in bare_tasks(plan)? {
        let entry = registry::find(&task.method)?;
        let loaded = load_scene(&task.scene, &task.overrides)?;
        if let Some(settings) = loaded.scene.methods.get(&task.method) {
            entry.make(settings, Clock::default())?;
        }
        for warning in warnings(&loaded).iter().filter(|_| log == Log::Text) {
            if told.insert((task.scene.clone(), warning.message.clone())) {
                eprintln!("warning: {}: {}", task.scene, warning.message);
            }
        }
    }
    Ok(())
}

/// Checks the scenes of all runs, each with its values; of a search, also those at the ends of its range.
fn check_values(plan: &Plan, tasks: &[Task]) -> Result<(), CliError> {
    let mut seen = BTreeSet::new();
    for task in tasks.iter().take(MAX_CHECKED) {
        if seen.insert((&task.scene, &task.overrides)) {
            load_scene(&task.scene, &task.overrides)?;
        }
    }
    if let Some(bisection) = &plan.bisect {
        for task in tasks.iter().take(MAX_CHECKED) {
            for value in [bisection.from, bisection.to] {
                let line = override_of(&bisection.key, &Value::Float(value), &task.method);
                let all: Vec<String> = task.overrides.iter().cloned().chain(line).collect();
                load_scene(&task.scene, &all)?;
            }
        }
    }
    Ok(())
}

/// Halvings after which two numbers are neighbours.
const MAX_HALVINGS: usize = 1100;

/// Number of runs that a plan asks for: those of its tasks or, for searches that find what they look for, the ends of each range and its
/// halvings, with the references.
fn expected_runs(plan: &Plan, tasks: &[Task]) -> usize {
    let mut references: Vec<(String, Vec<String>)> = tasks
        .iter()
        .filter_map(|task| rigor_study::reference::task_of(plan, task))
        .map(|task| (task.scene, task.overrides))
        .collect();
    references.sort();
    references.dedup();
    match &plan.bisect {
        None => tasks.len() + references.len(),
        Some(bisection) => {
            let (mut width, mut halvings) = ((bisection.to - bisection.from).abs(), 0);
            while width > bisection.tolerance && halvings < MAX_HALVINGS {
                (width, halvings) = (0.5 * width, halvings + 1);
            }
            tasks.len() * (2 + halvings)
        }
    }
}

/// Carries out a plan and shows progress.
///
/// # Errors
/// The plan is invalid.
pub(super) fn carry_out(plan: &Plan, options: &Options, log: Log) -> Result<Results, CliError> {
    check(plan, log)?;
    let tasks = tasks(plan)?;
    check_values(plan, &tasks)?;
    let progress = Progress::new(expected_runs(plan, &tasks), log);
    let results = conduct(plan, options, interrupt::flag(), &|task, made| progress.done(task, made));
    progress.finish();
    Ok(results?)
}

/// Writes report and tables, and returns the path of the report.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn write(plan: &Plan, results: &Results, out: &Path) -> Result<PathBuf, CliError> {
    let page: Comparison = report::page_within(plan, results, &frame())?;
    std::fs::create_dir_all(out).map_err(|error| CliError::file(out, "made", &error))?;
    for (name, columns) in tables::all(plan, results)? {
        write_whole(&out.join(format!("{name}.csv")), results::csv(&columns).as_bytes())?;
        let bytes = parquet::bytes(&columns)
            .map_err(|error| CliError::new(format!("{name}.parquet cannot be made: {error}")))?;
        write_whole(&out.join(format!("{name}.parquet")), &bytes)?;
    }
    let path = out.join("report.html");
    write_whole(&path, rigor_report::html(&page).as_bytes())?;
    Ok(path)
}

/// [`rigor_run::atomic::write_whole`] with the error of a command.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    rigor_run::atomic::write_whole(path, bytes).map_err(|error| CliError::file(path, "written", &error))
}

/// The number of runs at the same time.
///
/// # Errors
/// It is zero.
pub(super) fn jobs(jobs: Option<usize>) -> Result<usize, CliError> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    match jobs.unwrap_or(processors) {
        0 => Err(CliError::new("--jobs is 0: it must be at least 1")),
        jobs => Ok(jobs),
    }
}

/// Reads changes `KEY=VALUE`; a value that is not TOML is a text.
///
/// # Errors
/// A change has no `=`.
pub(super) fn changes(lines: &[String]) -> Result<Table, CliError> {
    let mut table = Table::new();
    for line in lines {
        let wrong = || {
            let help = "write KEY=VALUE, as `time.dt=0.001` or `body.box.friction=0.5`";
            CliError::new(format!("--set {line}: expected `=`")).with_help(help)
        };
        let (key, value) = line.split_once('=').ok_or_else(wrong)?;
        table.insert(key.trim().to_owned(), value_of(value));
    }
    Ok(table)
}

/// Reads a TOML value; anything else is a text.
pub(super) fn value_of(text: &str) -> Value {
    let parsed: Option<Table> = format!("v = {text}").parse().ok();
    parsed.and_then(|mut table| table.remove("v")).unwrap_or_else(|| Value::String(text.trim().to_owned()))
}

fn program() -> Result<PathBuf, CliError> {
    std::env::current_exe()
        .map_err(|error| CliError::new(format!("the program's own path is unknown: {error}")))
}

fn parts<'a>(args: &'a PartArgs, program: &'a Path) -> Result<Parts<'a>, CliError> {
    if !(1..=MAX_PARTS).contains(&args.parts) {
        return Err(CliError::new(format!("--parts is {}: it must be 1 to {MAX_PARTS}", args.parts)));
    }
    tasks(&Plan::read(&args.plan)?)?;
    Ok(Parts { program, plan: &args.plan, root: &args.out, of: args.parts })
}

fn submit(args: &SubmitArgs) -> Result<Exit, CliError> {
    if !args.slurm {
        return Err(CliError::new("no scheduler is named").with_help("write --slurm"));
    }
    let program = program()?;
    let parts = parts(&args.part, &program)?;
    let plan = Plan::read(&args.part.plan)?;
    let out = &args.part.out;
    std::fs::create_dir_all(out).map_err(|error| CliError::file(out, "made", &error))?;
    let script = out.join("slurm.sh");
    write_whole(&script, parts.slurm(&plan.study.title, &args.options).as_bytes())?;
    if args.dry_run {
        return super::print(&format!("{}\n", script.display())).map(|()| Exit::Ok);
    }
    let run = Command::new("sbatch").arg(&script).output();
    let run = run.map_err(|error| {
        CliError::new(format!("sbatch cannot be run: {error}"))
            .with_help("--dry-run only writes the job script")
    })?;
    if !run.status.success() {
        return Err(CliError::new(format!("sbatch: {}", String::from_utf8_lossy(&run.stderr).trim())));
    }
    super::print(&String::from_utf8_lossy(&run.stdout)).map(|()| Exit::Ok)
}

impl From<rigor_study::PlanError> for CliError {
    fn from(error: rigor_study::PlanError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<StudyError> for CliError {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Scene { source } => (*source).into(),
            other => Self::new(other.to_string()),
        }
    }
}
