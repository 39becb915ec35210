//! When a step is halved: where it made energy, or where Newton's method could not finish it.

use rigor_scene::StepError;

use crate::config::Config;

/// How often the first substep is halved, and whether Newton's method could not finish a longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Halved {
    pub times: u32,
    pub by_newton: bool,
}

impl Halved {
    /// Not at all.
    pub const NOT: Self = Self { times: 0, by_newton: false };
    /// Once, as the whole step made energy.
    pub const BY_ENERGY: Self = Self { times: 1, by_newton: false };
    /// Once, as Newton's method could not finish the whole step.
    pub const BY_NEWTON: Self = Self { times: 1, by_newton: true };
}

impl Config {
    /// Returns whether a part of a step that failed after so many `halvings` is halved once more: whether it was Newton's method
    /// that could not finish, or that came where nothing can be proven free.
    pub(crate) fn halves(&self, error: &StepError, halvings: u32) -> bool {
        let is_of_newton = matches!(
            error,
            StepError::NotConverged { .. }
                | StepError::NoDescent { .. }
                | StepError::Singular { .. }
                | StepError::NoFreeMotion { .. }
        );
        is_of_newton && self.max_substeps > 1 && halvings < self.max_halvings
    }
}
