//! Which particles make one rope, cloth or soft block.

use std::ops::Range;

use crate::particle::ParticleId;

/// A rope, a cloth or a soft block: a name for a range of particles, and what of them is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftBody {
    /// Unique among the soft bodies of its scene.
    pub name: String,
    /// Its particles, as a range of ids.
    pub particles: Range<usize>,
    /// Lines to draw: those of a rope; empty where triangles say all.
    pub edges: Vec<[ParticleId; 2]>,
    /// Its surface, counter-clockwise seen from outside: a cloth, or the boundary of a block.
    pub triangles: Vec<[ParticleId; 3]>,
}
