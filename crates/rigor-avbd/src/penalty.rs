//! Stiffnesses that grow, and multipliers.

use crate::config::{Config, Penalties};

/// The units of a constraint's stiffness.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Scale {
    /// Unit of the stiffness (N/m or N m/rad).
    pub stiffness: f64,
    /// Unit of its growth per error (N/m² or N m/rad²).
    pub growth: f64,
}

impl Scale {
    /// The units of a constraint that moves bodies of 1/`w` (kg or kg m²) in a substep of `h` (s); `size` (m) is that of the smaller body, 1 rad of an angle.
    pub fn new(w: f64, h: f64, size: f64, config: &Config) -> Self {
        match config.penalties {
            Penalties::Relative => {
                let stiffness = if w > 0.0 { 1.0 / (w * h * h) } else { 0.0 };
                Self { stiffness, growth: stiffness / size }
            }
            Penalties::Absolute => Self { stiffness: 1.0, growth: 1.0 },
        }
    }
}

/// λ and k of one row, as they are carried from substep to substep.
///
/// The force of a row with the error C is f = k C + λ, cut to its bounds; it acts along −∂C/∂x.
///
/// Source: \[Giles2025\] eqs. (9) to (12).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Penalty {
    /// λ (N or N m).
    pub lambda: f64,
    /// k (N/m or N m/rad).
    pub stiffness: f64,
}

impl Penalty {
    /// Begins a substep: λ ← α γ λ, k ← max(γ k, k_start), with `kept` in place of α γ.
    pub fn begin(&mut self, scale: &Scale, kept: f64, config: &Config) {
        self.lambda *= kept;
        let least = config.stiffness_start * scale.stiffness;
        self.stiffness = (config.gamma * self.stiffness).clamp(least, config.stiffness_max * scale.stiffness);
    }

    /// Ends a sweep of a row with the error `c` whose force is not cut: k ← k + β |C|, up to `most` (N/m or N m/rad).
    pub fn grow(&mut self, c: f64, scale: &Scale, most: f64, config: &Config) {
        let most = most.min(config.stiffness_max * scale.stiffness);
        self.stiffness = (self.stiffness + config.beta * scale.growth * c.abs()).min(most);
    }
}
