//! What bodies did to particles of a fluid in a step, for judges.

use rigor_math::Vec3;
use rigor_scene::{BodyId, ParticleContactReport, ParticleId};

/// Impulses (N s, world) of bodies on one particle, each with the index of its side.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    all: Vec<(u32, Vec3)>,
}

impl Tally {
    /// Adds the impulse of the side `side`.
    pub fn add(&mut self, side: u32, impulse: Vec3) {
        match self.all.iter_mut().find(|(known, _)| *known == side) {
            Some((_, sum)) => *sum += impulse,
            None => self.all.push((side, impulse)),
        }
    }

    /// Sides that pushed, with their impulses.
    pub fn pushed(&self) -> impl Iterator<Item = (u32, Vec3)> {
        self.all.iter().copied().filter(|(_, impulse)| *impulse != Vec3::zeros())
    }
}

/// The contact of a particle at `x` (m, world) with a body that gave it `impulse` (N s) in a step of `dt` (s).
///
/// The whole force counts as normal. Every part of it passes through the centre of the particle, so that this is
/// its point: force and point together give the moment on the body.
pub(crate) fn contact(
    (particle, body): (ParticleId, BodyId),
    x: Vec3,
    impulse: Vec3,
    (gap, dt): (f64, f64),
) -> ParticleContactReport {
    let size = impulse.norm();
    ParticleContactReport {
        particle,
        body,
        point_world: x,
        normal_world: impulse / size,
        distance: gap,
        normal_force: size / dt,
        friction_force_world: Vec3::zeros(),
        slip_velocity_world: Vec3::zeros(),
        friction: (0.0, 0.0),
    }
}
