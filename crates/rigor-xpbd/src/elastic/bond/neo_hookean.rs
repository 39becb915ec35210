//! Elements of neo-Hookean rubber.

use nalgebra::{Matrix2, Vector2};
use rigor_math::Mat3;
use rigor_scene::Material;

use super::element::{Element, cofactors};
use super::{Constraint, Rule, Violation};
use crate::particle::positions::Positions;

/// Diagonal regularisation, relative to the scaled diagonal, for parallel gradients.
const REGULARISATION: f64 = 1e-12;

/// Two constraints with the energy V Ψ(F), Ψ = μ/2 (tr FᵀF − 3) + λ/2 (det F − 1 − μ/λ)²:
///
/// ```text
/// C_H = det F − 1 − μ/λ    α_H = 1/(λ V)        C_D = √(tr FᵀF)    α_D = 1/(μ V)
/// ```
///
/// Source: \[Macklin2021\] §4. Deviations: at rest neither constraint vanishes; only their forces cancel.
/// Projected in turn, as in the source, they pull the element back and forth in every substep. The system
/// of \[Macklin2016\] eq. (16) for both is nearly singular in long substeps, because the gradients are
/// parallel, and throws particles away. Multipliers times the current gradients differ from the applied
/// impulse by percents of a small difference of large forces. Here both constraints are solved together, with
/// the curvature V μ |δF|² of C_D², which eq. (16) linearises away, and the sum P of applied impulses is
/// stored:
///
/// ```text
/// (A + S/α̃_D + c cᵀ/α̃_H) Δλ = −⟨Gⱼ B, P + C_D G_D/α̃_D + C_H G_H/α̃_H⟩    P ← P + Σ Gⱼ Δλⱼ    Δxᵢ = wᵢ Σ Gⱼ Δλⱼ bᵢ
/// G = (∂C_D/∂F, ∂C_H/∂F)    Aⱼₖ = ⟨Gⱼ, Gₖ B⟩    Sⱼₖ = ⟨Gⱼ B, Gₖ B⟩    cⱼ = A_Hⱼ
/// ```
///
/// with bᵢ such that F = Σ xᵢ bᵢᵀ, B = Σ wᵢ bᵢ bᵢᵀ and ⟨·,·⟩ the sum of products of entries. This is Newton's
/// method for the energy of elasticity and inertia, ½‖x − s‖²_M + h² E, restricted to the motions that the
/// two forces generate.
#[derive(Debug, Clone)]
pub(crate) struct NeoHookean<const N: usize> {
    element: Element<N>,
    /// λ, μ (Pa) of the material.
    material: Material,
    /// α_D, α_H (1/J).
    alpha: Vector2<f64>,
    /// P (kg m²): each particle has been moved by wᵢ P bᵢ.
    applied: Mat3,
}

impl<const N: usize> NeoHookean<N> {
    /// Creates the constraints with zero forces.
    pub fn new(element: Element<N>, material: Material) -> Self {
        let alpha = Vector2::new(1.0 / material.mu, 1.0 / material.lambda) / element.volume;
        Self { element, material, alpha, applied: Mat3::zeros() }
    }

    /// Returns C_D, C_H.
    fn values(&self, f: &Mat3) -> Vector2<f64> {
        Vector2::new(f.norm(), f.determinant() - 1.0 - self.material.mu / self.material.lambda)
    }

    /// Returns α̃_D P + C_D G_D + (λ/μ) C_H G_H: the residual of all forces, as a strain.
    fn left(&self, f: &Mat3, per_h_sq: f64) -> Mat3 {
        let ratio = self.material.lambda / self.material.mu;
        self.applied * (self.alpha.x * per_h_sq) + f + cofactors(f) * (ratio * self.values(f).y)
    }

    /// Returns Δλ for inverse masses that make `b`, from the system above times α̃_D.
    fn delta_lambda(&self, f: &Mat3, g: &[Mat3; 2], b: &Mat3, per_h_sq: f64) -> Option<Vector2<f64>> {
        let moved = g.map(|g| g * b);
        let mobility = Matrix2::from_fn(|j, k| g[j].dot(&moved[k]));
        let spread = Matrix2::from_fn(|j, k| moved[j].dot(&moved[k]));
        let c = mobility.column(1);
        let ratio = self.material.lambda / self.material.mu;
        let system = mobility * (self.alpha.x * per_h_sq) + spread + c * c.transpose() * ratio;
        let left = self.left(f, per_h_sq);
        let right = -Vector2::new(moved[0].dot(&left), moved[1].dot(&left));
        let scale = system.diagonal().map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 });
        let scaling = Matrix2::from_diagonal(&scale);
        let scaled = scaling * system * scaling + Matrix2::identity() * REGULARISATION;
        Some(scaling * scaled.try_inverse()? * scaling * right)
    }
}

