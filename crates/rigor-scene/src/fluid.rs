//! Which particles make one body of fluid.

use std::ops::Range;

/// A liquid: a named range of particles, each of which carries the mass of a cube of the fluid.
///
/// In a scene with fluids their particles come after all others, in the order of the fluids.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluid {
    /// Unique among the fluids and soft bodies of its scene.
    pub name: String,
    /// Its particles, as a range of ids.
    pub particles: Range<usize>,
    /// ρ₀ (kg/m³): density without pressure.
    pub density: f64,
    /// μ (Pa s): dynamic viscosity.
    pub viscosity: f64,
    /// Distance of neighbouring particles at time 0 (m); the mass of one is ρ₀ times the cube of it.
    pub spacing: f64,
}
