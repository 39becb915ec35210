//! The two core projections, positional and angular, along one direction or along all axes of a frame at
//! once.
//!
//! A positional impulse p acts on a and −p on b, an angular one τ on a and −τ on b, so every projection
//! conserves momentum. The multiplier λ of a constraint accumulates over a substep: its force or torque is
//! λ/h².

pub(crate) mod angle;
pub(crate) mod axes;
pub(crate) mod position;
pub(crate) mod rows;

/// Returns Δλ = (−c − α̃ λ)/(w + α̃) with α̃ = α/h², or 0 if nothing can move.
///
/// `c` in m or rad, `w` in 1/kg or 1/(kg m²), λ in kg m or kg m².
///
/// Source: \[Mueller2020\] §3.2.1, w = w₁ + w₂.
pub(crate) fn delta_lambda(c: f64, lambda: f64, w: f64, alpha_tilde: f64) -> f64 {
    let stiffness = w + alpha_tilde;
    if stiffness > 0.0 { (-c - alpha_tilde * lambda) / stiffness } else { 0.0 }
}
