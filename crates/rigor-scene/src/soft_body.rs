//! Which particles make one rope, cloth or soft block.

use std::ops::Range;

use crate::particle::ParticleId;

/// A rope, a cloth or a soft block: a named range of particles with its visible edges and triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftBody {
    /// Unique among the soft bodies of its scene.
    pub name: String,
    /// Its particles, as a range of ids.
    pub particles: Range<usize>,
    /// Edges to draw, of a rope; empty if the triangles suffice.
    pub edges: Vec<[ParticleId; 2]>,
    /// Its surface, counter-clockwise seen from outside: a cloth, or the boundary of a block.
    pub triangles: Vec<[ParticleId; 3]>,
}
