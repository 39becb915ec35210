//! Elements of St. Venant–Kirchhoff material.

use nalgebra::{Matrix6, Matrix6x3, Vector6};
use rigor_math::Mat3;
use rigor_scene::Material;

use super::element::Element;
use super::{Constraint, Rule, Violation};
use crate::particle::positions::Positions;

/// Index pairs (a, b) of the six strains: E₁₁, E₂₂, E₃₃, then 2E₂₃, 2E₁₃, 2E₁₂.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

/// Diagonal regularisation, relative to the trace, for flat elements.
const REGULARISATION: f64 = 1e-12;

/// Six constraints, the strains ε of E = ½(FᵀF − 1), with the compliance matrix K⁻¹/V: the energy ½ V εᵀ K ε
/// is V (μ E:E + λ/2 (tr E)²).
///
/// ```text
/// K = λ 11ᵀ + 2μ among the first three, μ for the rest
/// K⁻¹ = (1 − λ/(3λ + 2μ) 11ᵀ)/(2μ),     1/μ        (J M⁻¹ Jᵀ + K⁻¹/(V h²)) Δλ = −(ε + K⁻¹ λ/(V h²))
/// ```
///
/// Source: \[Macklin2016\] eq. (16) and §5, with E as a vector and α as a matrix. For \[Mueller2007\] α is
/// omitted: the strains are projected to zero.
#[derive(Debug, Clone)]
pub(crate) struct StVenantKirchhoff<const N: usize> {
    element: Element<N>,
    /// λ, μ (Pa) of the material.
    material: Material,
    /// K⁻¹/V (1/J).
    alpha: Matrix6<f64>,
    /// Multipliers of the strains.
    lambda: Vector6<f64>,
}

impl<const N: usize> StVenantKirchhoff<N> {
    /// Creates the constraints with λ = 0.
    pub fn new(element: Element<N>, material: Material) -> Self {
        let alpha = compliance(&material) / element.volume;
        Self { element, material, alpha, lambda: Vector6::zeros() }
    }

    /// Returns ∂ε/∂xᵢ, a 6 × 3 matrix for each particle.
    fn gradients(&self, f: &Mat3) -> [Matrix6x3<f64>; N] {
        let mut gradients = [Matrix6x3::zeros(); N];
        for (row, (a, b)) in PAIRS.into_iter().enumerate() {
            let mut p = Mat3::zeros();
            if a == b {
                p.set_column(a, &f.column(a));
            } else {
                p.set_column(a, &f.column(b));
                p.set_column(b, &f.column(a));
            }
            for (gradient, g) in gradients.iter_mut().zip(self.element.gradient(&p)) {
                gradient.set_row(row, &g.transpose());
            }
        }
        gradients
    }
}

/// Returns ε = (E₁₁, E₂₂, E₃₃, 2E₂₃, 2E₁₃, 2E₁₂).
fn strains(f: &Mat3) -> Vector6<f64> {
    let dot = |(a, b): (usize, usize)| f.column(a).dot(&f.column(b));
    Vector6::from_fn(|i, _| if i < 3 { 0.5 * (dot(PAIRS[i]) - 1.0) } else { dot(PAIRS[i]) })
}

/// Returns K⁻¹ (1/Pa).
fn compliance(material: &Material) -> Matrix6<f64> {
    let Material { lambda, mu, .. } = *material;
    // λ/(3λ + 2μ), also for λ = 0 and λ = ∞.
    let ratio = 1.0 / (3.0 + 2.0 * mu / lambda);
    Matrix6::from_fn(|i, j| match (i == j, i < 3 && j < 3) {
        (true, true) => 0.5 * (1.0 - ratio) / mu,
        (false, true) => -0.5 * ratio / mu,
        (true, false) => 1.0 / mu,
        (false, false) => 0.0,
    })
}

impl<const N: usize> Constraint for StVenantKirchhoff<N> {
    fn particles(&self) -> &[u32] {
        &self.element.particles
    }

    fn reset(&mut self) {
        self.lambda = Vector6::zeros();
    }

