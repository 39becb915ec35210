//! Cost of `ipc`: `cargo bench -p rigor-benchmarks --bench ipc -- fixtures | pile | groups | threads | memory`.
//!
//! Prints tables in Markdown, row by row. Without a command, it runs the parts that take less than a minute.
//! With `--test`, or without `--bench`, every part takes only a few steps.

// Benchmarks print their results.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use clap::{Args, Parser, Subcommand};
use rigor_benchmarks::error::RunError;
use rigor_benchmarks::options::Extent;
use rigor_benchmarks::pile::{pile, towers};
use rigor_benchmarks::reference::{self, Reference};
use rigor_benchmarks::table::{figure, head, row};
use rigor_benchmarks::timed_run::{End, Limits, TimedRun};
use rigor_benchmarks::{cpu, resident, subject};
use rigor_file::cases;
use rigor_file::setting::to_json;
use rigor_ipc::{Config, Ipc};
use rigor_run::clock;
use rigor_scene::{Scene, Setting};
use rigor_tests::reference::Folder;
use serde_json::Value;

/// Memory (bytes) above which a scene is flagged.
const MUCH: u64 = 1_000_000_000;
/// Errors below this part of the longest path are equal: the time of both programs is compared.
const EQUAL: f64 = 1e-3;

#[derive(Parser)]
#[command(about = "Cost of `ipc`")]
struct Cli {
    #[command(subcommand)]
    part: Option<Part>,
    #[command(flatten)]
    extent: Extent,
}

#[derive(Subcommand)]
enum Part {
    /// Scenes of the reference program of [Ferguson2021] on one thread, compared with its own measurements.
    Fixtures(Choice),
    /// Boxes that fall onto each other: time against contacts.
    Pile {
        /// Boxes of the largest pile.
        #[arg(long, default_value_t = 500)]
        largest: usize,
        /// CPU seconds for each pile.
        #[arg(long, default_value_t = 60.0)]
        seconds: f64,
    },
    /// Boxes and towers of five that never touch each other: time against their number.
    Groups {
        /// Maximum number of boxes.
        #[arg(long, default_value_t = 500)]
        largest: usize,
        /// CPU seconds for each scene.
        #[arg(long, default_value_t = 60.0)]
        seconds: f64,
    },
    /// One thread compared with two.
    Threads {
        /// Boxes of the pile on one thread.
        #[arg(long, default_value_t = 50)]
        boxes: usize,
        /// CPU seconds of each run on one thread.
        #[arg(long, default_value_t = 20.0)]
        seconds: f64,
    },
    /// Peak memory of each scene, for built-in cases and fixtures.
    Memory(Choice),
    /// Memory of one scene, used by `memory`.
    #[command(hide = true)]
    Resident { scene: String, seconds: f64 },
    /// A filter intended for other benchmarks.
    #[command(external_subcommand)]
    Other(Vec<String>),
}

#[derive(Args)]
struct Choice {
    /// CPU seconds for each scene; the step that exceeds them is the last.
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Only scenes whose path contains this.
    #[arg(long, default_value = "")]
    only: String,
}

fn main() {
    let cli = Cli::parse();
    match cli.part {
        Some(Part::Resident { scene, seconds }) => resident_of(&scene, seconds),
        Some(Part::Other(words)) => println!("ipc: there is no part {:?}", words.join(" ")),
        _ if cli.extent.is_short() => a_few_steps(),
        None => shipped(),
        Some(Part::Fixtures(choice)) => fixtures(&choice.only, Limits::seconds(choice.seconds)),
        Some(Part::Pile { largest, seconds }) => piles(largest, 100, seconds),
        Some(Part::Groups { largest, seconds }) => groups(largest, Limits::seconds(seconds)),
        Some(Part::Threads { boxes, seconds }) => threads(boxes, seconds),
        Some(Part::Memory(choice)) => memory(&choice.only, choice.seconds),
    }
}

/// Runs every part briefly, to check that it works.
fn a_few_steps() {
    let steps = Limits { steps: 2, ..Limits::seconds(1.0) };
    costs(&["unit-tests/5-cubes".into()], &BTreeMap::new(), steps);
    fixtures("unit-tests/v", steps);
    piles(10, 2, 2.0);
    groups(10, steps);
    pile_on_threads(10, 0.1);
    memory("unit-tests/vertex-face", 0.1);
}

