//! Distance between two particles.

use std::array::from_fn;

use rigor_math::Vec3;

use super::{Constraint, LANES, Rule, Violation};
use crate::particle::positions::Positions;

/// C = ‖x_a − x_b‖ − ℓ (m).
///
/// Source: \[Mueller2007\] eq. (10), (11). Coincident particles have no direction and stay in place.
#[derive(Debug, Clone)]
pub(crate) struct Distance {
    pub particles: [u32; 2],
    /// ℓ (m).
    pub rest: f64,
    /// α (m/N).
    pub alpha: f64,
    /// λ (kg m).
    pub lambda: f64,
    /// Whether the scene starts with it stretched, so that it asks for the tension C/α from the start on.
    pub is_taut: bool,
}

impl Distance {
    /// Creates the constraint with λ = 0.
    pub fn new(particles: [u32; 2], rest: f64, alpha: f64) -> Self {
        Self { particles, rest, alpha, lambda: 0.0, is_taut: false }
    }

    /// Returns by which part the tension that it carries, −λ/h², is off the one that its stretch demands, C/α:
    /// |C + α̃ λ|/max(|C|, |α̃ λ|); 0 if it did not start stretched, or does not pull now.
    pub fn tension_error<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> f64 {
        let c = self.length(particles) - self.rest;
        let carried = self.alpha * per_h_sq * self.lambda;
        let scale = c.max(-carried);
        if self.is_taut && c > 0.0 && scale > 0.0 { (c + carried).abs() / scale } else { 0.0 }
    }

    /// Projects four bonds that share no movable particle, in lockstep.
    #[inline]
    fn project_four<P: Positions + ?Sized>(bonds: &mut [Self; LANES], particles: &mut P, rule: Rule) {
        let d: [Vec3; LANES] = from_fn(|k| {
            let [a, b] = bonds[k].particles;
            particles.x(a) - particles.x(b)
        });
        let w: [[f64; 2]; LANES] = from_fn(|k| bonds[k].particles.map(|i| particles.w(i)));
        let alpha_tilde: [f64; LANES] = from_fn(|k| bonds[k].alpha * rule.per_h_sq);
        let length: [f64; LANES] = from_fn(|k| d[k].norm());
        let denominator: [f64; LANES] = from_fn(|k| (w[k][0] + w[k][1] + alpha_tilde[k]) * length[k]);
        let c: [f64; LANES] = from_fn(|k| length[k] - bonds[k].rest + alpha_tilde[k] * bonds[k].lambda);
        let pull: [f64; LANES] = from_fn(|k| {
            let pull = rule.share * c[k] / denominator[k];
            if denominator[k] == 0.0 { 0.0 } else { pull }
        });
        for k in 0..LANES {
            let ([a, b], [w_a, w_b]) = (bonds[k].particles, w[k]);
            bonds[k].lambda -= pull[k] * length[k];
            particles.shift(a, d[k] * (-w_a * pull[k]));
            particles.shift(b, d[k] * (w_b * pull[k]));
        }
    }

    fn length<P: Positions + ?Sized>(&self, particles: &P) -> f64 {
        (particles.x(self.particles[0]) - particles.x(self.particles[1])).norm()
    }
}

/// Returns C and its gradients with respect to x_a and x_b.
#[cfg(test)]
fn value_and_gradient(rest: f64, x: &[Vec3; 2]) -> Option<(f64, [Vec3; 2])> {
    let d = x[0] - x[1];
    let length = d.norm();
    let n = d / length;
    (length > 0.0).then_some((length - rest, [n, -n]))
}

impl Constraint for Distance {
    fn particles(&self) -> &[u32] {
        &self.particles
    }

    fn reset(&mut self) {
        self.lambda = 0.0;
    }

    /// Uses |∇C| = 1: one square root, one division.
    #[inline]
    fn project<P: Positions + ?Sized>(&mut self, particles: &mut P, rule: Rule) {
        let [a, b] = self.particles;
        let (w_a, w_b) = (particles.w(a), particles.w(b));
        let d: Vec3 = particles.x(a) - particles.x(b);
        let length = d.norm();
        let alpha_tilde = self.alpha * rule.per_h_sq;
        let denominator = (w_a + w_b + alpha_tilde) * length;
        if denominator == 0.0 {
            return;
        }
        // −Δλ/‖d‖
        let pull = rule.share * (length - self.rest + alpha_tilde * self.lambda) / denominator;
        self.lambda -= pull * length;
        particles.shift(a, d * (-w_a * pull));
        particles.shift(b, d * (w_b * pull));
    }

    fn project_apart<P: Positions + ?Sized>(bonds: &mut [Self], particles: &mut P, rule: Rule) {
        let (fours, rest) = bonds.as_chunks_mut();
        fours.iter_mut().for_each(|four| Self::project_four(four, particles, rule));
        rest.iter_mut().for_each(|bond| bond.project(particles, rule));
    }

    fn violation<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> Violation {
        let c = self.length(particles) - self.rest;
        let length = (c + self.alpha * per_h_sq * self.lambda).abs();
        let scale = if self.rest > 0.0 { self.rest } else { 1.0 };
        Violation { error: c.abs() / scale, residual: length / scale, length }
    }

    fn energy<P: Positions + ?Sized>(&self, particles: &P) -> f64 {
        let c = self.length(particles) - self.rest;
        if self.alpha > 0.0 { 0.5 * c * c / self.alpha } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::bond::checks;
    use crate::particle::SolverParticle;

    #[test]
    fn gradient_is_that_of_the_distance() {
        checks::gradient(|x| value_and_gradient(0.7, x), 1e-11);
    }

    #[test]
    fn projection_is_that_of_the_gradient() {
        let [mut a, mut b] = [0.3, 0.0].map(|alpha| Distance::new([0, 1], 0.7, alpha));
        checks::projection(&mut a, |x| value_and_gradient(0.7, x), 0.3);
        checks::projection(&mut b, |x| value_and_gradient(0.7, x), 0.0);
    }

    #[test]
    fn four_side_by_side_are_projected_to_the_bits_of_one_after_the_other() {
        let place = |i: usize| Vec3::new(0.1 * i as f64, (i * i % 7) as f64, (i * 5 % 3) as f64) / 3.0;
        let particle =
            |i| SolverParticle { x: place(i), w: 1.0 + i as f64, x_prev: place(i), v: Vec3::zeros() };
        let mut together: Vec<SolverParticle> = (0..10).map(particle).collect();
        together[2].w = 0.0;
        together[7].x = together[6].x;
        let mut apart = together.clone();
        let bonds: Vec<Distance> =
            (0..5).map(|i| Distance::new([2 * i, 2 * i + 1], 0.4, [0.0, 1e-3][i as usize % 2])).collect();
        let (mut four, mut one) = (bonds.clone(), bonds);
        for _ in 0..3 {
            let rule = Rule { per_h_sq: 1e4, share: 0.9 };
            Distance::project_apart(&mut four, &mut together[..], rule);
            one.iter_mut().for_each(|bond| bond.project(&mut apart[..], rule));
        }
        assert_eq!(together, apart);
        assert!(four.iter().zip(&one).all(|(a, b)| a.lambda == b.lambda));
    }

    #[test]
    fn coincident_particles_stay() {
        let mut particles = checks::particles([Vec3::zeros(), Vec3::zeros()]);
        let mut bond = Distance::new([0, 1], 1.0, 0.0);
        bond.project(&mut particles[..], Rule { per_h_sq: 1e4, share: 1.0 });
        assert!(particles.iter().all(|p| p.x == Vec3::zeros()) && bond.lambda == 0.0);
    }
}
