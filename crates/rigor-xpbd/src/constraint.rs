//! The two core projections: positional and angular, each along one direction or along the axes of a frame together.
//!
//! A positional impulse p acts on a and −p on b, an angular one τ on a and −τ on b, so that no projection changes a
//! momentum. The multiplier λ of a constraint is gathered over a substep: its force is λ/h², its torque λ/h².

pub(crate) mod angle;
pub(crate) mod axes;
pub(crate) mod position;

/// Δλ = (−c − α̃ λ)/(w + α̃), with α̃ = α/h²; 0 where nothing can move.
///
/// `c` in m or rad, `w` in 1/kg or 1/(kg m²), λ in kg m or kg m².
///
/// Source: [Mueller2020] §3.2.1, w = w₁ + w₂.
pub(crate) fn delta_lambda(c: f64, lambda: f64, w: f64, alpha_tilde: f64) -> f64 {
    let stiffness = w + alpha_tilde;
    if stiffness > 0.0 { (-c - alpha_tilde * lambda) / stiffness } else { 0.0 }
}
