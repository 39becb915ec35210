//! What a run keeps, and Ctrl-C.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rigor_run::notice::FlawCounter;
use rigor_scene::{Memory, Observer, Scene, State, StepReport};

/// Wall time between looks at signals.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Asks Python for signals now and then. Only the main thread of Python sees them.
pub struct Signals {
    looked: Instant,
    error: Option<PyErr>,
}

impl Signals {
    /// Nothing was raised.
    pub fn new() -> Self {
        Self { looked: Instant::now(), error: None }
    }

    /// Whether a signal handler raised an exception, such as `KeyboardInterrupt`.
    pub fn is_raised(&mut self) -> bool {
        if self.error.is_none() && self.looked.elapsed() > LOOK_EVERY {
            self.looked = Instant::now();
            self.error = Python::attach(|py: Python<'_>| -> PyResult<()> { py.check_signals() }).err();
        }
        self.error.is_some()
    }

    /// Raises the exception.
    pub fn check(&mut self) -> PyResult<()> {
        self.take().map_or(Ok(()), Err)
    }

    /// The exception.
    pub fn take(&mut self) -> Option<PyErr> {
        self.error.take()
    }
}

/// Keeps states, without the memory of the method, and reports, without the path.
pub struct Recorder {
    /// The kept states, the initial one first.
    pub frames: Vec<State>,
    /// The reports of the steps that end in the kept states after the first.
    pub reports: Vec<StepReport>,
    /// Flaws of all steps.
    pub flaws: FlawCounter,
    /// Signals.
    pub signals: Signals,
    every: u64,
}

impl Recorder {
    /// Keeps each `every`-th state after the first.
    pub fn new(first: &State, every: u64) -> Self {
        Self {
            frames: vec![without_memory(first)],
            reports: Vec::new(),
            flaws: FlawCounter::default(),
            signals: Signals::new(),
            every,
        }
    }

    /// Counts the flaws of a step, and keeps its state if it is due.
    pub fn keep(&mut self, state: &State, report: &StepReport) {
        self.flaws.push(state.step, report);
        if state.step.is_multiple_of(self.every) {
            self.frames.push(without_memory(state));
            self.reports.push(without_path(report));
        }
    }
}

fn without_memory(state: &State) -> State {
    State {
        step: state.step,
        time: state.time,
        bodies: state.bodies.clone(),
        particles: state.particles.clone(),
        strains: state.strains.clone(),
        memory: Memory::default(),
    }
}

fn without_path(report: &StepReport) -> StepReport {
    StepReport {
        path: None,
        contacts: report.contacts.clone(),
        joints: report.joints.clone(),
        particle_contacts: report.particle_contacts.clone(),
        phases: report.phases.clone(),
        quantities: report.quantities.clone(),
        flaws: report.flaws.clone(),
        ..*report
    }
}

impl Observer for Recorder {
    fn step(&mut self, _: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        self.keep(state, report);
        if self.signals.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
