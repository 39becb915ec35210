//! A tetrahedron of neo-Hookean rubber.

use nalgebra::{Matrix2, Vector2};
use rigor_math::{Mat3, Vec3};
use rigor_scene::Material;

use super::tetrahedron::{Tetrahedron, cofactors};
use super::{Constraint, Rule, Violation};
use crate::positions::Positions;

/// Two constraints with the energy V Ψ(F), Ψ = μ/2 (tr FᵀF − 3) + λ/2 (det F − 1 − μ/λ)²:
///
/// ```text
/// C_H = det F − 1 − μ/λ    α_H = 1/(λ V)        C_D = √(tr FᵀF)    α_D = 1/(μ V)
/// ```
///
/// Source: [Macklin2021] §4. Deviation: both are solved at once, by the 2 × 2 system of [Macklin2016]
/// eq. (16). At rest neither vanishes, only their forces cancel; solved one after the other they would pull the
/// tetrahedron to and fro in every substep.
#[derive(Debug, Clone)]
pub(crate) struct NeoHookean {
    tetrahedron: Tetrahedron,
    /// λ, μ (Pa) of the material.
    material: Material,
    /// α_H, α_D (1/J).
    alpha: Vector2<f64>,
    /// The multipliers of C_H, C_D.
    lambda: Vector2<f64>,
}

impl NeoHookean {
    /// The constraints with no force yet.
    pub fn new(tetrahedron: Tetrahedron, material: Material) -> Self {
        let alpha = Vector2::new(1.0 / material.lambda, 1.0 / material.mu) / tetrahedron.volume;
        Self { tetrahedron, material, alpha, lambda: Vector2::zeros() }
    }

    /// C_H, C_D.
    fn values(&self, f: &Mat3) -> Vector2<f64> {
        Vector2::new(f.determinant() - 1.0 - self.material.mu / self.material.lambda, f.norm())
    }

    /// ∂C_H/∂xᵢ, ∂C_D/∂xᵢ. Where F = 0 the latter is taken to be 0.
    fn gradients(&self, f: &Mat3) -> [[Vec3; 4]; 2] {
        let norm = f.norm();
        let direction = if norm > 0.0 { f / norm } else { Mat3::zeros() };
        [self.tetrahedron.gradient(&cofactors(f)), self.tetrahedron.gradient(&direction)]
    }
}

impl Constraint for NeoHookean {
    fn particles(&self) -> &[u32] {
        &self.tetrahedron.particles
    }

    fn reset(&mut self) {
        self.lambda = Vector2::zeros();
    }

    fn project<P: Positions + ?Sized>(&mut self, particles: &mut P, rule: Rule) {
        let f = self.tetrahedron.deformation(particles);
        let [g_h, g_d] = self.gradients(&f);
        let w = self.tetrahedron.inverse_masses(particles);
        let alpha_tilde = self.alpha * rule.per_h_sq;
        let product = |g: &[Vec3; 4], k: &[Vec3; 4]| -> f64 { (0..4).map(|i| w[i] * g[i].dot(&k[i])).sum() };
        let coupling = product(&g_h, &g_d);
        let system = Matrix2::new(product(&g_h, &g_h), coupling, coupling, product(&g_d, &g_d))
            + Matrix2::from_diagonal(&alpha_tilde);
        let right = -(self.values(&f) + alpha_tilde.component_mul(&self.lambda));
        let Some(inverse) = system.try_inverse() else { return };
        let delta = inverse * right * rule.share;
        self.lambda += delta;
        for i in 0..4 {
            particles.shift(self.tetrahedron.particles[i], (g_h[i] * delta.x + g_d[i] * delta.y) * w[i]);
        }
    }

    /// The error is the largest change of length and of volume: max(‖σ − 1‖∞ ≤ ‖FᵀF − 1‖/2, |det F − 1|).
    fn violation<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> Violation {
        let f = self.tetrahedron.deformation(particles);
        let strain = 0.5 * (f.transpose() * f - Mat3::identity()).amax();
        let residual = self.values(&f) + (self.alpha * per_h_sq).component_mul(&self.lambda);
        Violation { error: strain.max((f.determinant() - 1.0).abs()), residual: residual.amax(), length: 0.0 }
    }

    fn energy<P: Positions + ?Sized>(&self, particles: &P) -> f64 {
        let f = self.tetrahedron.deformation(particles);
        let Material { lambda, mu, .. } = self.material;
        let growth = f.determinant() - 1.0;
        // λ/2 (J − 1 − μ/λ)² less its value at rest, without a division by λ.
        let density = 0.5 * mu * (f.norm_squared() - 3.0) + 0.5 * lambda * growth * growth - mu * growth;
        self.tetrahedron.volume * density
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bond::checks;
    use rigor_scene::Law;

    fn rubber() -> NeoHookean {
        NeoHookean::new(checks::tetrahedron(), Material { law: Law::NeoHookean, lambda: 3.0, mu: 2.0 })
    }

    #[test]
    fn gradients_are_those_of_the_constraints() {
        let bond = rubber();
        for k in [0, 1] {
            let function = |x: &[Vec3; 4]| {
                let f = bond.tetrahedron.deformation(&checks::particles(*x)[..]);
                Some((bond.values(&f)[k], bond.gradients(&f)[k]))
            };
            checks::gradient(function, 1e-10);
        }
    }

    #[test]
    fn energy_is_that_of_the_constraints_and_vanishes_at_rest() {
        let bond = rubber();
        checks::at_random(|x: [Vec3; 4]| {
            let particles = checks::particles(x);
            let c = bond.values(&bond.tetrahedron.deformation(&particles[..]));
            let squares = c.component_mul(&c).component_div(&bond.alpha).sum() / 2.0;
            let rest = 0.5 * (4.0 / 3.0 + 6.0) * bond.tetrahedron.volume;
            let energy = bond.energy(&particles[..]);
            assert!((energy - (squares - rest)).abs() < 1e-13 * (1.0 + squares), "{energy}, {squares}");
        });
        assert!(bond.energy(&checks::particles(checks::REST)[..]).abs() < 1e-16);
    }

    #[test]
    fn rest_stays() {
        for per_h_sq in [1.0, 1e4, 1e10] {
            let mut particles = checks::particles(checks::REST);
            rubber().project(&mut particles[..], Rule { per_h_sq, share: 1.0 });
            for (p, x) in particles.iter().zip(checks::REST) {
                assert!((p.x - x).norm() < 1e-14, "moved by {}", (p.x - x).norm());
            }
        }
    }

    #[test]
    fn collapsed_tetrahedron_makes_no_nonsense() {
        let mut particles = checks::particles([Vec3::zeros(); 4]);
        rubber().project(&mut particles[..], Rule { per_h_sq: 1e4, share: 1.0 });
        assert!(particles.iter().all(|p| p.x.iter().all(|c| c.is_finite())));
    }
}
