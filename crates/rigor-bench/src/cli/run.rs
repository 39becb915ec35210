//! `rigor run`.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use rigor_audit::Figure;
use rigor_math::Vec3;
use rigor_report::number::quantity;
use rigor_run::Folder;
use rigor_run::disk;
use rigor_run::execute::{self, ExecuteError, KeptFiles, Plan};
use rigor_run::folder::record::{Ending, Record};
use rigor_run::kept::KeptRun;
use rigor_run::registry::{self, Entry};
use rigor_run::verdict::{FindingRecord, VerdictRecord, VerdictWord};
use rigor_run::warning::warnings;
use rigor_scene::{Body, Clock, Drive, Goal, Role, Scene, TimeSpan};

use super::progress::{Log, LogArgs};
use super::steps::Steps;
use super::view::Host;
use super::{CliError, Exit, interrupt};

/// Simulate one scene with one method, and keep the results in a folder.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor run erleben/wedges --out out/wedges
  rigor run friction/incline-mu-0.49 --method rapier --dt 1e-3 --out out/incline
  rigor run stacks/10 --set method.xpbd.substeps=40 --set body.cube.friction=0.3 --out out/stack
  rigor run --resume --out out/stack
  rigor run stacks/10 --out out/stack --view
  rigor run joints/hinge-drive --joints --out out/drive
  rigor run unit-tests/5-cubes --method ipc --set method.ipc.record_path=true --out out/cubes

WRITES
  run.json, steps.csv, trajectory.npz (numpy), scene.glb (animated), bodies.json, surfaces/, scene/ (the scene as
  simulated), frames.bin, series.bin, checkpoint.bin, contacts.csv (with --contacts), joints.csv (with --joints), path.bin (with method.ipc.record_path, for
  rigor audit --certify)")]
pub struct RunArgs {
    /// A scene file, or the name of a case (`rigor scene list`).
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    scene: Option<String>,
    /// The method; `rigor methods` lists them.
    #[arg(long, default_value = "xpbd", conflicts_with = "resume")]
    method: String,
    /// Time step (s) [default: the scene's own].
    #[arg(long, allow_negative_numbers = true, conflicts_with = "resume")]
    dt: Option<f64>,
    /// Simulated time (s) [default: the scene's own duration].
    #[arg(long, allow_negative_numbers = true)]
    time: Option<f64>,
    /// Change a key of the scene, e.g. `method.xpbd.substeps=40` or `body.box.friction=0.3`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE", conflicts_with = "resume")]
    overrides: Vec<String>,
    /// Number of threads; results do not depend on it [default: one per processor].
    #[arg(long)]
    pub(super) threads: Option<usize>,
    /// Keep a frame every N steps.
    #[arg(long, default_value = "1", conflicts_with = "resume")]
    every: NonZeroU64,
    /// Also write the contacts of each frame, with their forces, to contacts.csv.
    #[arg(long, conflicts_with = "resume")]
    contacts: bool,
    /// Also write the force, torque and error of every joint in each frame to joints.csv.
    #[arg(long, conflicts_with = "resume")]
    joints: bool,
    /// Continue the interrupted run in --out with its own scene, method and time step.
    #[arg(long)]
    resume: bool,
    /// Folder for the run; without --resume it must not contain a run.
    #[arg(long)]
    out: PathBuf,
    /// Show the run in a browser while it goes on, and afterwards until Ctrl-C; with --contacts, these too at the end.
    #[arg(long)]
    view: bool,
    /// Print the record of the run as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    log: LogArgs,
}

/// Runs, judges the run and prints a summary.
///
/// # Errors
/// The run cannot start, or its files cannot be written.
pub fn execute(args: &RunArgs) -> Result<Exit, CliError> {
    let plan = plan(args)?;
    if args.resume
        && let Some(record) = finished(&plan)?
    {
        return tell_finished(args, &plan, &record);
    }
    if !args.view {
        return simulate(args, &plan);
    }
    Host::open(0)?.during(std::slice::from_ref(&args.out), || simulate(args, &plan))
}

/// The record of a run to resume that has ended; there is nothing to do.
fn finished(plan: &Plan) -> Result<Option<Record>, CliError> {
    // The folder was checked when the plan was made.
    let record = Record::read(&plan.folder.record()).map_err(|error| CliError::new(error.to_string()))?;
    Ok(Some(record).filter(|record| execute::is_finished(record, plan)))
}

