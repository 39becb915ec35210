//! Rigid bodies as the solver sees them within a step.

pub(crate) mod predict;
pub(crate) mod velocity;

use rayon::prelude::*;
use rigor_math::{Mat3, Pose, Vec3, quaternion};
use rigor_scene::{Body, BodyState, Scene, State};

/// cos(¼): the dot product of two unit quaternions whose rotations differ by half a radian.
const COS_QUARTER: f64 = 0.968_912_421_710_644_7;

/// Current pose and velocity of a body, with its state at the start of the substep.
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
    /// Pose, v and ω after external forces and before constraints; v and ω are the barred velocities of
    /// \[Mueller2020\] §3.5.
    pub free: BodyState,
    /// w = 1/m along each world axis (1/kg); 0 along axes on which the body cannot move.
    pub w: Vec3,
    /// I⁻¹ in world axes at the predicted pose (1/(kg m²)); 0 if the body cannot rotate.
    pub inverse_inertia: Mat3,
    /// Σ p: accumulated positional impulses of this substep (kg m).
    pub impulse: Vec3,
    /// Σ r × p about the centre of mass at the start of the substep (kg m²).
    pub angular_impulse: Vec3,
    /// Whether it [rests](crate::contact::rest) for the rest of the step.
    pub rests: bool,
}

impl SolverBody {
    /// Returns the static world, with its frame at the origin.
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
            rests: false,
        }
    }

    /// Returns whether a constraint can move or rotate the body.
    pub fn is_moved(&self) -> bool {
        self.w != Vec3::zeros() || self.can_turn()
    }

    /// Returns whether a torque can rotate the body.
    pub fn can_turn(&self) -> bool {
        self.inverse_inertia != Mat3::zeros()
    }

    /// Returns whether the rotation differs from that of `earlier` by more than half a radian, so that
    /// linearised rotations are meaningless.
    pub fn turned_far(&self, earlier: &Pose) -> bool {
        self.pose.rotation.coords.dot(&earlier.rotation.coords).abs() < COS_QUARTER
    }

    /// World position (m) of the material point `local` (m).
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.pose.point(local)
    }

    /// World position (m) of the material point `local` (m) before the substep.
    pub fn point_prev(&self, local: &Vec3) -> Vec3 {
        self.pose_prev.point(local)
    }

    /// Velocity (m/s, world) of the material point that is now at `point` (m, world).
    pub fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(&(point - self.pose.position))
    }

    /// Lever arm (m) of a positional impulse at `point_prev`, with point and body as they were before the
    /// substep.
    ///
    /// A substep ends with x = x_prev + h v, so x × m v = x_prev × m v: orbital angular momentum changes by
    /// x_prev × Σp/h. With the lever taken from x_prev to a point shared by both bodies, one body loses
    /// exactly the angular momentum that the other gains, no matter how many contacts move them in between.
    pub fn lever(&self, point_prev: &Vec3) -> Vec3 {
        point_prev - self.pose_prev.position
    }

    /// Returns w = 1/m + (r × n)ᵀ I⁻¹ (r × n): the generalised inverse mass (1/kg) for an impulse along `n`
    /// at lever `r` (m).
    ///
    /// Source: \[Mueller2020\] §3.2.1.
    pub fn generalized_inverse_mass(&self, r: &Vec3, n: &Vec3) -> f64 {
        let rn = r.cross(n);
        n.component_mul(n).dot(&self.w) + rn.dot(&(self.inverse_inertia * rn))
    }

    /// Applies a positional impulse `p` (kg m) at lever `r` (m): x ← x + w p, q ← q + ½ [I⁻¹ (r × p), 0] q.
    ///
    /// Source: \[Mueller2020\] §3.2.1.
    pub fn apply_positional(&mut self, r: &Vec3, p: &Vec3) {
        self.apply_positional_sum(p, &r.cross(p));
    }

    /// Applies several positional impulses at once, given Σ p (kg m) and Σ r × p (kg m²).
    pub fn apply_positional_sum(&mut self, p: &Vec3, torque: &Vec3) {
        self.impulse += p;
        self.angular_impulse += torque;
        self.pose.position += self.w.component_mul(p);
        let turn = self.inverse_inertia * torque;
        self.pose.rotation = quaternion::rotate_linearised(&self.pose.rotation, &turn);
    }

    /// Applies an angular positional impulse τ (kg m²): q ← q + ½ [I⁻¹ τ, 0] q.
    ///
    /// Source: \[Mueller2020\] §3.2.2.
    pub fn apply_angular(&mut self, torque: &Vec3) {
        self.angular_impulse += torque;
        let turn = self.inverse_inertia * torque;
        self.pose.rotation = quaternion::rotate_linearised(&self.pose.rotation, &turn);
    }

    /// Returns the accumulated impulses of this substep.
    pub fn sums(&self) -> [Vec3; 2] {
        [self.impulse, self.angular_impulse]
    }

    /// Sets the accumulated impulses of this substep.
    pub fn set_sums(&mut self, [impulse, angular_impulse]: [Vec3; 2]) {
        (self.impulse, self.angular_impulse) = (impulse, angular_impulse);
    }

    /// Turns ω with the body since `before`, so that its kinetic energy ½ ωᵀ R I Rᵀ ω stays what it was.
    pub fn carry_velocity(&mut self, before: &Pose) {
        if self.can_turn() && self.pose.rotation != before.rotation {
            self.angular_velocity = self.pose.rotation * (before.rotation.inverse() * self.angular_velocity);
        }
    }

    /// Applies an impulse `p` (N s) at lever `r` (m) at the fraction `t` of the substep `h` (s): v ← v + w p,
    /// ω ← ω + I⁻¹ (r × p).
    ///
    /// From then on the body follows its new velocity. x_prev is moved back along the new velocity, so that x
    /// = x_prev + h v stays true. The body rotates with the new ω only from the next substep on, so that I
    /// remains the inertia for which ω was computed.
    pub fn blow(&mut self, r: &Vec3, p: &Vec3, t: f64, h: f64) {
        let (v, omega) = (self.w.component_mul(p), self.inverse_inertia * r.cross(p));
        self.linear_velocity += v;
        self.angular_velocity += omega;
        self.free.linear_velocity += v;
        self.free.angular_velocity += omega;
        self.pose.position += (1.0 - t) * h * v;
        self.pose_prev.position -= t * h * v;
    }

    /// Returns the energy (J) that an impulse `p` (N s) with the moment `torque` (N m s) adds to the body, as
    /// its linear part p·v + τ·ω and its quadratic part ½ p·w p + ½ τ·I⁻¹ τ.
    pub fn work(&self, p: &Vec3, torque: &Vec3) -> [f64; 2] {
        let linear = p.dot(&self.linear_velocity) + torque.dot(&self.angular_velocity);
        [linear, self.effort(p, torque)]
    }

    fn effort(&self, p: &Vec3, torque: &Vec3) -> f64 {
        0.5 * (self.w.component_mul(p).dot(p) + torque.dot(&(self.inverse_inertia * torque)))
    }

    /// Returns the energy (J) that the positional impulses of this substep of `h` (s) add to the body: that
    /// of the impulses Σ p/h and Σ r × p/h applied to the velocities before the constraints.
    pub fn work_of_positions(&self, h: f64) -> f64 {
        let (p, torque) = (self.impulse / h, self.angular_impulse / h);
        p.dot(&self.free.linear_velocity) + torque.dot(&self.free.angular_velocity) + self.effort(&p, &torque)
    }

    /// Applies several impulses at once, given Σ p (N s) and Σ r × p (N m s).
    pub fn apply_impulse_sum(&mut self, p: &Vec3, torque: &Vec3) {
        self.linear_velocity += self.w.component_mul(p);
        self.angular_velocity += self.inverse_inertia * torque;
    }

    /// Applies an impulse `p` (N s) at lever `r` (m): v ← v + w p, ω ← ω + I⁻¹ (r × p).
    ///
    /// Source: \[Mueller2020\] §3.5.
    pub fn apply_impulse(&mut self, r: &Vec3, p: &Vec3) {
        self.linear_velocity += self.w.component_mul(p);
        self.angular_velocity += self.inverse_inertia * r.cross(p);
    }
}