/// Runs the parts that take less than a minute, with built-in scenes.
fn shipped() {
    let quick = |name: &&str| name.starts_with("unit-tests/") || name.starts_with("erleben/");
    let names: Vec<String> = cases::names().filter(quick).map(Into::into).collect();
    costs(&names, &BTreeMap::new(), Limits::seconds(1.0));
    piles(20, 100, 5.0);
    groups(50, Limits::seconds(5.0));
    pile_on_threads(20, 5.0);
}

// ---- fixtures

fn fixtures(only: &str, limits: Limits) {
    let folder = match Folder::RigidIpc.find() {
        Ok(folder) => folder,
        Err(absent) => {
            println!("{absent}");
            return;
        }
    };
    let references = references(&folder);
    let is_known = |name: &String| references.is_empty() || references.contains_key(name);
    let names = subject::fixtures(&folder).into_iter().filter(|name| is_known(name) && name.contains(only));
    costs(&names.collect::<Vec<_>>(), &references, limits);
}

fn references(rigid_ipc: &Path) -> BTreeMap<String, Reference> {
    let file = reference::file(rigid_ipc);
    let table = std::fs::read_to_string(&file).unwrap_or_else(|error| {
        println!(
            "no measurements of the reference program ({}: {error}); set RIGOR_RIGID_IPC_RUNS to their file\n",
            file.display()
        );
        String::new()
    });
    reference::parse(&table)
}

/// Returns the group in which a scene is summarized.
fn group(name: &str) -> &'static str {
    const MECHANISMS: [&str; 5] = ["bolt", "piston", "punching-press", "bike-chain", "packing"];
    const LARGE: [&str; 4] = ["wrecking-ball", "arch-101", "chain-net", "card-house"];
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        () if name.contains("unit-tests/") => "unit tests and degenerate cases",
        () if has(&MECHANISMS) => "mechanisms",
        () if has(&LARGE) => "large scenes",
        () => "others",
    }
}

/// Prints a table of scenes on one thread, and geometric means of their ratios.
fn costs(names: &[String], references: &BTreeMap<String, Reference>, limits: Limits) {
    println!(
        "One thread, {}, at most {} s for each scene. *Error*: the largest distance of a point from its position in a run with a \
         tolerance ten times smaller, divided by the longest path of a point. *Its error*: the same quantity for \
         `integrator = implicit_euler, ending = reference`, which stops as the reference program does, relative to the \
         converged motion of that integrator. *Without switches*: the ratio without the time that the reference spends \
         on switches of the rounding mode.\n",
        cpu::WHAT,
        limits.seconds
    );
    head(&[
        "scene",
        "steps",
        "max. contacts",
        "iterations per step",
        "smallest distance, m",
        "error",
        "CPU s per step",
        "reference: steps",
        "its iterations",
        "its error",
        "its CPU s per step",
        "ratio",
        "without switches",
    ]);
    let mut ratios: BTreeMap<&str, Vec<Ratio>> = BTreeMap::new();
    for name in names {
        match subject::scene(name).and_then(|scene| measure(&scene, references.get(name), limits)) {
            Ok(fixture) => {
                let ratio = cost(name, &fixture, references.get(name));
                ratios.entry(group(name)).or_default().extend(ratio);
            }
            Err(why) => row(&[name, &why.to_string().lines().next().unwrap_or_default()]),
        }
    }
    println!();
    for (group, ratios) in ratios.iter().filter(|(_, ratios)| !ratios.is_empty()) {
        let fair: Vec<_> = ratios.iter().filter(|ratio| ratio.kind != RatioKind::OverLess).collect();
        let mean = |of: fn(&Ratio) -> f64| {
            let logs: f64 = fair.iter().map(|ratio| of(ratio).ln()).sum();
            if fair.is_empty() { "–".into() } else { figure((logs / fair.len() as f64).exp()) }
        };
        let count = |kind| ratios.iter().filter(|ratio| ratio.kind == kind).count();
        println!(
            "{group}: geometric mean {} of {} ({} without switches), {} of them lower bounds; excluded, since we took \
             fewer steps than the reference: {}; with a larger error than the reference: {}",
            mean(|ratio| ratio.value),
            fair.len(),
            mean(|ratio| ratio.value / ratio.switches),
            count(RatioKind::AtLeast),
            count(RatioKind::OverLess),
            ratios.iter().filter(|ratio| ratio.errs_more).count(),
        );
    }
    println!();
}

