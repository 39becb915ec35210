//! Bodies within a substep: they fly, are kicked in the middle, and fly on.

use rigor_math::{Mat3, Pose, Vec3, quaternion, rotation_vector};
use rigor_scene::{Body, BodyState, Scene};

use crate::axis::{Mobility, Velocity};

/// A body in a substep of h (s): it flies for h/2, is kicked by the impulses of joints and contacts, and flies for h/2 again.
///
/// Source: the midpoint rule of \[Jean1999\], q⁺ = q + ½ h (v + v⁺), with the flight in place of its two halves.
#[derive(Debug, Clone)]
pub struct FlyingBody {
    /// At the start of the substep.
    pub start: BodyState,
    /// After h/2, before the kick.
    pub middle: BodyState,
    /// After h, without any kick.
    pub free: BodyState,
    /// At the end of the substep.
    pub end: BodyState,
    /// w = 1/m along each world axis (1/kg).
    pub w: Vec3,
    /// I⁻¹ in world axes (1/(kg m²)) in the middle.
    pub inverse_inertia: Mat3,
    /// Estimated error of its orientation (rad).
    pub error: f64,
    /// Kinetic energy that the kick took from it (J); negative if it gave.
    pub spent: f64,
}

impl FlyingBody {
    /// Creates a body at the start of a step.
    pub fn new(body: &Body, state: &BodyState) -> Self {
        Self {
            start: *state,
            middle: *state,
            free: *state,
            end: *state,
            w: body.inverse_mass_axes(),
            inverse_inertia: Mat3::zeros(),
            error: 0.0,
            spent: 0.0,
        }
    }

    /// Begins a substep of `h` (s) that ends at `time` (s), where the last one ended.
    pub fn begin(&mut self, body: &Body, gravity: &Vec3, h: f64, time: f64) {
        self.start = self.end;
        self.spent = 0.0;
        if let Some(end) = body.prescribed(time) {
            self.free = end;
            self.end = end;
            self.middle = body.prescribed(time - 0.5 * h).unwrap_or(end);
            return;
        }
        (self.middle, self.error) = body.fly(&self.start, gravity, 0.5 * h);
        (self.free, _) = body.fly(&self.middle, gravity, 0.5 * h);
        self.inverse_inertia = body.inverse_inertia_world(&self.middle.pose.rotation);
    }

    /// Ends the substep with the `kick`, a change of both velocities in the middle.
    pub fn finish(&mut self, body: &Body, gravity: &Vec3, kick: &Velocity, h: f64) {
        if !body.is_dynamic() {
            return;
        }
        if *kick == Velocity::default() {
            self.end = self.free;
            return;
        }
        let kicked = BodyState {
            linear_velocity: self.middle.linear_velocity + kick.linear,
            angular_velocity: self.middle.angular_velocity + kick.angular,
            ..self.middle
        };
        let (v, omega) = (self.middle.linear_velocity, self.middle.angular_velocity);
        let inertia = body.inertia_world(&self.middle.pose);
        self.spent = -body.mass * (v + 0.5 * kick.linear).dot(&kick.linear)
            - (omega + 0.5 * kick.angular).dot(&(inertia * kick.angular));
        let error;
        (self.end, error) = body.fly(&kicked, gravity, 0.5 * h);
        self.error += error;
    }

    /// Returns how it answers impulses in the middle of the substep.
    pub fn mobility(&self) -> Mobility {
        Mobility { w: self.w, inverse_inertia: self.inverse_inertia }
    }

    /// Returns how bodies answer impulses at the end of a substep.
    pub fn mobilities_at_end(scene: &Scene, bodies: &[Self]) -> Vec<Mobility> {
        let both = scene.bodies.iter().zip(bodies);
        both.map(|(body, flying)| Mobility {
            w: flying.w,
            inverse_inertia: body.inverse_inertia_world(&flying.end.pose.rotation),
        })
        .collect()
    }

    /// Moves its pose at the end by a displacement and a rotation vector (m, rad; world). ω turns with it, so that ½ ωᵀ R I Rᵀ ω stays what it was.
    pub fn shift(&mut self, by: &Velocity) {
        let Pose { position, rotation } = self.end.pose;
        self.end.pose = Pose::new(position + by.linear, quaternion::rotate(&rotation, &by.angular));
        if by.angular != Vec3::zeros() {
            self.end.angular_velocity = rotation_vector::exp(&by.angular) * self.end.angular_velocity;
        }
    }

    /// Returns the velocities at the end of the substep without any kick.
    pub fn free_velocity(&self) -> Velocity {
        Velocity { linear: self.free.linear_velocity, angular: self.free.angular_velocity }
    }

    /// Returns the velocities at the start of the substep.
    pub fn start_velocity(&self) -> Velocity {
        Velocity { linear: self.start.linear_velocity, angular: self.start.angular_velocity }
    }

    /// Returns the velocities in the middle, before the kick.
    pub fn middle_velocity(&self) -> Velocity {
        Velocity { linear: self.middle.linear_velocity, angular: self.middle.angular_velocity }
    }

    /// Returns the velocities at its end.
    pub fn end_velocity(&self) -> Velocity {
        Velocity { linear: self.end.linear_velocity, angular: self.end.angular_velocity }
    }
}
