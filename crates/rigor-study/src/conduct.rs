//! A study from its plan to its results.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use rigor_run::folder::record::Ending;

use crate::bisect::{self, Critical, Searches};
use crate::driver::{Options, RunResult, carry_out};
use crate::error::{PlanError, StudyError};
use crate::naming::tell_scenes_apart;
use crate::plan::Plan;
use crate::quantity::Quantity;
use crate::reference::{self, References};
use crate::row::Row;
use crate::synchrony;
use crate::task::{Task, check_settings, keys, tasks};
use crate::{aggregate, profile};

/// The results of a study.
#[derive(Debug, Default)]
pub struct Results {
    /// The runs that are there, in the order of the plan.
    pub rows: Vec<Row>,
    /// Results of searches.
    pub criticals: Vec<Critical>,
    /// Runs that could not be made, with the reason.
    pub errors: Vec<(Task, StudyError)>,
    /// Reference runs that did not end, with the reason: nothing is compared with them.
    pub lost_references: Vec<(Task, String)>,
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

    /// Whether every conclusion stands: all runs and references that could be made took every step, and no search is unknown. A run
    /// that its method does not support is none that could be made.
    pub fn is_conclusive(&self) -> bool {
        let is_whole = |row: &Row| matches!(row.record.outcome, Ending::Completed | Ending::Skipped { .. });
        let is_known = |critical: &Critical| {
            let mut runs = critical.asked.iter().filter_map(|asked| asked.row.as_ref());
            !critical.found.is_unknown()
                || runs.any(|row| matches!(row.record.outcome, Ending::Skipped { .. }))
        };
        self.is_complete()
            && self.lost_references.is_empty()
            && self.rows.iter().all(is_whole)
            && self.criticals.iter().all(is_known)
    }
}

/// Returns the quantities that the plan's plots, aggregates and profiles name.
///
/// # Errors
/// [`PlanError::Quantity`] about a name that does not exist.
pub fn quantities(plan: &Plan, tasks: &[Task]) -> Result<Vec<Quantity>, PlanError> {
    let mut keys = keys(tasks);
    keys.push("time.dt");
    keys.extend(plan.bisect.iter().map(|bisection| bisection.key.as_str()));
    let mut all: Vec<Quantity> = Vec::new();
    let of_plots =
        plan.plot.iter().flat_map(|plot| [Some(&plot.x), Some(&plot.y), plot.z.as_ref()]).flatten();
    let of_aggregates = plan.aggregate.iter().flat_map(|aggregate| &aggregate.of);
    let costs = plan.profile.iter().map(|profile| &profile.cost);
    for name in of_plots.chain(of_aggregates).chain(costs) {
        let quantity = Quantity::read(name, &keys)?;
        reference::check(plan, &quantity)?;
        if !all.contains(&quantity) {
            all.push(quantity);
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
    aggregate::check(plan, &tasks)?;
    profile::check(plan, &tasks)?;
    if let Some(bisection) = &plan.bisect {
        bisect::condition(plan, bisection)?;
    }
    let tasks = synchrony::agree(plan, tasks);
    let mut results = Results::default();
    if let Some(bisection) = &plan.bisect {
        let found = bisect::search(plan, bisection, &tasks, options, stop, done)?;
        let Searches { mut criticals, errors, lost_references, n_missing, n_found } = found;
        let asked = criticals.iter().flat_map(|critical| &critical.asked);
        let mut rows: Vec<Row> = asked.filter_map(|asked| asked.row.clone()).collect();
        tell_scenes_apart(&mut rows);
        let names: BTreeMap<String, String> =
            rows.iter().map(|row| (row.task.scene.clone(), row.scene.clone())).collect();
        for critical in &mut criticals {
            if let Some(name) = names.get(&critical.task.scene) {
                critical.scene.clone_from(name);
            }
        }
        results = Results { rows, errors, lost_references, n_missing, n_found, criticals };
        return Ok(results);
    }
    let references = References::make(plan, &tasks, options, stop, done);
    results.lost_references = references.lost();
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
