//! Time and geometry at which a contact of a particle closes.

use rigor_math::Vec3;

/// Closing of a contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    /// Elapsed fraction of the substep.
    pub t: f64,
    /// Unit normal towards the particle (world).
    pub n: Vec3,
    /// From the body's centre of mass to the particle (m, world); 0 without a body.
    pub r: Vec3,
}
