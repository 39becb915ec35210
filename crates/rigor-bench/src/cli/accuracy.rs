//! `rigor accuracy`.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rigor_file::closest;
use rigor_report::number::{quantity, significant};
use rigor_run::disk::load_scene;
use rigor_run::registry;
use rigor_scene::Clock;

use super::table::headed;
use super::{CliError, Exit, interrupt};
use crate::accuracy::case::{self, Case};
use crate::accuracy::page;
use crate::accuracy::results::{self, AccuracyRow, Origin};
use crate::accuracy::sweep::{self, Plan};
use crate::accuracy::variant::{self, Variant};
use rigor_study::order;

/// Run every method on cases with known answers, and measure error and CPU time.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor accuracy --out out/accuracy                          everything: about ten minutes
  rigor accuracy --quick --cases projectile,bowl             two cases at two time steps
  rigor accuracy --methods ipc --set method.ipc.d_hat=1e-4   one method with a changed setting
  rigor accuracy --data path/to/data --out out/accuracy      also the cases with measured answers
  rigor accuracy --from benchmarks/results/accuracy.csv,out/new/accuracy.csv --out docs
                                                             the page from tables; later files replace rows
  rigor accuracy --cases toss --data path/to/data --methods ipc,mujoco,drake
                                                             also engines that `rigor peers` installed
  rigor accuracy --list                                      cases and methods

WRITES
  accuracy.csv (not with --from), accuracy.md, and a plot per case in the folder accuracy

EXIT CODES
  0 the runs were made, whatever their errors; 2 unknown case or method, or a file cannot be read or written;
  130 interrupted")]
