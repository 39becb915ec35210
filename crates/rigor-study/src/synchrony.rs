//! The common instants of the runs of a plan.

use std::collections::BTreeMap;

use rigor_run::disk::load_scene;

use crate::instant::interval;
use crate::plan::Plan;
use crate::reference::task_of;
use crate::task::Task;

/// Gives every task the interval of common instants of the runs of its scene, those of the reference included.
///
/// A scene that cannot be loaded has none: its runs say why.
pub fn agree(plan: &Plan, tasks: Vec<Task>) -> Vec<Task> {
    let mut own: BTreeMap<String, Option<f64>> = BTreeMap::new();
    let mut steps: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for task in &tasks {
        for run in task_of(plan, task).iter().chain([task]) {
            let dt = step(run).or_else(|| {
                let load = || load_scene(&run.scene, &[]).ok().map(|loaded| loaded.scene.time.dt);
                *own.entry(run.scene.clone()).or_insert_with(load)
            });
            let all = steps.entry(task.scene.clone()).or_default();
            if let Some(dt) = dt.filter(|dt| dt.is_finite() && *dt > 0.0 && !all.contains(dt)) {
                all.push(dt);
            }
        }
    }
    let wanted = plan.study.judge_every;
    let common: BTreeMap<&String, Option<f64>> =
        steps.iter().map(|(scene, steps)| (scene, interval(steps, wanted))).collect();
    let agreed = |task: Task| {
        let common = common.get(&task.scene).copied().flatten();
        Task { common, ..task }
    };
    tasks.into_iter().map(agreed).collect()
}

/// The Δt (s) that the task sets, if it sets one.
fn step(task: &Task) -> Option<f64> {
    if let Some(loaded) = &task.loaded {
        return Some(loaded.scene.time.dt);
    }
    let value = task.overrides.iter().rev().find_map(|line| line.strip_prefix("time.dt="))?;
    value.trim().parse().ok()
}
