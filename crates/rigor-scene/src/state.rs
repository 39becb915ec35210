//! The complete dynamic state: everything that the next step depends on.

use std::collections::BTreeMap;

use rigor_math::{Pose, Vec3};

use crate::scene::Scene;

/// Pose and velocity of one body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyState {
    /// Principal frame → world: centre of mass (m) and rotation.
    pub pose: Pose,
    /// Velocity of the centre of mass (m/s, world).
    pub linear_velocity: Vec3,
    /// ω (rad/s, world).
    pub angular_velocity: Vec3,
}

impl BodyState {
    /// A body at rest at `pose`.
    pub fn at_rest(pose: Pose) -> Self {
        Self { pose, ..Self::default() }
    }

    /// Returns the velocity (m/s, world) of the body's material point at `point_world` (m): v + ω × r.
    #[inline]
    pub fn velocity_at(&self, point_world: &Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(&(point_world - self.pose.position))
    }

    /// Whether every component is finite.
    pub fn is_finite(&self) -> bool {
        self.pose.is_finite()
            && self.linear_velocity.iter().chain(self.angular_velocity.iter()).all(|c| c.is_finite())
    }
}

/// Position and velocity of one particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParticleState {
    /// Position (m, world).
    pub position: Vec3,
    /// Velocity (m/s, world).
    pub velocity: Vec3,
}

impl ParticleState {
    /// Whether every component is finite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.velocity.iter()).all(|c| c.is_finite())
    }
}

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
