//! The plan of a study, as a TOML file.
//!
//! ```toml
//! [study]
//! title = "Boxes on slopes"
//! scenes = ["friction/incline-*"]        # cases or files; * and ? are wildcards
//! seconds = 60                           # maximum wall time of a run (s)
//!
//! [[method]]
//! name = "ipc"
//! [[method]]
//! name = "xpbd"
//! label = "xpbd, 40 substeps"
//! set.substeps = 40
//!
//! [sweep]                                # the grid of all combinations
//! "time.dt" = [1e-2, 5e-3, 1e-3]
//! "body.box.friction" = { from = 0.4, to = 0.6, count = 21 }
//!
//! [[plot]]
//! x = "cost.cpu_seconds"
//! y = "motion.path:box.error"            # difference from the reference
//!
//! [reference]
//! method = "ipc"
//! set."time.dt" = 1e-4
//! ```

use std::path::Path;

use rigor_run::registry;
use serde::Deserialize;
use toml::{Table, Value};

use crate::axis::Draw;
use crate::error::PlanError;

/// Maximum number of runs of a plan.
pub const MAX_RUNS: usize = 1_000_000;

/// A study: scenes × methods × values of keys.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// What is studied.
    pub study: Head,
    /// The methods with their settings.
    #[serde(default)]
    pub method: Vec<Contender>,
    /// Values of keys; every combination is run. A key is one of the scene, such as `time.dt` or `body.box.friction`; a
    /// setting of one method, `method.xpbd.substeps`, or of all, `set.iterations`; `scale`, the size of the scene; or `threads`.
    #[serde(default)]
    pub sweep: Table,
    /// Lists of values that advance together, as one axis each.
    #[serde(default)]
    pub zip: Vec<Table>,
    /// Points drawn from several ranges at once, as one axis.
    #[serde(default)]
    pub sample: Option<Sample>,
    /// The search for the value of a key at which a condition begins or ceases to hold.
    #[serde(default)]
    pub bisect: Option<Bisection>,
    /// What quantities that end in `.error`, and figures that begin with `compare.`, are compared with.
    #[serde(default)]
    pub reference: Option<Reference>,
    /// Plots of the report.
    #[serde(default)]
    pub plot: Vec<PlotRequest>,
    /// Quantities over seeds, samples, scenes or other keys.
    #[serde(default)]
    pub aggregate: Vec<AggregateRequest>,
    /// Performance profiles.
    #[serde(default)]
    pub profile: Vec<ProfileRequest>,
}

/// Quantities over several runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AggregateRequest {
    /// The quantities.
    pub of: Vec<String>,
    /// Keys over whose values they are aggregated, with those that advance together with one of them; `scene` stands for the scenes.
    pub over: Vec<String>,
}

/// A performance profile: the part of problems that each method solves within a multiple of the least cost.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileRequest {
    /// The cost, a positive quantity.
    pub cost: String,
    /// The condition that a run must fulfil to solve its problem: `QUANTITY > NUMBER` or `QUANTITY < NUMBER`; absent: that it ends.
    #[serde(default)]
    pub when: Option<String>,
    /// Keys that tell solvers apart, such as `time.dt`, besides settings of methods; all others tell problems apart.
    #[serde(default)]
    pub solver_keys: Vec<String>,
}

/// What is studied.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Head {
    /// Heading of the report.
    pub title: String,
    /// Description of the study and its limits; may be empty.
    pub description: String,
    /// Cases of the library, or files; `*` and `?` are wildcards.
    pub scenes: Vec<String>,
    /// Changes to every scene, key by key.
    pub set: Table,
    /// Simulated time (s); absent for each scene's own.
    pub duration: Option<f64>,
    /// Interval of simulated time (s) at which judges of surfaces see a frame, and frames are kept.
    pub judge_every: f64,
    /// Maximum wall time of a run (s).
    pub seconds: Option<f64>,
    /// Threads of each run.
    pub threads: usize,
    /// Whether runs are made one after another, so that their times are comparable.
    pub timed: bool,
    /// How often each run is repeated if it is timed.
    pub repeats: u32,
    /// Whether each run keeps the files for other programs.
    pub products: bool,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            title: "Study".into(),
            description: String::new(),
            scenes: Vec::new(),
            set: Table::new(),
            duration: None,
            judge_every: 0.01,
            seconds: None,
            threads: 1,
            timed: false,
            repeats: 1,
            products: false,
        }
    }
}

