//! Settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the `xpbd` method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Substeps per step: h = Δt / substeps. [Mueller2020] recommends many substeps of one iteration each.
    pub substeps: u32,
    /// Sweeps over all position constraints per substep. Pairs of bodies whose contact forces would change by less than
    /// 1e-4 of the largest are left out after the first, so that many cost little where bodies rest.
    pub iterations: u32,
    /// k ≥ 1 in the broad phase: boxes grow by k Δt ‖v‖. [Mueller2020] §3.4 uses 2.
    pub safety: f64,
    /// How the contacts of two bodies are solved: all together, or one after the other as the source has it.
    pub contacts: ContactSolver,
    /// Sweeps over the contacts of one pair of bodies within an iteration, at the most; they end when nothing changes
    /// by more than 1e-4 of the largest. Few are fast, and leave to the next iteration what they do not settle.
    pub contact_sweeps: u32,
    /// How joints are solved: one after the other as the source has it, or trees of them at once.
    pub joints: JointSolver,
    /// How far two surfaces may already overlap, as a fraction of the smaller body's radius, and still be pushed
    /// apart.
    pub overlap: f64,
    /// How constraints are swept.
    pub solver: Solver,
    /// In which order bonds, attachments and joints are taken.
    pub order: Order,
    /// ω in (0, 2): by what `jacobi` multiplies every Δλ.
    pub relaxation: f64,
    /// Whether `jacobi` divides a constraint's Δλ by the largest number of constraints at one of its particles or
    /// bodies, without which it needs a small relaxation.
    pub averaging: bool,
    /// How particles are moved and their velocities found.
    pub integrator: Integrator,
}

/// How constraints are swept in an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// One after the other, each from the positions that the one before left.
    #[default]
    GaussSeidel,
    /// The same, forwards and backwards in turn.
    Symmetric,
    /// Gauss–Seidel colour after colour: constraints of one colour share no particle or body and are solved at once, by
    /// as many threads as there are, with the same result for any number.
    Coloured,
    /// All from the same positions.
    Jacobi,
    /// As `coloured`, with the edges along every strand coloured in turn: even ones first, then odd ones.
    RedBlack,
}

/// The order of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As the scene lists them.
    #[default]
    Given,
    /// The last first.
    Reversed,
    /// A permutation made from this seed.
    Shuffled(u64),
}

/// How particles are moved. Bodies are not concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// v ← v + h g, x ← x + h v; then v ← (x − x_prev)/h.
    #[default]
    SymplecticEuler,
    /// x(t + h) = 2x(t) − x(t − h) + h² g. The same positions from the second substep on; the first is half a fall only, so
    /// that x is exact under gravity, and v lags half a substep behind.
    Verlet,
    /// x ← x + h v + ½h² g; then v ← (x − x_prev)/h + ½ h g: both exact under gravity.
    VelocityVerlet,
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

/// How joints are solved in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointSolver {
    /// One after the other.
    #[default]
    Sweep,
    /// What balls, hinges, welds and distance joints hold in trees of bodies at once, exactly but for what is not
    /// linear; loops, limits, drives and other joints one after the other before.
    Direct,
}

impl Default for Config {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Config {
    /// What is not said is so.
    pub const DEFAULT: Self = Self {
        substeps: 20,
        iterations: 1,
        safety: 2.0,
        contacts: ContactSolver::Block,
        contact_sweeps: 20,
        joints: JointSolver::Sweep,
        overlap: 0.1,
        solver: Solver::GaussSeidel,
        order: Order::Given,
        relaxation: 1.0,
        averaging: true,
        integrator: Integrator::SymplecticEuler,
    };

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
        if !(1..=10_000).contains(&self.contact_sweeps) {
            return Err(format!("contact_sweeps is {}: it must be between 1 and 10000", self.contact_sweeps));
        }
        if !(self.safety >= 1.0 && self.safety.is_finite()) {
            return Err(format!("safety is {}: it must be a finite number of at least 1", self.safety));
        }
        if !(self.overlap > 0.0 && self.overlap <= 1.0) {
            return Err(format!("overlap is {}: it must be above 0 and at most 1", self.overlap));
        }
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return Err(format!("relaxation is {}: it must be between 0 and 2", self.relaxation));
        }
        Ok(())
    }
}
