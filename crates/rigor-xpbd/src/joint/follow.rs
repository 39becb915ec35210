//! Joints whose bodies contacts pushed out of each other in poses alone: they follow in poses alone.
//!
//! An overlap that a substep finds is removed at its end by [`stabilize`](crate::contact::solve), which moves poses by Δx and
//! leaves velocities. It knows nothing of joints. If the joints of those bodies were closed in the next substep h, their
//! correction would become velocities Δx/h: a robot whose arm starts within the ground would be thrown. Instead the joints, and
//! those of all bodies that they connect, are taken back by poses to the misfit that they had before, as at
//! the [start](super::start): what the substep left open stays open, since it is what joints pull with.

use rigor_math::Pose;
use rigor_scene::Scene;
use rigor_scene::joint::Misfit;

use super::poses::connected;
use super::{Joints, start};
use crate::body::SolverBody;

/// Motion of a body, as a fraction of its radius, up to which joints do not follow: a tenth of the overlap that contacts leave.
const SMALL: f64 = 1e-5;

/// Misfit (rad; m over the size of a joint) up to which it has followed.
const FOLLOWED: f64 = 1e-9;

/// Maximum rounds of sweeps in a substep.
const ROUNDS: usize = 16;

impl Joints {
    /// Notes the poses of bodies before contacts move them: of those that are `struck`, before the substep, and of others the
    /// present ones.
    pub fn note(&mut self, bodies: &[SolverBody], struck: &[bool]) {
        self.noted.clear();
        if !self.list.is_empty() {
            self.noted.extend(bodies.iter().map(|body| body.pose));
            for ((noted, body), _) in self.noted.iter_mut().zip(bodies).zip(struck).filter(|(_, is)| **is) {
                *noted = body.pose_prev;
            }
        }
    }

    /// Takes joints back to where they were when [noted](Self::note) if contacts have moved their bodies since, at the end of a
    /// substep of `h` (s) in which some were `struck`.
    pub fn follow(&mut self, scene: &Scene, bodies: &mut [SolverBody], struck: &[bool], h: f64) {
        if self.list.is_empty() {
            return;
        }
        let is_moved = |(i, before): (usize, &Pose)| {
            let (now, radius) = (&bodies[i].pose, scene.bodies[i].radius);
            // ‖q − q′‖ is half the angle.
            let turn = 2.0 * (now.rotation.coords - before.rotation.coords).norm();
            (now.position - before.position).norm() + radius * turn > SMALL * radius
        };
        let moved = self.noted.iter().enumerate().filter(|one| is_moved(*one));
        let moved: Vec<usize> = moved.map(|(i, _)| i).collect();
        if moved.is_empty() {
            return;
        }
        let joints = connected(scene, &self.list, &moved);
        let mut targets = Vec::with_capacity(joints.len());
        for &i in &joints {
            let (joint, held) = (&scene.joints[i], &mut self.list[i]);
            // A body that moves as prescribed was elsewhere before the substep, too.
            let is_struck = |body: usize| struck.get(body).is_some_and(|is_struck| *is_struck);
            let was_struck = is_struck(held.a) || held.b.is_some_and(is_struck);
            let before =
                held.misfit(joint, |body| if was_struck { bodies[body].pose_prev } else { self.noted[body] });
            held.harden(joint, &before);
            held.mark(joint, bodies);
            targets.push(before);
        }
        let Self { list, world, poses, .. } = self;
        for _ in 0..ROUNDS {
            poses.sweep(scene, list, &joints, (&mut *bodies, &mut *world), h);
            let off = |(&i, target): (&usize, &Misfit)| {
                let joint = &scene.joints[i];
                (list[i].misfit(joint, |body| bodies[body].pose) - *target).square(start::size(scene, i))
            };
            if joints.iter().zip(&targets).map(off).fold(0.0, f64::max) <= FOLLOWED * FOLLOWED {
                break;
            }
        }
        for &i in &joints {
            let (joint, held) = (&scene.joints[i], &mut self.list[i]);
            held.carry(joint, bodies);
            held.shift(joint, &self.closing.left(i));
        }
    }
}
