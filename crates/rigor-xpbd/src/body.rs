//! A body as the solver sees it within a step.

pub(crate) mod predict;
pub(crate) mod velocity;

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, quaternion};
use rigor_scene::{Body, BodyState, Scene, State};

/// cos(¼): the product of two unit quaternions half a radian apart.
const COS_QUARTER: f64 = 0.968_912_421_710_644_7;

/// Pose and velocity at the current place of the algorithm, with those of the substep's start.
#[derive(Debug, Clone)]
pub(crate) struct SolverBody {
    /// x (m), q: the current pose.
    pub pose: Pose,
    /// x_prev, q_prev: the pose before the substep.
    pub pose_prev: Pose,
    /// v (m/s, world).
    pub linear_velocity: Vec3,
    /// ω (rad/s, world).
    pub angular_velocity: Vec3,
    /// v, ω after external forces, before contacts: the barred velocities of [Mueller2020] §3.5.
    pub free: BodyState,
    /// w = 1/m along each world axis (1/kg); 0 where nothing moves the body.
    pub w: Vec3,
    /// I⁻¹ in world axes at the predicted pose (1/(kg m²)); 0 where nothing turns the body.
    pub inverse_inertia: Mat3,
    /// Σ p: positional impulses of this substep (kg m).
    pub impulse: Vec3,
    /// Σ r × p about the centre of mass before the substep (kg m²).
    pub angular_impulse: Vec3,
}

impl SolverBody {
    /// The world: at its own origin, moved by nothing.
    pub fn world() -> Self {
        let at_rest = BodyState::at_rest(Pose::identity());
        Self {
            pose: Pose::identity(),
            pose_prev: Pose::identity(),
            linear_velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            free: at_rest,
            w: Vec3::zeros(),
            inverse_inertia: Mat3::zeros(),
            impulse: Vec3::zeros(),
            angular_impulse: Vec3::zeros(),
        }
    }

    /// Whether a constraint can move or turn it.
    pub fn is_moved(&self) -> bool {
        self.w != Vec3::zeros() || self.can_turn()
    }

    /// Whether a torque turns it.
    pub fn can_turn(&self) -> bool {
        self.inverse_inertia != Mat3::zeros()
    }

    /// Whether its rotation is more than half a radian from that of `earlier`, so that what is linear in turns has no
    /// meaning.
    pub fn turned_far(&self, earlier: &Pose) -> bool {
        self.pose.rotation.coords.dot(&earlier.rotation.coords).abs() < COS_QUARTER
    }

    /// World position (m) of the material point `local` (m).
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.pose.point(local)
    }

    /// Where the material point `local` was before the substep (m, world).
    pub fn point_prev(&self, local: &Vec3) -> Vec3 {
        self.pose_prev.point(local)
    }

    /// Velocity (m/s, world) of the material point now at `point` (m, world).
    pub fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(&(point - self.pose.position))
    }

    /// Lever arm (m) of a positional impulse at `point_prev`, both where they were before the substep.
    ///
    /// A substep ends with x = x_prev + h v, so x × m v = x_prev × m v: orbital angular momentum changes by x_prev × Σp/h.
    /// With the lever taken from x_prev to a point that is the same for both bodies, what one gains in all the other
    /// loses exactly, however many contacts move them in between.
    pub fn lever(&self, point_prev: &Vec3) -> Vec3 {
        point_prev - self.pose_prev.position
    }

    /// w = 1/m + (r × n)ᵀ I⁻¹ (r × n): the generalised inverse mass (1/kg) for an impulse along `n` at lever `r`.
    ///
    /// Source: [Mueller2020] §3.2.1.
    pub fn generalized_inverse_mass(&self, r: &Vec3, n: &Vec3) -> f64 {
        let rn = r.cross(n);
        n.component_mul(n).dot(&self.w) + rn.dot(&(self.inverse_inertia * rn))
    }

    /// x ← x + w p, q ← q + ½ [I⁻¹ (r × p), 0] q: a positional impulse `p` (kg m) at lever `r` (m).
    ///
    /// Source: [Mueller2020] §3.2.1.
    pub fn apply_positional(&mut self, r: &Vec3, p: &Vec3) {
        self.apply_positional_sum(p, &r.cross(p));
    }

    /// The same for several impulses at once: Σ p (kg m) and Σ r × p (kg m²).
    pub fn apply_positional_sum(&mut self, p: &Vec3, torque: &Vec3) {
        self.impulse += p;
        self.angular_impulse += torque;
        self.pose.position += self.w.component_mul(p);
        let turn = self.inverse_inertia * torque;
        self.pose.rotation = quaternion::rotate_linearised(&self.pose.rotation, &turn);
    }

    /// q ← q + ½ [I⁻¹ τ, 0] q: an angular positional impulse τ (kg m²).
    ///
    /// Source: [Mueller2020] §3.2.2.
    pub fn apply_angular(&mut self, torque: &Vec3) {
        self.angular_impulse += torque;
        let turn = self.inverse_inertia * torque;
        self.pose.rotation = quaternion::rotate_linearised(&self.pose.rotation, &turn);
    }

    /// A blow `p` (N s) at lever `r` (m) when the part `t` of the substep `h` (s) has passed: v ← v + w p, ω ← ω + I⁻¹
    /// (r × p), and from t on the body goes where its new velocity takes it. x_prev becomes the place from which that
    /// velocity would have brought it here, so that x = x_prev + h v stays true. It turns with its new ω from the next
    /// substep on, so that I is that for which ω was taken.
    pub fn blow(&mut self, r: &Vec3, p: &Vec3, t: f64, h: f64) {
        let (v, omega) = (self.w.component_mul(p), self.inverse_inertia * r.cross(p));
        self.linear_velocity += v;
        self.angular_velocity += omega;
        self.free.linear_velocity += v;
        self.free.angular_velocity += omega;
        self.pose.position += (1.0 - t) * h * v;
        self.pose_prev.position -= t * h * v;
    }

    /// Energy (J) that an impulse `p` (N s) with the moment `torque` (N m s) adds to the body: the part linear in it, p·v +
    /// τ·ω, and the quadratic one, ½ p·w p + ½ τ·I⁻¹ τ.
    pub fn work(&self, p: &Vec3, torque: &Vec3) -> [f64; 2] {
        let linear = p.dot(&self.linear_velocity) + torque.dot(&self.angular_velocity);
        [linear, self.effort(p, torque)]
    }

    fn effort(&self, p: &Vec3, torque: &Vec3) -> f64 {
        0.5 * (self.w.component_mul(p).dot(p) + torque.dot(&(self.inverse_inertia * torque)))
    }

    /// Energy (J) that the positional impulses of this substep of `h` (s) add to the body: that of the impulses Σ p/h and
    /// Σ r × p/h on the velocities before them.
    pub fn work_of_positions(&self, h: f64) -> f64 {
        let (p, torque) = (self.impulse / h, self.angular_impulse / h);
        p.dot(&self.free.linear_velocity) + torque.dot(&self.free.angular_velocity) + self.effort(&p, &torque)
    }

    /// The same for several impulses at once: Σ p (N s) and Σ r × p (N m s).
    pub fn apply_impulse_sum(&mut self, p: &Vec3, torque: &Vec3) {
        self.linear_velocity += self.w.component_mul(p);
        self.angular_velocity += self.inverse_inertia * torque;
    }

    /// v ← v + w p, ω ← ω + I⁻¹ (r × p): an impulse `p` (N s) at lever `r` (m).
    ///
    /// Source: [Mueller2020] §3.5.
    pub fn apply_impulse(&mut self, r: &Vec3, p: &Vec3) {
        self.linear_velocity += self.w.component_mul(p);
        self.angular_velocity += self.inverse_inertia * r.cross(p);
    }
}