/// Minimum number of bodies to handle in parallel.
const PARALLEL: usize = 256;

/// Mean velocity of a step over that at its start from which a prescribed motion counts as faster.
const FASTER: f64 = 1.01;

/// Does `work` on every body, in parallel if there are enough.
fn for_each(
    bodies: &[Body],
    solvers: &mut [SolverBody],
    work: impl Fn(&Body, &mut SolverBody) + Sync + Send,
) {
    if bodies.len() < PARALLEL {
        bodies.iter().zip(solvers).for_each(|(body, solver)| work(body, solver));
    } else {
        let both = bodies.par_iter().zip(solvers).with_min_len(PARALLEL / 4);
        both.for_each(|(body, solver)| work(body, solver));
    }
}

/// Copies poses and velocities from `state` into the solver.
pub(crate) fn load(scene: &Scene, state: &State, bodies: &mut Vec<SolverBody>) {
    bodies.clear();
    bodies.extend(scene.bodies.iter().zip(&state.bodies).map(|(body, state)| SolverBody {
        pose: state.pose,
        pose_prev: state.pose,
        linear_velocity: state.linear_velocity,
        angular_velocity: state.angular_velocity,
        free: *state,
        w: body.inverse_mass_axes(),
        inverse_inertia: Mat3::zeros(),
        impulse: Vec3::zeros(),
        angular_impulse: Vec3::zeros(),
        rests: false,
    }));
}

/// Gives bodies with prescribed motion, which a step of `dt` (s) moves faster than they were at its start `time` (s), their mean velocities over it: what a
/// keyframe starts, or a jump, is as fast as that.
pub(crate) fn lead(scene: &Scene, bodies: &mut [SolverBody], time: f64, dt: f64) {
    for (body, solver) in scene.bodies.iter().zip(bodies) {
        let Some(end) = body.prescribed(time + dt) else { continue };
        let mean = (end.pose.position - solver.pose.position) / dt;
        let turning = quaternion::difference(&solver.pose.rotation, &end.pose.rotation) / dt;
        if mean.norm() > FASTER * solver.linear_velocity.norm() {
            solver.linear_velocity = mean;
        }
        for omega in [turning, end.angular_velocity] {
            if omega.norm() > FASTER * solver.angular_velocity.norm() {
                solver.angular_velocity = omega;
            }
        }
    }
}

/// Copies poses and velocities back to `state`.
pub(crate) fn store(bodies: &[SolverBody], state: &mut State) {
    for (body, state) in bodies.iter().zip(&mut state.bodies) {
        *state = BodyState {
            pose: body.pose,
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
        };
    }
}

/// Borrows two different bodies mutably.
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