fn tell_finished(args: &RunArgs, plan: &Plan, record: &Record) -> Result<Exit, CliError> {
    if args.json {
        super::print_json(record)?;
    } else if args.log.is_quiet() {
        tell_failure(record, plan);
    } else {
        super::print(&format!("the run has ended: nothing was changed\n{}", summary(record, plan)))?;
    }
    Ok(exit(record))
}

fn simulate(args: &RunArgs, plan: &Plan) -> Result<Exit, CliError> {
    if !args.json && args.log.form() == Log::Text {
        announce(plan);
    }
    let mut steps = Steps::new(plan.time.steps(), args.log.form());
    let record = execute::execute(plan, args.resume, interrupt::flag(), &mut |live| steps.show(live))
        .map_err(|error| explain(&error, &plan.loaded.scene))?;
    steps.finish();
    if args.json {
        super::print_json(&record)?;
    } else if args.log.is_quiet() {
        tell_failure(&record, plan);
    } else {
        super::print(&summary(&record, plan))?;
    }
    Ok(exit(&record))
}

/// Prints why the exit status is not 0, which is all that a quiet run says.
#[allow(clippy::print_stderr, reason = "errors go to standard error")]
fn tell_failure(record: &Record, plan: &Plan) {
    let Record { scene, method, steps_done, steps, .. } = record;
    let failed = record.expectations.iter().filter(|e| is_failed(e)).map(verdict_line);
    let lines: String = ending(record, plan).into_iter().chain(failed).collect();
    if !lines.is_empty() {
        eprint!("{scene} with {method}: {steps_done} of {steps} steps\n{lines}");
    }
}

fn is_failed(expectation: &VerdictRecord) -> bool {
    expectation.is_claimed && expectation.verdict == VerdictWord::Failed
}

fn exit(record: &Record) -> Exit {
    match record.outcome {
        Ending::Completed if record.expectations.iter().any(is_failed) => Exit::Failed,
        Ending::Completed => Exit::Ok,
        Ending::Interrupted => Exit::Interrupted,
        _ => Exit::Stopped,
    }
}

fn plan(args: &RunArgs) -> Result<Plan, CliError> {
    let folder = Folder::new(&args.out);
    if !args.resume {
        let argument = args.scene.as_deref().ok_or_else(|| CliError::new("no scene is named"))?;
        let loaded = disk::load_scene(argument, &args.overrides)?;
        let time = TimeSpan {
            dt: args.dt.unwrap_or(loaded.scene.time.dt),
            duration: args.time.unwrap_or(loaded.scene.time.duration),
        };
        check_time(&time)?;
        let keeps = KeptFiles {
            every: args.every.get(),
            contacts: args.contacts,
            joints: args.joints,
            ..KeptFiles::default()
        };
        let judge_every = execute::judge_every(time.dt);
        return Ok(Plan { time, judge_every, keeps, ..Plan::new(loaded, args.method.as_str(), folder) });
    }
    let KeptRun { record, loaded, .. } = KeptRun::open(&folder)?;
    let duration = args.time.unwrap_or(record.steps as f64 * record.dt);
    let time = TimeSpan { dt: record.dt, duration };
    check_time(&time)?;
    let keeps = KeptFiles { every: record.every, ..KeptFiles::default() };
    let Record { judge_every, conditions, method, .. } = record;
    Ok(Plan { time, judge_every, keeps, conditions, ..Plan::new(loaded, method, folder) })
}

pub(super) fn check_time(time: &TimeSpan) -> Result<(), CliError> {
    let steps = time.duration / time.dt;
    let good = time.dt > 0.0 && time.dt.is_finite() && time.duration >= 0.0 && steps < 1e12;
    if !good {
        let TimeSpan { dt, duration } = time;
        return Err(CliError::new(format!(
            "dt = {dt} s, time = {duration} s: needs dt > 0 and time ≥ 0, both finite"
        )));
    }
    if time.dt > time.duration && time.duration > 0.0 {
        let what = format!("dt = {} s is longer than the simulated time of {} s", time.dt, time.duration);
        return Err(CliError::new(what).with_help("take a shorter --dt or a longer --time"));
    }
    Ok(())
}

/// Prints the notices of the method on the scene before the run starts. If the method or its settings are
/// invalid, the start of the run reports the error.
#[allow(clippy::print_stderr, reason = "notices go to standard error")]
fn announce(plan: &Plan) {
    warnings(&plan.loaded).iter().for_each(|warning| eprintln!("warning: {}", warning.message));
    if let Ok(Ok(notices)) = registry::notices(&plan.method, &plan.loaded.scene, plan.time.dt) {
        notices.iter().for_each(|notice| eprintln!("note: {}: {notice}", plan.method));
    }
}