/// I⁻¹ in world axes (1/(kg m²)) for torques about the axes that `body` may turn about, 0 about the others.
///
/// With every axis free it is R diag(1/I) Rᵀ. With some fixed it is the inverse of the free block of R diag(I) Rᵀ:
/// fixed axes carry whatever torque keeps ω zero there.
pub(crate) fn inverse_inertia_world(body: &Body, rotation: &UnitQuaternion) -> Mat3 {
    if !body.is_dynamic() {
        return Mat3::zeros();
    }
    let r = rotation.to_rotation_matrix().into_inner();
    let fixed = body.fixed.rotation;
    if fixed == [false; 3] {
        return r * Mat3::from_diagonal(&body.inertia.map(|i| 1.0 / i)) * r.transpose();
    }
    // Fixed rows and columns are replaced by those of a huge inertia's limit: identity before, zero after.
    let mut inertia = r * Mat3::from_diagonal(&body.inertia) * r.transpose();
    let scale = inertia.trace().max(f64::MIN_POSITIVE);
    for i in (0..3).filter(|&i| fixed[i]) {
        inertia.row_mut(i).fill(0.0);
        inertia.column_mut(i).fill(0.0);
        inertia[(i, i)] = scale;
    }
    let mut inverse = inertia.try_inverse().unwrap_or_else(Mat3::zeros);
    for i in (0..3).filter(|&i| fixed[i]) {
        inverse[(i, i)] = 0.0;
    }
    inverse
}

/// w = 1/m along each world axis that `body` may move along (1/kg).
fn inverse_mass_axes(body: &Body) -> Vec3 {
    let w = body.inverse_mass();
    Vec3::from_fn(|i, _| if body.fixed.translation[i] { 0.0 } else { w })
}

/// Copies poses and velocities in.
pub(crate) fn load(scene: &Scene, state: &State, bodies: &mut Vec<SolverBody>) {
    bodies.clear();
    bodies.extend(scene.bodies.iter().zip(&state.bodies).map(|(body, state)| SolverBody {
        pose: state.pose,
        pose_prev: state.pose,
        linear_velocity: state.linear_velocity,
        angular_velocity: state.angular_velocity,
        free: *state,
        w: inverse_mass_axes(body),
        inverse_inertia: Mat3::zeros(),
        impulse: Vec3::zeros(),
        angular_impulse: Vec3::zeros(),
    }));
}

/// Copies poses and velocities back.
pub(crate) fn store(bodies: &[SolverBody], state: &mut State) {
    for (body, state) in bodies.iter().zip(&mut state.bodies) {
        *state = BodyState {
            pose: body.pose,
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
        };
    }
}

/// Two different bodies at once.
pub(crate) fn two(bodies: &mut [SolverBody], a: usize, b: usize) -> (&mut SolverBody, &mut SolverBody) {
    debug_assert_ne!(a, b);
    if a < b {
        let (left, right) = bodies.split_at_mut(b);
        (&mut left[a], &mut right[0])
    } else {
        let (left, right) = bodies.split_at_mut(a);
        (&mut right[0], &mut left[b])
    }
}
