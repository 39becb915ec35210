//! Energy that contacts take from bodies and return.

use rigor_math::Vec3;

use crate::body::SolverBody;

/// Energy exchange between the contacts of a pair and its bodies in a substep.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyBudget {
    /// Energy (J) that the position solve took from the bodies; tracked only if restitution is above 0.
    pub taken: f64,
    /// Sum of restitution impulses so far.
    pub blow: PairImpulse,
}

/// Sum of impulses on the two bodies of a pair.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PairImpulse {
    /// Σ p (N s) on a.
    pub p: Vec3,
    /// Σ r × p (N m s) on a.
    pub torque_a: Vec3,
    /// Σ r × p (N m s); b receives the opposite.
    pub torque_b: Vec3,
}

impl PairImpulse {
    /// Adds the impulse `p` (N s) on a at lever `r_a` (m) and −p on b at lever `r_b` (m).
    pub fn add(&mut self, r_a: &Vec3, r_b: &Vec3, p: &Vec3) {
        self.p += p;
        self.torque_a += r_a.cross(p);
        self.torque_b += r_b.cross(p);
    }

    /// Returns the energy (J) that the impulses add to both bodies, as linear and quadratic parts.
    pub fn work(&self, a: &SolverBody, b: &SolverBody) -> [f64; 2] {
        let ([linear_a, square_a], [linear_b, square_b]) =
            (a.work(&self.p, &self.torque_a), b.work(&-self.p, &-self.torque_b));
        [linear_a + linear_b, square_a + square_b]
    }

    /// Adds the impulses of `other`.
    pub fn extend(&mut self, other: &Self) {
        self.p += other.p;
        self.torque_a += other.torque_a;
        self.torque_b += other.torque_b;
    }

    pub fn apply(&self, a: &mut SolverBody, b: &mut SolverBody) {
        a.apply_impulse_sum(&self.p, &self.torque_a);
        b.apply_impulse_sum(&-self.p, &-self.torque_b);
    }
}

/// Returns the largest fraction s ≤ 1 of the impulses that adds at most `allowed` (J), where the fraction s
/// adds `linear` s + `square` s².
pub(crate) fn part_within(linear: f64, square: f64, allowed: f64) -> f64 {
    let allowed = allowed.max(0.0);
    if linear + square <= allowed {
        return 1.0;
    }
    let root = (linear * linear + 4.0 * square * allowed).max(0.0).sqrt();
    // Avoids cancellation; `square` is above 0 if `linear` is not.
    let part = if linear > 0.0 { 2.0 * allowed / (linear + root) } else { (root - linear) / (2.0 * square) };
    part.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_adds_what_is_allowed() {
        for (linear, square, allowed) in
            [(1.0, 2.0, 0.5), (-1.0, 2.0, 0.5), (-1.0, 3.0, 0.0), (0.5, 0.0, 0.2)]
        {
            let s = part_within(linear, square, allowed);
            assert!(
                (linear * s + square * s * s - allowed).abs() < 1e-14,
                "{linear} {square} {allowed}: {s}"
            );
        }
        assert_eq!(part_within(-3.0, 2.0, 0.0), 1.0);
        assert_eq!(part_within(1.0, 2.0, 0.0), 0.0);
        assert_eq!(part_within(1.0, 2.0, -1.0), 0.0);
    }
}
