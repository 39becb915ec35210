//! The results of a run as a row of tables and reports.

use std::collections::BTreeMap;

use rigor_audit::{Finding, Series, Verdict};
use rigor_report::closeup::Closeup;
use rigor_report::departure::{Border, Departure};
use rigor_report::player::{Budget, Film, Recorder};
use rigor_report::{Ending, MethodRow};
use rigor_run::error::Fault;
use rigor_run::folder::record::{self, Record};
use rigor_run::folder::{checkpoint, frames, series};
use rigor_run::verdict::VerdictWord;
use rigor_run::{Folder, RunError};
use rigor_scene::{Scene, State};

use crate::contacts::Contacts;
use crate::deviation::Deviation;
use crate::error::StudyError;
use crate::point;
use crate::quantity::Quantity;
use crate::reported;
use crate::task::Task;

/// A run with its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The run.
    pub task: Task,
    /// The name of its scene, which no other scene among the rows has: see [`tell_scenes_apart`](crate::naming::tell_scenes_apart).
    pub scene: String,
    /// Its record.
    pub record: Record,
    /// Its folder; that of the study for a run that was skipped or refused.
    pub folder: Folder,
    /// Its deviation from the reference run.
    pub deviation: Deviation,
    /// The record of the reference run, if it ended.
    pub reference: Option<Box<Record>>,
    /// Why the reference run is none; `None` if it ended or the plan names none.
    pub lost_reference: Option<String>,
    /// Known values that take the place of the reference run's.
    pub known: BTreeMap<String, f64>,
}

impl Row {
    /// A run without a reference.
    pub fn new(task: Task, record: Record, folder: Folder) -> Self {
        let (deviation, known) = (Deviation::default(), BTreeMap::new());
        let scene = record.scene.clone();
        Self { task, scene, record, folder, deviation, reference: None, lost_reference: None, known }
    }

    /// Returns the value of a quantity; for an error, the absolute difference from the reference.
    pub fn value(&self, quantity: &Quantity) -> Option<f64> {
        let value = if quantity.is_comparison() {
            self.deviation.get(quantity.name())
        } else {
            quantity.value(&self.task, &self.record)
        }?;
        if !quantity.is_error {
            return Some(value);
        }
        let known = self.known.get(quantity.name()).copied();
        let target = known.or_else(|| quantity.value(&self.task, self.reference.as_deref()?))?;
        Some((value - target).abs())
    }

    /// Returns why [`Row::value`] has no value.
    pub fn why_no_error(&self, quantity: &Quantity) -> String {
        match &self.lost_reference {
            Some(why) if quantity.needs_reference() => format!("its reference run: {why}"),
            Some(_) | None => format!("the run has no {}", quantity.label()),
        }
    }

    /// Returns what rounding errors of a quantity are relative to, in its unit: for a difference, the size of what is compared.
    pub fn scale(&self, quantity: &Quantity) -> f64 {
        let size = if quantity.name().starts_with("compare.position") {
            self.deviation.reach
        } else if quantity.is_error {
            let known = self.known.get(quantity.name()).copied();
            let other = || quantity.value(&self.task, self.reference.as_deref()?);
            known.or_else(other).map_or(1.0, f64::abs)
        } else {
            1.0
        };
        if size > 0.0 && size.is_finite() { size } else { 1.0 }
    }

    /// The values of the keys that vary, except Δt, in words.
    pub fn point(&self) -> String {
        let words = point::words(&self.task.point, &["time.dt"]);
        let repetition = self.task.repetition.filter(|k| *k > 0).map(|k| format!("repetition {}", k + 1));
        [words].into_iter().filter(|words| !words.is_empty()).chain(repetition).collect::<Vec<_>>().join(", ")
    }

    /// Numbers of expectations that the method claims to meet: held, and failed.
    pub fn expectations(&self) -> (usize, usize) {
        let count = |word: VerdictWord| {
            self.record.expectations.iter().filter(|e| e.is_claimed && e.verdict == word).count()
        };
        (count(VerdictWord::Held), count(VerdictWord::Failed))
    }
}

