//! What drives may give bodies within a step: speeds at the start of a step do not show it.

use rigor_math::Vec3;
use rigor_scene::{Goal, Scene};

use super::drive::DriveState;
use super::{Joints, SolverJoint, with_bodies};
use crate::body::SolverBody;
use crate::constraint::position::Levers;

/// What may make the points of a body faster within a substep.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gain {
    /// Acceleration (m/s²) by springs, forces and torques.
    pub acceleration: f64,
    /// Speed (m/s) that drives at a rate give at once.
    pub speed: f64,
}

impl DriveState {
    /// Returns the acceleration (m/s²) that a spring whose coordinate is at `x` (m or rad) gives a point at the distance `arm` (m, or 1 for a slide), on which a
    /// unit of its force acts as `w`: at most that which makes it slack in a substep of `h` (s). It is 0 where it moves that point by less than `little`
    /// (m) until it is slack, and of rigid drives, which are closed in poses.
    fn spring(&self, x: f64, (arm, w): (f64, f64), little: f64, h: f64) -> f64 {
        let c = x - self.target;
        match self.drive.goal {
            Goal::Position(_) if !self.drive.law.is_rigid() && c.abs() * arm > little => {
                let force = self.drive.law.force(c).abs().min(self.drive.max_effort);
                if w > 0.0 { (force * w).min(c.abs() * arm / (h * h)) } else { 0.0 }
            }
            Goal::Position(_) | Goal::Velocity(_) => 0.0,
        }
    }

    /// Returns the rate (m/s or rad/s) that it may give a coordinate of mobility `w` (1/kg or 1/(kg m²)) in `h` (s).
    fn given(&self, w: f64, h: f64) -> f64 {
        let most = self.drive.max_effort;
        let rate = self.rate().abs();
        if most < f64::INFINITY { rate.min(h * most * w) } else { rate }
    }
}

impl SolverJoint {
    /// Returns what the drives of the joint may give the points of a and b in a substep of `h` (s), where motions below `part` of a radius do not count.
    fn gains(&self, scene: &Scene, (a, b): (&SolverBody, &SolverBody), h: f64, part: f64) -> [Gain; 2] {
        let mut gains = [Gain::default(); 2];
        if self.broken || (self.turn_drive.is_none() && self.slide_drive.is_none()) {
            return gains;
        }
        let frames = self.frames(a, b);
        let ends = [(a, Some(self.a), self.frame_a.position), (b, self.b, self.frame_b.position)];
        if let Some(drive) = &self.slide_drive {
            let n = match frames.gap().try_normalize(0.0) {
                Some(line) if matches!(self.kind, rigor_scene::JointKind::Distance { .. }) => line,
                Some(_) | None => frames.axis_b(),
            };
            let levers = Levers::at_point_of_a(a, b, &self.frame_a.position);
            let rate = drive.given(n.dot(&(levers.mobility(a, b) * n)), h);
            let turns = self.kind.held().rotation == rigor_scene::HeldRotation::None;
            for (gain, (body, id, arm)) in gains.iter_mut().zip(ends) {
                let Some(of_scene) = id.map(|id| &scene.bodies[id]) else { continue };
                let lever = body.pose.vector(&arm);
                let turned = of_scene.inverse_inertia_world(&body.pose.rotation) * lever.cross(&n);
                let w = n.dot(&body.w.component_mul(&n))
                    + if turns { of_scene.radius * turned.norm() } else { 0.0 };
                gain.acceleration +=
                    drive.spring(self.length_at(&frames), (1.0, w), part * of_scene.radius, h);
                gain.speed += if w > 0.0 { rate } else { 0.0 };
            }
        }
        if let Some(drive) = &self.turn_drive
            && let Some(g) = frames.turn_gradient()
        {
            let mobility = |(body, id, _): &(&SolverBody, Option<usize>, Vec3)| {
                id.map_or(0.0, |id| g.dot(&(scene.bodies[id].inverse_inertia_world(&body.pose.rotation) * g)))
            };
            let w = ends.iter().map(mobility).sum();
            let rate = drive.given(w, h);
            for (gain, (body, id, arm)) in gains.iter_mut().zip(ends) {
                let Some(of_scene) = id.map(|id| &scene.bodies[id]).filter(|body| body.is_dynamic()) else {
                    continue;
                };
                let arm = g.cross(&body.pose.vector(&arm)).norm();
                let reach = arm + of_scene.radius;
                let inertia = g.dot(&(of_scene.inertia_world(&body.pose) * g));
                let about_joint = inertia + of_scene.mass * arm * arm;
                let w = reach / about_joint;
                gain.acceleration += drive.spring(self.turn, (reach, w), part * of_scene.radius, h);
                gain.speed += rate * reach;
            }
        }
        gains
    }
}

impl Joints {
    /// Returns, per body, what forces, torques and drives may give it in a substep of `h` (s) beside gravity; drives that move it by less than `part` of its
    /// radius do not count.
    pub fn gains(&mut self, scene: &Scene, bodies: &mut [SolverBody], h: f64, part: f64) -> Vec<Gain> {
        let of = |(body, solver): (&rigor_scene::Body, &SolverBody)| {
            if body.force == Vec3::zeros() && body.torque == Vec3::zeros() {
                return Gain::default();
            }
            let turned = (body.inverse_inertia_world(&solver.pose.rotation) * body.torque).norm();
            let acceleration = solver.w.component_mul(&body.force).norm() + body.radius * turned;
            Gain { acceleration, speed: 0.0 }
        };
        let mut gains: Vec<Gain> = scene.bodies.iter().zip(&*bodies).map(of).collect();
        for joint in &mut self.list {
            let [of_a, of_b] = with_bodies(joint, bodies, &mut self.world, |joint, a, b| {
                joint.gains(scene, (a, b), h, part)
            });
            for (id, more) in [(Some(joint.a), of_a), (joint.b, of_b)] {
                let Some(gain) = id.map(|id| &mut gains[id]) else { continue };
                gain.acceleration += more.acceleration;
                gain.speed += more.speed;
            }
        }
        gains
    }
}
