//! The moment at which a contact of a particle closes.

use rigor_math::Vec3;

/// Where and when a contact closes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    /// The part of the substep that has passed.
    pub t: f64,
    /// Unit normal towards the particle (world).
    pub n: Vec3,
    /// From the body's centre of mass to the particle (m, world); 0 where there is no body.
    pub r: Vec3,
}
