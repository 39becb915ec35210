//! The search for the value of a key at which a condition begins or ceases to hold.

use std::sync::atomic::{AtomicBool, Ordering};

use rigor_run::folder::record::Ending;
use toml::Value;

use crate::driver::{Options, RunResult, carry_out};
use crate::error::{PlanError, StudyError};
use crate::plan::{Bisection, Contender, Plan};
use crate::quantity::Quantity;
use crate::reference::{self, References};
use crate::row::{Row, outcome};
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

    /// The quantity.
    pub fn quantity(&self) -> &Quantity {
        &self.quantity
    }

    /// Whether it holds in a run: only a run that took every step, and has the quantity, is an answer.
    pub fn answer(&self, row: &Row) -> Answer {
        if row.record.outcome != Ending::Completed {
            return Answer::Unknown(outcome(&row.record));
        }
        match row.value(&self.quantity) {
            None => Answer::Unknown(row.why_no_error(&self.quantity)),
            Some(value) if value.is_nan() => {
                Answer::Unknown(format!("{} is not a number", self.quantity.label()))
            }
            Some(value) => Answer::Holds(if self.is_above { value > self.limit } else { value < self.limit }),
        }
    }
}

/// What a run says about a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Whether it holds.
    Holds(bool),
    /// The run is no answer, and why.
    Unknown(String),
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Critical {
    /// The run without the key that was searched.
    pub task: Task,
    /// The name of its scene, as in the rows of its runs.
    pub scene: String,
    /// The result.
    pub found: Found,
    /// The runs, in the order in which they were asked.
    pub asked: Vec<Asked>,
}

/// A run of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The value of the key.
    pub value: f64,
    /// What it says.
    pub answer: Answer,
    /// The run; `None` if there is none.
    pub row: Option<Row>,
}

/// Where the condition changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Between these values of the key.
    Between(f64, f64),
    /// It is the same at both ends of the range: whether it holds there.
    Nowhere {
        /// Whether it holds.
        holds: bool,
    },
    /// A run is no answer: it stopped, was cut, failed, or lacks the quantity.
    Unknown {
        /// The value of the key in that run.
        at: f64,
        /// Why it is no answer.
        why: String,
        /// The values of the key between which the condition changes all the same.
        between: Option<[f64; 2]>,
    },
}

impl Found {
    /// The middle of the bracket.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Between(a, b) => Some(0.5 * (a + b)),
            Self::Nowhere { .. } | Self::Unknown { .. } => None,
        }
    }

    /// Whether a run was no answer.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }
}

/// What a search leaves.
#[derive(Debug, Default)]
pub struct Searches {
    /// The results, one per run without the key.
    pub criticals: Vec<Critical>,
    /// Runs that could not be made, with the reason.
    pub errors: Vec<(Task, StudyError)>,
    /// Reference runs that did not end, with the reason.
    pub lost_references: Vec<(Task, String)>,
    /// Number of runs that do not exist yet.
    pub n_missing: usize,
    /// Number of runs that were found, not made.
    pub n_found: usize,
}

/// Reads the condition of a search, and checks the range.
///
/// # Errors
/// [`PlanError`] if the condition or the range is invalid.
pub fn condition(plan: &Plan, bisection: &Bisection) -> Result<Condition, PlanError> {
    let condition = Condition::read(&bisection.when, &[&bisection.key])?;
    reference::check(plan, condition.quantity())?;
    let Bisection { from, to, tolerance, .. } = *bisection;
    let bounds = [("bisect.from", from), ("bisect.to", to)];
    if let Some((key, value)) = bounds.into_iter().find(|(_, value)| !value.is_finite()) {
        return Err(PlanError::Range { key, value, allowed: "it must be finite" });
    }
    if !(tolerance.is_finite() && tolerance > 0.0) {
        let allowed = "it must be positive and finite";
        return Err(PlanError::Range { key: "bisect.tolerance", value: tolerance, allowed });
    }
    Ok(condition)
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
) -> Result<Searches, PlanError> {
    let condition = condition(plan, bisection)?;
    let Bisection { from, to, tolerance, .. } = *bisection;
    let mut all = Searches::default();
    let mut brackets: Vec<Bracket> = tasks.iter().map(|_| Bracket::new(from, to)).collect();
    let mut asked: Vec<Vec<Asked>> = tasks.iter().map(|_| Vec::new()).collect();
    // Every round makes one run of each search, side by side.
    while !stop.load(Ordering::Relaxed) {
        let round: Vec<(usize, f64, Task)> = brackets
            .iter()
            .enumerate()
            .filter_map(|(i, bracket)| Some((i, bracket.next(tolerance)?)))
            .map(|(i, value)| (i, value, with(plan, &tasks[i], &bisection.key, value)))
            .collect();
        if round.is_empty() {
            break;
        }
        let runs: Vec<Task> = round.iter().map(|(.., task)| task.clone()).collect();
        let references = if condition.quantity().needs_reference() {
            References::make(plan, &runs, options, stop, done)
        } else {
            References::default()
        };
        let made = carry_out(plan, &runs, options, stop, done);
        for ((i, value, task), made) in round.into_iter().zip(made) {
            let (answer, row) = match made {
                None => {
                    all.n_missing += 1;
                    (Answer::Unknown("it is not made yet".into()), None)
                }
                Some(RunResult { record, folder, is_found }) => {
                    all.n_found += usize::from(is_found);
                    let row = record.and_then(|record| references.row(plan, task.clone(), record, folder));
                    match row {
                        Ok(row) => (condition.answer(&row), Some(row)),
                        Err(error) => {
                            let why = error.to_string();
                            all.errors.push((task, error));
                            (Answer::Unknown(why), None)
                        }
                    }
                }
            };
            brackets[i].learn(value, &answer);
            asked[i].push(Asked { value, answer, row });
        }
        for (task, why) in references.lost() {
            if !all.lost_references.iter().any(|(other, _)| *other == task) {
                all.lost_references.push((task, why));
            }
        }
    }
    let critical = |((task, bracket), asked): ((&Task, Bracket), Vec<Asked>)| Critical {
        task: task.clone(),
        scene: task.scene.clone(),
        found: bracket.found(tolerance),
        asked,
    };
    all.criticals = tasks.iter().zip(brackets).zip(asked).map(critical).collect();
    Ok(all)
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
    lost: Option<(f64, String)>,
}

