//! The data available to an observer during a run.

use rigor_scene::{State, StepReport};

/// The data of a run after a step, for display.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    /// The state after the step.
    pub state: &'a State,
    /// The method's report on the step.
    pub report: &'a StepReport,
    /// Kinetic and potential energy (J).
    pub energy: f64,
    /// Wall time of the step (s).
    pub seconds: f64,
    /// Total number of steps of the run.
    pub steps: u64,
}