/// A timed run, and the deviations of this run and of the reference program's rules from converged motion.
struct Fixture {
    run: TimedRun,
    error: Option<f64>,
    reference_error: Option<f64>,
}

/// Runs `scene` with its own settings and, over the compared steps, with the settings that measure the
/// errors.
fn measure(scene: &Scene, reference: Option<&Reference>, limits: Limits) -> Result<Fixture, RunError> {
    let run = TimedRun::take(scene, 1, limits)?;
    let compared = reference.map_or(u64::MAX, |r| if r.steps == 0 { u64::MAX } else { r.steps });
    let compared =
        Limits { steps: compared.min(run.steps.len() as u64), ..Limits::seconds(4.0 * limits.seconds) };
    let with = |settings: &[(&str, Setting)]| {
        let mut scene = scene.clone();
        let ipc = scene.methods.entry("ipc".into()).or_default();
        ipc.extend(settings.iter().map(|(key, value)| ((*key).into(), value.clone())));
        scene
    };
    let tolerance = |scene: &Scene| -> Result<f64, RunError> {
        let settings = scene.methods.get("ipc").cloned().unwrap_or_default();
        let config: Config = serde_json::from_value(Value::Object(to_json(&settings)))?;
        Ok(Ipc::new(config, clock::clock())?.tolerance(scene, scene.time.dt))
    };
    let euler = ("integrator", Setting::from("implicit_euler"));
    let converged = |settings: &[(&str, Setting)]| -> Result<TimedRun, RunError> {
        let tight = Setting::Number(0.1 * tolerance(&with(settings))?);
        let tight = [("velocity_tolerance", tight), ("velocity_tolerance_is_absolute", Setting::Bool(true))];
        TimedRun::take(&with(&[settings, &tight].concat()), 1, compared)
    };
    let error = run.deviation(&converged(&[])?);
    let theirs =
        TimedRun::take(&with(&[euler.clone(), ("ending", Setting::from("reference"))]), 1, compared)?;
    let reference_error = theirs.deviation(&converged(&[euler])?);
    Ok(Fixture { run, error, reference_error })
}

/// The ratio of the reference program's CPU time per step to ours.
struct Ratio {
    value: f64,
    kind: RatioKind,
    /// Upper bound of the ratio of the reference's time to its time without switches of the rounding mode.
    switches: f64,
    errs_more: bool,
}

#[derive(PartialEq)]
enum RatioKind {
    /// Over the steps that the reference took.
    Equal,
    /// The reference was stopped within its first step, so its time is a lower bound.
    AtLeast,
    /// Our first steps compared with the mean over more steps of the reference.
    OverLess,
}

impl Ratio {
    fn new(name: &str, fixture: &Fixture, reference: &Reference) -> Option<Self> {
        let steps = reference.steps.max(1) as usize;
        let kind = match () {
            () if reference.steps == 0 => RatioKind::AtLeast,
            () if fixture.run.steps.len() < steps => RatioKind::OverLess,
            () => RatioKind::Equal,
        };
        let theirs = reference.cpu_per_step.unwrap_or(reference.cpu);
        let errors = fixture.error.zip(fixture.reference_error);
        let errs_more = errors.is_some_and(|(ours, theirs)| ours > theirs.max(EQUAL));
        let value = theirs / fixture.run.cpu_per_step(steps)?;
        Some(Self { value, kind, switches: reference::rounding_switches(name), errs_more })
    }

    fn sign(&self) -> &'static str {
        match self.kind {
            RatioKind::Equal => "",
            RatioKind::AtLeast => "> ",
            RatioKind::OverLess => "~ ",
        }
    }
}

