//! The angular projection.

use rigor_math::{Mat3, Vec3};

use super::delta_lambda;
use crate::body::SolverBody;

/// Turns a against b about `g`, in proportion to the generalised inverse masses, until the angle `c` (rad) is 0 but for
/// its compliance; returns Δλ (kg m²).
///
/// The angle grows by g·θ as a turns by θ against b: `g` is a unit vector for a turn about it. `k` (1/(kg m²), world) is the
/// turn of a against b per torque: [`mobility`], or less where something else holds them.
///
/// Source: [Mueller2020] §3.2.2: Δλ = (−θ − α̃ λ)/(w₁ + w₂ + α̃), w = nᵀ I⁻¹ n. Deviation: the direction is the gradient of
/// the angle, of any length, so that angles are met at once which no plain turn changes, and torques do the right work.
pub(crate) fn project(
    a: &mut SolverBody,
    b: &mut SolverBody,
    g: &Vec3,
    k: &Mat3,
    (c, lambda, alpha_tilde): (f64, f64, f64),
) -> f64 {
    let delta = delta_lambda(c, lambda, g.dot(&(k * g)), alpha_tilde);
    if delta != 0.0 {
        apply(a, b, &(delta * g));
    }
    delta
}

/// I_a⁻¹ + I_b⁻¹ (1/(kg m²), world).
pub(crate) fn mobility(a: &SolverBody, b: &SolverBody) -> Mat3 {
    a.inverse_inertia + b.inverse_inertia
}

/// The angular impulse `torque` (kg m²) on a and its opposite on b.
pub(crate) fn apply(a: &mut SolverBody, b: &mut SolverBody, torque: &Vec3) {
    a.apply_angular(torque);
    b.apply_angular(&-torque);
}
