//! The search for the value of a key at which a condition begins or ceases to hold.

use std::sync::atomic::{AtomicBool, Ordering};

use rigor_run::folder::record::Record;
use toml::Value;

use crate::driver::{Options, RunResult, carry_out};
use crate::error::PlanError;
use crate::plan::{Bisection, Contender, Plan};
use crate::quantity::Quantity;
use crate::task::Task;

/// A condition on a quantity of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    quantity: Quantity,
    is_above: bool,
    limit: f64,
}

impl Condition {
    /// Reads `QUANTITY > NUMBER` or `QUANTITY < NUMBER`.
    ///
    /// # Errors
    /// [`PlanError`] if the text is something else, or there is no such quantity.
    pub fn read(text: &str, keys: &[&str]) -> Result<Self, PlanError> {
        let wrong = || PlanError::Condition { text: text.to_owned() };
        let at = text.find(['<', '>']).ok_or_else(wrong)?;
        let (name, rest) = text.split_at(at);
        let limit: f64 = rest[1..].trim().parse().map_err(|_| wrong())?;
        let quantity = Quantity::read(name.trim(), keys)?;
        if limit.is_finite() {
            Ok(Self { quantity, is_above: rest.starts_with('>'), limit })
        } else {
            Err(wrong())
        }
    }

    /// Whether it holds in a run; `None` if the run does not have the quantity or was cut.
    pub fn holds(&self, task: &Task, record: &Record) -> Option<bool> {
        if record.outcome.is_cut() {
            return None;
        }
        let value = self.quantity.value(task, record)?;
        Some(if self.is_above { value > self.limit } else { value < self.limit })
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Critical {
    /// The run without the key that was searched.
    pub task: Task,
    /// The result.
    pub found: Found,
    /// Number of runs.
    pub runs: usize,
}

/// Where the condition changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found {
    /// Between these values of the key.
    Between(f64, f64),
    /// It is the same at both ends of the range: whether it holds there.
    Nowhere {
        /// Whether it holds.
        holds: bool,
    },
    /// A run was cut, failed, or lacks the quantity.
    Unknown,
}

impl Found {
    /// The middle of the bracket.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Between(a, b) => Some(0.5 * (a + b)),
            _ => None,
        }
    }
}

/// Searches along the key of `bisection` for each of `tasks`.
///
/// # Errors
/// [`PlanError`] if the condition or the range is invalid.
pub fn search(
    plan: &Plan,
    bisection: &Bisection,
    tasks: &[Task],
    options: &Options,
    stop: &AtomicBool,
    done: &(dyn Fn(&Task, &RunResult) + Sync),
) -> Result<Vec<Critical>, PlanError> {
    let condition = Condition::read(&bisection.when, &[&bisection.key])?;
    let Bisection { from, to, tolerance, .. } = *bisection;
    let bounds = [("bisect.from", from), ("bisect.to", to)];
    if let Some((key, value)) = bounds.into_iter().find(|(_, value)| !value.is_finite()) {
        return Err(PlanError::Range { key, value, allowed: "it must be finite" });
    }
    if !(tolerance.is_finite() && tolerance > 0.0) {
        let allowed = "it must be positive and finite";
        return Err(PlanError::Range { key: "bisect.tolerance", value: tolerance, allowed });
    }
    let mut brackets: Vec<Bracket> = tasks.iter().map(|_| Bracket::new(from, to)).collect();
    // Every round makes one run of each search, side by side.
    while !stop.load(Ordering::Relaxed) {
        let asked: Vec<(usize, Task)> = brackets
            .iter()
            .enumerate()
            .filter_map(|(i, bracket)| Some((i, bracket.next(tolerance)?)))
            .map(|(i, value)| (i, with(plan, &tasks[i], &bisection.key, value)))
            .collect();
        if asked.is_empty() {
            break;
        }
        let round: Vec<Task> = asked.iter().map(|(_, task)| task.clone()).collect();
        let made = carry_out(plan, &round, options, stop, done);
        for ((i, task), made) in asked.iter().zip(made) {
            let record = made.and_then(|made| made.record.ok());
            brackets[*i].learn(record.and_then(|record| condition.holds(task, &record)));
        }
    }
    let critical = |(task, bracket): (&Task, Bracket)| Critical {
        task: task.clone(),
        found: bracket.found(),
        runs: bracket.runs,
    };
    Ok(tasks.iter().zip(brackets).map(critical).collect())
}

