//! `rigor compare`.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use rigor_audit::Verdict;
use rigor_report::naming::row_name;
use rigor_report::notice;
use rigor_report::number::significant;
use rigor_report::tally::Tally;
use rigor_report::{MethodRow, SceneSection};
use rigor_run::folder::record::Ending;
use rigor_run::folder::table::number;
use rigor_study::plan::Head;
use rigor_study::row::words;
use rigor_study::{Contender, Options, Plan, Row, report, results};
use toml::Value;

use super::progress::LogArgs;
use super::table::{Format, Table, headed};
use super::{CliError, Exit, interrupt};

/// Run several methods on several scenes, judge the results alike, and write a report.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor compare unit-tests/5-cubes erleben/wedges --methods xpbd,rapier --out out/first
  rigor compare path/to/*.json --methods xpbd,rapier --dt 1e-2,1e-3 --time 5 --out out/fixtures
  rigor compare stacks/10 --methods xpbd,xpbd:substeps=40,rapier --timed --out out/stacks

WRITES
  report.html (opens offline), results.csv, results.parquet, plan.toml (for rigor study, view and figure), runs/ (a folder per run,
  as `rigor run` writes it)

EXIT CODES
  0 the report was written, whatever it says; with --strict, 3 if a run stopped or failed, else 1 if an expectation failed;
  2 invalid arguments, scene or method, or the report cannot be written; 130 interrupted")]
pub struct CompareArgs {
    /// Scene files, or names of cases (`rigor scene list`).
    #[arg(required = true)]
    scenes: Vec<String>,
    /// Methods, separated by commas, each with settings if wanted: xpbd,xpbd:substeps=40:iterations=2.
    #[arg(long, value_delimiter = ',', default_value = "xpbd,rapier")]
    methods: Vec<String>,
    /// Time steps (s), separated by commas [default: each scene's own].
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true)]
    dt: Vec<f64>,
    /// Simulated time (s) [default: each scene's own duration].
    #[arg(long, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Change a key of every scene, e.g. `method.xpbd.substeps=40`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Time between frames in which intersection, penetration and distance are measured (s).
    #[arg(long, default_value_t = 0.01)]
    judge_every: f64,
    /// Number of parallel runs [default: one per processor].
    #[arg(long)]
    jobs: Option<usize>,
    /// Run one after another, so that their times are comparable.
    #[arg(long, conflicts_with = "jobs")]
    timed: bool,
    /// Maximum wall time of one run (s); a run that exceeds it is measured up to there, and its expectations
    /// are not judged.
    #[arg(long)]
    seconds: Option<f64>,
    /// Folder for the report and the runs; a run that is found there is not made again.
    #[arg(long)]
    out: PathBuf,
    /// Heading of the report.
    #[arg(long, default_value = "Comparison")]
    title: String,
    /// Exit with an error code unless all runs completed and all expectations held.
    #[arg(long)]
    strict: bool,
    /// Print the results as JSON instead of a table: `--format json`.
    #[arg(long)]
    json: bool,
    /// Form of the table.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    format: Format,
    #[command(flatten)]
    log: LogArgs,
}

/// Compares, writes the report and prints a table.
///
/// # Errors
/// An argument or a method is invalid, a scene cannot be loaded, or the report cannot be written.
pub fn execute(args: &CompareArgs) -> Result<Exit, CliError> {
    let plan = plan(args)?;
    let jobs = super::study::jobs(args.jobs)?;
    let options = Options { jobs, ..Options::new(&args.out) };
    let mut results = super::study::carry_out(&plan, &options, args.log.form())?;
    if let Some((_, error)) = results.errors.pop() {
        return Err(error.into());
    }
    let report = super::study::write(&plan, &results, &args.out)?;
    super::study::write_whole(&args.out.join("plan.toml"), written(&plan).as_bytes())?;
    if args.json || args.format == Format::Json {
        super::print_json(&results.rows.iter().map(results::json).collect::<Vec<_>>())?;
    } else {
        let sections = report::sections(&results.rows)?;
        let written = rows_of(&sections, args.format).written(args.format);
        super::print(&written.unwrap_or_else(|| table(&sections, &report)))?;
    }
    Ok(exit(&results.rows, args.strict))
}

/// The plan: every method on every scene at every time step.
fn plan(args: &CompareArgs) -> Result<Plan, CliError> {
    let head = Head {
        title: args.title.clone(),
        scenes: args.scenes.clone(),
        set: super::study::changes(&args.overrides)?,
        duration: args.time,
        judge_every: args.judge_every,
        seconds: args.seconds,
        timed: args.timed,
        ..Head::default()
    };
    let mut plan = Plan { study: head, method: contenders(&args.methods)?, ..Plan::default() };
    if let Some(bad) = args.dt.iter().find(|dt| !(dt.is_finite() && **dt > 0.0)) {
        return Err(CliError::new(format!("--dt is {bad} s: it must be positive and finite")));
    }
    if !args.dt.is_empty() {
        let values = args.dt.iter().map(|dt| Value::Float(*dt)).collect();
        plan.sweep.insert("time.dt".into(), Value::Array(values));
    }
    plan.check()?;
    Ok(plan)
}

/// The plan as `rigor study` reads it, so that other commands find what was compared.
fn written(plan: &Plan) -> String {
    let Head { title, scenes, set, duration, judge_every, seconds, timed, .. } = &plan.study;
    let mut study = toml::Table::new();
    study.insert("title".into(), title.as_str().into());
    study.insert("scenes".into(), scenes.clone().into());
    study.insert("judge_every".into(), (*judge_every).into());
    study.insert("timed".into(), (*timed).into());
    study.extend(duration.map(|time| ("duration".into(), time.into())));
    study.extend(seconds.map(|time| ("seconds".into(), time.into())));
    study.insert("set".into(), set.clone().into());
    let method = |contender: &Contender| {
        let mut table = toml::Table::new();
        table.insert("name".into(), contender.name.as_str().into());
        table.extend(contender.label.as_ref().map(|label| ("label".into(), label.as_str().into())));
        table.insert("set".into(), contender.set.clone().into());
        Value::Table(table)
    };
    let mut all = toml::Table::new();
    all.insert("study".into(), study.into());
    all.insert("method".into(), Value::Array(plan.method.iter().map(method).collect()));
    all.insert("sweep".into(), plan.sweep.clone().into());
    all.to_string()
}

/// Reads methods with settings: `xpbd`, or `xpbd:substeps=40:iterations=2`.
///
/// # Errors
/// A setting is not `KEY=VALUE`.
pub(super) fn contenders(methods: &[String]) -> Result<Vec<Contender>, CliError> {
    let read = |text: &String| {
        let (name, settings) = match text.split_once(':') {
            Some((name, settings)) => (name, settings.split(':').collect()),
            None => (text.as_str(), Vec::new()),
        };
        let label =
            (!settings.is_empty()).then(|| format!("{name}, {}", settings.join(", ").replace('=', " ")));
        let settings: Vec<String> = settings.into_iter().map(str::to_owned).collect();
        Ok(Contender { name: name.to_owned(), label, set: super::study::changes(&settings)? })
    };
    methods.iter().map(read).collect()
}

/// 130 if interrupted; with `strict`, 3 if a run stopped or failed, else 1 if an expectation failed that the method claims to
/// meet; else 0.
fn exit(rows: &[Row], strict: bool) -> Exit {
    let is_broken = |row: &Row| {
        matches!(row.record.outcome, Ending::Stopped { .. } | Ending::Failed { .. } | Ending::Refused { .. })
    };
    if interrupt::flag().load(Ordering::Relaxed) {
        Exit::Interrupted
    } else if !strict {
        Exit::Ok
    } else if rows.iter().any(is_broken) {
        Exit::Stopped
    } else if rows.iter().any(|row| row.expectations().1 > 0) {
        Exit::Failed
    } else {
        Exit::Ok
    }
}

/// The figures of the printed table, which has room for few (`results.csv` has all): name, heading, and factor to the unit
/// of the heading. Passes between frames stand after the first.
const COLUMNS: [(&str, &str, f64); 3] = [
    ("intersection.frames", "frames hit", 1.0),
    ("penetration.deepest", "deepest, mm", 1e3),
    ("energy.rise_relative", "energy gain, %", 1e2),
];
/// The place of passes in a row.
const PASSES: usize = 4;

/// The table: a row per run, in groups by scene where the terminal is narrow. Forms for programs have all digits.
fn rows_of(sections: &[SceneSection], format: Format) -> Table {
    let shown = |value: f64| match format {
        Format::Text => significant(value),
        Format::Csv | Format::Tsv | Format::Json => number(value),
    };
    let figures = COLUMNS.iter().map(|(_, heading, _)| *heading);
    let heading = ["scene", "run", "outcome"].into_iter().chain(figures).chain(["ms/step", "expected"]);
    let mut heading: Vec<&str> = heading.collect();
    heading.insert(PASSES, "passes");
    let mut table = headed(heading).grouped();
    for (section, row) in sections.iter().flat_map(|s| s.rows.iter().map(move |row| (s, row))) {
        let mut cells = vec![section.name.clone(), row_name(section, row), words(&row.ending)];
        cells.extend(COLUMNS.iter().map(|(figure, _, factor)| {
            row.value(figure).map_or("–".into(), |value| shown(value * factor))
        }));
        cells.insert(PASSES, passes(row));
        cells.push(row.seconds_per_step.map_or("–".into(), |s| shown(1e3 * s)));
        cells.push(expectations(row));
        table.add_row(cells);
    }
    table
}

fn table(sections: &[SceneSection], report: &Path) -> String {
    let table = rows_of(sections, Format::Text);
    format!("{table}\n\n{}{}{}\n", tallies(sections), notice_lines(sections), report.display())
}

/// How often a body passed through another between frames, "–" if that was not judged; turns that the frames do not tell, and what was given
/// up.
fn passes(row: &MethodRow) -> String {
    let passes = row.passes().map_or("–".into(), |passes| passes.to_string());
    let told = [("tunnelling.unknown_turns", "turns unknown"), ("tunnelling.undecided", "undecided")];
    let told = told.into_iter().filter_map(|(figure, what)| {
        let n = row.value(figure).filter(|n| *n > 0.0)?;
        Some(format!(", {} {what}", significant(n)))
    });
    told.fold(passes, |passes, told| passes + &told)
}

/// One line of text per notice of a method and per flaw of its steps; see [`notice::lines`].
pub(super) fn notice_lines(sections: &[SceneSection]) -> String {
    notice::lines(sections).iter().map(|line| format!("note: {line}\n")).collect()
}

/// A table of totals with one column per method; empty for a single scene.
fn tallies(sections: &[SceneSection]) -> String {
    if sections.len() < 2 {
        return String::new();
    }
    let rows = || sections.iter().flat_map(|section| &section.rows);
    let mut methods: Vec<&str> = rows().map(|row| row.label.as_str()).collect();
    methods.sort_unstable();
    methods.dedup();
    let mut table = headed(std::iter::once("").chain(methods.iter().copied()));
    let tallies: Vec<_> =
        methods.iter().map(|method| Tally::of(rows().filter(|row| row.label == *method)).columns()).collect();
    for (i, (heading, _)) in Tally::default().columns().into_iter().enumerate() {
        let numbers = tallies.iter().map(|counts| counts[i].1.to_string());
        table.add_row(std::iter::once(heading.to_owned()).chain(numbers));
    }
    format!("{table}\n\n")
}

fn expectations(row: &MethodRow) -> String {
    let held = row.claims().filter(|(_, v)| matches!(v, Verdict::Held(_))).count();
    let failed = row.claims().filter(|(_, v)| matches!(v, Verdict::Failed(_))).count();
    let (all, others_held) = (
        row.expectations.len(),
        row.expectations.iter().filter(|(_, v)| matches!(v, Verdict::Held(_))).count(),
    );
    match (held, failed) {
        (0, 0) if others_held > 0 => format!("{others_held} of {all}, no claim"),
        (0, 0) => "–".into(),
        (held, 0) => format!("{held} hold"),
        (held, failed) => format!("{held} hold, {failed} FAIL"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_that_is_written_is_the_plan() {
        let head = Head { scenes: vec!["bouncing/ball".into()], duration: Some(0.5), ..Head::default() };
        let method =
            contenders(&["xpbd:substeps=40".to_owned(), "ipc".to_owned()]).expect("they are methods");
        let plan = Plan { study: head, method, ..Plan::default() };
        assert_eq!(toml::from_str::<Plan>(&written(&plan)).expect("it is a plan"), plan);
    }
}
