//! Reference runs: what errors and deviations of trajectories are measured against.

use std::collections::BTreeMap;

use rigor_audit::Panel;
use rigor_audit::compare::{Compare, Reference as Course};
use rigor_run::Folder;
use rigor_run::disk::load_run;
use rigor_run::folder::frames::Reader;
use toml::Value;

use crate::axis::number;
use crate::error::StudyError;
use crate::plan::{Contender, Plan, Reference, flat};
use crate::quantity::Quantity;
use crate::task::{Task, override_of};

/// Returns the run that `task` is compared with; `None` if the plan names no method for it.
///
/// It has the same scene and the same values of the scene's keys, but the method and the changes of the reference.
pub fn task_of(plan: &Plan, task: &Task) -> Option<Task> {
    let reference = plan.reference.as_ref()?;
    let method = reference.method.as_ref()?;
    let contender = Contender::new(method.clone());
    let bare = Task {
        method: method.clone(),
        label: format!("reference ({method})"),
        overrides: flat(&plan.study.set)
            .iter()
            .filter_map(|(key, value)| override_of(key, value, method))
            .collect(),
        point: Vec::new(),
        threads: plan.study.threads,
        repetition: None,
        ..task.clone()
    };
    let of_scene = task.point.iter().filter(|(key, _)| is_of_scene(key));
    let same = of_scene.fold(bare, |bare, (key, value)| bare.with(&contender, key, value.clone()));
    let changes = flat(&reference.set).into_iter().filter_map(|(key, value)| {
        let key = if key.contains('.') { key } else { format!("set.{key}") };
        override_of(&key, &value, method)
    });
    Some(Task { overrides: same.overrides.iter().cloned().chain(changes).collect(), ..same })
}

/// Whether a key describes the scene, not how it is solved.
fn is_of_scene(key: &str) -> bool {
    !(key == "threads" || key == "time.dt" || key.starts_with("set.") || key.starts_with("method."))
}

/// Returns the known value of a quantity.
pub fn known(reference: &Reference, quantity: &Quantity) -> Option<f64> {
    let find = |(name, value): &(String, Value)| (name == quantity.name()).then(|| number(value)).flatten();
    flat(&reference.values).iter().find_map(find)
}

/// Measures the deviation of the trajectory of `run` from that of `reference`, at the times of frames that both have or that
/// lie between frames of `run`.
///
/// Returns the figures `compare.*` by name.
///
/// # Errors
/// A file of a run cannot be read.
pub fn deviation(run: &Folder, reference: &Folder) -> Result<BTreeMap<String, f64>, StudyError> {
    let scene = load_run(run)?.scene;
    let mut frames = Reader::open(&reference.frames())?;
    let mut states = Vec::new();
    while let Some(frame) = frames.read()? {
        states.push(frame.state);
    }
    let Ok(reference) = Course::of_frames(&scene, &states) else {
        return Ok(BTreeMap::new());
    };
    let mut panel = Panel::new().with(Compare::new(reference), 1);
    let mut frames = Reader::open(&run.frames())?;
    while let Some(frame) = frames.read()? {
        panel.observe(&scene, &frame.state, None);
    }
    let of_scene = panel.findings(&scene).into_iter().filter(|finding| finding.body.is_none());
    Ok(of_scene.map(|finding| (finding.figure.to_owned(), finding.value)).collect())
}
