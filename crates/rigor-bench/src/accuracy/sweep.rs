//! The runs: every case with every variant at every time step.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rigor_run::cpu;
use rigor_run::registry::{self, Entry};
use rigor_scene::{Clock, Observer, Outcome as Ending, Scene, Settings, State, StepReport, roll_out};

use super::answer::{self, Instance};
use super::case::{Case, Exception};
use super::results::{AccuracyRow, Outcome};
use super::scene::load_scene;
use super::variant::Variant;

/// The runs to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The cases.
    pub cases: Vec<Case>,
    /// The methods with their settings.
    pub variants: Vec<Variant>,
    /// Changes to every scene.
    pub set: Vec<String>,
    /// Maximum number of time steps per case; the longest ones are run.
    pub at_most: usize,
    /// Maximum wall time of a run; after a run that is cut off, shorter time steps are not run.
    pub limit: Duration,
    /// Minimum total wall time of the repetitions of a run, of which there are at most 20; the minimum CPU
    /// time is reported.
    pub repeat_for: Duration,
    /// Folder with the data of measured cases.
    pub data: Option<PathBuf>,
}

/// Maximum number of repetitions of a run.
const MAX_REPEATS: usize = 20;

/// Makes all runs on the calling thread and passes each row to `told` when it is complete.
///
/// Setting `stop` ends the sweep after the current run.
pub fn run(plan: &Plan, stop: &AtomicBool, mut told: impl FnMut(AccuracyRow)) {
    for case in &plan.cases {
        for variant in &plan.variants {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let exception = case.exception(&variant.method);
            match prepare(plan, case, variant, &exception) {
                Err(row) => told(*row),
                Ok(subject) => subject.sweep(plan, &exception, stop, &mut told),
            }
        }
    }
}

/// A case prepared for one variant.
struct PreparedCase<'a> {
    case: &'a Case,
    variant: &'a Variant,
    entry: &'static Entry,
    settings: Settings,
    /// Duration of the case (s); the time step is the duration divided by the number of steps.
    duration: f64,
    instances: Vec<Instance>,
}

fn prepare<'a>(
    plan: &Plan,
    case: &'a Case,
    variant: &'a Variant,
    exception: &Exception,
) -> Result<PreparedCase<'a>, Box<AccuracyRow>> {
    let ended = |outcome, why: String| Box::new(AccuracyRow::without_run(case, variant, outcome, why));
    if !exception.skip.is_empty() {
        return Err(ended(Outcome::Skipped, exception.skip.clone()));
    }
    if case.answer.needs_data() && plan.data.is_none() {
        return Err(ended(Outcome::Skipped, "the folder of the data is not given (--data)".into()));
    }
    let set: Vec<String> = [&exception.set[..], &plan.set].concat();
    let all = [&variant.overrides()[..], &set].concat();
    let loaded = load_scene(&case.scene, &all).map_err(|e| ended(Outcome::Failed, e.to_string()))?;
    let scene = loaded.scene;
    let entry = registry::find(&variant.method).map_err(|e| ended(Outcome::Failed, e.to_string()))?;
    let settings = scene.methods.get(&variant.method).cloned().unwrap_or_default();
    let chosen =
        entry.make(&settings, Clock::default()).map_err(|e| ended(Outcome::Failed, e.to_string()))?;
    chosen.method.supports(&scene).map_err(|e| ended(Outcome::Skipped, format!("no {}", e.what)))?;
    let instances = case
        .answer
        .instances(&scene, &set, plan.data.as_deref())
        .map_err(|why| ended(Outcome::Failed, format!("no exact answer: {why}")))?;
    Ok(PreparedCase { case, variant, entry, settings, duration: scene.time.duration, instances })
}

