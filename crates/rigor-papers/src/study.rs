//! Runs at several settings, with one number from each compared with the paper's.

use std::sync::atomic::{AtomicBool, Ordering};

use rigor_file::Loaded;
use rigor_report::number::quantity;
use rigor_run::disk::{self, DiskError};
use rigor_run::folder::frames;
use rigor_run::folder::record::Ending;
use rigor_run::{Folder, RunError};
use rigor_scene::State;
use rigor_study::driver::carry_out;
use rigor_study::plan::Head;
use rigor_study::{Contender, Plan, Task, row};
use serde::Deserialize;

use crate::form::{Form, Printed};
use crate::measure::Measure;
use crate::request::Request;

/// Runs that differ in a setting, with one number measured in each.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "StudyEntry")]
pub struct Study {
    /// Title: what is measured.
    pub title: String,
    /// Source of the paper's numbers, such as its machine, or the reason why there are none.
    pub theirs: String,
    /// The number measured in each run.
    pub measure: Measure,
    /// The claim about the numbers.
    pub claim: Trend,
    /// Label of the horizontal axis of the plot; empty for no plot.
    pub across: String,
    /// The runs.
    pub trials: Vec<Trial>,
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Short description of its settings.
    pub label: String,
    /// The curve in the plot, and the group for claims.
    pub line: String,
    /// Horizontal position in the plot.
    pub at: f64,
    /// The scene, by its name in the case library.
    pub case: String,
    /// The method.
    pub method: String,
    /// Changes to the scene, such as `method.xpbd.substeps=5`.
    pub set: Vec<String>,
    /// The paper's number, in the unit of the measure.
    pub paper: Option<f64>,
    /// The number that follows from a formula, in the unit of the measure.
    pub exact: Option<f64>,
}

/// A study, as written: its runs inherit case, method and changes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyEntry {
    title: String,
    theirs: String,
    measure: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    claim: Trend,
    #[serde(default)]
    across: String,
    #[serde(default)]
    case: Option<String>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    set: Vec<String>,
    runs: Vec<TrialEntry>,
}

/// A run, as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrialEntry {
    label: String,
    #[serde(default)]
    line: Option<String>,
    #[serde(default)]
    at: f64,
    #[serde(default)]
    case: Option<String>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    paper: Option<f64>,
    #[serde(default)]
    exact: Option<f64>,
}

impl TryFrom<StudyEntry> for Study {
    type Error = String;

    fn try_from(entry: StudyEntry) -> Result<Self, String> {
        let measure = Measure::named(&entry.measure, entry.body)?;
        let trial = |run: TrialEntry| {
            let case = run.case.or_else(|| entry.case.clone());
            let case = case.ok_or_else(|| format!("the run {:?} has no `case`", run.label))?;
            let set = entry.set.iter().cloned().chain(run.set).collect();
            let method = run.method.or_else(|| entry.method.clone()).unwrap_or_default();
            let line = run.line.unwrap_or_default();
            let TrialEntry { label, at, paper, exact, .. } = run;
            Ok::<_, String>(Trial { label, line, at, case, method, set, paper, exact })
        };
        let trials = entry.runs.into_iter().map(trial).collect::<Result<_, _>>()?;
        let StudyEntry { title, theirs, claim, across, .. } = entry;
        Ok(Self { title, theirs, measure, claim, across, trials })
    }
}

/// A claim about the numbers of a study.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// No claim: the numbers are only reported.
    #[default]
    Told,
    /// Each number is at most the paper's.
    AtMostPaper,
    /// Each number equals the exact one to within this tolerance (in the unit of the measure).
    NearExact(f64),
    /// Each number is at most this.
    AtMost(f64),
    /// Each number is at least this.
    AtLeast(f64),
    /// On each curve, each number is smaller than the one before.
    Falling,
    /// The number of the largest magnitude on each curve is smaller than that on the curve before.
    WorstFalling,
    /// As `Falling`; and from the second position on, the first curve is below all others.
    FirstBelow,
    /// On each curve, each number is larger than the one before.
    Rising,
    /// On each curve, the number at this position is the smallest.
    SmallestAt(f64),
    /// At each position, every number is at most this factor times that of the first curve.
    AtMostFirst(f64),
    /// On each curve, the ratio of the largest to the smallest magnitude is at most this.
    Alike(f64),
    /// On each curve, the ratio of the largest to the smallest magnitude is at least this.
    Differing(f64),
}