fn with(plan: &Plan, task: &Task, key: &str, value: f64) -> Task {
    let contender = plan.method.iter().find(|contender| contender.label() == task.label);
    let own = Contender::new(task.method.clone());
    task.with(contender.unwrap_or(&own), key, Value::Float(value))
}

/// The state of a search: an end without a known answer is asked first.
#[derive(Debug)]
struct Bracket {
    ends: [f64; 2],
    holds: [Option<bool>; 2],
    is_lost: bool,
    runs: usize,
}

impl Bracket {
    fn new(from: f64, to: f64) -> Self {
        Self { ends: [from, to], holds: [None; 2], is_lost: false, runs: 0 }
    }

    /// Returns the value to ask next; `None` at the end of the search.
    fn next(&self, tolerance: f64) -> Option<f64> {
        if self.is_lost {
            return None;
        }
        match self.holds {
            [None, _] => Some(self.ends[0]),
            [_, None] => Some(self.ends[1]),
            [a, b] if a == b => None,
            _ => Some(self.centre()).filter(|_| (self.ends[1] - self.ends[0]).abs() > tolerance),
        }
    }

    fn centre(&self) -> f64 {
        0.5 * (self.ends[0] + self.ends[1])
    }

    /// Takes the answer to the value asked.
    fn learn(&mut self, holds: Option<bool>) {
        self.runs += 1;
        let Some(holds) = holds else {
            self.is_lost = true;
            return;
        };
        match self.holds {
            [None, _] => self.holds[0] = Some(holds),
            [_, None] => self.holds[1] = Some(holds),
            [a, _] => {
                let end = usize::from(a != Some(holds));
                self.ends[end] = self.centre();
            }
        }
    }

    fn found(&self) -> Found {
        match self.holds {
            _ if self.is_lost => Found::Unknown,
            [Some(a), Some(b)] if a == b => Found::Nowhere { holds: a },
            [Some(_), Some(_)] => Found::Between(self.ends[0], self.ends[1]),
            _ => Found::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bisect(holds: impl Fn(f64) -> Option<bool>) -> (Found, usize) {
        let mut bracket = Bracket::new(0.0, 1.0);
        while let Some(value) = bracket.next(1e-3) {
            bracket.learn(holds(value));
        }
        (bracket.found(), bracket.runs)
    }

    #[test]
    fn a_change_is_bracketed_to_the_tolerance() {
        let (found, runs) = bisect(|x| Some(x > 0.3));
        let Found::Between(a, b) = found else { panic!("{found:?}") };
        assert!(a <= 0.3 && 0.3 < b && b - a <= 1e-3, "{a} {b}");
        assert_eq!(runs, 12);
    }

    #[test]
    fn no_change_and_no_answer_are_told_apart() {
        assert_eq!(bisect(|_| Some(true)).0, Found::Nowhere { holds: true });
        assert_eq!(bisect(|x| (x < 0.5).then_some(true)).0, Found::Unknown);
    }

    #[test]
    fn conditions_are_a_quantity_a_sign_and_a_number() {
        let read = |text: &str| Condition::read(text, &[]);
        let condition = read("motion.displacement:box > 0.01").unwrap();
        assert!(condition.is_above && condition.limit == 0.01);
        assert!(!read("intersection.frames<1").unwrap().is_above);
        assert!(read("intersection.frames = 1").is_err() && read("nothing > 1").is_err());
    }
}
