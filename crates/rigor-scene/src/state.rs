//! The complete dynamic state: everything that the next step depends on.

use std::collections::BTreeMap;

use crate::placement::{BodyState, ParticleState};
use crate::scene::Scene;

/// Named data that a method carries from step to step in addition to poses and velocities.
///
/// Keys have the form `method/quantity`, such as `ipc/q_dot`. Equal states, memory included, have equal
/// futures; this makes a run resumable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// Real numbers, in the layout documented by the method.
    pub numbers: BTreeMap<String, Vec<f64>>,
    /// Opaque images of foreign engines, written by [`Method::save`](crate::Method::save).
    pub images: BTreeMap<String, Vec<u8>>,
}

/// A complete state: equal states have equal futures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Steps taken since time 0.
    pub step: u64,
    /// Time (s).
    pub time: f64,
    /// One entry per [`Scene::bodies`].
    pub bodies: Vec<BodyState>,
    /// One entry per [`Scene::particles`].
    pub particles: Vec<ParticleState>,
    /// Data carried by the method.
    pub memory: Memory,
}

impl State {
    /// Returns the state at time 0.
    pub fn initial(scene: &Scene) -> Self {
        Self {
            bodies: scene.bodies.iter().map(|b| b.initial).collect(),
            particles: scene
                .particles
                .iter()
                .map(|p| ParticleState { position: p.position, velocity: p.velocity })
                .collect(),
            ..Self::default()
        }
    }

    /// Whether all poses, positions and velocities are finite.
    pub fn is_finite(&self) -> bool {
        self.bodies.iter().all(BodyState::is_finite) && self.particles.iter().all(ParticleState::is_finite)
    }
}
