//! Particles tied to bodies, as data.

use rigor_math::Vec3;

use crate::body::BodyId;
use crate::particle::ParticleId;

/// A particle tied to a point of a body: C = ‖x − p‖, with the force f = C/α.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment {
    /// The particle, at x.
    pub particle: ParticleId,
    /// The body that p belongs to.
    pub body: BodyId,
    /// p (m) in the body's principal frame.
    pub point_local: Vec3,
    /// Compliance α (m/N); 0 is rigid.
    pub compliance: f64,
}