    fn project<P: Positions + ?Sized>(&mut self, particles: &mut P, rule: Rule) {
        let f = self.element.deformation(particles);
        let gradients = self.gradients(&f);
        let w = self.element.inverse_masses(particles);
        let alpha_tilde = self.alpha * rule.per_h_sq;
        let mut system = alpha_tilde;
        for (gradient, w) in gradients.iter().zip(w) {
            system += gradient * gradient.transpose() * w;
        }
        let trace = system.trace();
        system += Matrix6::identity() * (REGULARISATION * trace);
        let right = -(strains(&f) + alpha_tilde * self.lambda);
        let Some(factors) = system.cholesky() else { return };
        let delta = factors.solve(&right) * rule.share;
        self.lambda += delta;
        for i in 0..N {
            particles.shift(self.element.particles[i], gradients[i].tr_mul(&delta) * w[i]);
        }
    }

    fn violation<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> Violation {
        let strains = strains(&self.element.deformation(particles));
        let residual = strains + self.alpha * self.lambda * per_h_sq;
        Violation { error: strains.amax(), residual: residual.amax(), length: 0.0 }
    }

    fn is_inverted<P: Positions + ?Sized>(&self, particles: &P) -> bool {
        self.element.deformation(particles).determinant() <= 0.0
    }

    fn energy<P: Positions + ?Sized>(&self, particles: &P) -> f64 {
        let f = self.element.deformation(particles);
        let e = 0.5 * (f.transpose() * f - Mat3::identity());
        let Material { lambda, mu, .. } = self.material;
        let density = mu * e.norm_squared() + 0.5 * lambda * e.trace() * e.trace();
        self.element.volume * density
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::bond::checks;
    use rigor_math::Vec3;
    use rigor_scene::Law;

    fn steel() -> StVenantKirchhoff<4> {
        let material = Material { law: Law::StVenantKirchhoff, lambda: 3.0, mu: 2.0 };
        StVenantKirchhoff::new(checks::tetrahedron(), material)
    }

    #[test]
    fn gradients_are_those_of_the_strains() {
        let bond = steel();
        for row in 0..6 {
            let function = |x: &[Vec3; 4]| {
                let f = bond.element.deformation(&checks::particles(*x)[..]);
                let gradient = bond.gradients(&f).map(|g| g.row(row).transpose());
                Some((strains(&f)[row], gradient))
            };
            checks::gradient(function, 1e-10);
        }
    }

    #[test]
    fn energy_is_that_of_the_strains() {
        let bond = steel();
        let stiffness = bond.alpha.try_inverse().unwrap();
        checks::at_random(|x: [Vec3; 4]| {
            let particles = checks::particles(x);
            let e = strains(&bond.element.deformation(&particles[..]));
            let squares = 0.5 * e.dot(&(stiffness * e));
            let energy = bond.energy(&particles[..]);
            assert!((energy / squares - 1.0).abs() < 1e-12, "{energy} and {squares}");
        });
    }

    #[test]
    fn compliance_knows_the_limits_of_the_material() {
        let at = |lambda: f64| compliance(&Material { law: Law::StVenantKirchhoff, lambda, mu: 0.5 });
        assert_eq!((at(0.0)[(0, 0)], at(0.0)[(0, 1)]), (1.0, 0.0));
        let incompressible = at(f64::INFINITY);
        assert!((incompressible[(0, 0)] - 2.0 / 3.0).abs() < 1e-15);
        assert!((incompressible[(0, 1)] + 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn flat_and_collapsed_tetrahedra_make_no_nonsense() {
        for x in [[Vec3::zeros(); 4], [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::x() + Vec3::y()]] {
            for per_h_sq in [0.0, 1e4] {
                let mut particles = checks::particles(x);
                steel().project(&mut particles[..], Rule { per_h_sq, share: 1.0 });
                let reach = particles.iter().map(|p| p.x.norm()).fold(0.0, f64::max);
                assert!(reach < 10.0, "thrown {reach} m away");
            }
        }
    }
}
