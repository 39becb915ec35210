//! `rigor audit`.

use std::fmt::Write;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use rigor_audit::{Figure, Finding, Verdict};
use rigor_report::number::quantity;
use rigor_run::certify::{self, CertifyOutcome};
use rigor_run::execute::judge_every;
use rigor_run::folder::record::Record;
use rigor_run::kept::{KeptRun, within};
use rigor_run::{Folder, judge};
use rigor_scene::{Expectation, Scene};
use serde_json::{Value, json};

use super::foreign::{self, ForeignArgs};
use super::table::{Format, Table, headed};
use super::{CliError, Exit};

/// Judge runs on disk: measurements, the scene's expectations and, with --certify, a proof that bodies never
/// touched.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor audit out/wedges
  rigor audit out/first                               all runs of a comparison or a study
  rigor audit out/* --format csv
  rigor audit out/stack --certify
  rigor audit --scene scene.toml --trajectory mujoco.npz --out out/mujoco --reference out/ipc

A trajectory of another program is an .npz or .csv file: docs/guide/foreign-trajectories.md.

EXIT CODES
  0 every expectation holds; 1 one fails, or --certify finds no proof; 2 a folder holds no run, or a damaged one")]
pub struct AuditArgs {
    /// Folders made by `rigor run`, `compare` or `study`.
    #[arg(required_unless_present = "trajectory", conflicts_with = "trajectory")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    foreign: ForeignArgs,
    /// Also measure the deviation from the trajectory of this run.
    #[arg(long, value_name = "RUN")]
    reference: Option<PathBuf>,
    /// Measure intersection, penetration and distance in every Nth frame [default: one frame per 0.01 s].
    #[arg(long)]
    every: Option<NonZeroU64>,
    /// Print all findings, not only the most important ones and those with a bound.
    #[arg(long)]
    all: bool,
    /// Print all findings, also for single bodies.
    #[arg(long)]
    bodies: bool,
    /// Prove from the recorded path that no bodies touched at any time; needs a run of ipc with
    /// --set method.ipc.record_path=true.
    #[arg(long)]
    certify: bool,
    /// Print findings and verdicts as JSON: `--format json`.
    #[arg(long)]
    json: bool,
    /// Form of the findings. As csv and tsv, they are one table of all runs, with all findings, and nothing else is printed.
    #[arg(long, value_enum, default_value_t, conflicts_with = "json")]
    format: Format,
}

/// Judges each run and prints findings, verdicts and certificates.
///
/// # Errors
/// A folder contains no run, or its files are damaged.
pub fn execute(args: &AuditArgs) -> Result<Exit, CliError> {
    let mut exit = Exit::Ok;
    let mut all = Vec::new();
    let mut findings =
        headed(["run", "scene", "method", "figure", "body", "value", "unit", "time_s", "detail"]);
    // A reference that cannot be read is told before anything is written.
    if let Some(reference) = &args.reference {
        KeptRun::open(&Folder::new(reference))?;
    }
    let adopted = foreign::adopt(&args.foreign)?;
    let roots = args.runs.iter().chain(adopted.as_ref().map(foreign::ImportedTrajectory::root));
    for folder in roots.flat_map(|root| within(root)) {
        let KeptRun { record, loaded, .. } = KeptRun::open(&folder)?;
        let (root, scene) = (&folder.root, loaded.scene);
        let every = args.every.map_or_else(|| judge_every(record.dt * record.every as f64), NonZeroU64::get);
        let mut judgement = judge::judge(&folder, &scene, every * record.every, record.is_whole(&scene))
            .map_err(|error| CliError::new(error.to_string()))?;
        if let Some(reference) = &args.reference {
            judgement.findings.extend(deviation(&folder, &Folder::new(reference))?);
        }
        let answer = args.certify.then(|| certify::certify(&folder, &scene)).transpose();
        let answer = answer.map_err(|error| CliError::new(error.to_string()))?;
        if !judgement.is_good(&record.method) || answer.is_some_and(|answer| !answer.is_certified()) {
            exit = Exit::Failed;
        }
        let is_json = args.json || args.format == Format::Json;
        if !is_json && args.format != Format::Text {
            add_rows(&mut findings, root, &record, &judgement, &scene);
        } else if is_json {
            let mut json = as_json(root, &record, &judgement, &scene);
            json["certificate"] = answer
                .map_or(Value::Null, |a| certificate_json(&a, &scene, &record, passes(&judgement.findings)));
            all.push(json);
        } else {
            super::print(&show(root, &record, &judgement, &scene, args))?;
            if let Some(answer) = answer {
                let line = answer.describe(&scene, &record);
                super::print(&format!("{line}\n{}\n", passes_line(&judgement.findings)))?;
            }
        }
    }
    match args.format {
        Format::Json => super::print_json(&all)?,
        Format::Text if args.json => super::print_json(&all)?,
        Format::Text => {}
        Format::Csv | Format::Tsv => super::print(&findings.written(args.format).unwrap_or_default())?,
    }
    Ok(exit)
}

/// The figures that are printed without `--all`, besides those with a bound.
const SHORT: [&str; 14] = [
    "energy.drift",
    "energy.rise_relative",
    "momentum.linear_relative",
    "momentum.angular_relative",
    "constraint.joint_position",
    "constraint.joint_angle",
    "constraint.attachment",
    "intersection.frames",
    "intersection.first_time",
    "distance.smallest",
    "penetration.deepest",
    "penetration.particle",
    "tunnelling.centre_crossings",
    "tunnelling.passes",
];

fn show(
    root: &std::path::Path,
    record: &Record,
    judgement: &judge::Judgement,
    scene: &Scene,
    args: &AuditArgs,
) -> String {
    let Record { scene: name, method, steps_done, dt, .. } = record;
    let is_bound =
        |f: &Finding| judgement.verdicts.iter().any(|(e, _)| e.figure == f.figure && e.body == f.body);
    let is_short =
        |f: &Finding| f.body.is_none() && (SHORT.contains(&f.figure) || f.figure.starts_with("compare."));
    let is_shown = |f: &&Finding| args.bodies || (args.all && f.body.is_none()) || is_short(f) || is_bound(f);
    let shown: Vec<&Finding> = judgement.findings.iter().filter(is_shown).collect();
    let mut table = headed(["figure", "body", "value", "unit", "at", "where"]);
    for finding in &shown {
        let body = finding.body.map_or(String::new(), |id| scene.bodies[id.0].name.clone());
        let at = finding.at.map_or(String::new(), |at| format!("{:.4} s", at.time));
        table.add_row([
            finding.figure.to_owned(),
            body,
            number(finding),
            finding.unit.to_owned(),
            at,
            finding.detail.clone(),
        ]);
    }
    let n_more = judgement.findings.iter().filter(|f| f.body.is_none()).count();
    let n_more = n_more.saturating_sub(shown.iter().filter(|f| f.body.is_none()).count());
    let more = if n_more > 0 { format!("{n_more} more figures with --all\n") } else { String::new() };
    let verdicts = verdict_lines(&judgement.verdicts, scene, method);
    format!(
        "{}: {name} with {method}, {steps_done} steps of {dt} s\n{table}\n{more}\n{verdicts}",
        root.display()
    )
}

/// Adds a row per finding, with all digits.
fn add_rows(
    table: &mut Table,
    root: &std::path::Path,
    record: &Record,
    judgement: &judge::Judgement,
    scene: &Scene,
) {
    for finding in &judgement.findings {
        table.add_row([
            root.display().to_string(),
            record.scene.clone(),
            record.method.clone(),
            finding.figure.to_owned(),
            finding.body.map_or(String::new(), |id| scene.bodies[id.0].name.clone()),
            rigor_run::folder::table::number(finding.value),
            finding.unit.to_owned(),
            finding.at.map_or(String::new(), |at| rigor_run::folder::table::number(at.time)),
            finding.detail.clone(),
        ]);
    }
}

fn number(finding: &Finding) -> String {
    let v = finding.value;
    if v == v.round() && v.abs() < 1e6 { format!("{v}") } else { format!("{v:.4e}") }
}

/// The figures `compare.*` of a run.
fn deviation(run: &Folder, reference: &Folder) -> Result<Vec<Finding>, CliError> {
    let figures = rigor_study::reference::deviation(run, reference)?.figures.into_iter();
    Ok(figures.filter_map(|(name, value)| Some(Finding::of_scene(Figure::named(&name)?, value))).collect())
}

/// One line of text per expectation.
fn verdict_lines(verdicts: &[(Expectation, Verdict)], scene: &Scene, method: &str) -> String {
    let mut text = String::new();
    for (expectation, verdict) in verdicts {
        let of = expectation.body.map_or(String::new(), |id| format!(" of {}", scene.bodies[id.0].name));
        let (mark, found) = match verdict {
            Verdict::Held(finding) => ("holds ", quantity(finding.value, finding.unit)),
            Verdict::Failed(finding) if expectation.is_claimed_by(method) => {
                ("FAILS ", quantity(finding.value, finding.unit))
            }
            Verdict::Failed(finding) => ("misses", quantity(finding.value, finding.unit)),
            Verdict::NotMeasured => ("  –   ", "not measured".to_owned()),
        };
        let _ = writeln!(
            text,
            "{mark} {}{of} {}: {found}  ({})",
            expectation.figure, expectation.bound, expectation.because
        );
    }
    text
}

fn as_json(root: &std::path::Path, record: &Record, judgement: &judge::Judgement, scene: &Scene) -> Value {
    let name = |id: rigor_scene::BodyId| scene.bodies[id.0].name.clone();
    let findings: Vec<_> = judgement
        .findings
        .iter()
        .map(|f| {
            json!({
                "figure": f.figure, "body": f.body.map(name), "value": f.value, "unit": f.unit,
                "step": f.at.map(|at| at.step), "time": f.at.map(|at| at.time), "detail": f.detail,
            })
        })
        .collect();
    let expectations: Vec<_> = judgement
        .verdicts
        .iter()
        .map(|(e, v)| {
            let (verdict, value) = match v {
                Verdict::Held(f) => ("held", Some(f.value)),
                Verdict::Failed(f) => ("failed", Some(f.value)),
                Verdict::NotMeasured => ("not measured", None),
            };
            json!({
                "figure": e.figure, "body": e.body.map(name), "bound": e.bound.to_string(), "because": e.because,
                "is_claimed": e.is_claimed_by(&record.method), "verdict": verdict, "value": value,
            })
        })
        .collect();
    json!({ "run": root, "record": record, "findings": findings, "expectations": expectations })
}

/// How often the judge of tunnelling saw bodies pass through each other; `None` if it did not judge.
fn passes(findings: &[Finding]) -> Option<f64> {
    let found = |name: &str| findings.iter().find(|f| f.figure == name && f.body.is_none()).map(|f| f.value);
    Some(found("tunnelling.centre_crossings")?.max(found("tunnelling.passes")?))
}

/// What the judge of tunnelling says beside a certificate, which is about the recorded path only.
fn passes_line(findings: &[Finding]) -> String {
    match passes(findings) {
        Some(passes) => format!(
            "the judge of tunnelling found {passes} {} between frames",
            if passes == 1.0 { "pass" } else { "passes" }
        ),
        None => "the judge of tunnelling has not judged this run".to_owned(),
    }
}

fn certificate_json(answer: &CertifyOutcome, scene: &Scene, record: &Record, passes: Option<f64>) -> Value {
    let message = answer.describe(scene, record);
    let mut json = match answer {
        CertifyOutcome::Certified(c) => json!({
            "certified": true, "message": message, "scene_hash": record.scene_hash, "steps": c.steps, "pieces": c.pieces, "encounters": c.encounters,
            "planes": c.planes, "nearest": c.nearest,
        }),
        CertifyOutcome::Flawed(_) | CertifyOutcome::NoPath => {
            json!({ "certified": false, "message": message })
        }
    };
    json["passes"] = passes.into();
    json
}