fn explain(error: &ExecuteError, scene: &Scene) -> CliError {
    let what = CliError::new(error.to_string());
    match error {
        ExecuteError::Unsupported { .. } => {
            what.with_help(format!("methods that support it: {}", able(scene).join(", ")))
        }
        ExecuteError::Registry { .. } => what.with_help("docs/settings.md lists the settings of each method"),
        _ => what,
    }
}

/// Returns the methods that can simulate `scene`.
fn able(scene: &Scene) -> Vec<&'static str> {
    let supports = |entry: &&'static Entry| {
        let settings = scene.methods.get(entry.name).cloned().unwrap_or_default();
        entry.make(&settings, Clock::default()).is_ok_and(|chosen| chosen.method.supports(scene).is_ok())
    };
    registry::entries().into_iter().filter(supports).map(|entry| entry.name).collect()
}

fn summary(record: &Record, plan: &Plan) -> String {
    let Record { scene, method, steps_done, steps, steps_timed, .. } = record;
    let per_step = match steps_timed {
        0 => String::new(),
        _ if *steps_done == 0 => String::new(),
        n => format!(", {:.3} ms each", 1e3 * record.seconds / *n as f64),
    };
    let folder = plan.folder.root.display();
    let ending = ending(record, plan).unwrap_or_default();
    let is_part = !record.is_whole(&plan.loaded.scene) && !record.expectations.is_empty();
    let part = if is_part {
        "the run did not reach the end of the scene: only bounds that are broken already are judged\n"
    } else {
        ""
    };
    let is_told = |e: &&VerdictRecord| !is_part || e.verdict != VerdictWord::NotMeasured;
    let verdicts: String = record.expectations.iter().filter(is_told).map(verdict_line).collect();
    let notices = record.notices.iter().map(|notice| format!("note: {}\n", notice.text));
    let flaws = record.flaws.iter().map(|flaw| format!("warning: {flaw}\n"));
    // Those about the scene were told before the run.
    let known = warnings(&plan.loaded);
    let parts = record.warnings.iter().filter(|line| known.iter().all(|warning| warning.message != **line));
    let parts = parts.map(|line| format!("warning: {line}\n"));
    let overlap = overlap(record, &plan.loaded.scene);
    let gain = gain(record, &plan.loaded.scene);
    let judged = passages(record).into_iter().chain(overlap).chain(gain);
    let notes: String = notices.chain(flaws).chain(parts).chain(judged).collect();
    format!(
        "{scene} with {method}: {steps_done} of {steps} steps{per_step}\n{ending}{notes}{part}{verdicts}{folder}\n"
    )
}

/// A line on how a run ended that did not take all of its steps.
fn ending(record: &Record, plan: &Plan) -> Option<String> {
    let Record { steps_done, .. } = record;
    let folder = plan.folder.root.display();
    Some(match &record.outcome {
        Ending::Completed => return None,
        Ending::Interrupted => format!("interrupted; continue with: rigor run --resume --out {folder}\n"),
        Ending::Stopped { error, bodies, .. } if bodies.is_empty() => {
            format!("stopped after step {steps_done}: {error}\n")
        }
        Ending::Stopped { error, bodies, .. } => {
            format!("stopped after step {steps_done}: {error}; bodies: {}\n", bodies.join(", "))
        }
        _ => format!("{}\n", rigor_study::row::outcome(record)),
    })
}

/// Overlaps deeper than this part of the thickness of the thinner body are told.
const DEEP: f64 = 0.05;

/// A line on bodies that overlapped deeply after the start, as judged by their surfaces: contacts that were given up are no flaws.
fn overlap(record: &Record, scene: &Scene) -> Option<String> {
    let is_whole =
        |finding: &&FindingRecord| finding.body.is_none() && finding.figure == "penetration.deepest";
    let deepest = record.findings.iter().find(is_whole)?;
    let depth = deepest.value.filter(|_| deepest.step.is_some_and(|step| step > 0))?;
    let pair = &deepest.detail;
    let is_of_pair = |body: &&Body| {
        let (first, second) = (format!("{} – ", body.name), format!(" – {}", body.name));
        pair.starts_with(&first) || pair.ends_with(&second)
    };
    let solid = scene.bodies.iter().filter(is_of_pair).map(Body::thickness).filter(|thin| *thin > 0.0);
    let part = depth / solid.reduce(f64::min)?;
    let at = deepest.time.map_or(String::new(), |time| format!(" at {}", quantity(time, "s")));
    let (depth, share) = (quantity(depth, "m"), share(part, 0));
    (part > DEEP).then(|| {
        format!("warning: bodies overlapped by up to {depth}, {share} the thinner one: {pair}{at}\n")
    })
}

