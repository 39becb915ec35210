//! Position-based dynamics as it was before compliance: the method `pbd`.

use rigor_math::elementary;
use rigor_scene::{Clock, Method, Notice, Scene, State, StepError, StepReport, Unsupported};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{self, ContactSolver, Integrator, Order, Solver};
use crate::elastic::Stiffness;
use crate::notice;
use crate::step::Xpbd;

/// The name by which the method is known.
const NAME: &str = "pbd";

/// Settings of the `pbd` method: those of `xpbd`, and a stiffness in place of the compliances of the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// k in (0, 1]: the part of a constraint on particles that a projection meets.
    pub stiffness: f64,
    /// Whether k is corrected for the number of iterations, k′ = 1 − (1 − k)^(1/iterations).
    pub correct_stiffness: bool,
    /// Substeps per step: h = Δt / substeps. [Mueller2007] has one.
    pub substeps: u32,
    /// Sweeps over all position constraints per substep. Pairs of bodies whose contact forces would change by less than
    /// 1e-4 of the largest are left out after the first, so that many cost little where bodies rest.
    pub iterations: u32,
    /// k ≥ 1 in the broad phase: boxes grow by k Δt ‖v‖.
    pub safety: f64,
    /// How the contacts of two bodies are solved.
    pub contacts: ContactSolver,
    /// Sweeps over the contacts of one pair of bodies within an iteration, at the most; they end when nothing changes
    /// by more than 1e-4 of the largest. Few are fast, and leave to the next iteration what they do not settle.
    pub contact_sweeps: u32,
    /// How far two surfaces may already overlap, as a fraction of the smaller body's radius, and still be pushed
    /// apart.
    pub overlap: f64,
    /// How constraints are swept.
    pub solver: Solver,
    /// In which order bonds, attachments and joints are taken.
    pub order: Order,
    /// ω in (0, 2): by what `jacobi` multiplies every correction.
    pub relaxation: f64,
    /// Whether `jacobi` divides a constraint's correction by the largest number of constraints at one of its particles.
    pub averaging: bool,
    /// How particles are moved and their velocities found.
    pub integrator: Integrator,
}

impl Default for Config {
    fn default() -> Self {
        let config::Config {
            safety,
            contacts,
            contact_sweeps,
            overlap,
            solver,
            order,
            relaxation,
            averaging,
            integrator,
            ..
        } = config::Config::default();
        Self {
            stiffness: 1.0,
            correct_stiffness: true,
            substeps: 1,
            iterations: 20,
            safety,
            contacts,
            contact_sweeps,
            overlap,
            solver,
            order,
            relaxation,
            averaging,
            integrator,
        }
    }
}

impl Config {
    /// k′ = 1 − (1 − k)^(1/n), or k where it is not corrected: after n sweeps a constraint alone is met to 1 − (1 − k′)ⁿ = k.
    ///
    /// Source: [Mueller2007] §3.3.
    ///
    /// ```
    /// let config = rigor_xpbd::pbd::Config { stiffness: 0.75, iterations: 2, ..Default::default() };
    /// assert_eq!(config.stiffness_per_sweep(), 0.5);
    /// ```
    pub fn stiffness_per_sweep(&self) -> f64 {
        if !self.correct_stiffness || self.stiffness == 1.0 {
            return self.stiffness;
        }
        1.0 - elementary::exp(elementary::ln(1.0 - self.stiffness) / f64::from(self.iterations))
    }

    /// What it shares with `xpbd`.
    fn common(&self) -> config::Config {
        config::Config {
            substeps: self.substeps,
            iterations: self.iterations,
            safety: self.safety,
            contacts: self.contacts,
            contact_sweeps: self.contact_sweeps,
            joints: config::Config::DEFAULT.joints,
            overlap: self.overlap,
            solver: self.solver,
            order: self.order,
            relaxation: self.relaxation,
            averaging: self.averaging,
            integrator: self.integrator,
        }
    }
}

/// Position-based dynamics: constraints on particles have a stiffness in place of a compliance.
///
/// Source: [Mueller2007] §3. Deviation: bodies and their contacts are those of [`Xpbd`]; tetrahedra resist by their
/// strains, which are projected to zero.
#[derive(Debug)]
pub struct Pbd {
    config: Config,
    step: Xpbd,
}

impl Pbd {
    /// The method with these settings.
    ///
    /// # Errors
    /// A sentence naming the setting that is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, String> {
        if !(config.stiffness > 0.0 && config.stiffness <= 1.0) {
            return Err(format!("stiffness is {}: it must be above 0 and at most 1", config.stiffness));
        }
        let stiffness = Stiffness::Part(config.stiffness_per_sweep());
        Ok(Self { step: Xpbd::with_stiffness(config.common(), clock, stiffness)?, config })
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }
}

impl Method for Pbd {
    fn name(&self) -> &str {
        NAME
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        self.step.supports(scene).map_err(|lack| Unsupported { method: NAME.into(), ..lack })
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        self.step.step(scene, state, dt)
    }

    fn notices(&self, scene: &Scene, _dt: f64) -> Vec<Notice> {
        notice::of_stiffness(scene, self.config.stiffness)
    }
}
