//! Bodies within a substep.

use rigor_contact::{Frame, Moving};
use rigor_math::{Mat3, Pose, Vec3, quaternion};
use rigor_scene::{Body, BodyState, Scene, State};

use crate::config::Start;

/// Memory key: per body the acceleration (m/s²) of the last substep.
const ACCELERATIONS: &str = "avbd/accelerations";

/// A body in a substep of h (s).
#[derive(Debug, Clone)]
pub(crate) struct SolverBody {
    /// x_t: at the start of the substep.
    pub before: BodyState,
    /// Where it flies to without constraints; a body that moves as prescribed is there.
    pub free: BodyState,
    /// y: the inertial position x_t + h v + h² a, with the free rotation.
    pub inertial: Pose,
    /// x: where it is now.
    pub now: BodyState,
    /// The frame of its pose now.
    pub frame: Frame,
    /// m/h² (N/m) and I/h² (N m/rad, world).
    pub inertia: (f64, Mat3),
    /// w = 1/m along each world axis (1/kg), and I⁻¹ in world axes (1/(kg m²)).
    pub mobility: rigor_joint::Mobility,
    /// Whether its six coordinates, translations first, are free.
    pub is_free: [bool; 6],
    /// Acceleration (m/s²) in the last substep.
    pub acceleration: Vec3,
    /// Force (N) and torque (N m, world) that its inertia and its constraints leave after a sweep.
    unbalanced: (Vec3, Vec3),
    /// Whether a constraint pushes it.
    pub is_pushed: bool,
}

impl Moving for SolverBody {
    fn pose(&self) -> &Pose {
        &self.free.pose
    }

    fn pose_prev(&self) -> &Pose {
        &self.before.pose
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.free.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.free.angular_velocity
    }
}

/// A body on its way from the start to the end of a substep, or at the start of a step.
pub(crate) struct Arrived<'a>(pub &'a SolverBody);

impl Moving for Arrived<'_> {
    fn pose(&self) -> &Pose {
        &self.0.now.pose
    }

    fn pose_prev(&self) -> &Pose {
        &self.0.before.pose
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.0.now.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.0.now.angular_velocity
    }
}

impl SolverBody {
    fn new(body: &Body, state: &BodyState, acceleration: Vec3) -> Self {
        let (translation, rotation) = (body.fixed.translation, body.fixed.rotation);
        let is_fixed = |i: usize| if i < 3 { translation[i] } else { rotation[i - 3] };
        Self {
            before: *state,
            free: *state,
            inertial: state.pose,
            now: *state,
            frame: Frame::of(&state.pose),
            inertia: (0.0, Mat3::zeros()),
            mobility: rigor_joint::Mobility { w: body.inverse_mass_axes(), inverse_inertia: Mat3::zeros() },
            is_free: std::array::from_fn(|i| !is_fixed(i)),
            acceleration,
            unbalanced: (Vec3::zeros(), Vec3::zeros()),
            is_pushed: false,
        }
    }

    /// Begins a substep of `h` (s) that ends at `time` (s): where it would go without constraints.
    pub fn begin(&mut self, body: &Body, gravity: &Vec3, h: f64, time: f64) {
        self.before = self.now;
        self.is_pushed = false;
        self.unbalanced = (Vec3::zeros(), Vec3::zeros());
        if let Some(end) = body.prescribed(time) {
            (self.free, self.inertial) = (end, end.pose);
            self.place(end.pose);
            self.now = end;
            return;
        }
        (self.free, _) = body.fly(&self.before, gravity, h);
        // x + h v + h² a is ½ h² a further than it flies.
        let a = (self.free.linear_velocity - self.along(&self.before.linear_velocity)) / h;
        self.inertial = self.free.pose;
        self.inertial.position += 0.5 * h * h * a;
        self.inertia = (body.mass / (h * h), body.inertia_world(&self.inertial) / (h * h));
        self.mobility.inverse_inertia = body.inverse_inertia_world(&self.inertial.rotation);
    }

    /// Whether constraints move it.
    pub fn moves(&self) -> bool {
        self.inertia.0 > 0.0
    }

    /// Whether it is anywhere.
    pub fn is_finite(&self) -> bool {
        let BodyState { pose, linear_velocity, angular_velocity } = &self.now;
        pose.is_finite() && linear_velocity.iter().chain(angular_velocity.iter()).all(|x| x.is_finite())
    }