pub struct AccuracyArgs {
    /// Cases: names, parts of names or headings of groups, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// Methods, by name or by the label of a variant, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    methods: Vec<String>,
    /// Change a key of every scene, e.g. `method.ipc.eps_v=1e-4`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Run only the two longest time steps of each case, once each.
    #[arg(long)]
    quick: bool,
    /// Maximum wall time of one run (s).
    #[arg(long, default_value_t = 10.0)]
    limit: f64,
    /// Folder that contains `tosses` and `joints-adams`; without it, cases with measured answers are skipped.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Write the page from these CSV tables instead of running; if several contain a case and method, the
    /// last one counts.
    #[arg(long, value_delimiter = ',', conflicts_with_all = ["overrides", "quick", "data"])]
    from: Vec<PathBuf>,
    /// With --from: also write the merged table to this file.
    #[arg(long, requires = "from", value_name = "FILE")]
    merge: Option<PathBuf>,
    /// Folder for the page, the plots and the table [default: write nothing].
    #[arg(long)]
    out: Option<PathBuf>,
    /// Only list the cases and the methods.
    #[arg(long)]
    list: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Runs the selected cases and methods, or reads their results, and writes page, plots and table.
///
/// # Errors
/// A case or method does not exist, or a file cannot be read or written.
pub fn execute(args: &AccuracyArgs) -> Result<Exit, CliError> {
    let (cases, variants) = (cases(&args.cases)?, variants(&args.methods)?);
    if args.list {
        return list(&cases, &variants, args.json);
    }
    let rows = if args.from.is_empty() { run(args, &cases, &variants)? } else { read(&args.from)? };
    if let Some(path) = &args.merge {
        std::fs::write(path, results::csv(&rows)).map_err(|error| CliError::file(path, "written", &error))?;
    }
    if let Some(out) = &args.out {
        write(out, &cases, &variants, &rows, args.from.is_empty())?;
    }
    if args.json {
        super::print_json(&rows.iter().map(AccuracyRow::json).collect::<Vec<_>>())?;
    } else {
        super::print(&table(&cases, &variants, &rows))?;
    }
    Ok(if interrupt::flag().load(Ordering::Relaxed) { Exit::Interrupted } else { Exit::Ok })
}

fn cases(wanted: &[String]) -> Result<Vec<Case>, CliError> {
    let all = case::all()?;
    let is_it = |case: &Case, word: &str| case.name.contains(word) || case.group.eq_ignore_ascii_case(word);
    for word in wanted {
        if !all.iter().any(|case| is_it(case, word)) {
            let error = CliError::new(format!("there is no case {word:?}"));
            let help = closest(word, all.iter().map(|case| case.name.as_str()));
            let help = help.map_or("`rigor accuracy --list` names the cases".into(), |near| {
                format!("did you mean {near:?}? `rigor accuracy --list` names the cases")
            });
            return Err(error.with_help(help));
        }
    }
    let is_wanted = |case: &Case| wanted.is_empty() || wanted.iter().any(|word| is_it(case, word));
    Ok(all.into_iter().filter(is_wanted).collect())
}

fn variants(wanted: &[String]) -> Result<Vec<Variant>, CliError> {
    let is_it = |variant: &Variant, word: &str| variant.label == word || variant.method == word;
    let mut all = variant::all()?;
    let is_new = |word: &&String| !all.iter().any(|variant| is_it(variant, word));
    let others: Vec<Variant> = wanted.iter().filter(is_new).filter_map(|word| registered(word)).collect();
    all.extend(others);
    if let Some(word) = wanted.iter().find(|word| !all.iter().any(|variant| is_it(variant, word))) {
        let labels: Vec<&str> = all.iter().map(|variant| variant.label.as_str()).collect();
        let what = format!("there is no method {word:?}; there are {}", labels.join(", "));
        return Err(
            CliError::new(what).with_help("`rigor methods` lists all methods, which can be named, too")
        );
    }
    let is_wanted = |variant: &Variant| wanted.is_empty() || wanted.iter().any(|word| is_it(variant, word));
    Ok(all.into_iter().filter(is_wanted).collect())
}

/// A method that is not in the table of variants, such as `particles` or `mujoco:setting=best`.
fn registered(word: &str) -> Option<Variant> {
    let mut parts = word.split(':').map(str::to_owned);
    let method = parts.next().filter(|name| registry::find(name).is_ok())?;
    Some(Variant { label: word.to_owned(), method, set: parts.collect() })
}

/// Checks the settings of methods before any run.
fn check_settings(args: &AccuracyArgs, variants: &[Variant]) -> Result<(), CliError> {
    args.overrides.iter().try_for_each(|line| registry::check_change(line))?;
    for variant in variants {
        let own = variant.overrides();
        own.iter().try_for_each(|line| registry::check_change(line))?;
        // Whether values are allowed is seen in any scene: cases differ in other keys.
        let changes: Vec<String> = own
            .into_iter()
            .chain(args.overrides.iter().filter(|line| line.starts_with("method.")).cloned())
            .collect();
        let loaded = load_scene("bouncing/ball", &changes)?;
        let settings = loaded.scene.methods.get(&variant.method).cloned().unwrap_or_default();
        registry::find(&variant.method)?.make(&settings, Clock::default())?;
    }
    Ok(())
}

fn run(args: &AccuracyArgs, cases: &[Case], variants: &[Variant]) -> Result<Vec<AccuracyRow>, CliError> {
    let limit = Duration::try_from_secs_f64(args.limit).ok().filter(|limit| !limit.is_zero());
    let limit =
        limit.ok_or_else(|| CliError::new(format!("--limit {}: it must be a positive time", args.limit)))?;
    if let Some(data) = args.data.as_deref().filter(|data| !data.is_dir()) {
        return Err(CliError::new(format!("--data {}: there is no such folder", data.display())));
    }
    check_settings(args, variants)?;
    let plan = Plan {
        cases: cases.to_vec(),
        variants: variants.to_vec(),
        set: args.overrides.clone(),
        at_most: if args.quick { 2 } else { usize::MAX },
        limit,
        repeat_for: Duration::from_millis(if args.quick { 0 } else { 60 }),
        data: args.data.clone(),
    };
    let bar = ProgressBar::new((cases.len() * variants.len()) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30.cyan/dim} {pos}/{len}  {msg}") {
        bar.set_style(style);
    }
    let (mut rows, mut current, origin) = (Vec::new(), (String::new(), String::new()), Origin::here());
    sweep::run(&plan, interrupt::flag(), |row| {
        let one = (row.case.clone(), row.variant.clone());
        if one != current {
            bar.inc(1);
            bar.set_message(format!("{} by {}", one.0, one.1));
            current = one;
        }
        rows.push(AccuracyRow { origin: origin.clone(), ..row });
    });
    bar.finish_and_clear();
    Ok(rows)
}

