//! Pages on runs: tables, plots, pictures and playback.

use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rigor_report::departure::Border;
use rigor_report::player::{Budget, PlayerScene, Recorder};
use rigor_report::render::{Camera, Image, Png};
use rigor_report::{Comparison, MethodRow, SceneSection};
use rigor_scene::{Scene, State};

use crate::finished_run::FinishedRun;
use crate::run::Run;
use crate::verdict::Judgement;

/// Width and height of a picture in pixels.
const PICTURE: [usize; 2] = [640, 400];
/// Maximum width and height of a picture in pixels.
const MAX_SIDE: usize = 8192;

/// A run, what the judges found, and what the run is called.
type Pair = (Arc<FinishedRun>, Arc<Judgement>, String);

/// Returns a page on runs that were judged: a self-contained HTML file.
///
/// # Errors
/// A run was not judged, or two runs of scenes of the same name have different bodies.
#[pyfunction]
pub fn page(py: Python<'_>, title: &str, runs: Vec<PyRef<'_, Run>>, labels: Vec<String>) -> PyResult<String> {
    let pair = |(run, label): (&PyRef<'_, Run>, String)| {
        let judged = run.judgement().ok_or_else(|| PyValueError::new_err("a run was not judged"))?;
        Ok((Arc::clone(&run.finished), judged, label))
    };
    let pairs = runs.iter().zip(labels).map(pair).collect::<PyResult<Vec<Pair>>>()?;
    drop(runs);
    let sections = py.detach(|| sections(&pairs))?;
    Ok(py.detach(|| rigor_report::html(&Comparison { title: title.to_owned(), scenes: sections, ..frame() })))
}

/// One section per scene.
fn sections(pairs: &[Pair]) -> PyResult<Vec<SceneSection>> {
    let mut names: Vec<&str> = Vec::new();
    for (finished, ..) in pairs {
        let name = finished.loaded.scene.name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let budget = if pairs.len() == 1 { Budget::VIEW } else { Budget::of_page(pairs.len()) };
    let of = |name: &str| {
        pairs.iter().filter(|(finished, ..)| finished.loaded.scene.name == name).collect::<Vec<_>>()
    };
    names.into_iter().map(|name| section(&of(name), budget)).collect()
}

fn section(pairs: &[&Pair], budget: Budget) -> PyResult<SceneSection> {
    let scene = &pairs[0].0.loaded.scene;
    if let Some((finished, ..)) =
        pairs.iter().find(|(finished, ..)| finished.loaded.scene.bodies.len() != scene.bodies.len())
    {
        let (n, m) = (scene.bodies.len(), finished.loaded.scene.bodies.len());
        let what =
            format!("two scenes are called {:?}, with {n} and {m} bodies: give them names", scene.name);
        return Err(PyValueError::new_err(what));
    }
    let start = State::initial(scene);
    let states: Vec<&State> =
        std::iter::once(&start).chain(pairs.iter().map(|(finished, ..)| &finished.last)).collect();
    let camera = Camera::framing(scene, &states);
    let picture = |state: &State| -> Png { Image::of(scene, state, &camera, PICTURE).png() };
    let rows = pairs
        .iter()
        .map(|(finished, judged, label)| MethodRow {
            label: label.clone(),
            end_picture: Some(picture(&finished.last)),
            ..row(finished, judged, scene, budget)
        })
        .collect();
    let stage = Some(PlayerScene::new(scene, &camera));
    Ok(SceneSection { start_picture: Some(picture(&start)), stage, rows, ..SceneSection::of(scene) })
}

fn row(finished: &FinishedRun, judged: &Judgement, scene: &Scene, budget: Budget) -> MethodRow {
    let mut film = Recorder::new(scene, finished.dt, finished.steps, budget);
    let mut border = Border::new(scene);
    for state in &finished.frames {
        film.observe(state, &[], &[]);
        border.observe(state);
    }
    let steps = finished.last.step;
    let n_contacts: usize = finished.reports.iter().map(|report| report.contacts.len()).sum();
    let n_reports = finished.reports.len();
    MethodRow {
        settings: serde_json::to_string_pretty(&finished.settings).unwrap_or_default(),
        steps,
        seconds_per_step: (steps > 0 && finished.seconds > 0.0).then(|| finished.seconds / steps as f64),
        contacts_mean: (n_reports > 0).then(|| n_contacts as f64 / n_reports as f64),
        notices: finished.notice_records(),
        flaws: finished.flaws.clone(),
        flawed_steps: finished.flawed_steps,
        warnings: finished.loaded.warnings.iter().map(ToString::to_string).collect(),
        findings: judged.findings.clone(),
        expectations: judged.verdicts.clone(),
        series: judged.series.clone(),
        phases: judged.phases.clone(),
        film: Some(film.finish(&finished.last)),
        departure: border.departure(scene),
        ..MethodRow::new(finished.method.as_str(), finished.dt, finished.ended())
    }
}

/// A page without scenes: date, machine and versions.
pub fn frame() -> Comparison {
    rigor_report::frame("made in Python")
}

/// A picture of one of the kept states, as PNG. The camera shows it, the first and the last.
///
/// # Errors
/// There is no such state, or the picture has no pixels.
#[pyfunction]
pub fn picture<'py>(
    py: Python<'py>,
    run: &Run,
    index: usize,
    size: [usize; 2],
) -> PyResult<Bound<'py, PyBytes>> {
    let finished = Arc::clone(&run.finished);
    if size.iter().any(|side| !(1..=MAX_SIDE).contains(side)) {
        let what =
            format!("the size is {} × {} pixels: each side must have 1 to {MAX_SIDE}", size[0], size[1]);
        return Err(PyValueError::new_err(what));
    }
    let state = finished.frames.get(index).ok_or_else(|| {
        PyIndexError::new_err(format!("there is no state {index} of {}", finished.frames.len()))
    })?;
    let png = py.detach(|| {
        let scene = &finished.loaded.scene;
        let first = State::initial(scene);
        let camera = Camera::framing(scene, &[&first, state, &finished.last]);
        Image::of(scene, state, &camera, size).png()
    });
    Ok(PyBytes::new(py, &png.0))
}