/// Gains of energy above this part of what the scene can convert are told.
const GAIN: f64 = 0.01;

/// A line on energy above that of the start in a scene where nothing gives any: many small gains, each within the bound of its
/// step, have no flaw.
fn gain(record: &Record, scene: &Scene) -> Option<String> {
    let of =
        |figure: &str| record.findings.iter().find(|found| found.body.is_none() && found.figure == figure);
    let most = of("energy.gain_max")?;
    let (gain, scale) = (most.value?, of("energy.scale")?.value?);
    let part = gain / scale;
    if gives_energy(scene) || scale <= 0.0 || part <= GAIN {
        return None;
    }
    let at = most.time.map_or(String::new(), |time| format!(" at {}", quantity(time, "s")));
    let (gain, share) = (quantity(gain, "J"), share(part, 1));
    Some(format!(
        "warning: the energy was {gain} above that of the start{at}, {share} what the scene can convert, and nothing in the scene gives any\n"
    ))
}

/// Returns "31 % of", with so many `digits` after the point, "120 times" or "1.2e9 times".
fn share(part: f64, digits: usize) -> String {
    if part < 10.0 {
        format!("{:.digits$} % of", 100.0 * part)
    } else if part < 1e6 {
        format!("{part:.0} times")
    } else {
        format!("{part:.1e} times")
    }
}

/// Whether something in the scene can give energy that the figures of energy do not count: moving bodies, torques, drives at a rate.
fn gives_energy(scene: &Scene) -> bool {
    let moves = |body: &Body| match body.role {
        Role::Kinematic(_) => true,
        Role::Static => false,
        Role::Dynamic => body.torque != Vec3::zeros(),
    };
    let is_motor = |drive: &Drive| match drive.goal {
        Goal::Velocity(_) => true,
        Goal::Position(_) => false,
    };
    scene.bodies.iter().any(moves) || scene.joints.iter().any(|joint| joint.kind.drives().any(is_motor))
}

/// A line on bodies that went through each other between frames, and one on turns that the frames do not tell.
fn passages(record: &Record) -> Vec<String> {
    let of_scene = |figure: &str| {
        let found = record.findings.iter().find(|found| found.figure == figure && found.body.is_none())?;
        Some((found, found.value.filter(|n| *n > 0.0)?))
    };
    let place = |found: &FindingRecord| {
        let at = found.time.map_or(String::new(), |time| format!(" at {}", quantity(time, "s")));
        format!("first {}{at}", found.detail)
    };
    let passed = [of_scene("tunnelling.passes"), of_scene("tunnelling.centre_crossings")]
        .into_iter()
        .flatten()
        .max_by(|(_, m), (_, n)| m.total_cmp(n));
    let passed = passed.map(|(found, n)| {
        format!("warning: bodies went through each other between frames, {n} ×: {}\n", place(found))
    });
    let unknown = of_scene("tunnelling.unknown_turns")
        .map(|(found, n)| format!("warning: turns that the frames do not tell, {n} ×: {}\n", place(found)));
    let undecided = of_scene("tunnelling.undecided").map(|(found, n)| {
        format!("warning: not known whether bodies went through each other, {n} ×: {}\n", place(found))
    });
    passed.into_iter().chain(unknown).chain(undecided).collect()
}

/// One line of text for an expectation.
fn verdict_line(expectation: &VerdictRecord) -> String {
    let VerdictRecord { figure, body, bound, is_claimed, verdict, because, value } = expectation;
    let of = body.as_ref().map_or(String::new(), |body| format!(" of {body}"));
    let unit = Figure::named(figure).map_or("1", |figure| figure.unit);
    let mark = match verdict {
        VerdictWord::Held => "holds ",
        VerdictWord::Failed if *is_claimed => "FAILS ",
        VerdictWord::Failed => "misses",
        VerdictWord::NotMeasured => "  –   ",
    };
    let found = value.map_or("not measured".to_owned(), |value| quantity(value, unit));
    format!("{mark} {figure}{of} {bound}: {found}  ({because})\n")
}
