//! Point masses.

use rigor_math::Vec3;

/// A point mass: the vertex of a rope, a cloth or a soft body, or a free marble.
#[derive(Debug, Clone, PartialEq)]
pub struct Particle {
    /// Mass (kg); infinity pins it.
    pub mass: f64,
    /// Radius (m) for contact.
    pub radius: f64,
    /// Position at time 0 (m, world).
    pub position: Vec3,
    /// Velocity at time 0 (m/s, world).
    pub velocity: Vec3,
}
