//! The runs of a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rigor_file::{Loaded, cases};
use rigor_run::Folder;
use rigor_run::disk::load_scene;
use rigor_run::execute::{self, KeptFiles};
use rigor_run::registry;
use rigor_scene::TimeSpan;
use toml::Value;

use crate::axis::{Axis, Draw, Range};
use crate::axis_fault::AxisFault;
use crate::error::{PlanError, StudyError};
use crate::instant::every;
use crate::plan::{Contender, MAX_RUNS, Plan, flat};

/// One run of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The scene: a case or a file.
    pub scene: String,
    /// Name of the method.
    pub method: String,
    /// What the method is called in tables and plots.
    pub label: String,
    /// Changes to the scene, `KEY=VALUE`.
    pub overrides: Vec<String>,
    /// The values of the keys that vary.
    pub point: Vec<(String, Value)>,
    /// Threads of the run.
    pub threads: usize,
    /// Number of the repetition, from 0; `None` if the run is not timed.
    pub repetition: Option<u32>,
    /// Simulated time (s); `None` for the scene's own.
    pub duration: Option<f64>,
    /// Interval (s) of instants at which all runs of the scene keep a frame: [`crate::instant`]; `None` if there is none.
    pub common: Option<f64>,
    /// The scene, if it was loaded elsewhere; changes are then not applied.
    pub loaded: Option<Arc<Loaded>>,
}

impl Task {
    /// The run of a scene that was loaded elsewhere.
    pub fn of_loaded(loaded: Loaded, method: impl Into<String>, duration: f64) -> Self {
        let method = method.into();
        Self {
            scene: loaded.scene.name.clone(),
            label: method.clone(),
            method,
            overrides: Vec::new(),
            point: Vec::new(),
            threads: 1,
            repetition: None,
            duration: Some(duration),
            common: None,
            loaded: Some(Arc::new(loaded)),
        }
    }

    /// Returns the plan of the run in `folder`, with the scene loaded.
    ///
    /// # Errors
    /// [`StudyError`] if the scene cannot be loaded with these values.
    pub fn load(&self, plan: &Plan, folder: Folder) -> Result<execute::Plan, StudyError> {
        let loaded = match &self.loaded {
            Some(loaded) => (**loaded).clone(),
            None => load_scene(&self.scene, &self.overrides)?,
        };
        let own = loaded.scene.time;
        let time = TimeSpan { dt: own.dt, duration: self.duration.unwrap_or(own.duration) };
        let every = every(time.dt, plan.study.judge_every, self.common);
        let mut conditions = BTreeMap::new();
        if self.threads > 1 {
            conditions.insert("threads".to_owned(), self.threads.to_string());
        }
        conditions.extend(self.repetition.map(|k| ("repetition".to_owned(), k.to_string())));
        Ok(execute::Plan {
            time,
            judge_every: every,
            conditions,
            limit: plan.study.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            keeps: KeptFiles { every, products: plan.study.products, ..KeptFiles::default() },
            ..execute::Plan::new(loaded, self.method.as_str(), folder)
        })
    }

    /// Returns the value of a key that varies.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.point.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Sets one more key that varies.
    #[must_use]
    pub fn with(&self, contender: &Contender, key: &str, value: Value) -> Self {
        let mut task = self.clone();
        if let Some(line) = override_of(key, &value, &contender.name) {
            task.overrides.push(line);
        }
        if key == "threads" {
            task.threads = value.as_integer().and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
        }
        task.point.push((key.to_owned(), value));
        task
    }
}

/// Returns the scenes of a plan, with wildcards expanded.
///
/// # Errors
/// [`PlanError`] if a pattern matches nothing, or a scene occurs twice.
pub fn scenes(plan: &Plan) -> Result<Vec<String>, PlanError> {
    let mut all: Vec<String> = Vec::new();
    for pattern in &plan.study.scenes {
        let found = matches(pattern);
        if found.is_empty() {
            return Err(PlanError::NoMatch { pattern: pattern.clone() });
        }
        for scene in found {
            if all.contains(&scene) {
                return Err(PlanError::Twice { scene });
            }
            all.push(scene);
        }
    }
    if all.is_empty() { Err(PlanError::NoScene) } else { Ok(all) }
}

fn matches(pattern: &str) -> Vec<String> {
    if !pattern.contains(['*', '?']) || Path::new(pattern).exists() {
        return vec![pattern.to_owned()];
    }
    let cases: Vec<String> = match glob::Pattern::new(pattern) {
        Ok(pattern) => cases::names().filter(|name| pattern.matches(name)).map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    };
    if !cases.is_empty() {
        return cases;
    }
    let files = glob::glob(pattern).into_iter().flatten().flatten();
    let mut files: Vec<String> = files.map(|path| path.to_string_lossy().into_owned()).collect();
    files.sort();
    files
}

