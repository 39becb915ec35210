//! The angular projection.

use rigor_math::{Mat3, Vec3};

use super::delta_lambda;
use crate::body::SolverBody;

/// Rotates a against b by a torque along `along`, in proportion to their generalised inverse masses, to bring the angle `c`
/// (rad) to 0 up to compliance; returns Δλ (kg m²).
///
/// The angle grows by g·θ when a rotates by θ against b: for a rotation about an axis, `g` is that unit axis.
/// `k` (1/(kg m²), world) is the rotation of a against b per torque: [`mobility`], or less if other
/// constraints hold them.
///
/// Source: \[Mueller2020\] §3.2.2: Δλ = (−θ − α̃ λ)/(w₁ + w₂ + α̃), w = nᵀ I⁻¹ n. Deviation: the direction is
/// the gradient of the angle, of any length. One projection then also solves angles that do not grow
/// one-to-one with a rotation about an axis, and torques do the correct work.
pub(crate) fn project(
    a: &mut SolverBody,
    b: &mut SolverBody,
    (g, along): (&Vec3, &Vec3),
    k: &Mat3,
    (c, lambda, alpha_tilde): (f64, f64, f64),
) -> f64 {
    let delta = delta_lambda(c, lambda, g.dot(&(k * along)), alpha_tilde);
    if delta != 0.0 {
        apply(a, b, &(delta * along));
    }
    delta
}

/// Returns I_a⁻¹ + I_b⁻¹ (1/(kg m²), world).
pub(crate) fn mobility(a: &SolverBody, b: &SolverBody) -> Mat3 {
    a.inverse_inertia + b.inverse_inertia
}

/// Applies the angular impulse `torque` (kg m²) to a and its opposite to b.
pub(crate) fn apply(a: &mut SolverBody, b: &mut SolverBody, torque: &Vec3) {
    a.apply_angular(torque);
    b.apply_angular(&-torque);
}
