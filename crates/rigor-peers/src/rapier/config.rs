//! The engine's parameters under our names, with the engine's defaults.

use std::ops::Bound;

use rapier3d_f64::dynamics::{FrictionModel, IntegrationParameters, SpringCoefficients};
use rigor_scene::{Allowed, ConfigError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the `rapier` method. The defaults are those of the engine, `IntegrationParameters::default()`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Solver iterations per step; each one is a substep of Δt / iterations.
    pub solver_iterations: u32,
    /// Gauss–Seidel sweeps per solver iteration.
    pub pgs_iterations: u32,
    /// Sweeps without position correction per solver iteration.
    pub stabilization_iterations: u32,
    /// Stiffness of contacts between moving bodies, as a natural frequency (Hz).
    pub contact_frequency: f64,
    /// Damping ratio of contacts between moving bodies.
    pub contact_damping_ratio: f64,
    /// Stiffness of contacts with static bodies, as a natural frequency (Hz).
    pub static_contact_frequency: f64,
    /// Damping ratio of contacts with static bodies.
    pub static_contact_damping_ratio: f64,
    /// Stiffness of joints, as a natural frequency (Hz).
    pub joint_frequency: f64,
    /// Damping ratio of joints.
    pub joint_damping_ratio: f64,
    /// Fraction of the last step's impulses from which the solver starts, in [0, 1].
    pub warmstart: f64,
    /// Length (m) to which the engine's tolerances are relative: the typical size of an object.
    pub length_unit: f64,
    /// Penetration that the engine tolerates, in length units.
    pub allowed_linear_error: f64,
    /// Maximum speed at which penetration is corrected, in length units per second.
    pub max_corrective_velocity: f64,
    /// Maximum gap at which contacts are predicted, in length units.
    pub prediction_distance: f64,
    /// Speed limit of bodies, in length units per second.
    pub max_linear_velocity: f64,
    /// Maximum number of substeps of continuous collision detection, by which the engine stops fast bodies at
    /// static ones; 0 disables it.
    pub max_ccd_substeps: u32,
    /// Names of dynamic bodies that continuous collision detection also stops at moving bodies. The engine
    /// never sweeps two bullets against each other.
    pub bullets: Vec<String>,
    /// Distance (m) ahead on the path of every dynamic body within which contacts are predicted: the engine's
    /// "soft" continuous collision detection; 0 disables it.
    pub soft_ccd_prediction: f64,
    /// Whether contacts with nearly the same normal are merged.
    pub contact_clustering: bool,
    /// Whether contacts of pairs that hardly moved are kept without new detection.
    pub contact_recycling: bool,
    /// The friction model.
    pub friction_model: Friction,
    /// Whether bodies at rest fall asleep.
    pub sleeping: bool,
    /// The representation of a concave part.
    pub concave: Concave,
}

/// The friction model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Friction {
    /// One constraint and a twist per group of four contacts.
    Simplified,
    /// One constraint per contact.
    Coulomb,
}

/// The representation of a concave part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Concave {
    /// A triangle mesh: the exact surface, but the engine finds no contact between two overlapping ones.
    Trimesh,
    /// Convex pieces (V-HACD): solid, but not the exact surface.
    Decomposition,
}

impl Default for Config {
    fn default() -> Self {
        let engine = IntegrationParameters::default();
        let joint = SpringCoefficients::<f64>::joint_defaults();
        Self {
            solver_iterations: engine.num_solver_iterations as u32,
            pgs_iterations: engine.num_internal_pgs_iterations as u32,
            stabilization_iterations: engine.num_internal_stabilization_iterations as u32,
            contact_frequency: engine.contact_softness.natural_frequency,
            contact_damping_ratio: engine.contact_softness.damping_ratio,
            static_contact_frequency: engine.static_contact_softness.natural_frequency,
            static_contact_damping_ratio: engine.static_contact_softness.damping_ratio,
            joint_frequency: joint.natural_frequency,
            joint_damping_ratio: joint.damping_ratio,
            warmstart: engine.warmstart_coefficient,
            length_unit: engine.length_unit,
            allowed_linear_error: engine.normalized_allowed_linear_error,
            max_corrective_velocity: engine.normalized_max_corrective_velocity,
            prediction_distance: engine.normalized_prediction_distance,
            max_linear_velocity: engine.normalized_max_linear_velocity,
            max_ccd_substeps: engine.max_ccd_substeps as u32,
            bullets: Vec::new(),
            soft_ccd_prediction: 0.0,
            contact_clustering: engine.contact_clustering,
            contact_recycling: engine.contact_recycling,
            friction_model: Friction::Simplified,
            sleeping: true,
            concave: Concave::Trimesh,
        }
    }
}

