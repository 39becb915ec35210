//! Elastic constraints between particles, as the solver sees them.
//!
//! Scalar constraints share one projection. For a constraint C with compliance α and multiplier λ,
//!
//! ```text
//! α̃ = α/h²    Δλ = −(C + α̃ λ)/(Σᵢ wᵢ |∇ᵢC|² + α̃)    Δxᵢ = wᵢ ∇ᵢC Δλ
//! ```
//!
//! Source: \[Macklin2016\] eq. (18) and (17). With α̃ = 0 and Δλ times k′ it is \[Mueller2007\] eq. (9) and
//! (10) with stiffness.

mod bending;
mod best_rotation;
#[cfg(test)]
mod checks;
mod distance;
mod element;
mod neo_hookean;
mod shape;
mod st_venant_kirchhoff;
mod volume;

pub(crate) use bending::{Bending, DihedralAngle};
pub(crate) use distance::Distance;
pub(crate) use element::Element;
pub(crate) use neo_hookean::NeoHookean;
pub(crate) use shape::Shape;
pub(crate) use st_venant_kirchhoff::StVenantKirchhoff;
pub(crate) use volume::{SixthOfTriple, Volume};

use rigor_math::Vec3;

use crate::particle::positions::Positions;

/// Number of independent constraints that are solved side by side.
pub(crate) const LANES: usize = 4;

/// Parameters of a projection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rule {
    /// 1/h² (1/s²), so that α̃ = α/h²; 0 for \[Mueller2007\], which has no compliance.
    pub per_h_sq: f64,
    /// Factor on Δλ: 1, k′ for \[Mueller2007\], or the relaxation of Jacobi.
    pub share: f64,
}

/// Violation of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Violation {
    /// |C| relative to the value at rest for lengths and volumes, as it is for angles and strains.
    pub error: f64,
    /// |C + α̃ λ| relative to the same: 0 if the force equals that of the constraint's spring.
    pub residual: f64,
    /// |C + α̃ λ| (m) if C is a length.
    pub length: f64,
}

impl Violation {
    /// Returns the maximum of each figure.
    pub fn max(self, other: Self) -> Self {
        Self {
            error: self.error.max(other.error),
            residual: self.residual.max(other.residual),
            length: self.length.max(other.length),
        }
    }
}

/// A constraint of any kind.
pub(crate) trait Constraint: Send + Sync {
    /// Returns its particles, in the order in which it moves them.
    fn particles(&self) -> &[u32];
    /// Resets λ to 0 at the start of a substep.
    fn reset(&mut self);
    /// Moves its particles once, and updates λ.
    fn project<P: Positions + ?Sized>(&mut self, particles: &mut P, rule: Rule);
    /// Projects `bonds` of which [`LANES`] in a row, counted from the first, share no movable particle.
    fn project_apart<P: Positions + ?Sized>(bonds: &mut [Self], particles: &mut P, rule: Rule)
    where
        Self: Sized,
    {
        bonds.iter_mut().for_each(|bond| bond.project(particles, rule));
    }
    /// Returns its violation.
    fn violation<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> Violation;
    /// Whether an element is turned inside out: det F ≤ 0.
    fn is_inverted<P: Positions + ?Sized>(&self, _particles: &P) -> bool {
        false
    }
    /// Returns C²/(2α) (J), or the energy stored in the material; 0 if α is 0.
    fn energy<P: Positions + ?Sized>(&self, particles: &P) -> f64;
}

/// A function C of the positions of N particles.
pub(crate) trait Function<const N: usize> {
    /// Returns C and ∂C/∂xᵢ; `None` if the gradient is undefined.
    fn value_and_gradient(&self, x: &[Vec3; N]) -> Option<(f64, [Vec3; N])>;
    /// Returns the scale of C: a volume (m³), 1 for an angle.
    fn scale(&self) -> f64;
    /// Adds to `shifts` (m) their second-order correction, for particles at `x` with inverse masses `w`.
    fn bend(&self, _x: &[Vec3; N], _w: &[f64; N], _shifts: &mut [Vec3; N]) {}
}

/// A scalar constraint of N particles.
#[derive(Debug, Clone)]
pub(crate) struct Scalar<F, const N: usize> {
    pub particles: [u32; N],
    pub function: F,
    /// α.
    pub alpha: f64,
    /// λ.
    pub lambda: f64,
}

impl<F, const N: usize> Scalar<F, N> {
    /// Creates the constraint with λ = 0.
    pub fn new(particles: [u32; N], function: F, alpha: f64) -> Self {
        Self { particles, function, alpha, lambda: 0.0 }
    }
}

impl<F: Function<N> + Send + Sync, const N: usize> Constraint for Scalar<F, N> {
    fn particles(&self) -> &[u32] {
        &self.particles
    }

    fn reset(&mut self) {
        self.lambda = 0.0;
    }

    fn project<P: Positions + ?Sized>(&mut self, particles: &mut P, rule: Rule) {
        let x = self.particles.map(|i| particles.x(i));
        let Some((c, gradient)) = self.function.value_and_gradient(&x) else { return };
        let w = self.particles.map(|i| particles.w(i));
        let alpha_tilde = self.alpha * rule.per_h_sq;
        let mass_term: f64 = w.iter().zip(&gradient).map(|(w, g)| w * g.norm_squared()).sum();
        let denominator = mass_term + alpha_tilde;
        if denominator == 0.0 {
            return;
        }
        let delta_lambda = -rule.share * (c + alpha_tilde * self.lambda) / denominator;
        self.lambda += delta_lambda;
        let mut shifts: [Vec3; N] = std::array::from_fn(|i| gradient[i] * (w[i] * delta_lambda));
        self.function.bend(&x, &w, &mut shifts);
        for i in 0..N {
            particles.shift(self.particles[i], shifts[i]);
        }
    }

    fn violation<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> Violation {
        let x = self.particles.map(|i| particles.x(i));
        let Some((c, _)) = self.function.value_and_gradient(&x) else { return Violation::default() };
        let residual = (c + self.alpha * per_h_sq * self.lambda).abs();
        let scale = self.function.scale();
        Violation { error: c.abs() / scale, residual: residual / scale, length: 0.0 }
    }

    fn energy<P: Positions + ?Sized>(&self, particles: &P) -> f64 {
        let x = self.particles.map(|i| particles.x(i));
        match self.function.value_and_gradient(&x) {
            Some((c, _)) if self.alpha > 0.0 => 0.5 * c * c / self.alpha,
            _ => 0.0,
        }
    }
}
