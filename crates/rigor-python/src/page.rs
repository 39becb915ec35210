//! Pages on runs: tables, plots, pictures and playback.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_report::departure::Border;
use rigor_report::player::{Budget, Recorder, Stage};
use rigor_report::render::{Camera, Image, Png};
use rigor_report::{Comparison, MethodRow, SceneSection};
use rigor_run::clock::date;
use rigor_run::folder::record::Ending;
use rigor_run::machine::{Machine, Versions};
use rigor_scene::{Scene, State};

use crate::kept::Kept;
use crate::run::Run;
use crate::verdict::Judged;

/// Width and height of a picture in pixels.
const PICTURE: [usize; 2] = [640, 400];

/// A run, what the judges found, and what the run is called.
type Pair = (Arc<Kept>, Arc<Judged>, String);

/// Returns a page on runs that were judged: a self-contained HTML file.
///
/// # Errors
/// A run was not judged, or two runs of scenes of the same name have different bodies.
#[pyfunction]
pub fn page(py: Python<'_>, title: &str, runs: Vec<PyRef<'_, Run>>, labels: Vec<String>) -> PyResult<String> {
    let pair = |(run, label): (&PyRef<'_, Run>, String)| {
        let judged = run.judgement().ok_or_else(|| PyValueError::new_err("a run was not judged"))?;
        Ok((Arc::clone(&run.kept), judged, label))
    };
    let pairs = runs.iter().zip(labels).map(pair).collect::<PyResult<Vec<Pair>>>()?;
    drop(runs);
    let sections = py.detach(|| sections(&pairs))?;
    Ok(py.detach(|| rigor_report::html(&Comparison { title: title.to_owned(), scenes: sections, ..frame() })))
}

/// One section per scene.
fn sections(pairs: &[Pair]) -> PyResult<Vec<SceneSection>> {
    let mut names: Vec<&str> = Vec::new();
    for (kept, ..) in pairs {
        let name = kept.loaded.scene.name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let budget = if pairs.len() == 1 { Budget::VIEW } else { Budget::of_page(pairs.len()) };
    let of =
        |name: &str| pairs.iter().filter(|(kept, ..)| kept.loaded.scene.name == name).collect::<Vec<_>>();
    names.into_iter().map(|name| section(&of(name), budget)).collect()
}

fn section(pairs: &[&Pair], budget: Budget) -> PyResult<SceneSection> {
    let scene = &pairs[0].0.loaded.scene;
    if let Some((kept, ..)) =
        pairs.iter().find(|(kept, ..)| kept.loaded.scene.bodies.len() != scene.bodies.len())
    {
        let (n, m) = (scene.bodies.len(), kept.loaded.scene.bodies.len());
        let what =
            format!("two scenes are called {:?}, with {n} and {m} bodies: give them names", scene.name);
        return Err(PyValueError::new_err(what));
    }
    let start = State::initial(scene);
    let states: Vec<&State> =
        std::iter::once(&start).chain(pairs.iter().map(|(kept, ..)| &kept.last)).collect();
    let camera = Camera::framing(scene, &states);
    let picture = |state: &State| -> Png { Image::of(scene, state, &camera, PICTURE).png() };
    let rows = pairs
        .iter()
        .map(|(kept, judged, label)| MethodRow {
            label: label.clone(),
            end_picture: Some(picture(&kept.last)),
            ..row(kept, judged, scene, budget)
        })
        .collect();
    let stage = Some(Stage::new(scene, &camera));
    Ok(SceneSection { start_picture: Some(picture(&start)), stage, rows, ..SceneSection::of(scene) })
}

fn row(kept: &Kept, judged: &Judged, scene: &Scene, budget: Budget) -> MethodRow {
    let mut film = Recorder::new(scene, kept.dt, kept.steps, budget);
    let mut border = Border::new(scene);
    for state in &kept.frames {
        film.observe(state, &[], &[]);
        border.observe(state);
    }
    let steps = kept.last.step;
    let n_contacts: usize = kept.reports.iter().map(|report| report.contacts.len()).sum();
    let n_reports = kept.reports.len();
    MethodRow {
        settings: serde_json::to_string_pretty(&kept.settings).unwrap_or_default(),
        steps,
        seconds_per_step: (steps > 0 && kept.seconds > 0.0).then(|| kept.seconds / steps as f64),
        contacts_mean: (n_reports > 0).then(|| n_contacts as f64 / n_reports as f64),
        notices: kept.notice_records(),
        warnings: kept.loaded.warnings.iter().map(ToString::to_string).collect(),
        findings: judged.findings.clone(),
        expectations: judged.verdicts.clone(),
        series: judged.series.clone(),
        phases: judged.phases.clone(),
        film: Some(film.finish(&kept.last)),
        departure: border.departure(scene),
        ..MethodRow::new(kept.method.as_str(), kept.dt, ending(&kept.ending))
    }
}

/// How a run ended, for a page.
fn ending(ending: &Ending) -> rigor_report::Ending {
    use rigor_report::Ending as Shown;
    match ending.clone() {
        Ending::Completed => Shown::Completed,
        Ending::Stopped { error, .. } => Shown::Stopped { why: error },
        Ending::Skipped { why } => Shown::Skipped { why },
        Ending::Refused { error } => Shown::Refused { why: error },
        Ending::Failed { error } => Shown::Failed { why: error },
        Ending::Running => Shown::Interrupted { why: "still running, or killed".into() },
        Ending::Interrupted => Shown::Interrupted { why: "Ctrl-C".into() },
        Ending::TimedOut { limit } => Shown::Interrupted { why: format!("time limit of {limit} s") },
    }
}

/// A page without scenes: date, machine and versions.
pub fn frame() -> Comparison {
    let (machine, versions) = (Machine::here(), Versions::here());
    let pairs =
        |list: Vec<(&str, String)>| list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Comparison {
        date: date(),
        command_line: "made in Python".into(),
        machine: pairs(vec![
            ("processor", machine.processor),
            ("logical processors", machine.cores.to_string()),
            ("memory", format!("{} GiB", machine.memory_gib)),
            ("system", machine.system),
        ]),
        versions: pairs(vec![
            ("rigor", versions.rigor),
            ("commit", versions.commit),
            ("compiler", versions.rustc),
            ("rapier3d-f64", versions.rapier),
        ]),
        ..Comparison::default()
    }
}