impl Trend {
    /// Returns the reasons why `values`, one per trial of `study`, violate the claim; empty if they do not.
    fn complaints(self, study: &Study, values: &[f64]) -> Vec<String> {
        let told = |k: usize| format!("{}: {}", study.trials[k].label, study.measure.told(values[k]));
        let over = |bound: &dyn Fn(usize) -> Option<f64>| -> Vec<String> {
            let off = |k: &usize| bound(*k).is_some_and(|most| values[*k].is_nan() || values[*k] > most);
            let line = |k| format!("{}, expected ≤ {}", told(k), study.measure.told(bound(k).unwrap_or(0.0)));
            (0..values.len()).filter(off).map(line).collect()
        };
        match self {
            Self::Told => vec![],
            Self::AtMostPaper => over(&|k| study.trials[k].paper),
            Self::NearExact(tolerance) => {
                let exact = |k: usize| study.trials[k].exact.unwrap_or(f64::NAN);
                let is_near = |k: usize| (values[k] - exact(k)).abs() <= tolerance;
                let line = |k| {
                    let of = study.measure.told(exact(k));
                    format!("{}, expected {of} ± {}", told(k), study.measure.told(tolerance))
                };
                (0..values.len()).filter(|k| !is_near(*k)).map(line).collect()
            }
            Self::AtMost(most) => over(&|_| Some(most)),
            Self::AtLeast(least) => {
                let line = |k| format!("{}, expected ≥ {}", told(k), study.measure.told(least));
                (0..values.len()).filter(|k| values[*k].is_nan() || values[*k] < least).map(line).collect()
            }
            Self::Falling => {
                let line = |(j, k)| format!("{}, expected less than {}", told(k), told(j));
                unordered(study, values, |before, now| now < before).map(line).collect()
            }
            Self::WorstFalling => {
                let worst = worsts(study, values);
                let line =
                    |pair: &[usize]| format!("worst {}, expected less than {}", told(pair[1]), told(pair[0]));
                let is_over = |pair: &&[usize]| !is_less(values[pair[1]].abs(), values[pair[0]].abs());
                worst.windows(2).filter(is_over).map(line).collect()
            }
            Self::Rising => {
                let line = |(j, k)| format!("{}, expected more than {}", told(k), told(j));
                unordered(study, values, |before, now| now > before).map(line).collect()
            }
            Self::SmallestAt(position) => {
                let is_there = |k: &usize| study.trials[*k].at.to_bits() == position.to_bits();
                let there: Vec<usize> = (0..values.len()).filter(is_there).collect();
                if there.is_empty() {
                    return vec![format!("no run at {position}")];
                }
                let beside = |k: usize, j: usize| k != j && study.trials[j].line == study.trials[k].line;
                let pairs = there.iter().flat_map(|k| (0..values.len()).map(move |j| (*k, j)));
                let over = pairs.filter(|(k, j)| beside(*k, *j) && !is_less(values[*k], values[*j]));
                over.map(|(k, j)| format!("{}, expected less than {}", told(k), told(j))).collect()
            }
            Self::FirstBelow => {
                let falling = Self::Falling.complaints(study, values).into_iter();
                let start = study.trials.iter().map(|trial| trial.at).fold(f64::INFINITY, f64::min);
                let line = |(k, j): (usize, usize)| format!("{}, expected less than {}", told(k), told(j));
                let is_over =
                    |(k, j): &(usize, usize)| study.trials[*k].at > start && !is_less(values[*k], values[*j]);
                falling.chain(beside_first(study).filter(is_over).map(line)).collect()
            }
            Self::AtMostFirst(factor) => {
                let line = |(k, j): (usize, usize)| {
                    format!("{}, expected at most {factor} times {}", told(j), told(k))
                };
                let is_over = |(k, j): &(usize, usize)| !(0.0..=factor * values[*k]).contains(&values[*j]);
                beside_first(study).filter(is_over).map(line).collect()
            }
            Self::Alike(most) => spreads(study, values)
                .filter(|(_, spread)| spread.is_nan() || *spread > most)
                .map(|(line, spread)| format!("{line}: they differ {spread:.3}-fold, expected ≤ {most}"))
                .collect(),
            Self::Differing(least) => spreads(study, values)
                .filter(|(_, spread)| spread.is_nan() || *spread < least)
                .map(|(line, spread)| format!("{line}: they differ {spread:.3}-fold, expected ≥ {least}"))
                .collect(),
        }
    }
}

/// Whether `a` < `b`; not if one of them is not a number.
fn is_less(a: f64, b: f64) -> bool {
    a < b
}

/// Returns the trials that are not `in_order` with the one before on their curve, with that one first.
fn unordered<'a>(
    study: &'a Study,
    values: &'a [f64],
    in_order: impl Fn(f64, f64) -> bool + 'a,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let before = |k: usize| (0..k).rev().find(|j| study.trials[*j].line == study.trials[k].line);
    let pairs = (1..values.len()).filter_map(move |k| Some((before(k)?, k)));
    pairs.filter(move |(j, k)| !in_order(values[*j], values[*k]))
}

