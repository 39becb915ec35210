//! Reference runs: what errors and deviations of trajectories are measured against.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use rigor_audit::Panel;
use rigor_audit::compare::{Compare, Reference as Course};
use rigor_run::Folder;
use rigor_run::disk::load_run;
use rigor_run::folder::frames::Reader;
use rigor_run::folder::record::{Ending, Record};
use rigor_scene::State;
use toml::Value;

use crate::axis::number;
use crate::deviation::Deviation;
use crate::driver::{Options, RunResult, carry_out};
use crate::error::{PlanError, StudyError};
use crate::plan::{Contender, Plan, Reference, flat};
use crate::quantity::Quantity;
use crate::row::{Row, outcome};
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

/// Checks that a quantity that is a difference from a reference has one.
///
/// # Errors
/// [`PlanError::NoReference`] if the plan names none for it.
pub fn check(plan: &Plan, quantity: &Quantity) -> Result<(), PlanError> {
    let is_there = |reference: &Reference| {
        let is_known = || known(reference, quantity).is_some() && !quantity.is_comparison();
        reference.method.is_some() || is_known()
    };
    if quantity.needs_reference() && !plan.reference.as_ref().is_some_and(is_there) {
        return Err(PlanError::NoReference { name: quantity.label() });
    }
    Ok(())
}

/// Minimum number of common instants, after the start, at which alone trajectories are compared.
const MIN_COMMON: usize = 2;

/// Measures the deviation of the trajectory of `run` from that of `reference`.
///
/// They are compared at the instants at which both have a frame, if two or more are after the start: nothing is interpolated. Else
/// they are compared at every frame of the reference, `run` follows the cubic that its frames define, and `compare.position_bound` and
/// `compare.rotation_bound` tell what that may add: [`Compare`].
///
/// # Errors
/// A file of a run cannot be read.
pub fn deviation(run: &Folder, reference: &Folder) -> Result<Deviation, StudyError> {
    let scene = load_run(run)?.scene;
    let [states, reference] = [run, reference].map(states);
    let (states, reference) = (states?, reference?);
    let Ok(reference) = Course::of_frames(&scene, &reference) else {
        return Ok(Deviation::default());
    };
    let times: Vec<f64> = states.iter().map(|state| state.time).collect();
    let common = reference.at(&times);
    let chosen = if common.len() > MIN_COMMON { common } else { reference };
    let reach = chosen.reach();
    let mut panel = Panel::new().with(Compare::new(chosen), 1);
    for state in &states {
        panel.observe(&scene, state, None);
    }
    let of_scene = panel.findings(&scene).into_iter().filter(|finding| finding.body.is_none());
    Ok(Deviation { figures: of_scene.map(|f| (f.figure.to_owned(), f.value)).collect(), reach })
}

/// The frames of a run.
fn states(run: &Folder) -> Result<Vec<State>, StudyError> {
    let mut reader = Reader::open(&run.frames())?;
    let mut states = Vec::new();
    while let Some(frame) = reader.read()? {
        states.push(frame.state);
    }
    Ok(states)
}

/// A reference run, or why there is none.
type ReferenceRun = (Task, Result<(Record, Folder), String>);

/// The reference runs of a study, by their scene and changes.
#[derive(Debug, Default)]
pub struct References {
    runs: BTreeMap<(String, Vec<String>), ReferenceRun>,
}

impl References {
    /// Makes the reference runs of `tasks` that are not found; none if the plan names no method for them.
    pub fn make(
        plan: &Plan,
        tasks: &[Task],
        options: &Options,
        stop: &AtomicBool,
        done: &(dyn Fn(&Task, &RunResult) + Sync),
    ) -> Self {
        let mut needed: Vec<Task> = Vec::new();
        let mut seen = BTreeSet::new();
        for task in tasks.iter().filter_map(|task| task_of(plan, task)) {
            if seen.insert(key(&task)) {
                needed.push(task);
            }
        }
        // References are not timed, and may run side by side.
        let mut plan = plan.clone();
        plan.study.timed = false;
        let made = carry_out(&plan, &needed, options, stop, done);
        let of = |(task, made): (Task, Option<RunResult>)| {
            let run = match made.map(|made| (made.record, made.folder)) {
                None => Err("it is not made yet".to_owned()),
                Some((Err(error), _)) => Err(error.to_string()),
                Some((Ok(record), folder)) if record.outcome == Ending::Completed => Ok((record, folder)),
                Some((Ok(record), _)) => Err(outcome(&record)),
            };
            (key(&task), (task, run))
        };
        Self { runs: needed.into_iter().zip(made).map(of).collect() }
    }

    /// The reference runs that did not end, with the reason.
    pub fn lost(&self) -> Vec<(Task, String)> {
        let lost =
            |(task, run): &(Task, Result<_, String>)| Some((task.clone(), run.as_ref().err()?.clone()));
        self.runs.values().filter_map(lost).collect()
    }

    /// Returns the row of a run, compared with its reference if both ended.
    ///
    /// # Errors
    /// A file of a run cannot be read.
    pub fn row(&self, plan: &Plan, task: Task, record: Record, folder: Folder) -> Result<Row, StudyError> {
        let known = plan.reference.as_ref().map(|reference| flat(&reference.values)).unwrap_or_default();
        let known = known.into_iter().filter_map(|(name, value)| Some((name, number(&value)?))).collect();
        let mut row = Row { known, ..Row::new(task, record, folder) };
        match task_of(plan, &row.task).and_then(|task| self.runs.get(&key(&task))) {
            None => {}
            Some((_, Err(why))) => row.lost_reference = Some(why.clone()),
            Some((_, Ok((record, folder)))) => {
                row.reference = Some(Box::new(record.clone()));
                if row.record.outcome == Ending::Completed {
                    row.deviation = deviation(&row.folder, folder)?;
                }
            }
        }
        Ok(row)
    }
}

fn key(task: &Task) -> (String, Vec<String>) {
    (task.scene.clone(), task.overrides.clone())
}
