//! A study from its plan to its results.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use rigor_run::Folder;
use rigor_run::folder::record::{Ending, Record};

use crate::bisect::{self, Critical};
use crate::driver::{Options, RunResult, carry_out};
use crate::error::{PlanError, StudyError};
use crate::naming::tell_scenes_apart;
use crate::plan::Plan;
use crate::quantity::Quantity;
use crate::reference;
use crate::row::Row;
use crate::task::{Task, check_settings, keys, tasks};

/// The results of a study.
#[derive(Debug, Default)]
pub struct Results {
    /// The runs that are there, in the order of the plan.
    pub rows: Vec<Row>,
    /// Results of searches.
    pub criticals: Vec<Critical>,
    /// Runs that could not be made, with the reason.
    pub errors: Vec<(Task, StudyError)>,
    /// Number of runs that do not exist yet: of other shards, or prevented by a stop request.
    pub n_missing: usize,
    /// Number of runs that were found, not made.
    pub n_found: usize,
}

impl Results {
    /// Whether every run of the plan is there.
    pub fn is_complete(&self) -> bool {
        self.n_missing == 0 && self.errors.is_empty()
    }
}

/// Returns the quantities that the plan's plots name.
///
/// # Errors
/// [`PlanError::Quantity`] about a name that does not exist.
pub fn quantities(plan: &Plan, tasks: &[Task]) -> Result<Vec<Quantity>, PlanError> {
    let mut keys = keys(tasks);
    keys.push("time.dt");
    let mut all: Vec<Quantity> = Vec::new();
    for plot in &plan.plot {
        for name in [Some(&plot.x), Some(&plot.y), plot.z.as_ref()].into_iter().flatten() {
            let quantity = Quantity::read(name, &keys)?;
            if !all.contains(&quantity) {
                all.push(quantity);
            }
        }
    }
    Ok(all)
}

/// Carries out a plan: makes the runs that are missing, the reference runs and the searches, and gathers the results.
///
/// # Errors
/// [`PlanError`] about a mistake in the plan. Runs that cannot be made are in the results.
pub fn conduct(
    plan: &Plan,
    options: &Options,
    stop: &AtomicBool,
    done: &(dyn Fn(&Task, &RunResult) + Sync),
) -> Result<Results, PlanError> {
    let tasks = tasks(plan)?;
    check_settings(plan, &tasks)?;
    quantities(plan, &tasks)?;
    let mut results = Results::default();
    if let Some(bisection) = &plan.bisect {
        results.criticals = bisect::search(plan, bisection, &tasks, options, stop, done)?;
        return Ok(results);
    }
    let references = References::make(plan, &tasks, options, stop, done);
    let made = carry_out(plan, &tasks, options, stop, done);
    for (task, made) in tasks.into_iter().zip(made) {
        let Some(RunResult { record, folder, is_found }) = made else {
            results.n_missing += 1;
            continue;
        };
        results.n_found += usize::from(is_found);
        match record {
            Ok(record) => match references.row(plan, task.clone(), record, folder) {
                Ok(row) => results.rows.push(row),
                Err(error) => results.errors.push((task, error)),
            },
            Err(error) => results.errors.push((task, error)),
        }
    }
    tell_scenes_apart(&mut results.rows);
    Ok(results)
}

/// The reference runs of a study, by their scene and changes.
struct References {
    runs: BTreeMap<(String, Vec<String>), (Record, Folder)>,
}

impl References {
    fn make(
        plan: &Plan,
        tasks: &[Task],
        options: &Options,
        stop: &AtomicBool,
        done: &(dyn Fn(&Task, &RunResult) + Sync),
    ) -> Self {
        let mut needed: Vec<Task> = Vec::new();
        for task in tasks.iter().filter_map(|task| reference::task_of(plan, task)) {
            if !needed.iter().any(|other| key(other) == key(&task)) {
                needed.push(task);
            }
        }
        // References are not timed, and may run side by side.
        let mut plan = plan.clone();
        plan.study.timed = false;
        let made = carry_out(&plan, &needed, options, stop, done);
        let of = |(task, made): (&Task, Option<RunResult>)| {
            let made = made?;
            let record = made.record.ok().filter(|record| record.outcome == Ending::Completed)?;
            Some((key(task), (record, made.folder)))
        };
        Self { runs: needed.iter().zip(made).filter_map(of).collect() }
    }

    fn row(&self, plan: &Plan, task: Task, record: Record, folder: Folder) -> Result<Row, StudyError> {
        let known = plan.reference.as_ref().map(|reference| crate::plan::flat(&reference.values));
        let known = known.unwrap_or_default().into_iter();
        let known = known.filter_map(|(name, value)| Some((name, crate::axis::number(&value)?))).collect();
        let mut row = Row { known, ..Row::new(task, record, folder) };
        let found = reference::task_of(plan, &row.task).and_then(|task| self.runs.get(&key(&task)));
        if let Some((record, folder)) = found {
            row.reference = Some(Box::new(record.clone()));
            if row.record.outcome == Ending::Completed {
                row.deviation = reference::deviation(&row.folder, folder)?;
            }
        }
        Ok(row)
    }
}

fn key(task: &Task) -> (String, Vec<String>) {
    (task.scene.clone(), task.overrides.clone())
}