    /// Moves it to where the sweeps start.
    ///
    /// Source: the adaptive start of \[Chen2024\]: h² ã with the part ã of gravity that the last acceleration had.
    pub fn start(&mut self, start: Start, gravity: &Vec3, h: f64) {
        let mut pose = self.inertial;
        match start {
            Start::Inertial => {}
            Start::Before => pose = self.before.pose,
            Start::Adaptive => {
                let g = gravity.norm();
                if g > 0.0 {
                    let part = (self.acceleration.dot(gravity) / (g * g)).clamp(0.0, 1.0);
                    let lost = self.along(gravity) * (h * h * (1.0 - part));
                    pose.position -= lost;
                }
            }
        }
        self.place(pose);
    }

    /// `v` without its components along fixed axes.
    fn along(&self, v: &Vec3) -> Vec3 {
        Vec3::from_fn(|i, _| if self.is_free[i] { v[i] } else { 0.0 })
    }

    /// Moves it to `pose`.
    pub fn place(&mut self, pose: Pose) {
        self.now.pose = pose;
        self.frame = Frame::of(&pose);
    }

    /// x − y: translation (m) and rotation vector (rad, world).
    pub fn off(&self) -> (Vec3, Vec3) {
        (
            self.now.pose.position - self.inertial.position,
            quaternion::difference(&self.inertial.rotation, &self.now.pose.rotation),
        )
    }

    /// Begins the balance of forces after a sweep, with −M/h² (x − y).
    pub fn balance(&mut self) {
        let ((linear, angular), (mass, inertia)) = (self.off(), &self.inertia);
        self.unbalanced = (linear * -*mass, -(inertia * angular));
        self.is_pushed = false;
    }

    /// Adds what a constraint does.
    pub fn push(&mut self, force: &Vec3, torque: &Vec3) {
        if *force != Vec3::zeros() || *torque != Vec3::zeros() {
            self.unbalanced.0 += force;
            self.unbalanced.1 += torque;
            self.is_pushed = true;
        }
    }

    /// How far (m) what is unbalanced would move its points in a substep of `h` (s), and how far constraints moved them; `radius` (m) is that of the body.
    pub fn off_balance(&self, h: f64, radius: f64) -> (f64, f64) {
        let (force, torque) = &self.unbalanced;
        let linear = self.mobility.w.component_mul(force) * (h * h);
        let angular = self.mobility.inverse_inertia * torque * (h * h);
        let pushed = self.off();
        (linear.norm() + radius * angular.norm(), pushed.0.norm() + radius * pushed.1.norm())
    }

    /// x − x_t.
    pub fn since_start(&self) -> rigor_joint::Velocity {
        rigor_joint::Velocity {
            linear: self.now.pose.position - self.before.pose.position,
            angular: quaternion::difference(&self.before.pose.rotation, &self.now.pose.rotation),
        }
    }

    /// Ends a substep of `h` (s): velocities from positions. A body that nothing pushed flies freely.
    pub fn finish(&mut self, body: &Body, h: f64) {
        if !body.is_dynamic() {
            return;
        }
        if self.is_pushed {
            let (linear, angular) = self.off();
            let before = self.along(&self.before.linear_velocity);
            self.now.linear_velocity = self.free.linear_velocity + linear / h;
            self.now.angular_velocity = self.free.angular_velocity + angular / h;
            self.acceleration = (self.now.linear_velocity - before) / h;
        } else {
            self.acceleration = (self.free.linear_velocity - self.along(&self.before.linear_velocity)) / h;
            self.now = self.free;
            // What removes old errors starts from here.
            self.inertial = self.free.pose;
            self.frame = Frame::of(&self.free.pose);
        }
    }
}

/// Loads the bodies of a step.
pub(crate) fn load(scene: &Scene, state: &State, bodies: &mut Vec<SolverBody>) {
    let known = state.memory.numbers.get(ACCELERATIONS).filter(|known| known.len() == 3 * scene.bodies.len());
    bodies.clear();
    bodies.extend(scene.bodies.iter().zip(&state.bodies).enumerate().map(|(i, (body, state))| {
        // A state without memory is a start, which says nothing about what holds.
        let last = known.map_or(scene.gravity, |known| Vec3::from_column_slice(&known[3 * i..3 * i + 3]));
        SolverBody::new(body, state, last)
    }));
}

/// Stores where they end.
pub(crate) fn store(bodies: &[SolverBody], state: &mut State) {
    for (body, state) in bodies.iter().zip(&mut state.bodies) {
        *state = body.now;
    }
    state.memory.store(ACCELERATIONS, bodies.iter().flat_map(|body| body.acceleration.data.0[0]));
}
