//! The method `pbd`: position-based dynamics without compliance.

use std::ops::Bound;

use rigor_math::elementary;
use rigor_scene::{
    Allowed, Clock, ConfigError, Method, Notice, Scene, State, StepError, StepReport, Unsupported,
};

use crate::config;
use crate::elastic::Stiffness;
use crate::notice;
use crate::step::Xpbd;

/// Name of the method.
const NAME: &str = "pbd";

config::settings! {
    /// Settings of the `pbd` method: those of `xpbd` except `joints`, and a stiffness that replaces the
    /// compliances of the scene.
    Config {
        /// k in (0, 1]: fraction of the error of a particle constraint that is corrected, per substep with
        /// `correct_stiffness`, else per projection.
        pub stiffness: f64,
        /// Whether k is corrected for the number of iterations: k′ = 1 − (1 − k)^(1/iterations).
        pub correct_stiffness: bool,
    } {}
}

impl Default for Config {
    fn default() -> Self {
        let xpbd = config::Config { substeps: 1, iterations: 20, ..config::Config::DEFAULT };
        config::with_shared_settings!(xpbd => Self { stiffness: 1.0, correct_stiffness: true })
    }
}

impl Config {
    /// Returns the stiffness of one projection: k′ = 1 − (1 − k)^(1/n) for n iterations, or k if it is not
    /// corrected.
    ///
    /// After n sweeps over a single constraint, the corrected fraction is 1 − (1 − k′)ⁿ = k.
    ///
    /// Source: \[Mueller2007\] §3.3.
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

    /// Returns the settings for the underlying `xpbd` solver.
    fn xpbd(&self) -> config::Config {
        // The effect of a stiffness depends on the number of substeps, which thus stays as it is set.
        config::with_shared_settings!(self => config::Config {
            joints: config::Config::DEFAULT.joints,
            max_motion: f64::MAX,
            max_substeps: 1,
        })
    }
}

/// Position-based dynamics: particle constraints have a stiffness instead of a compliance.
///
/// Source: \[Mueller2007\] §3. Deviation: bodies and their contacts are those of [`Xpbd`]; tetrahedra resist
/// through their strains, which are projected to zero.
#[derive(Debug)]
pub struct Pbd {
    config: Config,
    step: Xpbd,
}

impl Pbd {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        let allowed = Allowed::numbers(Bound::Excluded(0.0), Bound::Included(1.0));
        allowed.check("stiffness", config.stiffness)?;
        let stiffness = Stiffness::Part(config.stiffness_per_sweep());
        Ok(Self { step: Xpbd::with_stiffness(config.xpbd(), clock, stiffness)?, config })
    }

    /// Returns the settings in use.
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
        let mut notices = notice::of_stiffness(scene, self.config.stiffness);
        notices.extend(notice::of_contact(scene));
        notices.extend(notice::of_joints(scene, config::Config::DEFAULT.joints));
        notices
    }
}