impl PreparedCase<'_> {
    fn sweep(
        &self,
        plan: &Plan,
        exception: &Exception,
        stop: &AtomicBool,
        told: &mut impl FnMut(AccuracyRow),
    ) {
        let steps = exception.steps.as_ref().unwrap_or(&self.case.steps);
        let mut is_too_slow = false;
        for &n in steps.iter().take(plan.at_most) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let dt = self.duration / n as f64;
            let row = AccuracyRow {
                dt,
                steps: n,
                ..AccuracyRow::without_run(self.case, self.variant, Outcome::CutOff, "")
            };
            if is_too_slow {
                told(AccuracyRow { why: "not run: a longer step took too long".into(), ..row });
                continue;
            }
            let row = self.run(plan, dt, row);
            is_too_slow = row.outcome == Outcome::CutOff;
            told(row);
        }
    }

    /// Runs all instances at one time step; the row contains the mean of their errors and the sum of their
    /// CPU times.
    fn run(&self, plan: &Plan, dt: f64, row: AccuracyRow) -> AccuracyRow {
        let (mut errors, mut spent) = (0.0, 0.0);
        let begin = Instant::now();
        for instance in &self.instances {
            let n_steps = (instance.duration / dt).round() as u64;
            let left = plan.limit.saturating_sub(begin.elapsed());
            let first = self.once(instance, dt, n_steps, left, true);
            let (states, mut seconds) = match first {
                Ok(done) => done,
                Err((outcome, why)) => return AccuracyRow { outcome, why, ..row },
            };
            match answer::error(&self.case.reading, &instance.scene, &states, &instance.truth) {
                Ok(error) => errors += error / self.case.scale,
                Err(why) => return AccuracyRow { outcome: Outcome::Failed, why: why.to_string(), ..row },
            }
            let start = Instant::now();
            let mut repeats = 0;
            while start.elapsed() < plan.repeat_for && repeats < MAX_REPEATS {
                if let Ok((_, again)) = self.once(instance, dt, n_steps, plan.limit, false) {
                    seconds = seconds.min(again);
                }
                repeats += 1;
            }
            spent += seconds;
        }
        let mean = errors / self.instances.len().max(1) as f64;
        AccuracyRow {
            outcome: Outcome::Completed,
            error: Some(mean),
            cpu: Some(spent),
            why: String::new(),
            ..row
        }
    }

    /// Runs one instance; returns its states, if `keep` is set, and its CPU time (s).
    fn once(
        &self,
        instance: &Instance,
        dt: f64,
        n_steps: u64,
        limit: Duration,
        keep: bool,
    ) -> Result<(Vec<State>, f64), (Outcome, String)> {
        let chosen = self
            .entry
            .make(&self.settings, Clock::default())
            .map_err(|e| (Outcome::Failed, e.to_string()))?;
        let mut method = chosen.method;
        let keeps_all =
            self.case.reading.needs_all_states() || matches!(instance.truth, answer::Truth::Course(_));
        let mut watcher = Watcher {
            keep,
            keeps_all,
            states: Vec::new(),
            end: Instant::now() + limit,
            steps: n_steps,
            elsewhere: None,
        };
        let mut state = State::initial(&instance.scene);
        let start = cpu::seconds();
        let rolled = catch_unwind(AssertUnwindSafe(|| {
            roll_out(&instance.scene, method.as_mut(), &mut state, dt, n_steps, &mut watcher)
        }));
        let here = cpu::seconds() - start;
        let seconds = watcher.elsewhere.unwrap_or(here);
        match rolled {
            Ok(Ending::Completed) => Ok((watcher.states, seconds)),
            Ok(Ending::Stopped { step, error }) => {
                Err((Outcome::Stopped, format!("after {step} of {n_steps} steps: {error}")))
            }
            Ok(Ending::Interrupted { step }) => Err((
                Outcome::CutOff,
                format!("after {step} of {n_steps} steps: the time limit was exceeded"),
            )),
            Err(_) => Err((Outcome::Failed, "the method panicked".into())),
        }
    }
}

/// An observer that keeps states without the method's memory, and stops a run at a deadline.
struct Watcher {
    keep: bool,
    keeps_all: bool,
    states: Vec<State>,
    end: Instant,
    steps: u64,
    /// CPU time (s) of an engine in a process of its own.
    elsewhere: Option<f64>,
}

impl Observer for Watcher {
    fn start(&mut self, _: &Scene, state: &State) -> ControlFlow<()> {
        if self.keep {
            self.states.push(bare(state));
        }
        ControlFlow::Continue(())
    }

    fn step(&mut self, _: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        if let Some(seconds) = cpu::elsewhere(report) {
            *self.elsewhere.get_or_insert(0.0) += seconds;
        }
        if self.keep && (self.keeps_all || state.step == self.steps) {
            self.states.push(bare(state));
        }
        if Instant::now() > self.end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn bare(state: &State) -> State {
    State { step: state.step, time: state.time, bodies: state.bodies.clone(), ..State::default() }
}