/// Returns all runs of a plan in a fixed order: by scene, by method, by the values of the keys, by repetition.
///
/// A key of one method's settings varies that method only.
///
/// # Errors
/// [`PlanError`] about the first mistake.
pub fn tasks(plan: &Plan) -> Result<Vec<Task>, PlanError> {
    plan.check()?;
    let scenes = scenes(plan)?;
    let axes = axes(plan)?;
    let repetitions = if plan.study.timed { plan.study.repeats } else { 1 };
    let factors = axes.iter().map(Vec::len).chain([repetitions as usize]);
    let runs = factors.fold(scenes.len() * plan.method.len(), usize::saturating_mul);
    if runs > MAX_RUNS {
        return Err(PlanError::Size { runs, max: MAX_RUNS });
    }
    let mut tasks = Vec::new();
    for scene in &scenes {
        for contender in &plan.method {
            let mut points = vec![bare(plan, scene, contender)];
            for axis in &axes {
                points = points.iter().flat_map(|task| along(task, contender, axis)).collect();
            }
            let repeated = |task: &Task| {
                let repetition = |k: u32| plan.study.timed.then_some(k);
                (0..repetitions)
                    .map(|k| Task { repetition: repetition(k), ..task.clone() })
                    .collect::<Vec<_>>()
            };
            tasks.extend(points.iter().flat_map(repeated));
        }
    }
    Ok(tasks)
}

/// Checks keys and types of the settings of methods in all tasks, before any of them runs. A value out of range is the outcome of
/// its run.
///
/// # Errors
/// [`PlanError::Method`] about the first that its method does not have.
pub fn check_settings(plan: &Plan, tasks: &[Task]) -> Result<(), PlanError> {
    let mut lines: BTreeSet<String> = tasks.iter().flat_map(|task| &task.overrides).cloned().collect();
    if let Some(search) = &plan.bisect {
        let line = |task: &Task| override_of(&search.key, &Value::Float(search.from), &task.method);
        lines.extend(tasks.iter().filter_map(line));
    }
    let mut lines = lines.into_iter().filter(|line| line.starts_with("method."));
    Ok(lines.try_for_each(|line| registry::check_change(&line))?)
}

/// Returns one run per scene and method, without values of keys that vary.
///
/// # Errors
/// [`PlanError`] about the first mistake in the plan.
pub fn bare_tasks(plan: &Plan) -> Result<Vec<Task>, PlanError> {
    plan.check()?;
    let scenes = scenes(plan)?;
    let of =
        |scene: &String| plan.method.iter().map(|contender| bare(plan, scene, contender)).collect::<Vec<_>>();
    Ok(scenes.iter().flat_map(of).collect())
}

/// The run of a scene with a method, without values of keys that vary.
fn bare(plan: &Plan, scene: &str, contender: &Contender) -> Task {
    let own = flat(&contender.set).into_iter().map(|(key, value)| (format!("set.{key}"), value));
    let all = flat(&plan.study.set).into_iter().chain(own);
    Task {
        scene: scene.to_owned(),
        method: contender.name.clone(),
        label: contender.label().to_owned(),
        overrides: all.filter_map(|(key, value)| override_of(&key, &value, &contender.name)).collect(),
        point: Vec::new(),
        threads: plan.study.threads,
        repetition: None,
        duration: plan.study.duration,
        common: None,
        loaded: None,
    }
}

/// An axis: each of its steps sets one or several keys.
type Steps = Vec<Vec<(String, Value)>>;

fn axes(plan: &Plan) -> Result<Vec<Steps>, PlanError> {
    let mut axes: Vec<Steps> = Vec::new();
    for (key, value) in flat(&plan.sweep) {
        let axis = Axis::read(&key, &value)?;
        axes.push(axis.values.into_iter().map(|value| vec![(key.clone(), value)]).collect());
    }
    for zip in &plan.zip {
        let parts: Vec<Axis> =
            flat(zip).iter().map(|(key, value)| Axis::read(key, value)).collect::<Result<_, _>>()?;
        let expected = parts.first().map_or(0, |axis| axis.values.len());
        if let Some(axis) = parts.iter().find(|axis| axis.values.len() != expected) {
            let fault = AxisFault::Lengths { found: axis.values.len(), expected };
            return Err(PlanError::Axis { key: axis.key.clone(), fault });
        }
        let step = |i: usize| parts.iter().map(|axis| (axis.key.clone(), axis.values[i].clone())).collect();
        axes.push((0..expected).map(step).collect());
    }
    if let Some(sample) = &plan.sample {
        let ranges: Vec<(String, Range)> = flat(&sample.keys)
            .iter()
            .map(|(key, value)| {
                let no_range = || PlanError::Axis { key: key.clone(), fault: AxisFault::NotARange };
                Ok((key.clone(), Range::read(key, value.as_table().ok_or_else(no_range)?)?))
            })
            .collect::<Result<_, PlanError>>()?;
        let is_valid = (1..=Draw::MAX).contains(&ranges.len());
        if !is_valid {
            let (value, allowed) = (ranges.len() as f64, "the number of ranges must be 1 to 12");
            return Err(PlanError::Range { key: "sample.keys", value, allowed });
        }
        let step = |point: Vec<f64>| {
            let at =
                |((key, range), part): (&(String, Range), f64)| (key.clone(), Value::Float(range.at(part)));
            ranges.iter().zip(point).map(at).collect()
        };
        axes.push(
            sample.draw.points(sample.count, ranges.len(), sample.seed).into_iter().map(step).collect(),
        );
    }
    Ok(axes)
}