impl Bracket {
    fn new(from: f64, to: f64) -> Self {
        Self { ends: [from, to], holds: [None; 2], lost: None }
    }

    /// Returns the value to ask next; `None` at the end of the search.
    fn next(&self, tolerance: f64) -> Option<f64> {
        if self.lost.is_some() {
            return None;
        }
        match self.holds {
            [None, _] => Some(self.ends[0]),
            [_, None] => Some(self.ends[1]),
            [a, b] if a == b => None,
            _ => {
                let centre = self.centre();
                // Two neighbouring numbers have none between them.
                let is_new = !self.ends.contains(&centre);
                Some(centre).filter(|_| (self.ends[1] - self.ends[0]).abs() > tolerance && is_new)
            }
        }
    }

    fn centre(&self) -> f64 {
        0.5 * (self.ends[0] + self.ends[1])
    }

    /// Takes the answer to the value asked.
    fn learn(&mut self, value: f64, answer: &Answer) {
        let holds = match answer {
            Answer::Holds(holds) => *holds,
            Answer::Unknown(why) => {
                self.lost = Some((value, why.clone()));
                return;
            }
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

    fn found(self, tolerance: f64) -> Found {
        let is_change = matches!(self.holds, [Some(a), Some(b)] if a != b);
        if let Some((at, why)) = self.lost {
            return Found::Unknown { at, why, between: is_change.then_some(self.ends) };
        }
        if let Some(at) = self.next(tolerance) {
            let why = "the search was interrupted".to_owned();
            return Found::Unknown { at, why, between: is_change.then_some(self.ends) };
        }
        if is_change {
            return Found::Between(self.ends[0], self.ends[1]);
        }
        Found::Nowhere { holds: self.holds[0] == Some(true) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bisect(holds: impl Fn(f64) -> Option<bool>) -> (Found, usize) {
        let (mut bracket, mut runs) = (Bracket::new(0.0, 1.0), 0);
        while let Some(value) = bracket.next(1e-3) {
            runs += 1;
            let answer = holds(value).map_or_else(|| Answer::Unknown("it stopped".into()), Answer::Holds);
            bracket.learn(value, &answer);
        }
        (bracket.found(1e-3), runs)
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
        let Found::Unknown { at, why, between } = bisect(|x| (x < 0.5).then_some(true)).0 else { panic!() };
        assert_eq!((at, why.as_str(), between), (1.0, "it stopped", None));
        // A run within the range that stops leaves the bracket that is known.
        let found = bisect(|x| (x != 0.375).then_some(x > 0.4)).0;
        let Found::Unknown { at, between, .. } = &found else { panic!("{found:?}") };
        assert_eq!((*at, *between), (0.375, Some([0.25, 0.5])));
        assert_eq!(found.value(), None);
        assert!(found.words().contains("between 0.25 and 0.5"), "{}", found.words());
    }

    #[test]
    fn a_tolerance_below_rounding_ends_the_search() {
        let mut bracket = Bracket::new(1.0, 1.0 + 4.0 * f64::EPSILON);
        let mut runs = 0;
        while let Some(value) = bracket.next(1e-300) {
            runs += 1;
            assert!(runs < 10);
            bracket.learn(value, &Answer::Holds(value > 1.0 + 2.0 * f64::EPSILON));
        }
        assert!(matches!(bracket.found(1e-300), Found::Between(..)));
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