impl Config {
    /// Checks the ranges of the settings.
    ///
    /// # Errors
    /// [`ConfigError`] with the setting, its value and the allowed range. A method with invalid settings takes
    /// no step.
    ///
    /// ```
    /// use rigor_peers::rapier::Config;
    /// assert!(Config::default().validate().is_ok());
    /// let none = Config { solver_iterations: 0, ..Config::default() };
    /// assert_eq!(none.validate().unwrap_err().setting, "solver_iterations");
    /// ```
    pub fn validate(&self) -> Result<(), ConfigError> {
        let counts = [
            ("solver_iterations", self.solver_iterations, 1),
            ("pgs_iterations", self.pgs_iterations, 1),
            ("stabilization_iterations", self.stabilization_iterations, 0),
            ("max_ccd_substeps", self.max_ccd_substeps, 0),
        ];
        for (name, value, least) in counts {
            Allowed::integers(least, 10_000).check(name, value)?;
        }
        let positive = [
            ("contact_frequency", self.contact_frequency),
            ("static_contact_frequency", self.static_contact_frequency),
            ("joint_frequency", self.joint_frequency),
            ("length_unit", self.length_unit),
            ("max_corrective_velocity", self.max_corrective_velocity),
            ("max_linear_velocity", self.max_linear_velocity),
        ];
        for (name, value) in positive {
            Allowed::POSITIVE.check(name, value)?;
        }
        let not_negative = [
            ("contact_damping_ratio", self.contact_damping_ratio),
            ("static_contact_damping_ratio", self.static_contact_damping_ratio),
            ("joint_damping_ratio", self.joint_damping_ratio),
            ("allowed_linear_error", self.allowed_linear_error),
            ("prediction_distance", self.prediction_distance),
            ("soft_ccd_prediction", self.soft_ccd_prediction),
        ];
        for (name, value) in not_negative {
            Allowed::NOT_NEGATIVE.check(name, value)?;
        }
        Allowed::numbers(Bound::Included(0.0), Bound::Included(1.0)).check("warmstart", self.warmstart)
    }

    /// Returns the engine's parameters for a step of `dt` (s).
    pub(super) fn parameters(&self, dt: f64) -> IntegrationParameters {
        IntegrationParameters {
            dt,
            contact_softness: SpringCoefficients::new(self.contact_frequency, self.contact_damping_ratio),
            static_contact_softness: SpringCoefficients::new(
                self.static_contact_frequency,
                self.static_contact_damping_ratio,
            ),
            warmstart_coefficient: self.warmstart,
            length_unit: self.length_unit,
            normalized_allowed_linear_error: self.allowed_linear_error,
            normalized_max_corrective_velocity: self.max_corrective_velocity,
            normalized_prediction_distance: self.prediction_distance,
            normalized_max_linear_velocity: self.max_linear_velocity,
            num_solver_iterations: self.solver_iterations as usize,
            num_internal_pgs_iterations: self.pgs_iterations as usize,
            num_internal_stabilization_iterations: self.stabilization_iterations as usize,
            max_ccd_substeps: self.max_ccd_substeps as usize,
            contact_clustering: self.contact_clustering,
            contact_recycling: self.contact_recycling,
            friction_model: match self.friction_model {
                Friction::Simplified => FrictionModel::Simplified,
                Friction::Coulomb => FrictionModel::Coulomb,
            },
            ..IntegrationParameters::default()
        }
    }

    /// Returns the stiffness and damping of joints.
    pub(super) fn joint_softness(&self) -> SpringCoefficients<f64> {
        SpringCoefficients::new(self.joint_frequency, self.joint_damping_ratio)
    }

    /// Returns the number of solver sweeps per step.
    pub(super) fn iterations_per_step(&self) -> u64 {
        let sweeps = self.pgs_iterations + self.stabilization_iterations;
        u64::from(self.solver_iterations) * u64::from(sweeps)
    }
}