fn along(task: &Task, contender: &Contender, axis: &Steps) -> Vec<Task> {
    let varies = |key: &str| match key.strip_prefix("method.") {
        Some(rest) => rest.split('.').next() == Some(contender.name.as_str()),
        None => true,
    };
    // A method that no key of the axis concerns has one run instead of many equal ones.
    if !axis.iter().flatten().any(|(key, _)| varies(key)) {
        return vec![task.clone()];
    }
    let at = |step: &Vec<(String, Value)>| {
        let own = step.iter().filter(|(key, _)| varies(key));
        own.fold(task.clone(), |task, (key, value)| task.with(contender, key, value.clone()))
    };
    axis.iter().map(at).collect()
}

/// Returns the override `KEY=VALUE` for a key of a plan; `None` for keys that are not of the scene.
pub fn override_of(key: &str, value: &Value, method: &str) -> Option<String> {
    if key == "threads" {
        return None;
    }
    let key = match key.strip_prefix("set.") {
        Some(setting) => format!("method.{method}.{setting}"),
        None => key.to_owned(),
    };
    Some(format!("{key}={value}"))
}

/// Returns the keys of the tasks' values, in the order in which they first occur.
pub fn keys(tasks: &[Task]) -> Vec<&str> {
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in tasks.iter().flat_map(|task| &task.point) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Plan {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_plan_is_the_grid_of_its_axes() {
        let plan = plan(
            r#"
            [study]
            scenes = ["friction/incline-mu-0.4*"]
            set."body.box.restitution" = 0.5
            [[method]]
            name = "ipc"
            [[method]]
            name = "xpbd"
            label = "fine"
            set.substeps = 40
            [sweep]
            "time.dt" = [1e-2, 5e-3]
            "method.xpbd.iterations" = [1, 2, 3]
            [[zip]]
            "body.box.friction" = [0.1, 0.2]
            "body.slope.friction" = [0.3, 0.4]
            "#,
        );
        let tasks = tasks(&plan).unwrap();
        let n_scenes = scenes(&plan).unwrap().len();
        assert!(n_scenes >= 1);
        assert_eq!(tasks.len(), n_scenes * (2 * 2 + 2 * 3 * 2));
        let last = tasks.last().unwrap();
        assert_eq!((last.method.as_str(), last.label.as_str()), ("xpbd", "fine"));
        let overrides = [
            "body.box.restitution=0.5",
            "method.xpbd.substeps=40",
            "time.dt=0.005",
            "method.xpbd.iterations=3",
            "body.box.friction=0.2",
            "body.slope.friction=0.4",
        ];
        assert_eq!(last.overrides, overrides);
        assert_eq!(keys(&tasks).len(), 4);
    }

    #[test]
    fn scenes_that_do_not_exist_or_occur_twice_are_errors() {
        let of = |scenes: &str| plan(&format!("[study]\nscenes = {scenes}\n[[method]]\nname = \"xpbd\"\n"));
        assert!(matches!(tasks(&of("[\"nothing/*\"]")), Err(PlanError::NoMatch { .. })));
        assert!(matches!(tasks(&of("[\"bouncing/ball\", \"bouncing/b*\"]")), Err(PlanError::Twice { .. })));
        assert!(matches!(tasks(&of("[]")), Err(PlanError::NoScene)));
    }

    #[test]
    fn counts_beyond_memory_are_errors_before_anything_is_allocated() {
        let text = "[study]\nscenes = [\"bouncing/ball\"]\n[[method]]\nname = \"xpbd\"\n\
                    [sample]\ncount = COUNT\nkeys.\"body.ball.restitution\" = { from = 0.2, to = 0.8 }\n";
        for count in ["4000000000", "9223372036854775807", "1000001", "0"] {
            let error = tasks(&plan(&text.replace("COUNT", count))).unwrap_err();
            assert!(error.to_string().contains("sample.count"), "{count}: {error}");
        }
        let many = text.replace("COUNT", "2000").replace("scenes", "timed = true\nrepeats = 1024\nscenes");
        assert!(matches!(tasks(&plan(&many)), Err(PlanError::Size { runs: 2_048_000, .. })));
    }

    #[test]
    fn samples_are_one_axis_and_repetitions_are_for_timed_runs() {
        let text = "[study]\nscenes = [\"bouncing/ball\"]\nrepeats = 3\n[[method]]\nname = \"xpbd\"\n\
                    [sample]\ncount = 5\nkeys.\"body.ball.restitution\" = { from = 0.2, to = 0.8 }\n";
        let untimed = plan(text);
        assert_eq!(tasks(&untimed).unwrap().len(), 5);
        let timed = plan(&text.replace("repeats", "timed = true\nrepeats"));
        assert_eq!(tasks(&timed).unwrap().len(), 15);
    }
}
