//! A run while it goes on.

use rigor_scene::{State, StepReport};

/// What can be shown of a run while it goes on.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    /// The state after the step.
    pub state: &'a State,
    /// What the method reported.
    pub report: &'a StepReport,
    /// Kinetic and potential energy (J).
    pub energy: f64,
    /// Wall time of the step (s).
    pub seconds: f64,
    /// Steps to take in all.
    pub steps: u64,
}
