//! Positions and velocities of one body, and of one particle.

use rigor_math::{Pose, Vec3};

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
