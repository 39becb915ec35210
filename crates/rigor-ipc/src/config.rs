//! Settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the `ipc` method. What is `None` is derived from the scene; `docs/methods/ipc.md` says how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// d̂ (m): contact forces act below this distance. Default: 10⁻³ of the diagonal of the smallest moving body, or the
    /// smallest distance between bodies at the start if that is less, but at least 10⁻⁶ of the diagonal.
    pub d_hat: Option<f64>,
    /// Minimum distance (m) between surfaces; 0: surfaces may come arbitrarily close but never touch.
    pub minimum_separation: f64,
    /// κ (J/m⁴ s²): the stiffness of the barrier. Default: from masses, weight and d̂ where a simulation begins, kept
    /// from step to step, and doubled where surfaces come nearer than 10⁻³ d̂.
    pub kappa: Option<f64>,
    /// Maximum imbalance of forces at the end of a Newton solve, as the speed (m/s) that it would give any point of a body
    /// in one step. Default, and the largest value that is honoured: 10⁻⁴ h a, where a is the largest acceleration by
    /// gravity and constant forces; without any, the square of the largest speed at the start over the diagonal.
    pub velocity_tolerance: Option<f64>,
    /// Whether `velocity_tolerance` is m/s, or is to be multiplied by the diagonal of the box around all bodies as they
    /// stand at the start, as the reference program has it.
    pub velocity_tolerance_is_absolute: bool,
    /// When a Newton solve ends.
    pub ending: Ending,
    /// How bodies move from the end of one step to the end of the next.
    pub integrator: Integrator,
    /// ε_v (m/s): the sliding speed from which friction is fully developed. Default: 10⁻⁴ of the diagonal per second.
    pub eps_v: Option<f64>,
    /// Friction rounds per step, each with the normal forces of the last solution; 0: no friction; −1: until friction
    /// agrees with the normal forces of the same step.
    pub friction_iterations: i32,
    /// Maximum Newton iterations of one solve; beyond them the step fails.
    pub max_newton_iterations: u32,
    /// Which pairs of primitives the barrier sums over.
    pub pairs: Pairs,
    /// In which coordinates the bodies turn.
    pub coordinates: Coordinates,
    /// Whether each step tells the path that it took through its iterates, from which `rigor audit --certify` proves that
    /// bodies never touched. It changes no result.
    pub record_path: bool,
}

/// When a Newton solve ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// When ‖M⁻¹∇f‖/h, as the speed of a point, is below the tolerance, and the last step was not cut short.
    #[default]
    Balance,
    /// As the reference program of [Ferguson2021] does: when no coordinate of any vertex would move by more than h times
    /// the tolerance in the next full step, but not before the second iteration of a solve; the tolerance is used as
    /// given. With `friction_iterations = -1` friction is updated until ‖∇f‖ over the mean mass is at most 10⁻² of the
    /// diagonal.
    Reference,
}

/// How bodies move from the end of one step to the end of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// q̃ = q + h q̇ + h² g, Q̃ = Q + h Q̇, as in [Ferguson2021]: of first order; spin decays.
    ImplicitEuler,
    /// Free flight as `free` has it; contact adds impulses by implicit Euler: of first order.
    #[default]
    Impulse,
    /// Free flight as `free` has it; contact adds impulses by the backward differentiation formula of second order where
    /// its forces change smoothly, and as `impulse` elsewhere.
    Bdf2,
}

/// Which pairs of primitives the barrier sums over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pairs {
    /// What triangles have in common counts once, and edges within a plane not at all: the barrier is flat along flat
    /// surfaces.
    #[default]
    Distinct,
    /// Every pair, as in [Ferguson2021] eq. (3).
    All,
}

/// In which coordinates the bodies turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coordinates {
    /// Q ← exp([δ]) Q, δ = 0 at every iterate: a line search turns each body about a fixed axis, and no turn is singular.
    #[default]
    Local,
    /// Q = R(θ), the rotation vector of [Ferguson2021]: singular at ‖θ‖ = 2π.
    RotationVector,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            d_hat: None,
            minimum_separation: 0.0,
            kappa: None,
            velocity_tolerance: None,
            velocity_tolerance_is_absolute: true,
            ending: Ending::default(),
            integrator: Integrator::default(),
            eps_v: None,
            friction_iterations: -1,
            max_newton_iterations: 1000,
            pairs: Pairs::Distinct,
            coordinates: Coordinates::Local,
            record_path: false,
        }
    }
}

impl Config {
    /// Checks the ranges.
    ///
    /// # Errors
    /// A sentence that names the setting, its value and what is allowed.
    pub fn validate(&self) -> Result<(), String> {
        let lengths = [
            ("d_hat", self.d_hat),
            ("kappa", self.kappa),
            ("velocity_tolerance", self.velocity_tolerance),
            ("eps_v", self.eps_v),
        ];
        for (name, value) in lengths {
            if value.is_some_and(|v| !(v > 0.0 && v.is_finite())) {
                let value = value.unwrap_or_default();
                return Err(format!("{name} is {value}: it must be a finite number above 0"));
            }
        }
        if !(self.minimum_separation >= 0.0 && self.minimum_separation.is_finite()) {
            return Err(format!(
                "minimum_separation is {}: it must be a finite number of at least 0",
                self.minimum_separation
            ));
        }
        if self.friction_iterations < -1 {
            return Err(format!(
                "friction_iterations is {}: it must be at least -1",
                self.friction_iterations
            ));
        }
        if self.max_newton_iterations == 0 {
            return Err("max_newton_iterations is 0: it must be at least 1".into());
        }
        Ok(())
    }
}
