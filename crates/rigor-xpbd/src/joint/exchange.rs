//! Joints for a solver elsewhere.

use rigor_math::{Pose, Vec3};
use rigor_scene::{JointKind, Scene};

use super::sweep::moved;
use super::{Joints, SolverJoint};
use crate::config::Config;

/// What a solver needs of a joint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointView<'a> {
    pub kind: &'a JointKind,
    pub frame_a: &'a Pose,
    pub frame_b: &'a Pose,
    pub compliance: f64,
    pub angular_compliance: f64,
    pub is_broken: bool,
}

impl SolverJoint {
    /// Returns the joint's data.
    pub fn held(&self) -> JointView<'_> {
        JointView {
            kind: &self.kind,
            frame_a: &self.frame_a,
            frame_b: &self.frame_b,
            compliance: self.compliance,
            angular_compliance: self.angular_compliance,
            is_broken: self.broken,
        }
    }

    /// Sets ∫ f dt (N s) and ∫ τ dt (N m s) on a in this step (world).
    pub fn set_step_impulses(&mut self, linear: Vec3, angular: Vec3) {
        (self.step_impulse, self.step_angular_impulse) = (linear, angular);
    }
}

impl Joints {
    /// Returns the joints in solving order.
    pub fn order(&self) -> &[usize] {
        self.ranks.order()
    }

    /// Returns the bodies that joint `i` can move.
    pub fn moved<'a>(&self, scene: &'a Scene, i: usize) -> impl Iterator<Item = usize> + Clone + use<'a> {
        moved(scene, &self.list[i])
    }

    /// Returns the factor of Jacobi on the multipliers of joint `i`.
    pub fn share(&self, scene: &Scene, config: &Config, i: usize) -> f64 {
        self.ranks.share(config, self.moved(scene, i))
    }
}