/// Returns each trial of the first curve with each trial of another curve at its position.
fn beside_first(study: &Study) -> impl Iterator<Item = (usize, usize)> + '_ {
    let first = study.trials.first().map_or("", |trial| trial.line.as_str());
    let is_pair = move |(k, j): &(usize, usize)| {
        let (a, b) = (&study.trials[*k], &study.trials[*j]);
        a.line == first && b.line != first && a.at.to_bits() == b.at.to_bits()
    };
    let n = study.trials.len();
    (0..n).flat_map(move |k| (0..n).map(move |j| (k, j))).filter(is_pair)
}

/// Returns the trial of the largest magnitude on each curve; one that is not a number is larger than all.
fn worsts(study: &Study, values: &[f64]) -> Vec<usize> {
    let size = |k: &usize| if values[*k].is_nan() { f64::INFINITY } else { values[*k].abs() };
    let worst = |line: &str| {
        let own = (0..values.len()).filter(|k| study.trials[*k].line == line);
        own.max_by(|a, b| size(a).total_cmp(&size(b)))
    };
    lines(study).into_iter().filter_map(worst).collect()
}

/// Returns the ratio of the largest to the smallest magnitude on each curve.
fn spreads<'a>(study: &'a Study, values: &'a [f64]) -> impl Iterator<Item = (&'a str, f64)> + 'a {
    lines(study).into_iter().map(move |line| {
        let sizes = study.trials.iter().zip(values).filter(move |(trial, _)| trial.line == line);
        let [low, high] =
            sizes.fold([f64::INFINITY, 0.0_f64], |[low, high], (_, v)| [low.min(v.abs()), high.max(v.abs())]);
        (line, high / low)
    })
}

/// Returns the names of the curves, in order of first appearance.
pub fn lines(study: &Study) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for trial in &study.trials {
        if !names.contains(&trial.line.as_str()) {
            names.push(&trial.line);
        }
    }
    names
}

/// An error that leaves a run of a study without a number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MissingNumber {
    /// The run could not be made.
    #[error("{run}: {why}")]
    NotMade {
        /// The run.
        run: String,
        /// The cause.
        why: String,
    },
    /// The run did not complete.
    #[error("{run}: {outcome}")]
    Incomplete {
        /// The run.
        run: String,
        /// How it ended.
        outcome: String,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A limit of wall time cut the run.
    #[error("{run}: cut after {limit} s of wall time")]
    TimedOut {
        /// The run.
        run: String,
        /// The limit (s).
        limit: String,
    },
    /// The run does not provide the measured quantity.
    #[error("{run}: the run does not provide the measured quantity")]
    NotMeasured {
        /// The run.
        run: String,
    },
}

/// The results of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyResults {
    /// The study.
    pub study: Study,
    /// The numbers of each form in which it was made.
    pub columns: Vec<Column>,
    /// Whether the claim is about time, and the runs were not timed.
    pub is_untimed: bool,
    /// The printed settings that runs replace by their own.
    pub replaced: Vec<String>,
}

/// The numbers of a study in one form of the method.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The form.
    pub form: Form,
    /// The number of each run, or why there is none.
    pub values: Vec<Result<f64, MissingNumber>>,
    /// Why the claim fails; empty if it holds, was not judged, or there is none.
    pub complaints: Vec<String>,
    /// Whether a run was interrupted or cut by a time limit, so that the claim was not judged.
    pub is_cut: bool,
}

/// Runs the trials of a study one after the other, on one thread each, in each form that is asked for.
///
/// The claim is judged only if all runs cover the whole duration of their scenes, and were timed if it is about time.
///
/// # Errors
/// A case cannot be loaded.
pub fn make(
    study: &Study,
    printed: &Printed,
    request: Request,
    stop: &AtomicBool,
) -> Result<StudyResults, DiskError> {
    let is_untimed = study.measure.is_time() && study.claim != Trend::Told && !request.is_timed;
    let column = |form: &Form| {
        let mut values = Vec::new();
        let mut is_whole = true;
        for trial in &study.trials {
            let loaded = load(trial, *form, printed, request)?;
            is_whole &= request.extent.duration(&loaded) >= loaded.scene.time.duration;
            values.push(value(study, trial, loaded, request, stop));
        }
        is_whole &= !stop.load(Ordering::Relaxed);
        let numbers: Result<Vec<f64>, MissingNumber> = values.iter().cloned().collect();
        let is_cut = values
            .iter()
            .any(|value| matches!(value, Err(MissingNumber::Interrupted | MissingNumber::TimedOut { .. })));
        let complaints = match numbers {
            Err(_) if is_cut || !is_whole => vec![],
            Err(why) => vec![why.to_string()],
            Ok(numbers) if is_whole && !is_untimed => study.claim.complaints(study, &numbers),
            Ok(_) => vec![],
        };
        Ok::<_, DiskError>(Column { form: *form, values, complaints, is_cut })
    };
    let is_known = |form: &&Form| printed.has(**form);
    let columns = request.forms.iter().filter(is_known).map(column).collect::<Result<_, _>>()?;
    let replaced = printed.replaced(study.trials.iter().flat_map(|trial| &trial.set));
    Ok(StudyResults { study: study.clone(), columns, is_untimed, replaced })
}