/// Describes how a run ended, with the reason.
pub fn outcome(record: &Record) -> String {
    words(&ending(record))
}

/// Describes an ending, with the reason.
pub fn words(ending: &Ending) -> String {
    match ending {
        Ending::Completed => "completed".into(),
        Ending::Stopped { why } => format!("stopped: {why}"),
        Ending::Skipped { why } => format!("skipped: no {why}"),
        Ending::Running => "still running, or killed".into(),
        Ending::Interrupted { why } => format!("interrupted: {why}"),
        Ending::Refused { why } => format!("refused: {why}"),
        Ending::Failed { why } => format!("failed: {why}"),
    }
}

/// Returns how a run ended, for reports.
pub fn ending(record: &Record) -> Ending {
    ending_of(&record.outcome, record.steps_done)
}

/// Returns an ending after so many steps, for reports.
pub fn ending_of(ending: &record::Ending, steps_done: u64) -> Ending {
    match ending.clone() {
        record::Ending::Completed => Ending::Completed,
        record::Ending::Stopped { error, .. } => Ending::Stopped { why: error },
        record::Ending::Skipped { why } => Ending::Skipped { why },
        record::Ending::Refused { error } => Ending::Refused { why: error },
        record::Ending::Failed { error } => Ending::Failed { why: error },
        record::Ending::Running => Ending::Running,
        record::Ending::Interrupted => Ending::Interrupted { why: "Ctrl-C".into() },
        record::Ending::TimedOut { limit } => {
            Ending::Interrupted { why: format!("time limit of {limit} s reached after {steps_done} steps") }
        }
    }
}

/// Returns the row of a report, without a picture, and the last state. `scene` is that of the run; `budget` is how much of its motion
/// the page holds: without one, neither motion nor values over time, nor looks from near.
///
/// # Errors
/// A file of the run cannot be read.
pub fn method_row(
    row: &Row,
    scene: &Scene,
    budget: Option<Budget>,
) -> Result<(MethodRow, Option<State>, Vec<FindingMoment>), StudyError> {
    let Row { record, task, folder, .. } = row;
    let all = budget.map(|_| over_time(folder)).transpose()?.unwrap_or_default();
    let findings: Vec<Finding> =
        record.findings.iter().filter_map(|finding| finding.finding(scene)).collect();
    let Motion { film, departure, last, looks } = Motion::read(row, scene, budget, &findings)?;
    let is_whole = record.is_whole(scene);
    let expectations =
        scene.expectations.iter().map(|e| (e.clone(), Verdict::of(e, &findings, is_whole))).collect();
    let per_step = |total: f64| (record.steps_timed > 0).then(|| total / record.steps_timed as f64);
    let row = MethodRow {
        label: task.label.clone(),
        point: row.point(),
        settings: serde_json::to_string_pretty(&record.settings).unwrap_or_default(),
        steps: record.steps_done,
        seconds_per_step: per_step(record.seconds),
        contacts_mean: (record.steps_timed > 0).then_some(record.contacts_mean),
        notices: record.notices.clone(),
        warnings: record.warnings.clone(),
        flaws: record.flaws.clone(),
        flawed_steps: record.flawed_steps,
        findings,
        expectations,
        series: all.quantities.into_iter().map(thinned).collect(),
        phases: all.phases.into_iter().map(thinned).collect(),
        film,
        departure,
        closeups: looks.iter().filter(|_| budget.is_some()).map(|look| look.closeup(scene)).collect(),
        is_timed: task.repetition.is_some(),
        ..MethodRow::new(task.method.as_str(), record.dt, ending(record))
    };
    Ok((row, last, looks))
}

/// The values over time of a run.
fn over_time(folder: &Folder) -> Result<series::AllSeries, StudyError> {
    let mut all = series::read(&folder.series())?;
    if all.quantities.is_empty() {
        all.quantities = reported::series(folder)?;
    }
    Ok(all)
}

/// A moment at which a finding points.
#[derive(Debug, Clone)]
pub struct FindingMoment {
    /// The time of the finding (s).
    time: f64,
    /// The last state that is kept and not later.
    pub state: State,
    /// The bodies, by index.
    pub bodies: Vec<usize>,
}