/// Returns ∂C_D/∂F, ∂C_H/∂F. At F = 0 the former is set to 0.
fn gradients(f: &Mat3) -> [Mat3; 2] {
    let norm = f.norm();
    [if norm > 0.0 { f / norm } else { Mat3::zeros() }, cofactors(f)]
}

impl<const N: usize> Constraint for NeoHookean<N> {
    fn particles(&self) -> &[u32] {
        &self.element.particles
    }

    fn reset(&mut self) {
        self.applied = Mat3::zeros();
    }

    fn project<P: Positions + ?Sized>(&mut self, particles: &mut P, rule: Rule) {
        let f = self.element.deformation(particles);
        let g = gradients(&f);
        let w = self.element.inverse_masses(particles);
        let gradients = &self.element.gradients;
        let b: Mat3 = gradients.iter().zip(w).map(|(b, w)| b * b.transpose() * w).sum();
        let Some(delta) = self.delta_lambda(&f, &g, &b, rule.per_h_sq) else { return };
        let p = (g[0] * delta.x + g[1] * delta.y) * rule.share;
        self.applied += p;
        for i in 0..N {
            particles.shift(self.element.particles[i], p * gradients[i] * w[i]);
        }
    }

    /// The error is the maximum of the strains ½(FᵀF − 1) and the change of volume det F − 1.
    fn violation<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> Violation {
        let f = self.element.deformation(particles);
        let strain = 0.5 * (f.transpose() * f - Mat3::identity()).amax();
        let residual = self.left(&f, per_h_sq).amax();
        Violation { error: strain.max((f.determinant() - 1.0).abs()), residual, length: 0.0 }
    }

    fn is_inverted<P: Positions + ?Sized>(&self, particles: &P) -> bool {
        self.element.deformation(particles).determinant() <= 0.0
    }

    fn energy<P: Positions + ?Sized>(&self, particles: &P) -> f64 {
        let f = self.element.deformation(particles);
        let Material { lambda, mu, .. } = self.material;
        let growth = f.determinant() - 1.0;
        // λ/2 (J − 1 − μ/λ)² less its value at rest, without a division by λ.
        let density = 0.5 * mu * (f.norm_squared() - 3.0) + 0.5 * lambda * growth * growth - mu * growth;
        self.element.volume * density
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::bond::checks;
    use rigor_math::Vec3;
    use rigor_scene::Law;

    fn rubber() -> NeoHookean<4> {
        NeoHookean::new(checks::tetrahedron(), Material { law: Law::NeoHookean, lambda: 3.0, mu: 2.0 })
    }

    #[test]
    fn gradients_are_those_of_the_constraints() {
        let bond = rubber();
        for k in [0, 1] {
            let function = |x: &[Vec3; 4]| {
                let f = bond.element.deformation(&checks::particles(*x)[..]);
                Some((bond.values(&f)[k], bond.element.gradient(&gradients(&f)[k])))
            };
            checks::gradient(function, 1e-10);
        }
    }

    /// Sweeps of one bond end where ½‖x − s‖²_M + h² E is stationary along both force directions.
    #[test]
    fn sweeps_end_where_forces_balance() {
        let rule = Rule { per_h_sq: 3.0, share: 1.0 };
        checks::at_random(|x: [Vec3; 4]| {
            let (mut bond, mut particles) = (rubber(), checks::particles(x));
            (0..200).for_each(|_| bond.project(&mut particles[..], rule));
            let f = bond.element.deformation(&particles[..]);
            let w = bond.element.inverse_masses(&particles[..]);
            let b: Mat3 = bond.element.gradients.iter().zip(w).map(|(b, w)| b * b.transpose() * w).sum();
            for g in gradients(&f) {
                let along = (g * b).dot(&bond.left(&f, 3.0)) / (g * b).norm();
                assert!(along.abs() < 1e-9, "{along}");
            }
        });
    }

    #[test]
    fn energy_is_that_of_the_constraints_and_vanishes_at_rest() {
        let bond = rubber();
        checks::at_random(|x: [Vec3; 4]| {
            let particles = checks::particles(x);
            let f = bond.element.deformation(&particles[..]);
            let c = bond.values(&f);
            let squares = c.component_mul(&c).component_div(&bond.alpha).sum() / 2.0;
            let rest = 0.5 * (4.0 / 3.0 + 6.0) * bond.element.volume;
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
