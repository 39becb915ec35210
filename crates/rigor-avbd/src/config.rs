//! Settings.

use std::ops::Bound;

use rigor_scene::{Allowed, ConfigError};
use serde::{Deserialize, Serialize};

/// Settings of the `avbd` method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Substeps per step: h = Δt/substeps.
    pub substeps: u32,
    /// Sweeps over all bodies in a substep.
    pub iterations: u32,
    /// Maximum motion in a substep of two bodies that may meet, as a fraction of the smaller one's radius. Where they are faster,
    /// the whole step has more than `substeps` substeps.
    pub max_motion: f64,
    /// Maximum number of substeps of a step with fast bodies; where even that is too few, the step has the flaw `too_fast`.
    pub max_substeps: u32,
    /// α: fraction of the error at the start of a substep that constraints leave as it is.
    pub alpha: f64,
    /// β: stiffness by which a constraint grows in a sweep, per length of its error: as `penalties` says.
    pub beta: f64,
    /// γ: what is left of stiffnesses and multipliers at the start of the next substep.
    pub gamma: f64,
    /// Least stiffness at the start of a substep: as `penalties` says.
    pub stiffness_start: f64,
    /// Largest stiffness of a rigid constraint: as `penalties` says.
    pub stiffness_max: f64,
    /// What the three numbers above are measured in.
    pub penalties: Penalties,
    /// When errors that were there before the substep are removed.
    pub stabilization: Stabilization,
    /// Where the sweeps start from.
    pub start: Start,
    /// Force on a body that is not balanced after the last sweep, over its mass and the largest of any body's constraints, above which the step has the flaw
    /// `unconverged`.
    pub tolerance: f64,
    /// k ≥ 1 in the broad phase: boxes grow by k Δt ‖v‖.
    pub safety: f64,
    /// Maximum existing overlap of two surfaces that is still pushed apart, as a fraction of the smaller body's radius.
    pub overlap: f64,
}

/// What stiffnesses are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Penalties {
    /// m̂/h², and β in m̂/h² per radius of the smaller body, with the mass m̂ that the constraint moves: results do not depend on units.
    #[default]
    Relative,
    /// N/m (N m/rad), and β in N/m² (N m/rad²), as printed.
    Absolute,
}

/// When errors that were there before the substep are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stabilization {
    /// In all sweeps, the part 1 − α of them, as printed; velocities get what that takes.
    Alpha,
    /// In one more sweep after the velocities are known: positions are moved, velocities are not.
    #[default]
    Post,
}

/// Where the sweeps start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// From the inertial positions, with the part of gravity that the last substep showed.
    #[default]
    Adaptive,
    /// From the inertial positions.
    Inertial,
    /// From the positions before.
    Before,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            substeps: 1,
            iterations: 10,
            max_motion: 0.15,
            max_substeps: 2000,
            alpha: 0.95,
            beta: 100.0,
            gamma: 0.99,
            stiffness_start: 1.0,
            stiffness_max: 1e6,
            penalties: Penalties::Relative,
            stabilization: Stabilization::Post,
            start: Start::Adaptive,
            tolerance: 0.1,
            safety: 2.0,
            overlap: 0.1,
        }
    }
}

impl Config {
    /// Checks that every setting is in range.
    ///
    /// # Errors
    /// [`ConfigError`] with the setting, its value and what is allowed.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let part = || Allowed::numbers(Bound::Included(0.0), Bound::Included(1.0));
        let positive = || Allowed::numbers(Bound::Excluded(0.0), Bound::Unbounded);
        Allowed::integers(1, 100_000).check("substeps", self.substeps)?;
        Allowed::integers(1, 1_000_000).check("iterations", self.iterations)?;
        Allowed::integers(1, 100_000).check("max_substeps", self.max_substeps)?;
        positive().check("max_motion", self.max_motion)?;
        part().check("alpha", self.alpha)?;
        Allowed::numbers(Bound::Included(0.0), Bound::Unbounded).check("beta", self.beta)?;
        part().check("gamma", self.gamma)?;
        positive().check("stiffness_start", self.stiffness_start)?;
        Allowed::numbers(Bound::Included(self.stiffness_start), Bound::Unbounded)
            .check("stiffness_max", self.stiffness_max)?;
        positive().check("tolerance", self.tolerance)?;
        Allowed::numbers(Bound::Included(1.0), Bound::Unbounded).check("safety", self.safety)?;
        Allowed::numbers(Bound::Excluded(0.0), Bound::Included(1.0)).check("overlap", self.overlap)
    }
}