fn read(paths: &[PathBuf]) -> Result<Vec<AccuracyRow>, CliError> {
    let table = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|error| CliError::file(path, "read", &error))?;
        results::read(&text).map_err(|error| CliError::new(format!("{}: {error}", path.display())))
    };
    Ok(results::merge(paths.iter().map(table).collect::<Result<_, _>>()?))
}

fn write(
    out: &Path,
    cases: &[Case],
    variants: &[Variant],
    rows: &[AccuracyRow],
    with_table: bool,
) -> Result<(), CliError> {
    let labels: Vec<String> = variants.iter().map(|variant| variant.label.clone()).collect();
    let folder = out.join(page::FOLDER);
    std::fs::create_dir_all(&folder).map_err(|error| CliError::file(&folder, "made", &error))?;
    let mut files: Vec<(PathBuf, String)> =
        page::files(cases, &labels, rows).into_iter().map(|file| (out.join(file.path), file.text)).collect();
    if with_table {
        files.push((out.join("accuracy.csv"), results::csv(rows)));
    }
    for (path, text) in files {
        std::fs::write(&path, text).map_err(|error| CliError::file(&path, "written", &error))?;
    }
    Ok(())
}

/// A text table with one row per case and variant.
fn table(cases: &[Case], variants: &[Variant], rows: &[AccuracyRow]) -> String {
    let mut table =
        headed(["case", "method", "errors, from the longest step to the shortest", "CPU", "trend"]);
    for case in cases {
        for variant in variants {
            let own: Vec<&AccuracyRow> =
                rows.iter().filter(|row| row.case == case.name && row.variant == variant.label).collect();
            let Some(first) = own.first() else { continue };
            let points: Vec<(f64, f64)> = own.iter().filter_map(|row| Some((row.dt, row.error?))).collect();
            let told =
                |row: &&AccuracyRow| row.error.map_or_else(|| row.outcome.word().to_owned(), significant);
            let errors: Vec<String> = own.iter().map(told).collect();
            let cpu: f64 = own.iter().filter_map(|row| row.cpu).sum();
            let why = own.iter().find(|row| row.error.is_none()).map_or("", |row| row.why.as_str());
            let trend = if points.is_empty() { first.why.clone() } else { order::trend(&points).words() };
            let trend = if points.is_empty() || why.is_empty() { trend } else { format!("{trend}; {why}") };
            let cells = [&case.name, &variant.label, &errors.join(" "), &quantity(cpu, "s"), &trend];
            table.add_row(cells.map(String::as_str));
        }
    }
    format!("{table}\n")
}

fn list(cases: &[Case], variants: &[Variant], as_json: bool) -> Result<Exit, CliError> {
    if as_json {
        let case = |case: &Case| {
            serde_json::json!({
                "case": case.name, "group": case.group, "title": case.title, "truth": case.truth,
                "reading": case.reading.words(), "scale": case.scale, "unit": case.reading.unit(),
                "bound": case.bound, "steps": case.steps,
            })
        };
        let variant = |variant: &Variant| serde_json::json!({ "label": variant.label, "method": variant.method, "settings": variant.set });
        super::print_json(&serde_json::json!({
            "cases": cases.iter().map(case).collect::<Vec<_>>(),
            "variants": variants.iter().map(variant).collect::<Vec<_>>(),
        }))?;
        return Ok(Exit::Ok);
    }
    let mut table = headed(["case", "group", "title", "exact answer"]);
    for case in cases {
        table.add_row([&case.name, &case.group, &case.title, &case.truth].map(String::as_str));
    }
    let labels: Vec<&str> = variants.iter().map(|variant| variant.label.as_str()).collect();
    super::print(&format!("{table}\nmethods: {}\n", labels.join(", ")))?;
    Ok(Exit::Ok)
}