/// The scene of a run. What the run sets replaces what the form sets.
pub(crate) fn load(
    trial: &Trial,
    form: Form,
    printed: &Printed,
    request: Request,
) -> Result<Loaded, DiskError> {
    let of_form = printed.of(form, &trial.method);
    let set: Vec<String> = of_form.chain(&trial.set).cloned().collect();
    let loaded = disk::load_scene(&trial.case, &set)?;
    let Some(change) = request.change else { return Ok(loaded) };
    disk::load_scene(&trial.case, &[set, change.lines(&loaded, &trial.method)].concat())
}

/// Returns the number measured in one run.
fn value(
    study: &Study,
    trial: &Trial,
    loaded: Loaded,
    request: Request,
    stop: &AtomicBool,
) -> Result<f64, MissingNumber> {
    let scene = loaded.scene.clone();
    // Every step is measured.
    let timed = request.is_timed && study.measure.is_time();
    let head = Head { judge_every: scene.time.dt, timed, seconds: request.seconds, ..Head::default() };
    let plan =
        Plan { study: head, method: vec![Contender::new(request.method(&trial.method))], ..Plan::default() };
    let duration = request.extent.duration(&loaded);
    let repetition = timed.then_some(0);
    let task = Task { repetition, ..Task::of_loaded(loaded, request.method(&trial.method), duration) };
    let mut made = carry_out(&plan, &[task], &request.options(), stop, &|_, _| {});
    let made = made.pop().flatten().ok_or(MissingNumber::Interrupted)?;
    let not_made = |why: String| MissingNumber::NotMade { run: trial.label.clone(), why };
    let record = made.record.map_err(|error| not_made(error.to_string()))?;
    match &record.outcome {
        Ending::Completed => {}
        Ending::Interrupted => return Err(MissingNumber::Interrupted),
        Ending::TimedOut { limit } => {
            return Err(MissingNumber::TimedOut { run: trial.label.clone(), limit: limit.clone() });
        }
        _ => {
            return Err(MissingNumber::Incomplete {
                run: trial.label.clone(),
                outcome: row::outcome(&record),
            });
        }
    }
    let states = if study.measure.needs_states() {
        states(&made.folder).map_err(|error| not_made(error.to_string()))?
    } else {
        Vec::new()
    };
    study
        .measure
        .read(&scene, &record, &states)
        .ok_or(MissingNumber::NotMeasured { run: trial.label.clone() })
}

/// All frames of a run.
fn states(folder: &Folder) -> Result<Vec<State>, RunError> {
    let mut reader = frames::Reader::open(&folder.frames())?;
    let mut states = Vec::new();
    while let Some(frame) = reader.read()? {
        states.push(frame.state);
    }
    Ok(states)
}

impl StudyResults {
    /// Returns the number of run `k` in one of the columns as text, or "–".
    pub fn ours(&self, column: &Column, k: usize) -> String {
        column.values[k].as_ref().map_or_else(|_| "–".into(), |value| self.study.measure.told(*value))
    }

    /// Returns why the claim fails, each reason once, those as printed with that word.
    pub fn complaints(&self) -> Vec<String> {
        let told = |column: &Column| {
            let form = column.form;
            let with_form = move |why: &String| match form {
                Form::Printed => format!("{}: {why}", form.words()),
                Form::Here => why.clone(),
            };
            column.complaints.iter().map(with_form).collect::<Vec<_>>()
        };
        self.columns.iter().flat_map(told).collect()
    }

    /// Returns the exact number for run `k` as text, or "–".
    pub fn exact(&self, k: usize) -> String {
        let told = |number| self.study.measure.told(number);
        self.study.trials[k].exact.map_or_else(|| "–".into(), told)
    }

    /// Returns the paper's number for run `k` as text, or "–".
    pub fn theirs(&self, k: usize) -> String {
        let told = |number| self.study.measure.told(number);
        self.study.trials[k].paper.map_or_else(|| "–".into(), told)
    }
}

impl Measure {
    /// Formats a value with the unit of the measure.
    pub fn told(&self, value: f64) -> String {
        quantity(value, self.unit())
    }
}
