//! All tables of a study: a row per run, per order of convergence, per critical value.

use serde_json::Value;

use crate::conduct::{Results, quantities};
use crate::error::PlanError;
use crate::plan::Plan;
use crate::results::{self, Column};
use crate::{aggregate, convergence, critical, profile};

/// Returns all tables of a study with the names of their files: `results`, with a row per run, and, where there are any, `orders` of
/// convergence, `critical` values, `aggregates` and `profiles`.
///
/// # Errors
/// A quantity that the plan names does not exist.
pub fn all(plan: &Plan, found: &Results) -> Result<Vec<(&'static str, Vec<Column>)>, PlanError> {
    let tasks: Vec<_> = found.rows.iter().map(|row| row.task.clone()).collect();
    let mut all = vec![("results", results::table(&found.rows, &quantities(plan, &tasks)?))];
    let orders = convergence::orders(plan, &found.rows);
    if !orders.is_empty() {
        all.push(("orders", convergence::columns(&orders)));
    }
    if let Some(bisection) = &plan.bisect {
        all.push(("critical", critical::columns(bisection, &found.criticals)));
    }
    let aggregates = aggregate::aggregates(plan, &found.rows);
    if !aggregates.is_empty() {
        all.push(("aggregates", aggregate::columns(&aggregates)));
    }
    if !plan.profile.is_empty() {
        all.push(("profiles", profile::columns(plan, &found.rows)));
    }
    Ok(all)
}

/// Formats the results of a study: a run each, or a search each if the plan searches.
pub fn json(plan: &Plan, found: &Results) -> Vec<Value> {
    match &plan.bisect {
        Some(bisection) => found.criticals.iter().map(|one| critical::json(bisection, one)).collect(),
        None => found.rows.iter().map(results::json).collect(),
    }
}
