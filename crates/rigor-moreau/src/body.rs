//! Bodies within a substep.

use rigor_contact::Moving;
use rigor_joint::Velocity;
use rigor_math::{Mat3, Pose, Vec3};
use rigor_scene::{Body, BodyState, Scene, State};

/// A body in a substep of h (s): it flies for h/2, is kicked by the impulses of contacts and joints, and flies for h/2 again.
///
/// Source: the midpoint rule of \[Jean1999\], q⁺ = q + ½ h (v + v⁺), with the flight in place of its two halves.
#[derive(Debug, Clone)]
pub(crate) struct FlyingBody {
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
    /// What is left of the energy that may lift it out of an old overlap (J).
    pub purse: f64,
}

/// Memory key: the purse of each body (J).
const PURSES: &str = "nonsmooth/purses";

impl Moving for FlyingBody {
    fn pose(&self) -> &Pose {
        &self.free.pose
    }

    fn pose_prev(&self) -> &Pose {
        &self.start.pose
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.free.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.free.angular_velocity
    }
}

/// A body on its way from the start to the end of a substep.
pub(crate) struct Arrived<'a>(pub &'a FlyingBody);

impl Moving for Arrived<'_> {
    fn pose(&self) -> &Pose {
        &self.0.end.pose
    }

    fn pose_prev(&self) -> &Pose {
        &self.0.start.pose
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.0.end.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.0.end.angular_velocity
    }
}

impl FlyingBody {
    /// A body at rest at the start of a step.
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
            purse: 0.0,
        }
    }

    /// Begins a substep of `h` (s) that ends at `time` (s).
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

    /// The velocities at the end of the substep without any kick.
    pub fn free_velocity(&self) -> Velocity {
        Velocity { linear: self.free.linear_velocity, angular: self.free.angular_velocity }
    }

    /// The velocities at the start of the substep.
    pub fn start_velocity(&self) -> Velocity {
        Velocity { linear: self.start.linear_velocity, angular: self.start.angular_velocity }
    }

    /// The velocities in the middle, before the kick.
    pub fn middle_velocity(&self) -> Velocity {
        Velocity { linear: self.middle.linear_velocity, angular: self.middle.angular_velocity }
    }

    /// The velocities at its end.
    pub fn end_velocity(&self) -> Velocity {
        Velocity { linear: self.end.linear_velocity, angular: self.end.angular_velocity }
    }
}

/// Loads the bodies of a step.
pub(crate) fn load(scene: &Scene, state: &State, bodies: &mut Vec<FlyingBody>) {
    bodies.clear();
    bodies.extend(scene.bodies.iter().zip(&state.bodies).map(|(body, state)| FlyingBody::new(body, state)));
    let known = state.memory.numbers.get(PURSES).filter(|known| known.len() == bodies.len());
    for (i, body) in bodies.iter_mut().enumerate() {
        // A state without memory is a start, whose overlaps may be pushed apart.
        body.purse = known.map_or(f64::INFINITY, |known| known[i]);
    }
}

/// Stores where they end.
pub(crate) fn store(bodies: &[FlyingBody], state: &mut State) {
    for (body, state) in bodies.iter().zip(&mut state.bodies) {
        *state = body.end;
    }
    state.memory.store(PURSES, bodies.iter().map(|body| body.purse));
}
