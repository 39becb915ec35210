//! Settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the `xpbd` method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Substeps per step: h = Δt / substeps. [Mueller2020] recommends many substeps of one iteration each.
    pub substeps: u32,
    /// Sweeps over all position constraints per substep.
    pub iterations: u32,
    /// k ≥ 1 in the broad phase: boxes grow by k Δt ‖v‖. [Mueller2020] §3.4 uses 2.
    pub safety: f64,
    /// How the contacts of two bodies are solved: all together, or one after the other as the source has it.
    pub contacts: ContactSolver,
    /// How far two surfaces may already overlap, as a fraction of the smaller body's radius, and still be pushed
    /// apart.
    pub overlap: f64,
}

/// How the contacts of two bodies are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactSolver {
    /// The contacts of a pair of bodies together, as one small Coulomb problem started from the multipliers of the
    /// substep before; Gauss–Seidel from pair to pair. A box on four corners stays where it is.
    #[default]
    Block,
    /// One contact after the other, as [Mueller2020] prints it: each starts at λ = 0, static friction among the positions,
    /// dynamic friction among the velocities. What is solved first takes most of the load, so that resting bodies creep.
    Sequential,
}

impl Default for Config {
    fn default() -> Self {
        Self { substeps: 20, iterations: 1, safety: 2.0, contacts: ContactSolver::Block, overlap: 0.1 }
    }
}

impl Config {
    /// Checks the ranges.
    ///
    /// # Errors
    /// A sentence that names the setting, its value and what is allowed.
    pub fn validate(&self) -> Result<(), String> {
        if !(1..=100_000).contains(&self.substeps) {
            return Err(format!("substeps is {}: it must be between 1 and 100000", self.substeps));
        }
        if !(1..=100_000).contains(&self.iterations) {
            return Err(format!("iterations is {}: it must be between 1 and 100000", self.iterations));
        }
        if !(self.safety >= 1.0 && self.safety.is_finite()) {
            return Err(format!("safety is {}: it must be a finite number of at least 1", self.safety));
        }
        if !(self.overlap > 0.0 && self.overlap <= 1.0) {
            return Err(format!("overlap is {}: it must be above 0 and at most 1", self.overlap));
        }
        Ok(())
    }
}
