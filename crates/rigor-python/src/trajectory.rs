//! Runs from elsewhere, from disk and from pickles.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_file::Loaded;
use rigor_math::Mat3;
use rigor_run::Folder;
use rigor_run::folder::record::Ending;
use rigor_run::folder::{checkpoint, frames, series};
use rigor_run::foreign::{self, Field, Layout, Origin, QuaternionOrder};
use rigor_run::kept::KeptRun;
use rigor_scene::State;
use serde_json::{Value, json};

use crate::array::{check, numbers};
use crate::error::{self, RigorError};
use crate::finished_run::FinishedRun;
use crate::report::{CONTACT, JOINT, Rows, STEP};
use crate::state;
use crate::verdict::{Judgement, verdicts};

/// Reads a trajectory of a scene.
///
/// # Errors
/// A word is not allowed, or the file is invalid.
pub fn adopted(
    py: Python<'_>,
    loaded: &Arc<Loaded>,
    path: &Path,
    label: String,
    names: &[(String, String)],
    order: &str,
    origin: Option<&str>,
) -> PyResult<FinishedRun> {
    let layout = layout(names, order, origin)?;
    let foreign = py
        .detach(|| foreign::read(path, &loaded.scene, &layout))
        .map_err(|why| RigorError::new_err(why.to_string()))?;
    let (Some(first), Some(last)) = (foreign.states.first(), foreign.states.last().cloned()) else {
        return Err(PyValueError::new_err("the trajectory is empty"));
    };
    let dt = if last.step > 0 { (last.time - first.time) / last.step as f64 } else { loaded.scene.time.dt };
    let velocities = if foreign.has_differences { "differences of positions" } else { "given" };
    Ok(FinishedRun {
        loaded: Arc::clone(loaded),
        method: label,
        settings: json!({ "trajectory": "from another program", "velocities": velocities }),
        dt,
        steps: last.step,
        every: 1,
        frames: foreign.states,
        reports: Vec::new(),
        last,
        ending: Ending::Completed,
        seconds: 0.0,
        notices: Vec::new(),
        flaws: Vec::new(),
        flawed_steps: 0,
    })
}

fn layout(names: &[(String, String)], order: &str, origin: Option<&str>) -> PyResult<Layout> {
    let mut layout = Layout::default();
    for (field, name) in names {
        let Some(field) = Field::ALL.into_iter().find(|known| known.word() == field) else {
            let known = Field::ALL.map(Field::word).join(", ");
            return Err(PyValueError::new_err(format!(
                "there is no field {field:?}; the fields are {known}"
            )));
        };
        layout.names.insert(field, name.clone());
    }
    layout.order = match order {
        "wxyz" => QuaternionOrder::ScalarFirst,
        "xyzw" => QuaternionOrder::ScalarLast,
        _ => {
            return Err(PyValueError::new_err(format!(
                "order is {order:?}: it must be \"wxyz\" or \"xyzw\""
            )));
        }
    };
    layout.origin = match origin {
        None => None,
        Some("centre_of_mass") => Some(Origin::CentreOfMass),
        Some("author") => Some(Origin::Author),
        Some(other) => {
            let what = format!("origin is {other:?}: it must be \"centre_of_mass\" or \"author\"");
            return Err(PyValueError::new_err(what));
        }
    };
    Ok(layout)
}

/// Reads the folder of a run: its frames and what the judges found. Reports of steps stay on the disk.
///
/// # Errors
/// The folder holds no run, or its files were changed.
pub fn read(folder: PathBuf) -> PyResult<(FinishedRun, Judgement)> {
    let folder = Folder::new(folder);
    let KeptRun { record, loaded, .. } = KeptRun::open(&folder).map_err(|why| error::kept(&why))?;
    let loaded = Arc::new(loaded);
    let mut reader = frames::Reader::open(&folder.frames()).map_err(|why| error::file(&why))?;
    let mut frames = Vec::new();
    while let Some(frame) = reader.read().map_err(|why| error::file(&why))? {
        frames.push(frame.state);
    }
    let last = checkpoint::read(&folder.checkpoint()).map_err(|why| error::file(&why))?.state;
    let all = series::read(&folder.series()).map_err(|why| error::file(&why))?;
    let findings: Vec<_> =
        record.findings.iter().filter_map(|finding| finding.finding(&loaded.scene)).collect();
    let finished = FinishedRun {
        loaded,
        method: record.method,
        settings: record.settings,
        dt: record.dt,
        steps: record.steps,
        every: record.every,
        frames,
        reports: Vec::new(),
        last,
        ending: record.outcome,
        seconds: record.seconds,
        notices: record.notices.into_iter().map(|notice| notice.text).collect(),
        flaws: record.flaws,
        flawed_steps: record.flawed_steps,
    };
    let judged = Judgement {
        verdicts: verdicts(&finished, &findings),
        findings,
        series: all.quantities,
        phases: all.phases,
    };
    Ok((finished, judged))
}

