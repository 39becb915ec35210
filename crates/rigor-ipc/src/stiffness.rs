//! κ: how stiff the barrier is.

use nalgebra::Vector6;

use crate::barrier::Barrier;

/// κ_min makes the barrier this stiff against the mean mass at a distance of 10⁻⁸ of the scene.
const LEAST: f64 = 1e11;
/// κ_max = 100 κ_min.
const RANGE: f64 = 100.0;

/// The bounds of κ, and when it is raised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stiffness {
    pub least: f64,
    pub largest: f64,
    /// κ is doubled while some pair comes nearer than this (m) and still approaches.
    pub too_near: f64,
}

impl Stiffness {
    /// For bodies of the mean mass `mass` (kg) in a scene of size `diagonal` (m).
    ///
    /// κ_min = 10¹¹ m̄ / (4 s₀ b″(s₀)), s₀ = (10⁻⁸ diagonal)².
    ///
    /// Source: [Li2020] supplement §5; the constants of the reference program. Deviation: κ is raised below 10⁻³ d̂, where
    /// [Li2020] has 10⁻⁹ of the diagonal, which double precision hardly ever reaches.
    pub fn new(mass: f64, diagonal: f64, d_hat: f64, d_min: f64) -> Self {
        let s_0 = (1e-16 * diagonal * diagonal).min(1e-4 * d_hat * d_hat);
        let (_, second) = Barrier::new(d_hat, 0.0).derivatives(s_0);
        let least = LEAST * mass / (4.0 * s_0 * second);
        Self { least, largest: RANGE * least, too_near: d_min + 1e-3 * d_hat }
    }

    /// κ for which the barrier balances the rest of the potential best: −∇B·∇E/‖∇B‖², within its bounds.
    ///
    /// Source: [Li2020] supplement §5.
    pub fn balanced(&self, [by_e, by_b]: &[Vec<Vector6<f64>>; 2]) -> f64 {
        let dot =
            |a: &[Vector6<f64>], b: &[Vector6<f64>]| a.iter().zip(b).map(|(a, b)| a.dot(b)).sum::<f64>();
        let norm_sq = dot(by_b, by_b);
        let kappa = if norm_sq > 0.0 { -dot(by_b, by_e) / norm_sq } else { self.least };
        kappa.clamp(self.least, self.largest)
    }

    /// κ after an iteration in which the smallest distance went from `before` to `now` (m).
    pub fn raised(&self, kappa: f64, before: f64, now: f64) -> f64 {
        if now < before && now < self.too_near { (2.0 * kappa).min(1e4 * self.largest) } else { kappa }
    }
}
