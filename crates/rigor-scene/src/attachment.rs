//! Particles tied to bodies, as data.

use rigor_math::Vec3;

use crate::body::BodyId;
use crate::particle::ParticleId;
use crate::state::State;

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

impl Attachment {
    /// Returns x − p (m, world), from the point of the body to the particle.
    pub fn gap(&self, state: &State) -> Vec3 {
        let point = state.bodies[self.body.0].pose.point(&self.point_local);
        state.particles[self.particle.0].position - point
    }
}
