//! Everything that the next step depends on.

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
    /// A body that stays at `pose`.
    pub fn at_rest(pose: Pose) -> Self {
        Self { pose, ..Self::default() }
    }

    /// Velocity (m/s, world) of the body's material point now at `point_world` (m): v + ω × r.
    #[inline]
    pub fn velocity_at(&self, point_world: &Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(&(point_world - self.pose.position))
    }

    /// Whether every component is a finite number.
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
    /// Whether every component is a finite number.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.velocity.iter()).all(|c| c.is_finite())
    }
}

/// What a method carries from step to step beyond poses and velocities, by name.
///
/// Keys are `method/quantity`, as `ipc/q_dot`. Two equal states, memory included, have equal futures: that is what
/// makes a run resumable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// Real numbers, in the layout that the method documents.
    pub numbers: BTreeMap<String, Vec<f64>>,
    /// Opaque images of engines whose state is not ours, written by [`Method::save`](crate::Method::save).
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
    /// What the method remembers.
    pub memory: Memory,
}

impl State {
    /// The state at time 0.
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

    /// Whether all poses, positions and velocities are finite numbers.
    pub fn is_finite(&self) -> bool {
        self.bodies.iter().all(BodyState::is_finite) && self.particles.iter().all(ParticleState::is_finite)
    }
}
