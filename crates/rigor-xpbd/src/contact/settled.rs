//! Pairs of bodies that need no further solve in a substep.

use rigor_math::Vec3;

use super::Contact;
use crate::body::SolverBody;

/// Relative change of multipliers below which sweeps stop.
pub(crate) const TOLERANCE: f64 = 1e-4;

/// The impulses on the bodies of a pair after its last solve, and the change that triggers another solve:
/// [`TOLERANCE`] of the largest λ_n, and of its moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settled {
    /// Σ p (kg m) and Σ r × p (kg m²) of a and of b.
    sums: [(Vec3, Vec3); 2],
    /// Squares of the negligible changes of p and of the torque.
    p_sq: f64,
    torque_sq: f64,
}

impl Settled {
    /// Records the bodies `a` and `b` of these contacts right after a solve.
    pub fn new(contacts: &[Contact], a: &SolverBody, b: &SolverBody) -> Self {
        let (mut largest, mut lever_sq) = (0.0_f64, 0.0_f64);
        for contact in contacts {
            largest = largest.max(contact.lambda_n);
            lever_sq = lever_sq.max(contact.mobility.r_a.norm_squared());
        }
        let p_sq = (TOLERANCE * largest) * (TOLERANCE * largest);
        let sums = [a, b].map(|body| (body.impulse, body.angular_impulse));
        Self { sums, p_sq, torque_sq: p_sq * lever_sq }
    }

    /// Returns whether the impulses on both bodies have changed only negligibly since.
    pub fn holds(&self, a: &SolverBody, b: &SolverBody) -> bool {
        let is_still = |(body, (p, torque)): (&SolverBody, &(Vec3, Vec3))| {
            !body.is_moved()
                || ((body.impulse - p).norm_squared() <= self.p_sq
                    && (body.angular_impulse - torque).norm_squared() <= self.torque_sq)
        };
        [a, b].into_iter().zip(&self.sums).all(is_still)
    }
}
