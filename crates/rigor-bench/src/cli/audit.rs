//! `rigor audit`.

use std::fmt::Write;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use rigor_audit::{Figure, Finding, Verdict};
use rigor_report::number::quantity;
use rigor_run::certify::{self, CertifyOutcome};
use rigor_run::disk;
use rigor_run::execute::judge_every;
use rigor_run::folder::record::Record;
use rigor_run::{Folder, judge};
use rigor_scene::{Expectation, Scene};
use serde_json::{Value, json};

use super::foreign::{self, ForeignArgs};
use super::table::ruled;
use super::{CliError, Exit};

/// Judge runs on disk: measurements, the scene's expectations and, with --certify, a proof that bodies never
/// touched.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor audit out/wedges
  rigor audit out/* --json
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
    /// Also print findings for single bodies.
    #[arg(long)]
    bodies: bool,
    /// Prove from the recorded path that no bodies touched at any time; needs a run of ipc with
    /// --set method.ipc.record_path=true.
    #[arg(long)]
    certify: bool,
    /// Print findings and verdicts as JSON.
    #[arg(long)]
    json: bool,
}

/// Judges each run and prints findings, verdicts and certificates.
///
/// # Errors
/// A folder contains no run, or its files are damaged.
pub fn execute(args: &AuditArgs) -> Result<Exit, CliError> {
    let mut exit = Exit::Ok;
    let mut all = Vec::new();
    let adopted = foreign::adopt(&args.foreign)?;
    for root in args.runs.iter().chain(adopted.as_ref().map(foreign::ImportedTrajectory::root)) {
        let folder = Folder::new(root);
        let record = Record::read_unchanged(&folder).map_err(|error| CliError::new(error.to_string()))?;
        let scene = disk::load_run(&folder)?.scene;
        judge::check_frames(&folder, &record).map_err(|error| CliError::new(error.to_string()))?;
        let every = args.every.map_or_else(|| judge_every(record.dt * record.every as f64), NonZeroU64::get);
        let mut judgement = judge::judge(&folder, &scene, every * record.every, is_whole(&record, &scene))
            .map_err(|error| CliError::new(error.to_string()))?;
        if let Some(reference) = &args.reference {
            judgement.findings.extend(deviation(&folder, &Folder::new(reference))?);
        }
        let answer = args.certify.then(|| certify::certify(&folder, &scene)).transpose();
        let answer = answer.map_err(|error| CliError::new(error.to_string()))?;
        if !judgement.is_good(&record.method) || answer.is_some_and(|answer| !answer.is_certified()) {
            exit = Exit::Failed;
        }
        if args.json {
            let mut json = as_json(root, &record, &judgement, &scene);
            json["certificate"] = answer.map_or(Value::Null, |a| {
                certificate_json(&a, &scene, &record.method, passes(&judgement.findings))
            });
            all.push(json);
        } else {
            super::print(&show(root, &record, &judgement, &scene, args.bodies))?;
            if let Some(answer) = answer {
                let line = answer.describe(&scene, &record.method);
                super::print(&format!("{line}\n{}\n", passes_line(&judgement.findings)))?;
            }
        }
    }
    if args.json {
        super::print_json(&all)?;
    }
    Ok(exit)
}

fn show(
    root: &std::path::Path,
    record: &Record,
    judgement: &judge::Judgement,
    scene: &Scene,
    bodies: bool,
) -> String {
    let Record { scene: name, method, steps_done, dt, .. } = record;
    let mut table = ruled(["figure", "body", "value", "unit", "at", "where"]);
    for finding in judgement.findings.iter().filter(|f| bodies || f.body.is_none()) {
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
    let verdicts = verdict_lines(&judgement.verdicts, scene, method);
    format!("{}: {name} with {method}, {steps_done} steps of {dt} s\n{table}\n{verdicts}", root.display())
}

fn number(finding: &Finding) -> String {
    let v = finding.value;
    if v == v.round() && v.abs() < 1e6 { format!("{v}") } else { format!("{v:.4e}") }
}

/// The figures `compare.*` of a run.
fn deviation(run: &Folder, reference: &Folder) -> Result<Vec<Finding>, CliError> {
    Record::read_unchanged(reference).map_err(|error| CliError::new(error.to_string()))?;
    let found = rigor_study::reference::deviation(run, reference)?.into_iter();
    Ok(found.filter_map(|(name, value)| Some(Finding::of_scene(Figure::named(&name)?, value))).collect())
}

/// Whether the run ended by itself and covers the scene's whole duration, to which expectations apply.
fn is_whole(record: &Record, scene: &Scene) -> bool {
    !record.outcome.is_cut() && record.steps as f64 * record.dt >= scene.time.duration * (1.0 - 1e-9)
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
        Some(passes) => format!("the judge of tunnelling found {passes} passes between frames"),
        None => "the judge of tunnelling has not judged this run".to_owned(),
    }
}

fn certificate_json(answer: &CertifyOutcome, scene: &Scene, method: &str, passes: Option<f64>) -> Value {
    let message = answer.describe(scene, method);
    let mut json = match answer {
        CertifyOutcome::Certified(c) => json!({
            "certified": true, "message": message, "steps": c.steps, "pieces": c.pieces, "encounters": c.encounters,
            "planes": c.planes, "nearest": c.nearest,
        }),
        CertifyOutcome::Flawed(_) | CertifyOutcome::NoPath => {
            json!({ "certified": false, "message": message })
        }
    };
    json["passes"] = passes.into();
    json
}
