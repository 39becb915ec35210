//! The method `abd`: affine body dynamics with incremental potential contact.

use rigor_scene::{
    Clock, ConfigError, Method, Notice, Quantity, Scene, State, StepError, StepReport, Unsupported,
};
use serde::{Deserialize, Serialize};

use crate::config::{self, Bodies, Ending, Integrator, Pairs, Restitution, StartWithin};
use crate::step::Ipc;

/// Name of the method.
const NAME: &str = "abd";

macro_rules! shared {
    ($source:ident => $($target:ident)::+ { $($own:tt)* }) => {
        $($target)::+ {
            d_hat: $source.d_hat,
            start_within: $source.start_within,
            minimum_separation: $source.minimum_separation,
            kappa: $source.kappa,
            affine_stiffness: $source.affine_stiffness,
            velocity_tolerance: $source.velocity_tolerance,
            velocity_tolerance_is_absolute: $source.velocity_tolerance_is_absolute,
            ending: $source.ending,
            integrator: $source.integrator,
            restitution: $source.restitution,
            eps_v: $source.eps_v,
            friction_iterations: $source.friction_iterations,
            max_newton_iterations: $source.max_newton_iterations,
            max_halvings: $source.max_halvings,
            max_substeps: $source.max_substeps,
            pairs: $source.pairs,
            joint_substeps: $source.joint_substeps,
            record_path: $source.record_path,
            $($own)*
        }
    };
}

/// Settings of the `abd` method: those of `ipc` that affine bodies have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// κ (Pa) of \[Lan2022\] eq. (7): the stiffness that keeps bodies nearly rigid.
    pub affine_stiffness: f64,
    /// d̂ (m): contact forces act below this distance. Default: as for `ipc`.
    pub d_hat: Option<f64>,
    /// What the barrier does to bodies that start within a given `d_hat`.
    pub start_within: StartWithin,
    /// Minimum distance (m) between surfaces; 0: surfaces may come arbitrarily close but never touch.
    pub minimum_separation: f64,
    /// κ (J/m⁴ s²): the stiffness of the barrier. Default: as for `ipc`.
    pub kappa: Option<f64>,
    /// Maximum force imbalance at the end of a Newton solve (m/s). Default, and upper limit: as for `ipc`.
    pub velocity_tolerance: Option<f64>,
    /// Whether `velocity_tolerance` is in m/s; otherwise it is multiplied by the diagonal of the box around all bodies at the start.
    pub velocity_tolerance_is_absolute: bool,
    /// Termination criterion of a Newton solve.
    pub ending: Ending,
    /// Time integration. `implicit_euler` is that of \[Lan2022\]: first order; spin decays.
    pub integrator: Integrator,
    /// With what velocities bodies leave an impact.
    pub restitution: Restitution,
    /// ε_v (m/s): sliding speed from which friction is fully developed. Default: as for `ipc`.
    pub eps_v: Option<f64>,
    /// Friction rounds per step, as for `ipc`.
    pub friction_iterations: i32,
    /// Maximum Newton iterations per solve; if they do not suffice, the step is halved.
    pub max_newton_iterations: u32,
    /// How often a step that Newton's method cannot finish is halved before the run stops.
    pub max_halvings: u32,
    /// Maximum number of substeps into which a step is divided for bodies that move or turn too far for one minimization.
    pub max_substeps: u32,
    /// Substeps per step of the flight of joined bodies, as for `ipc`.
    pub joint_substeps: u32,
    /// Which pairs of primitives the barrier sums over.
    pub pairs: Pairs,
    /// Whether each step reports the path that it took through its iterates, for `rigor audit --certify`.
    pub record_path: bool,
}

impl Default for Config {
    fn default() -> Self {
        let ipc = config::Config::default();
        shared!(ipc => Self {})
    }
}

impl Config {
    /// Returns the same settings of `ipc`.
    fn ipc(&self) -> config::Config {
        let config::Config { coordinates, ccd, broad_phase, .. } = config::Config::default();
        shared!(self => config::Config {
            bodies: Bodies::Affine,
            coordinates,
            ccd,
            broad_phase,
        })
    }
}

/// Affine body dynamics: stiff affine bodies whose points move on straight lines from iterate to iterate, so that they never intersect.
///
/// Source: \[Lan2022\]. It is [`Ipc`] with [`Bodies::Affine`]. Deviations: see `docs/methods/abd.md`.
#[derive(Debug)]
pub struct Abd {
    config: Config,
    step: Ipc,
}

impl Abd {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        Ok(Self { step: Ipc::new(config.ipc(), clock)?, config })
    }

    /// The settings in use.
    pub fn config(&self) -> &Config {
        &self.config
    }
}

impl Method for Abd {
    fn name(&self) -> &str {
        NAME
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        self.step.supports(scene).map_err(|lack| Unsupported { method: NAME.into(), ..lack })
    }

    fn notices(&self, scene: &Scene, dt: f64) -> Vec<Notice> {
        self.step.notices(scene, dt)
    }

    fn derived(&mut self, scene: &Scene, dt: f64) -> Vec<Quantity> {
        self.step.derived(scene, dt)
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        self.step.step(scene, state, dt)
    }
}
