//! Damping of a joint's free motion in the velocity solve.

use rigor_math::Vec3;
use rigor_scene::JointKind;

use super::SolverJoint;
use crate::body::SolverBody;
use crate::constraint::angle;
use crate::constraint::axes::inverse;
use crate::constraint::position::Levers;

impl SolverJoint {
    /// Applies Δv = −v min(k h, 1) at the joint and Δω = −ω min(k h, 1), for the velocities of a against b.
    ///
    /// Source: \[Mueller2020\] §3.5. A slack rope without a drive damps nothing. After n substeps, (1 − k h)ⁿ of a velocity
    /// remains if nothing else changes it.
    pub(super) fn damp(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        let part = |k: f64| (k * h).min(1.0);
        if self.damping.angular > 0.0 {
            let omega = a.angular_velocity - b.angular_velocity;
            if let Some(inertia) = inverse(&angle::mobility(a, b)) {
                let torque = inertia * omega * -part(self.damping.angular);
                a.angular_velocity += a.inverse_inertia * torque;
                b.angular_velocity -= b.inverse_inertia * torque;
                self.angular_impulse += torque * h;
            }
        }
        if self.damping.linear > 0.0 {
            self.damp_linear(a, b, part(self.damping.linear), h);
        }
    }

    fn damp_linear(&mut self, a: &mut SolverBody, b: &mut SolverBody, part: f64, h: f64) {
        let frames = self.frames(a, b);
        let levers = Levers::now(a, b, &frames.a.position);
        let k = levers.mobility(a, b);
        let p = match self.kind {
            JointKind::Distance { min, max, .. } if max > 0.0 => {
                let is_slack = min < max && self.lambda.x == 0.0 && self.slide_drive.is_none();
                if is_slack {
                    return;
                }
                let Some(n) = frames.gap().try_normalize(0.0) else { return };
                let v = a.velocity_at(&frames.a.position) - b.velocity_at(&frames.b.position);
                let w = n.dot(&(k * n));
                if w > 0.0 { n * (-part * v.dot(&n) / w) } else { Vec3::zeros() }
            }
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Distance { .. }
            | JointKind::Gear { .. } => {
                let v = a.velocity_at(&frames.a.position) - b.velocity_at(&frames.a.position);
                inverse(&k).map_or_else(Vec3::zeros, |mass| mass * v * -part)
            }
        };
        levers.push(a, b, &p);
        self.impulse += p * h;
    }
}