/// Prints a row.
fn cost(name: &str, fixture: &Fixture, reference: Option<&Reference>) -> Option<Ratio> {
    let of = |x: Option<f64>| x.map_or("–".to_owned(), figure);
    let run = &fixture.run;
    let ratio = reference.and_then(|reference| Ratio::new(name, fixture, reference));
    let distance = run.min_distance();
    let signed = |ratio: &Ratio, value: f64| format!("{}{}", ratio.sign(), figure(value));
    row(&[
        &name.trim_start_matches("3D/").trim_end_matches(".json"),
        &run.progress(),
        &run.contacts_max(),
        &figure(run.iterations_per_step()),
        &of(distance.is_finite().then_some(distance)),
        &of(fixture.error),
        &of(run.cpu_per_step(usize::MAX)),
        &reference.map_or("–".to_owned(), |r| r.steps.to_string()),
        &of(reference.and_then(|r| r.iterations_per_step)),
        &of(fixture.reference_error),
        &reference
            .map_or("–".to_owned(), |r| r.cpu_per_step.map_or(format!("> {}", figure(r.cpu)), figure)),
        &ratio.as_ref().map_or("–".to_owned(), |r| signed(r, r.value)),
        &ratio.as_ref().map_or("–".to_owned(), |r| signed(r, r.value / r.switches)),
    ]);
    if let End::Failed(why) = &run.end {
        eprintln!("{name}: {why}");
    }
    ratio
}

// ---- pile

/// Measures the time per step over the `steps` steps since the first contact, against mean contacts.
fn piles(largest: usize, steps: u64, seconds: f64) {
    println!(
        "Piles of boxes on one thread, {}, {steps} steps since the first contact, at most {seconds} s.\n",
        cpu::WHAT
    );
    head(&[
        "boxes",
        "steps",
        "mean contacts",
        "iterations per step",
        "moves per body",
        "CPU s per step",
        "µs per contact and iteration",
        "collision detection %",
        "line search %",
        "contacts %",
        "friction %",
        "derivatives %",
        "linear solve %",
    ]);
    let limits = Limits { steps_with_contacts: steps, ..Limits::seconds(seconds) };
    let sizes = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];
    let points: Vec<_> =
        sizes.into_iter().filter(|n| *n <= largest).filter_map(|n| of_pile(n, limits)).collect();
    if let Some(exponent) = exponent(&points) {
        println!("\nseconds per step ~ contacts^{exponent:.2} (least squares of the logarithms)");
    }
    println!();
}

/// Measures separate groups against one: towers of one box and of five.
fn groups(largest: usize, limits: Limits) {
    println!("Towers that never touch each other, on one thread, {}.\n", cpu::WHAT);
    head(&[
        "towers",
        "boxes of each",
        "steps",
        "iterations per step",
        "CPU s per step",
        "the same per tower",
    ]);
    let sizes = [(1, 1), (10, 1), (100, 1), (400, 1), (1, 5), (10, 5), (100, 5), (1000, 5)];
    for (n, levels) in sizes.into_iter().filter(|(n, levels)| n * levels <= largest) {
        let run = TimedRun::take(&towers(n, levels), 1, limits).expect("towers that ipc supports");
        let seconds = run.cpu_per_step(usize::MAX).unwrap_or(f64::NAN);
        let (steps, iterations) = (run.steps.len(), run.iterations_per_step());
        let each = figure(seconds / n as f64);
        row(&[&n, &levels, &steps, &figure(iterations), &figure(seconds), &each]);
        if let End::Failed(why) = &run.end {
            eprintln!("{n} towers of {levels}: {why}");
        }
    }
    println!();
}

/// Prints a row; returns mean contacts and seconds per step, unless a limit ended the run early.
fn of_pile(n: usize, limits: Limits) -> Option<(f64, f64)> {
    let mut run = TimedRun::take(&pile(n), 1, limits).expect("a pile that ipc supports");
    let touched = run.steps.iter().position(|step| step.contacts > 0)?;
    run.steps.drain(..touched);
    let steps = run.steps.len() as f64;
    let contacts = run.steps.iter().map(|step| step.contacts as f64).sum::<f64>() / steps;
    let seconds = run.cpu_per_step(usize::MAX)?;
    let is_whole = run.steps.len() as u64 >= limits.steps_with_contacts;
    let share = |name: &str| figure(100.0 * run.share(&[name]));
    let each = 1e6 * seconds / (contacts * run.iterations_per_step());
    let taken = if is_whole { steps.to_string() } else { format!("{steps}, cut short") };
    row(&[
        &n,
        &taken,
        &figure(contacts),
        &figure(run.iterations_per_step()),
        &figure(run.moves_per_body(n)),
        &figure(seconds),
        &figure(each),
        &share("collision detection"),
        &share("line search"),
        &share("contacts"),
        &share("friction"),
        &share("derivatives"),
        &share("linear solve"),
    ]);
    if let End::Failed(why) = &run.end {
        eprintln!("pile of {n}: {why}");
    }
    is_whole.then_some((contacts, seconds))
}