/// A method with its settings.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    /// Name of the method.
    pub name: String,
    /// What it is called in tables and plots; its name if absent.
    #[serde(default)]
    pub label: Option<String>,
    /// Its settings; they replace those of the scene.
    #[serde(default)]
    pub set: Table,
}

impl Contender {
    /// The method with its default settings.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// What it is called in tables and plots.
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// Points drawn from several ranges at once.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Number of points.
    pub count: usize,
    /// How they are drawn.
    #[serde(default)]
    pub draw: Draw,
    /// Seed of random points, and of the shift of Halton's; 0 shifts nothing.
    #[serde(default)]
    pub seed: u64,
    /// The ranges: `{ from, to }` by key, with `scale = "log"` for equal ratios.
    pub keys: Table,
}

/// The search for a critical value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bisection {
    /// The key that varies.
    pub key: String,
    /// A value on one side.
    pub from: f64,
    /// A value on the other side.
    pub to: f64,
    /// Width of the bracket at which the search ends, in the unit of the key.
    pub tolerance: f64,
    /// The condition: `QUANTITY > NUMBER` or `QUANTITY < NUMBER`.
    pub when: String,
}

/// What runs are compared with: a run with other settings, or known values.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The method of the reference runs, one per scene and per combination of values of the scene's keys.
    #[serde(default)]
    pub method: Option<String>,
    /// Changes for the reference runs, such as a shorter `time.dt`; keys without a dot are settings of the method.
    #[serde(default)]
    pub set: Table,
    /// Known values of quantities, by name.
    #[serde(default)]
    pub values: Table,
}

/// A plot of one quantity against another.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlotRequest {
    /// Heading; made from the quantities if absent.
    #[serde(default)]
    pub title: Option<String>,
    /// Quantity or key on the horizontal axis.
    pub x: String,
    /// Quantity on the vertical axis; on a heat map, the key of the rows.
    pub y: String,
    /// Quantity that colours the cells of a heat map; absent for curves.
    #[serde(default)]
    pub z: Option<String>,
    /// Whether the horizontal and the vertical axis are linear instead of logarithmic. If absent, an axis is logarithmic if all of its
    /// values are positive, or zero beside errors, and are of a time, an error, or span a factor of 30.
    #[serde(default)]
    pub linear: Option<[bool; 2]>,
}

impl Plan {
    /// Reads a plan and checks it.
    ///
    /// # Errors
    /// [`PlanError`] with the place of the mistake.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| PlanError::File { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// As [`Plan::read`], from `text`; `path` names it in errors.
    ///
    /// # Errors
    /// [`PlanError`] with the place of the mistake.
    pub fn parse(text: &str, path: &Path) -> Result<Self, PlanError> {
        let syntax = |source| PlanError::Syntax { path: path.to_owned(), source: Box::new(source) };
        let plan: Self = toml::from_str(text).map_err(syntax)?;
        plan.check()?;
        Ok(plan)
    }

    /// Checks all that can be checked without loading a scene.
    ///
    /// # Errors
    /// [`PlanError`] about the first mistake.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.method.is_empty() {
            return Err(PlanError::NoMethod);
        }
        for (i, contender) in self.method.iter().enumerate() {
            registry::find(&contender.name)?;
            if self.method[..i].iter().any(|other| other.label() == contender.label()) {
                return Err(PlanError::Label { label: contender.label().to_owned() });
            }
        }
        if let Some(method) = self.reference.as_ref().and_then(|reference| reference.method.as_ref()) {
            registry::find(method)?;
        }
        self.check_methods_of_keys()?;
        let Head { duration, judge_every, seconds, threads, repeats, .. } = &self.study;
        let times = [
            ("study.duration", duration.unwrap_or(1.0)),
            ("study.judge_every", *judge_every),
            ("study.seconds", seconds.unwrap_or(1.0)),
        ];
        if let Some((key, value)) = times.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0))
        {
            return Err(PlanError::Range { key, value, allowed: "it must be positive and finite (s)" });
        }
        let counts = [("study.threads", *threads as f64), ("study.repeats", f64::from(*repeats))];
        if let Some((key, value)) = counts.into_iter().find(|(_, value)| !(1.0..=1024.0).contains(value)) {
            return Err(PlanError::Range { key, value, allowed: "it must be 1 to 1024" });
        }
        if let Some(count) =
            self.sample.as_ref().map(|sample| sample.count).filter(|n| !(1..=MAX_RUNS).contains(n))
        {
            let (value, allowed) = (count as f64, "it must be 1 to 1000000");
            return Err(PlanError::Range { key: "sample.count", value, allowed });
        }
        Ok(())
    }
}

