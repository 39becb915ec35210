//! A run kept in memory.

use std::ops::ControlFlow;

use crate::method::{Method, StepReport};
use crate::roll_out::{Observer, Outcome, roll_out};
use crate::scene::Scene;
use crate::state::State;

/// States at equal time intervals, starting at the start of the run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trajectory {
    /// The states.
    pub frames: Vec<State>,
}

/// A complete run: every state, every report, and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Every state, the initial one first.
    pub trajectory: Trajectory,
    /// One report per step.
    pub reports: Vec<StepReport>,
    /// How it ended.
    pub outcome: Outcome,
}

impl Run {
    /// Simulates `scene` from its initial state for `steps` steps of `dt` (s) and keeps everything.
    ///
    /// For long runs of many bodies use [`roll_out`](crate::roll_out()) with an [`Observer`] that keeps less.
    pub fn record(scene: &Scene, method: &mut dyn Method, dt: f64, steps: u64) -> Self {
        let mut state = State::initial(scene);
        let mut recorder = Recorder::default();
        let outcome = roll_out(scene, method, &mut state, dt, steps, &mut recorder);
        Self { trajectory: recorder.trajectory, reports: recorder.reports, outcome }
    }

    /// The last state.
    ///
    /// # Panics
    /// Never for a run made by [`Run::record`] with a valid time step, which holds at least the initial
    /// state.
    pub fn last(&self) -> &State {
        self.trajectory.frames.last().expect("a recorded run holds its initial state")
    }
}

#[derive(Default)]
struct Recorder {
    trajectory: Trajectory,
    reports: Vec<StepReport>,
}

impl Observer for Recorder {
    fn start(&mut self, _scene: &Scene, state: &State) -> ControlFlow<()> {
        self.trajectory.frames.push(state.clone());
        ControlFlow::Continue(())
    }

    fn step(&mut self, _scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        self.trajectory.frames.push(state.clone());
        self.reports.push(report.clone());
        ControlFlow::Continue(())
    }
}