/// Puts a run together from the parts in a pickle: step, time, bodies, particles, the rows of the reports, then strains.
///
/// # Errors
/// `ValueError` for parts that do not fit.
pub fn of_parts(
    py: Python<'_>,
    loaded: &Arc<Loaded>,
    head: &str,
    arrays: &[Bound<'_, PyArrayDyn<f64>>],
    last: &state::State,
) -> PyResult<FinishedRun> {
    let scene = &loaded.scene;
    let wrong = |what: String| PyValueError::new_err(format!("not a run: {what}"));
    let head: Value = serde_json::from_str(head).map_err(|why| wrong(why.to_string()))?;
    let [step, time, bodies, particles, contacts, joints, touched, steps, values, strains] = arrays else {
        return Err(wrong(format!("{} arrays", arrays.len())));
    };
    let n = step.len();
    let (b, p) = (scene.bodies.len(), scene.particles.len());
    let (step, time) = (numbers("step", step, &[n])?, numbers("time", time, &[n])?);
    let (bodies, particles) =
        (numbers("bodies", bodies, &[n, b, 13])?, numbers("particles", particles, &[n, p, 6])?);
    let is_rigid = strains.shape().first() == Some(&0);
    let strains = numbers("strains", strains, &[if is_rigid { 0 } else { n }, b, 9])?;
    let of_frame = |k: usize| if is_rigid { &[] } else { &strains[9 * b * k..9 * b * (k + 1)] };
    let frame = |k: usize| State {
        step: step[k] as u64,
        time: time[k],
        bodies: bodies[13 * b * k..13 * b * (k + 1)].chunks_exact(13).map(frames::body_of).collect(),
        particles: particles[6 * p * k..6 * p * (k + 1)].chunks_exact(6).map(frames::particle_of).collect(),
        strains: of_frame(k).chunks_exact(9).map(Mat3::from_row_slice).collect(),
        ..State::default()
    };
    let rows = |what: &str, array: &Bound<'_, PyArrayDyn<f64>>, columns: usize| {
        let rows = array.shape().first().copied().unwrap_or(0);
        check(what, array.shape(), &[rows, columns])?;
        numbers(what, array, &[rows, columns])
    };
    let names: Vec<(String, String)> =
        serde_json::from_value(head["quantities"].clone()).map_err(|why| wrong(why.to_string()))?;
    let reports = Rows {
        steps: &rows("steps", steps, STEP)?,
        contacts: &rows("contacts", contacts, 1 + CONTACT)?,
        joints: &rows("joints", joints, 1 + JOINT)?,
        particles: &rows("particle_contacts", touched, 1 + CONTACT)?,
        values: &rows("quantities", values, names.len())?,
        names: &names,
    }
    .reports(scene)?;
    let text = |key: &str| head[key].as_str().unwrap_or_default().to_owned();
    Ok(FinishedRun {
        loaded: Arc::clone(loaded),
        method: text("method"),
        settings: head["settings"].clone(),
        dt: head["dt"].as_f64().unwrap_or(scene.time.dt),
        steps: head["steps"].as_u64().unwrap_or(0),
        every: head["every"].as_u64().unwrap_or(1),
        frames: (0..n).map(frame).collect(),
        reports,
        last: last.read(py, scene)?,
        ending: serde_json::from_value(head["ending"].clone()).map_err(|why| wrong(why.to_string()))?,
        seconds: head["seconds"].as_f64().unwrap_or(0.0),
        notices: serde_json::from_value(head["notices"].clone()).map_err(|why| wrong(why.to_string()))?,
        flaws: serde_json::from_value(head["flaws"].clone()).map_err(|why| wrong(why.to_string()))?,
        flawed_steps: head["flawed_steps"].as_u64().unwrap_or(0),
    })
}
