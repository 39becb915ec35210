//! Shape matching: particles that keep their rest shape.

use rigor_math::{Mat3, UnitQuaternion, Vec3};

use super::best_rotation::best_rotation;
use super::{Constraint, Rule, Violation};
use crate::particle::positions::Positions;

/// C² = min over R, t of Σ μᵢ |xᵢ − R x̄ᵢ − t|² (m²), with μᵢ = mᵢ/m̄ for the mean mass m̄, 1 for a pinned
/// particle.
///
/// The gradient is ∂C/∂xᵢ = μᵢ (xᵢ − gᵢ)/C towards the goals gᵢ = R x̄ᵢ + t: R and t are optimal, so their
/// derivatives do not contribute. Rigid motions leave C unchanged, so the gradients sum to zero and so do
/// their moments. For equal masses, the energy C²/(2α) is that of a spring of compliance α between each
/// particle and its goal.
///
/// Source: \[Mueller2005\] §3.3 for R, t and the goals. Deviation: a constraint with a multiplier instead of
/// a pull by a fraction; with α = 0 all particles move to their goals.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    particles: Vec<u32>,
    /// x̄ᵢ (m) relative to the weighted centre.
    rest: Vec<Vec3>,
    /// μᵢ.
    weights: Vec<f64>,
    /// Σ μᵢ.
    weight: f64,
    /// α (m/N).
    alpha: f64,
    /// λ (kg m).
    lambda: f64,
}

/// R and t of the goals.
struct ShapeFit {
    rotation: UnitQuaternion,
    centre: Vec3,
}

impl Shape {
    /// Creates the constraint with λ = 0; `masses` (kg) are those of its particles, infinite for pinned ones.
    pub fn new(particles: Vec<u32>, rest: &[Vec3], masses: &[f64], alpha: f64) -> Self {
        let free = masses.iter().filter(|m| m.is_finite());
        let mean = free.clone().sum::<f64>() / free.count().max(1) as f64;
        let weights: Vec<f64> = masses.iter().map(|m| if m.is_finite() { m / mean } else { 1.0 }).collect();
        let weight: f64 = weights.iter().sum();
        let centre: Vec3 = rest.iter().zip(&weights).map(|(x, mu)| x * *mu).sum::<Vec3>() / weight;
        let rest = rest.iter().map(|x| x - centre).collect();
        Self { particles, rest, weights, weight, alpha, lambda: 0.0 }
    }

    fn fit<P: Positions + ?Sized>(&self, particles: &P) -> Option<ShapeFit> {
        let weighted = self.particles.iter().zip(&self.weights);
        let centre = weighted.map(|(i, mu)| particles.x(*i) * *mu).sum::<Vec3>() / self.weight;
        let mut s = Mat3::zeros();
        for ((i, rest), mu) in self.particles.iter().zip(&self.rest).zip(&self.weights) {
            s += rest * ((particles.x(*i) - centre) * *mu).transpose();
        }
        Some(ShapeFit { rotation: best_rotation(&s)?, centre })
    }

    /// Returns xᵢ − gᵢ (m) of the k-th particle.
    fn offset<P: Positions + ?Sized>(&self, k: usize, fit: &ShapeFit, particles: &P) -> Vec3 {
        particles.x(self.particles[k]) - fit.centre - fit.rotation * self.rest[k]
    }

    /// Returns C (m).
    fn value<P: Positions + ?Sized>(&self, fit: &ShapeFit, particles: &P) -> f64 {
        let square = |k: usize| self.weights[k] * self.offset(k, fit, particles).norm_squared();
        (0..self.particles.len()).map(square).sum::<f64>().sqrt()
    }

    /// Returns √(Σ μᵢ |x̄ᵢ|²) (m), the size of the shape, or 1 if it is 0.
    fn size(&self) -> f64 {
        let size =
            self.rest.iter().zip(&self.weights).map(|(x, mu)| mu * x.norm_squared()).sum::<f64>().sqrt();
        if size > 0.0 { size } else { 1.0 }
    }
}

impl Constraint for Shape {
    fn particles(&self) -> &[u32] {
        &self.particles
    }

    fn reset(&mut self) {
        self.lambda = 0.0;
    }

    fn project<P: Positions + ?Sized>(&mut self, particles: &mut P, rule: Rule) {
        let Some(fit) = self.fit(particles) else { return };
        let c = self.value(&fit, particles);
        let n = self.particles.len();
        let term = |k: usize| {
            let g = self.weights[k] * self.offset(k, &fit, particles).norm();
            particles.w(self.particles[k]) * g * g
        };
        let alpha_tilde = self.alpha * rule.per_h_sq;
        // (Σ wᵢ |∇ᵢC|² + α̃) C²
        let denominator = (0..n).map(term).sum::<f64>() + alpha_tilde * c * c;
        if denominator == 0.0 {
            return;
        }
        // Δλ/C
        let pull = -rule.share * (c + alpha_tilde * self.lambda) * c / denominator;
        self.lambda += pull * c;
        for k in 0..n {
            let i = self.particles[k];
            let by = self.offset(k, &fit, particles) * (particles.w(i) * self.weights[k] * pull);
            particles.shift(i, by);
        }
    }

    fn violation<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> Violation {
        let Some(fit) = self.fit(particles) else { return Violation::default() };
        let c = self.value(&fit, particles);
        let length = (c + self.alpha * per_h_sq * self.lambda).abs();
        Violation { error: c / self.size(), residual: length / self.size(), length }
    }

    fn energy<P: Positions + ?Sized>(&self, particles: &P) -> f64 {
        let c = self.fit(particles).map_or(0.0, |fit| self.value(&fit, particles));
        if self.alpha > 0.0 { 0.5 * c * c / self.alpha } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::bond::checks;
    use rigor_math::rotation_vector;

    const MASSES: [f64; 4] = checks::MASSES;

    fn shape(alpha: f64) -> Shape {
        Shape::new(vec![0, 1, 2, 3], &checks::REST, &MASSES, alpha)
    }

    #[test]
    fn gradient_is_that_of_the_distance_from_the_best_fit() {
        let bond = shape(0.0);
        let function = |x: &[Vec3; 4]| {
            let particles = checks::particles(*x);
            let fit = bond.fit(&particles[..])?;
            let c = bond.value(&fit, &particles[..]);
            let gradient = [0, 1, 2, 3].map(|k| bond.offset(k, &fit, &particles[..]) * (bond.weights[k] / c));
            Some((c, gradient))
        };
        checks::gradient(function, 1e-8);
    }

    #[test]
    fn rigid_shape_is_restored_at_once_wherever_it_is() {
        checks::at_random(|x: [Vec3; 4]| {
            let mut particles = checks::particles(x);
            let mut bond = shape(0.0);
            bond.project(&mut particles[..], Rule { per_h_sq: 1.0, share: 1.0 });
            let error = bond.violation(&particles[..], 1.0).error;
            assert!(error < 1e-12, "{error}");
        });
    }

    #[test]
    fn turned_shape_is_at_rest() {
        let r = rotation_vector::exp(&Vec3::new(2.0, -1.0, 0.5));
        let mut particles = checks::particles(checks::REST.map(|x| r * x + Vec3::new(3.0, 0.0, 1.0)));
        let before = particles.clone();
        shape(0.1).project(&mut particles[..], Rule { per_h_sq: 1e4, share: 1.0 });
        for (p, q) in particles.iter().zip(&before) {
            assert!((p.x - q.x).norm() < 1e-14);
        }
    }
}
