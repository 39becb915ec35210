//! Gears: coupled rotations of two bodies.

use rigor_math::{Vec3, quaternion};
use rigor_scene::JointKind;

use super::SolverJoint;
use crate::body::SolverBody;
use crate::constraint::delta_lambda;

impl SolverJoint {
    /// Enforces C = ratio φ_a − φ_b = 0, where φ is the rotation of each body about its own axis since time
    /// 0.
    ///
    /// The torque on a is λ ratio n_a/h², that on b −λ n_b/h²; the difference is carried by whatever holds
    /// the axes.
    pub(super) fn couple(&mut self, ratio: f64, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        let c = self.slip + self.slipped(ratio, a, b);
        let (n_a, n_b) = self.gear_axes(a, b);
        let w = ratio * ratio * n_a.dot(&(a.inverse_inertia * n_a)) + n_b.dot(&(b.inverse_inertia * n_b));
        let delta = delta_lambda(c, self.lambda_angular.x, w, self.angular_compliance / (h * h));
        self.lambda_angular.x += delta;
        a.apply_angular(&(delta * ratio * n_a));
        b.apply_angular(&(-delta * n_b));
        self.angular_impulse += delta * ratio * n_a;
    }

    /// Accumulates the slip of the gear in a finished substep.
    pub(super) fn follow_gear(&mut self, a: &SolverBody, b: &SolverBody) {
        if let JointKind::Gear { ratio } = self.kind {
            self.slip += self.slipped(ratio, a, b);
        }
    }

    /// Returns the change of C (rad) since the substep began.
    fn slipped(&self, ratio: f64, a: &SolverBody, b: &SolverBody) -> f64 {
        let (n_a, n_b) = self.gear_axes(a, b);
        let turned =
            |body: &SolverBody| quaternion::difference(&body.pose_prev.rotation, &body.pose.rotation);
        ratio * turned(a).dot(&n_a) - turned(b).dot(&n_b)
    }

    fn gear_axes(&self, a: &SolverBody, b: &SolverBody) -> (Vec3, Vec3) {
        let frames = self.frames(a, b);
        (frames.axis_a(), frames.axis_b())
    }
}
