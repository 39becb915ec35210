//! What a sum over neighbours reads of a particle.

use rigor_math::Vec3;

/// A particle of a fluid, or of a wall.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FluidParticle {
    /// Position (m, world).
    pub x: Vec3,
    /// Velocity (m/s, world).
    pub v: Vec3,
    /// V (m³): mass over density; that of a particle of a wall is constant.
    pub volume: f64,
    /// p (Pa).
    pub pressure: f64,
}