impl Plan {
    /// Returns `keys` with those that advance together with one of them, in a `[[zip]]` or in the sample.
    pub fn linked(&self, keys: &[&str]) -> Vec<String> {
        let sampled = self.sample.iter().map(|sample| &sample.keys);
        let together = self.zip.iter().chain(sampled).map(flat);
        let has_one = |all: &Vec<(String, Value)>| all.iter().any(|(key, _)| keys.contains(&key.as_str()));
        let others = together.filter(has_one).flatten().map(|(key, _)| key);
        keys.iter().map(|key| (*key).to_owned()).chain(others).collect()
    }

    /// Checks that the methods exist whose settings are changed, such as that of `method.xpbd.substeps`.
    fn check_methods_of_keys(&self) -> Result<(), PlanError> {
        let none = Table::new();
        let sampled = self.sample.as_ref().map_or(&none, |sample| &sample.keys);
        let tables = [&self.study.set, &self.sweep, sampled].into_iter().chain(&self.zip);
        let keys = tables.flat_map(flat).map(|(key, _)| key);
        let searched = self.bisect.iter().map(|bisection| bisection.key.clone());
        for key in keys.chain(searched) {
            if let Some(name) = key.strip_prefix("method.").and_then(|rest| rest.split('.').next()) {
                registry::find(name)?;
            }
        }
        Ok(())
    }
}

/// Returns the keys of nested tables with their values, joined by dots: `set.a.b = 1` and `set."a.b" = 1` are the same.
pub fn flat(table: &Table) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) if !inner.is_empty() && !is_range(inner) => {
                all.extend(flat(inner).into_iter().map(|(rest, value)| (format!("{key}.{rest}"), value)));
            }
            _ => all.push((key.clone(), value.clone())),
        }
    }
    all
}

fn is_range(table: &Table) -> bool {
    table.contains_key("from")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Plan, PlanError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.toml");
        std::fs::write(&path, text).unwrap();
        Plan::read(&path)
    }

    #[test]
    fn a_plan_names_one_method_as_often_as_it_wants_with_different_labels() {
        let two = "[study]\nscenes = [\"bouncing/ball\"]\n[[method]]\nname = \"xpbd\"\n[[method]]\nname = \"xpbd\"\n";
        let error = read(two).unwrap_err().to_string();
        assert!(error.contains("label") && error.contains("xpbd"), "{error}");
        let plan = read(&format!("{two}label = \"fine\"\nset.substeps = 40\n")).unwrap();
        assert_eq!(plan.method[1].label(), "fine");
        assert_eq!(flat(&plan.method[1].set), [("substeps".to_owned(), Value::Integer(40))]);
    }

    #[test]
    fn mistakes_have_a_place_and_a_suggestion() {
        let error = read("[study]\nscene = []\n").unwrap_err().to_string();
        assert!(
            error.contains("plan.toml") && error.contains("line 2") && error.contains("scenes"),
            "{error}"
        );
        let error = read("[study]\n[[method]]\nname = \"xpdb\"\n").unwrap_err().to_string();
        assert!(error.contains("did you mean \"xpbd\""), "{error}");
        let error = read("[study]\nseconds = 0\n[[method]]\nname = \"xpbd\"\n").unwrap_err().to_string();
        assert!(error.contains("study.seconds is 0"), "{error}");
    }
}
