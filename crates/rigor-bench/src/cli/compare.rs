//! `rigor compare`.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use comfy_table::{Cell, CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use rigor_audit::Verdict;
use rigor_compare::{Plan, compare, count, results};
use rigor_report::notice;
use rigor_report::number::significant;
use rigor_report::tally::Tally;
use rigor_report::{Comparison, Ending, MethodRow, SceneSection};
use rigor_run::disk;
use rigor_run::machine::{Machine, Versions};
use rigor_run::registry;

use super::{CliError, Exit, interrupt};

/// Run several methods on several scenes, judge the results alike, and write a report.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor compare unit-tests/5-cubes erleben/wedges --methods xpbd,rapier --out out/first
  rigor compare path/to/*.json --methods xpbd,rapier --dt 1e-2,1e-3 --time 5 --out out/fixtures
  rigor compare stacks/10 stacks/50 --methods xpbd,rapier --timed --out out/stacks

WRITES
  report.html (opens offline), results.csv

EXIT CODES
  0 the report was written, whatever it says; with --strict, 3 if a run stopped or failed, else 1 if an expectation failed;
  2 invalid arguments, scene or method, or the report cannot be written; 130 interrupted")]
pub struct CompareArgs {
    /// Scene files, or names of cases (`rigor scene list`).
    #[arg(required = true)]
    scenes: Vec<String>,
    /// Methods, separated by commas.
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
    /// Folder for the report.
    #[arg(long)]
    out: PathBuf,
    /// Heading of the report.
    #[arg(long, default_value = "Comparison")]
    title: String,
    /// Exit with an error code unless all runs completed and all expectations held.
    #[arg(long)]
    strict: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Compares, writes the report and prints a table.
///
/// # Errors
/// An argument or a method is invalid, a scene cannot be loaded, or the report cannot be written.
pub fn execute(args: &CompareArgs) -> Result<Exit, CliError> {
    let plan = plan(args)?;
    let bar = ProgressBar::new(count(&plan) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30.cyan/dim} {pos}/{len} runs  {msg}") {
        bar.set_style(style);
    }
    let sections = compare(&plan, interrupt::flag(), &|scene, row| {
        bar.set_message(format!("{scene} with {}", row.method));
        bar.inc(1);
    });
    bar.finish_and_clear();
    let report = write(args, &sections)?;
    if args.json {
        super::print_json(
            &sections.iter().flat_map(|s| s.rows.iter().map(|row| results::json(s, row))).collect::<Vec<_>>(),
        )?;
    } else {
        super::print(&table(&sections, &report))?;
    }
    Ok(exit(&sections, args.strict))
}

fn plan(args: &CompareArgs) -> Result<Plan, CliError> {
    for (i, method) in args.methods.iter().enumerate() {
        registry::find(method).map_err(|error| CliError::new(error.to_string()))?;
        if args.methods[..i].contains(method) {
            return Err(CliError::new(format!("--methods names {method:?} twice")));
        }
    }
    if let Some(bad) = args
        .dt
        .iter()
        .chain(&args.time)
        .chain(&args.seconds)
        .chain([&args.judge_every])
        .find(|v| !(v.is_finite() && **v > 0.0))
    {
        return Err(CliError::new(format!("{bad} s: times must be positive and finite")));
    }
    let scenes =
        args.scenes.iter().map(|s| disk::load_scene(s, &args.overrides)).collect::<Result<_, _>>()?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Plan {
        scenes,
        methods: args.methods.clone(),
        dts: args.dt.clone(),
        duration: args.time,
        judge_every: args.judge_every,
        jobs: if args.timed { 1 } else { args.jobs.unwrap_or(processors) },
        limit: args.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    })
}

/// 130 if interrupted; with `strict`, 3 if a run stopped or failed, else 1 if an expectation failed; else 0.
fn exit(sections: &[SceneSection], strict: bool) -> Exit {
    let rows = || sections.iter().flat_map(|s| &s.rows);
    let failed = |(_, v): &(_, Verdict)| matches!(v, Verdict::Failed(_));
    if interrupt::flag().load(Ordering::Relaxed) {
        Exit::Interrupted
    } else if !strict {
        Exit::Ok
    } else if rows().any(|row| matches!(row.ending, Ending::Stopped { .. } | Ending::Failed { .. })) {
        Exit::Stopped
    } else if rows().any(|row| row.expectations.iter().any(failed)) {
        Exit::Failed
    } else {
        Exit::Ok
    }
}

/// The figures in the table: name of the figure, heading, factor to the unit of the heading.
const COLUMNS: [(&str, &str, f64); 5] = [
    ("intersection.frames", "frames intersecting", 1.0),
    ("penetration.deepest", "deepest, mm", 1e3),
    ("tunnelling.centre_crossings", "went through", 1.0),
    ("distance.smallest", "smallest distance, mm", 1e3),
    ("energy.rise_relative", "energy gain, %", 1e2),
];

fn table(sections: &[SceneSection], report: &Path) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    let figures = COLUMNS.iter().map(|(_, heading, _)| *heading);
    table.set_header(
        ["scene", "method", "dt, s", "outcome"].into_iter().chain(figures).chain(["ms/step", "expectations"]),
    );
    for (section, row) in sections.iter().flat_map(|s| s.rows.iter().map(move |row| (s, row))) {
        let mut cells = vec![
            section.name.clone(),
            row.method.clone(),
            significant(row.dt),
            results::outcome(&row.ending),
        ];
        cells.extend(COLUMNS.iter().map(|(figure, _, factor)| {
            row.value(figure).map_or("–".into(), |value| significant(value * factor))
        }));
        cells.push(row.seconds_per_step.map_or("–".into(), |s| significant(1e3 * s)));
        cells.push(expectations(row));
        let left = |i: usize| matches!(i, 0 | 1 | 3);
        table.add_row(cells.into_iter().enumerate().map(|(i, text)| {
            let align = if left(i) { CellAlignment::Left } else { CellAlignment::Right };
            Cell::new(text).set_alignment(align)
        }));
    }
    format!("{table}\n{}{}{}\n", tallies(sections), notice_lines(sections), report.display())
}

/// One line of text per notice of a method and per flaw of its steps; see [`notice::lines`].
pub(super) fn notice_lines(sections: &[SceneSection]) -> String {
    notice::lines(sections).iter().map(|line| format!("note: {line}\n")).collect()
}

/// A table of totals with one row per method; empty for a single scene.
fn tallies(sections: &[SceneSection]) -> String {
    if sections.len() < 2 {
        return String::new();
    }
    let rows = || sections.iter().flat_map(|section| &section.rows);
    let mut methods: Vec<&str> = rows().map(|row| row.method.as_str()).collect();
    methods.sort_unstable();
    methods.dedup();
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(std::iter::once("method").chain(Tally::default().columns().map(|(heading, _)| heading)));
    for method in methods {
        let tally = Tally::of(rows().filter(|row| row.method == method));
        let numbers = tally.columns().map(|(_, n)| Cell::new(n).set_alignment(CellAlignment::Right));
        table.add_row(std::iter::once(Cell::new(method)).chain(numbers));
    }
    format!("{table}\n")
}

fn expectations(row: &MethodRow) -> String {
    let held = row.expectations.iter().filter(|(_, v)| matches!(v, Verdict::Held(_))).count();
    let failed = row.expectations.iter().filter(|(_, v)| matches!(v, Verdict::Failed(_))).count();
    match (held, failed) {
        (0, 0) => "–".into(),
        (held, 0) => format!("{held} hold"),
        (held, failed) => format!("{held} hold, {failed} FAIL"),
    }
}

fn write(args: &CompareArgs, sections: &[SceneSection]) -> Result<PathBuf, CliError> {
    let fail =
        |path: &Path, error: &dyn std::fmt::Display| CliError::new(format!("{}: {error}", path.display()));
    std::fs::create_dir_all(&args.out).map_err(|error| fail(&args.out, &error))?;
    let (report, csv) = (args.out.join("report.html"), args.out.join("results.csv"));
    let comparison = Comparison { title: args.title.clone(), scenes: sections.to_vec(), ..frame() };
    std::fs::write(&report, rigor_report::html(&comparison)).map_err(|error| fail(&report, &error))?;
    std::fs::write(&csv, results::csv(sections)).map_err(|error| fail(&csv, &error))?;
    Ok(report)
}

/// A report without scenes: date, command line, machine and versions.
pub(super) fn frame() -> Comparison {
    Comparison {
        date: rigor_run::clock::date(),
        command_line: super::command_line(),
        machine: machine(),
        versions: versions(),
        ..Comparison::default()
    }
}

fn machine() -> Vec<(String, String)> {
    let here = Machine::here();
    [
        ("processor", here.processor),
        ("logical processors", here.cores.to_string()),
        ("memory", format!("{} GiB", here.memory_gib)),
        ("system", here.system),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

fn versions() -> Vec<(String, String)> {
    let here = Versions::here();
    [("rigor", here.rigor), ("commit", here.commit), ("compiler", here.rustc), ("rapier3d-f64", here.rapier)]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
}
