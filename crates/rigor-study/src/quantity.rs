//! Quantities of a run by name: costs, figures of judges, keys that vary, errors against a reference.
//!
//! | name | what |
//! | --- | --- |
//! | `cost.cpu_seconds`, `cost.seconds` | CPU and wall time of all steps (s); the minimum over repetitions |
//! | `cost.cpu_per_step`, `cost.seconds_per_step`, `cost.seconds_median` | the same per step (s) |
//! | `cost.iterations`, `cost.iterations_per_step` | iterations in the method's own sense |
//! | `cost.contacts_mean` | mean number of contacts per step |
//! | `cost.engine_memory` | peak memory (B) of the process of an engine; none for methods in this process |
//! | `penetration.deepest`, … | a figure of the scene; see `docs/figures.md` |
//! | `motion.path:box` | a figure of the body `box` |
//! | `compare.position_max`, … | deviation of the trajectory from that of the reference run |
//! | `motion.path:box.error` | absolute difference from the reference |
//! | `time.dt`, … | the value of a key that varies |

use rigor_audit::Figure;
use rigor_file::closest;
use rigor_run::folder::record::Record;

use crate::axis::number;
use crate::error::PlanError;
use crate::task::Task;

/// Names and units of the costs.
pub const COSTS: [(&str, &str); 9] = [
    ("cost.cpu_seconds", "s"),
    ("cost.seconds", "s"),
    ("cost.cpu_per_step", "s"),
    ("cost.seconds_per_step", "s"),
    ("cost.seconds_median", "s"),
    ("cost.iterations", "1"),
    ("cost.iterations_per_step", "1"),
    ("cost.contacts_mean", "1"),
    (MEMORY, "B"),
];

/// The peak memory of an engine's process.
const MEMORY: &str = "cost.engine_memory";

/// Names of quantities in words.
const WORDS: [(&str, &str); 14] = [
    ("time.dt", "time step Δt [s]"),
    ("cost.cpu_seconds", "CPU time"),
    ("cost.seconds", "wall time"),
    ("cost.cpu_per_step", "CPU time per step"),
    ("cost.seconds_per_step", "wall time per step"),
    ("cost.seconds_median", "median wall time of a step"),
    ("cost.iterations", "iterations"),
    ("cost.iterations_per_step", "iterations per step"),
    ("cost.contacts_mean", "contacts per step"),
    (MEMORY, "peak memory of the engine's process"),
    ("compare.position_max", "deviation of positions, maximum"),
    ("compare.position_rms", "deviation of positions, root mean square"),
    ("compare.rotation_max", "deviation of rotations, maximum"),
    ("compare.rotation_rms", "deviation of rotations, root mean square"),
];

/// The end of the name of a difference from the reference.
const ERROR: &str = ".error";

/// A quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// Its name without `.error`.
    name: String,
    /// Name of the figure, without the body.
    figure: String,
    /// Name of the body.
    body: Option<String>,
    /// Whether it is the difference from the reference.
    pub is_error: bool,
}

impl Quantity {
    /// Reads a name; `keys` are the keys that vary.
    ///
    /// # Errors
    /// [`PlanError::Quantity`] if there is no such quantity, with a similar one.
    pub fn read(text: &str, keys: &[&str]) -> Result<Self, PlanError> {
        let (name, is_error) = match text.strip_suffix(ERROR) {
            Some(name) => (name, true),
            None => (text, false),
        };
        let (figure, body) = match name.split_once(':') {
            Some((figure, body)) => (figure, Some(body.to_owned())),
            None => (name, None),
        };
        let costs = COSTS.iter().map(|(name, _)| *name);
        let is_known =
            keys.contains(&name) || Figure::named(figure).is_some() || costs.clone().any(|c| c == name);
        if !is_known {
            let names = costs.chain(rigor_audit::figures().map(|f| f.name)).chain(keys.iter().copied());
            let suggestion = closest(figure, names).map(str::to_owned);
            return Err(PlanError::Quantity { name: text.to_owned(), suggestion });
        }
        Ok(Self { name: name.to_owned(), figure: figure.to_owned(), body, is_error })
    }

    /// Its name without `.error`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name.
    pub fn label(&self) -> String {
        if self.is_error { format!("{}{ERROR}", self.name) } else { self.name.clone() }
    }

    /// What it is called on an axis: in words for costs, Δt and deviations, else its name.
    pub fn words(&self) -> String {
        let words = WORDS.iter().find(|(name, _)| *name == self.name).map(|(_, words)| *words);
        match words {
            Some(words) if self.is_error => format!("error of {words}"),
            Some(words) => words.to_owned(),
            None => self.label(),
        }
    }

    /// Its unit; empty for keys that vary.
    pub fn unit(&self) -> &'static str {
        let cost = COSTS.iter().find(|(name, _)| *name == self.name).map(|(_, unit)| *unit);
        cost.or_else(|| Figure::named(&self.figure).map(|figure| figure.unit)).unwrap_or("")
    }

    /// Whether it is measured by comparing trajectories.
    pub fn is_comparison(&self) -> bool {
        self.figure.starts_with("compare.")
    }

    /// Whether it needs a reference.
    pub fn needs_reference(&self) -> bool {
        self.is_error || self.is_comparison()
    }

    /// Whether it is a time, which depends on the machine.
    pub fn is_time(&self) -> bool {
        self.name.starts_with("cost.") && self.unit() == "s"
    }

    /// Returns its value in a run, without the reference; `None` if the run does not have it.
    pub fn value(&self, task: &Task, record: &Record) -> Option<f64> {
        if let Some(value) = task.value(&self.name) {
            return number(value);
        }
        if self.name == "time.dt" {
            return Some(record.dt);
        }
        if self.name.starts_with("cost.") {
            return cost(&self.name, record);
        }
        let is_it = |f: &&rigor_run::verdict::FindingRecord| f.figure == self.figure && f.body == self.body;
        record.findings.iter().find(is_it)?.value
    }
}

/// Returns a cost by name; `None` before the first step.
pub fn cost(name: &str, record: &Record) -> Option<f64> {
    let steps = Some(record.steps_timed).filter(|n| *n > 0)? as f64;
    match name {
        "cost.cpu_seconds" => Some(record.cpu_seconds),
        "cost.seconds" => Some(record.seconds),
        "cost.cpu_per_step" => Some(record.cpu_seconds / steps),
        "cost.seconds_per_step" => Some(record.seconds / steps),
        "cost.seconds_median" => record.seconds_median,
        "cost.iterations" => Some(record.iterations as f64),
        "cost.iterations_per_step" => Some(record.iterations as f64 / steps),
        "cost.contacts_mean" => Some(record.contacts_mean),
        MEMORY => record.derived.get(rigor_run::peers::MEMORY).map(|memory| memory.value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_costs_figures_bodies_keys_and_errors() {
        let read = |text: &str| Quantity::read(text, &["body.box.friction"]);
        assert_eq!(read("cost.cpu_seconds").unwrap().unit(), "s");
        let memory = read("cost.engine_memory").unwrap();
        assert!(memory.unit() == "B" && !memory.is_time());
        let error = read("motion.displacement:box.error").unwrap();
        assert!(error.is_error && error.body.as_deref() == Some("box") && error.unit() == "m");
        assert_eq!(error.label(), "motion.displacement:box.error");
        assert_eq!(read("body.box.friction").unwrap().unit(), "");
        let wrong = read("penetration.deapest").unwrap_err().to_string();
        assert!(wrong.contains("did you mean \"penetration.deepest\""), "{wrong}");
    }
}
