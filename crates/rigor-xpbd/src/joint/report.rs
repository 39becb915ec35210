//! Reports of a step on its joints.

use rigor_scene::{Joint, JointReport, Quantity, Scene, StepError};

use super::{Joints, SolverJoint};
use crate::body::SolverBody;

impl Joints {
    /// Returns the joints after a step of length `dt` (s), with their mean forces over it. Joints that
    /// carried more than their strength break.
    ///
    /// # Errors
    /// If the load of a joint, or its error, is not finite.
    pub fn end_step(
        &mut self,
        scene: &Scene,
        bodies: &mut [SolverBody],
        dt: f64,
    ) -> Result<Vec<JointReport>, StepError> {
        let mut reports = Vec::with_capacity(self.list.len());
        self.each(bodies, |joint, a, b| {
            let index = reports.len();
            reports.push(joint.end_step((index, &scene.joints[index]), a, b, dt));
        });
        match reports.iter().find(|report| !is_finite(report)) {
            None => Ok(reports),
            Some(report) => {
                let joint = &scene.joints[report.joint];
                Err(StepError::JointNotFinite {
                    joint: report.joint,
                    name: joint.name.clone(),
                    bodies: std::iter::once(joint.body_a).chain(joint.body_b).collect(),
                })
            }
        }
    }
}

impl SolverJoint {
    fn end_step(
        &mut self,
        (index, joint): (usize, &Joint),
        a: &SolverBody,
        b: &SolverBody,
        dt: f64,
    ) -> JointReport {
        let (force_world, torque_world) = (self.step_impulse / dt, self.step_angular_impulse / dt);
        self.broken |= force_world.norm() > self.strength.force || torque_world.norm() > self.strength.torque;
        // While it is being closed, its frame B and its bounds are not those of the scene.
        let shifted = (std::mem::replace(&mut self.kind, joint.kind.clone()), self.frame_b);
        self.frame_b = joint.frame_b;
        let frames = self.frames(a, b);
        let (position_error, angle_error) = (self.position_error(&frames), self.angle_error(&frames));
        (self.kind, self.frame_b) = shifted;
        let held = |error: f64| if self.broken { 0.0 } else { error };
        JointReport {
            joint: index,
            force_world,
            torque_world,
            position_error: held(position_error),
            angle_error: held(angle_error),
            turn: self.counts_turns().then_some(self.turn),
            broken: self.broken,
        }
    }
}

fn is_finite(report: &JointReport) -> bool {
    let vectors = report.force_world.iter().chain(report.torque_world.iter());
    vectors.chain([&report.position_error, &report.angle_error]).all(|number| number.is_finite())
}

/// Returns the largest errors of the joints, including compliant ones; none without joints.
pub(crate) fn quantities(reports: &[JointReport]) -> Vec<Quantity> {
    if reports.is_empty() {
        return Vec::new();
    }
    let largest = |error: fn(&JointReport) -> f64| reports.iter().map(error).fold(0.0, f64::max);
    vec![
        Quantity { name: "joint_error", unit: "m", value: largest(|r| r.position_error) },
        Quantity { name: "joint_angle_error", unit: "rad", value: largest(|r| r.angle_error) },
    ]
}