/// Returns b of y ~ xᵇ.
fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let (xy, xx) =
        logs.iter().fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - x) * (p.1 - y), xx + (p.0 - x) * (p.0 - x)));
    (logs.len() > 1).then(|| xy / xx)
}

// ---- threads

fn threads(boxes: usize, seconds: f64) {
    pile_on_threads(boxes, seconds);
    if let Err(absent) = Folder::RigidIpc.find() {
        println!("{absent}");
        return;
    }
    let scene = |name: &str| subject::scene(&format!("3D/scalability/{name}")).expect("a fixture");
    println!("Scalability fixtures\n");
    on_threads(&scene("strong.json"), &scene("weak/01threads.json"), &scene("weak/02threads.json"), seconds);
}

fn pile_on_threads(boxes: usize, seconds: f64) {
    println!("Piles of {boxes} and {} boxes\n", 2 * boxes);
    on_threads(&pile(boxes), &pile(boxes), &pile(2 * boxes), seconds);
}

/// Strong scaling: the same scene. Weak scaling: `single` on one thread, `double` on two.
fn on_threads(strong: &Scene, single: &Scene, double: &Scene, seconds: f64) {
    head(&["", "steps", "1 thread, wall s per step", "2 threads, wall s per step", "ratio", "same bits"]);
    let compare = |what: &str, one: &Scene, two: &Scene| {
        let one = on(one, 1, Limits::seconds(seconds));
        let steps = one.steps.len().max(1);
        let two = on(two, 2, Limits { steps: steps as u64, ..Limits::seconds(f64::INFINITY) });
        let [a, b] = [&one, &two].map(|run| run.wall() / run.steps.len().max(1) as f64);
        let same: &str = match (what, one.ends_like(&two)) {
            ("weak", _) => "–",
            (_, true) => "yes",
            (_, false) => "NO",
        };
        row(&[&what, &steps, &figure(a), &figure(b), &figure(a / b), &same]);
    };
    compare("strong", strong, strong);
    compare("weak", single, double);
    println!();
}

fn on(scene: &Scene, threads: usize, limits: Limits) -> TimedRun {
    TimedRun::take(scene, threads, limits).expect("a scene that ipc supports")
}

// ---- memory

/// Runs each scene in its own process.
fn memory(only: &str, seconds: f64) {
    println!("Peak resident memory, one thread, at most {seconds} s per scene.\n");
    head(&["scene", "steps", "MB", "more than 1 GB"]);
    let fixtures =
        Folder::RigidIpc.find().map(|folder| subject::fixtures(&folder)).unwrap_or_else(|absent| {
            println!("{absent}");
            Vec::new()
        });
    let names = cases::names().map(String::from).chain(fixtures);
    for name in names.filter(|name| name.contains(only)) {
        let this = std::env::current_exe().expect("the path of this program");
        let child = Command::new(this).args(["resident", &name, &seconds.to_string()]).output();
        let output = child.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
        match output
            .trim()
            .split_once('\t')
            .and_then(|(bytes, steps)| Some((bytes.parse::<u64>().ok()?, steps)))
        {
            Some((bytes, steps)) => {
                let flag = if bytes > MUCH { "yes" } else { "" };
                row(&[&name, &steps, &figure(bytes as f64 / 1e6), &flag]);
            }
            None => row(&[&name, &output.trim(), &"–", &""]),
        }
    }
    println!();
}

/// Prints the peak memory in bytes and the steps taken, or the reason why there are none.
fn resident_of(scene: &str, seconds: f64) {
    let run = subject::scene(scene).and_then(|scene| TimedRun::take(&scene, 1, Limits::seconds(seconds)));
    match (run, resident::peak()) {
        (Ok(run), Some(bytes)) => println!("{bytes}\t{}", run.progress()),
        (Ok(_), None) => println!("memory usage is not available on this system"),
        (Err(_), _) => println!("does not load, or is not supported"),
    }
}
