//! Prescribed motion of kinematic bodies.

use rigor_math::{Pose, Vec3, quaternion, rotation_vector};

use crate::placement::BodyState;

/// Motion of a kinematic body as a function of time alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// The curve that the body follows.
    pub path: KinematicPath,
    /// The body stops at this time (s) and stays where it is; infinity for never.
    pub stops_at: f64,
}

/// The curve that a kinematic body follows; poses are those of its principal frame.
#[derive(Debug, Clone, PartialEq)]
pub enum KinematicPath {
    /// x(t) = x₀ + v t, q(t) = exp(ω t) q₀ with the initial velocities, in world axes.
    ConstantVelocity,
    /// Passes through each pose at its time (s, ascending), with linear interpolation of the position and the
    /// shortest rotation at constant rate in between. The first piece starts at the initial pose at time 0;
    /// after the last pose the body continues with its initial velocities.
    Keyframes(Vec<(f64, Pose)>),
}

impl Motion {
    /// Constant velocity without end.
    pub fn constant_velocity() -> Self {
        Self { path: KinematicPath::ConstantVelocity, stops_at: f64::INFINITY }
    }

    /// Returns pose and velocities at `time` (s) of a body that started in `initial`.
    ///
    /// Velocities are the mean ones of the piece that contains the moment just before `time`, so a step that
    /// ends at a keyframe reads the velocity with which it moved.
    ///
    /// ```
    /// use rigor_math::Vec3;
    /// use rigor_scene::{BodyState, Motion};
    /// let mut start = BodyState::default();
    /// start.linear_velocity = Vec3::new(2.0, 0.0, 0.0);
    /// let later = Motion::constant_velocity().at(&start, 0.5);
    /// assert_eq!(later.pose.position, Vec3::new(1.0, 0.0, 0.0));
    /// ```
    pub fn at(&self, initial: &BodyState, time: f64) -> BodyState {
        let mut state = self.path.at(initial, time.min(self.stops_at));
        if time > self.stops_at {
            state.linear_velocity = Vec3::zeros();
            state.angular_velocity = Vec3::zeros();
        }
        state
    }
}

impl KinematicPath {
    fn at(&self, initial: &BodyState, time: f64) -> BodyState {
        let Self::Keyframes(keyframes) = self else { return drift(initial, &initial.pose, time) };
        let next = keyframes.partition_point(|(t, _)| *t < time);
        let (t0, pose0) = if next == 0 { (0.0, initial.pose) } else { keyframes[next - 1] };
        match keyframes.get(next) {
            Some((t1, pose1)) if *t1 > t0 => between((t0, &pose0), (*t1, pose1), time),
            Some((_, pose1)) => BodyState { pose: *pose1, ..*initial },
            None => drift(initial, &pose0, time - t0),
        }
    }
}

/// Moves with the initial velocities from `pose` for `elapsed` seconds.
fn drift(initial: &BodyState, pose: &Pose, elapsed: f64) -> BodyState {
    let rotation = rotation_vector::exp(&(initial.angular_velocity * elapsed)) * pose.rotation;
    BodyState { pose: Pose::new(pose.position + initial.linear_velocity * elapsed, rotation), ..*initial }
}

/// Keyframes are poses alone: a body turns the shortest way from one to the next, by definition. A turn of π or more needs keyframes
/// between.
fn between((t0, pose0): (f64, &Pose), (t1, pose1): (f64, &Pose), time: f64) -> BodyState {
    let span = t1 - t0;
    let turn = rotation_vector::log(&(pose1.rotation * pose0.rotation.inverse()));
    let pose = if time == t1 {
        *pose1
    } else {
        let s = (time - t0) / span;
        Pose::new(
            pose0.position.lerp(&pose1.position, s),
            quaternion::slerp(&pose0.rotation, &pose1.rotation, s),
        )
    };
    BodyState {
        pose,
        linear_velocity: (pose1.position - pose0.position) / span,
        angular_velocity: turn / span,
    }
}