impl FindingMoment {
    /// Looks from near, without a picture.
    fn closeup(&self, scene: &Scene) -> Closeup {
        Closeup::of(scene, &self.state, &self.bodies, None)
    }
}

/// The figures whose moments are looked at from near.
const LOOKED_AT: [&str; 5] = [
    "intersection.first_time",
    "penetration.deepest",
    "tunnelling.centre_crossings",
    "tunnelling.passes",
    "distance.smallest",
];

/// The moments of findings about two bodies, in the order of time.
fn looks(scene: &Scene, findings: &[Finding]) -> Vec<FindingMoment> {
    let of = |finding: &Finding| {
        let is_wanted = finding.body.is_none() && LOOKED_AT.contains(&finding.figure);
        let time = finding.at.filter(|_| is_wanted)?.time;
        let index = |name: &str| scene.bodies.iter().position(|body| body.name == name);
        let bodies: Vec<usize> = finding.detail.split(" – ").filter_map(index).collect();
        Some(FindingMoment { time, state: State::initial(scene), bodies })
    };
    let mut all: Vec<FindingMoment> =
        findings.iter().filter_map(of).filter(|look| look.bodies.len() == 2).collect();
    all.sort_by(|a, b| a.time.total_cmp(&b.time));
    all
}

/// The motion of a run, from its frames.
#[derive(Default)]
struct Motion {
    film: Option<Film>,
    departure: Option<Departure>,
    last: Option<State>,
    looks: Vec<FindingMoment>,
}

impl Motion {
    /// Reads the frames; of a run that still goes on, those that there are. A run that did not start has none.
    fn read(
        row: &Row,
        scene: &Scene,
        budget: Option<Budget>,
        findings: &[Finding],
    ) -> Result<Self, StudyError> {
        let Row { record, folder, .. } = row;
        let path = folder.frames();
        if !path.is_file() {
            return Ok(Self::default());
        }
        let mut reader = frames::Reader::open(&path)?;
        if (reader.bodies, reader.particles) != (scene.bodies.len(), scene.particles.len()) {
            return Err(RunError::new(&path, Fault::OtherScene).into());
        }
        let steps = reader.count()?.saturating_sub(1) * record.every.max(1);
        let mut film = budget.map(|budget| Recorder::new(scene, record.dt, steps, budget));
        let mut border = Border::new(scene);
        let mut last = State::initial(scene);
        let mut contacts = if film.is_some() { Contacts::open(&folder.contacts())? } else { None };
        let mut looks = looks(scene, findings);
        while let Some(frame) = reader.read()? {
            let touching = contacts.as_mut().map(|contacts| contacts.of(frame.state.step)).transpose()?;
            if let Some(film) = &mut film {
                film.observe(&frame.state, &frame.forces, &touching.unwrap_or_default());
            }
            border.observe(&frame.state);
            for look in looks.iter_mut().filter(|look| frame.state.time <= look.time + 1e-9) {
                look.state.clone_from(&frame.state);
            }
            last = frame.state;
        }
        // The last state is kept whatever the interval of frames.
        if record.outcome != record::Ending::Running && folder.checkpoint().is_file() {
            last = checkpoint::read(&folder.checkpoint())?.state;
        }
        Ok(Self {
            film: film.map(|film| film.finish(&last)),
            departure: border.departure(scene),
            last: Some(last),
            looks,
        })
    }
}

/// Maximum number of points of a series on a page.
const MAX_POINTS: usize = 4000;

/// Keeps the smallest and the largest value of every group of neighbouring points, so that peaks stay visible.
fn thinned(series: Series) -> Series {
    let n = series.points.len();
    if n <= MAX_POINTS {
        return series;
    }
    let size = (2 * n).div_ceil(MAX_POINTS);
    let mut points = Vec::with_capacity(MAX_POINTS + 2);
    for group in series.points.chunks(size) {
        let by = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let mut ends: Vec<(f64, f64)> =
            group.iter().min_by(by).into_iter().chain(group.iter().max_by(by)).copied().collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.extend(ends);
    }
    Series { points, ..series }
}
