//! Joints whose bodies contacts pushed out of each other in poses alone: they follow in poses alone.
//!
//! An overlap that a substep finds is removed at its end by [`stabilize`](crate::contact::solve), which moves poses by Δx and
//! leaves velocities. It knows nothing of joints. If the joints of those bodies were closed in the next substep h, their
//! correction would become velocities Δx/h: a robot whose arm starts within the ground would be thrown. Instead the joints, and
//! those of all bodies that they connect, are taken back by poses to the misfit that they had before, as at
//! the [start](super::start): what the substep left open stays open, since it is what joints pull with.
//!
//! Poses that move under given velocities change the angular momentum Σ x × m v + I ω. Bodies that joints connect to nothing else
//! therefore get ΔL back, by the same rotation for all of them, which no joint feels.

use std::collections::BTreeMap;

use rigor_math::spin::{MovingMass, Spin};
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::Scene;
use rigor_scene::joint::Misfit;

use super::poses::{connected, groups};
use super::{Joints, SolverJoint, start};
use crate::body::SolverBody;
use crate::constraint::rows::{Factors, Rows, WHOLE};

/// Motion of a body that was not struck, as a fraction of its radius, up to which joints do not follow: a tenth of the overlap that
/// contacts leave.
const SMALL: f64 = 1e-5;

/// Misfit (rad; m over the size of a joint) up to which it has followed.
const FOLLOWED: f64 = 1e-9;

/// Part of the misfit to which it has followed, too: what is left closes with as small a part of the velocity of the motion.
const LEFT: f64 = 1e-3;

/// Steps of Newton's method before sweeps.
const NEWTON_STEPS: usize = 4;

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
        let is_struck = |body: usize| struck.get(body).is_some_and(|is_struck| *is_struck);
        let is_moved = |(i, before): (usize, &Pose)| {
            if is_struck(i) {
                return true;
            }
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
            let was_struck = is_struck(held.a) || held.b.is_some_and(is_struck);
            let before =
                held.misfit(joint, |body| if was_struck { bodies[body].pose_prev } else { self.noted[body] });
            held.harden(joint, &before);
            held.mark(joint, bodies);
            targets.push(before);
        }
        let free = self.free(scene, &joints);
        let momenta: Vec<Vec3> = free.iter().map(|group| spin(scene, bodies, group).momentum).collect();
        let largest_misfit = |list: &[SolverJoint], bodies: &[SolverBody]| {
            let square_misfit = |(&i, target): (&usize, &Misfit)| {
                let joint = &scene.joints[i];
                (list[i].misfit(joint, |body| bodies[body].pose) - *target).square(start::size(scene, i))
            };
            joints.iter().zip(&targets).map(square_misfit).fold(0.0, f64::max).sqrt()
        };
        let first = largest_misfit(&self.list, bodies);
        let enough = FOLLOWED.max(LEFT * first);
        self.follow_as_one(scene, bodies, (&joints, &targets), h, |list, bodies| {
            largest_misfit(list, bodies)
        });
        let Self { list, world, poses, .. } = self;
        for _ in 0..ROUNDS {
            if largest_misfit(list, bodies) <= enough {
                break;
            }
            poses.sweep(scene, list, &joints, (&mut *bodies, &mut *world), h);
        }
        for &i in &joints {
            let (joint, held) = (&scene.joints[i], &mut self.list[i]);
            held.carry(joint, bodies);
            held.shift(joint, &self.closing.left(i));
        }
        for (group, momentum) in free.iter().zip(&momenta) {
            regain(scene, bodies, group, momentum);
        }
    }

    /// Moves bodies to where what joints hold fits, by Newton's method, as long as that lessens the largest misfit:
    ///
    /// Δq = −M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ C.
    ///
    /// Sweeps need hundreds of rounds where light bodies lie between heavy ones. Bounds that are exceeded are rows, too. What drives demand is left
    /// to sweeps.
    fn follow_as_one(
        &self,
        scene: &Scene,
        bodies: &mut [SolverBody],
        (joints, targets): (&[usize], &[Misfit]),
        h: f64,
        misfit: impl Fn(&[SolverJoint], &[SolverBody]) -> f64,
    ) {
        let mut before = misfit(&self.list, bodies);
        for _ in 0..NEWTON_STEPS {
            let (mut rows, mut errors) = (Rows::new(bodies.len()), Vec::new());
            for (&i, target) in joints.iter().zip(targets).filter(|(i, _)| self.list[**i].is_stiff()) {
                let (of_joint, held) = (self.rows_of(i, bodies, h), &self.list[i]);
                let (a, b) = (&bodies[of_joint.a], of_joint.b.map_or(&self.world, |b| &bodies[b]));
                let present = held.misfit(&scene.joints[i], |body| bodies[body].pose);
                let of_held = of_joint.rows[..of_joint.n_held].iter().copied().zip(held.held_errors(a, b));
                for (row, error) in of_held.chain(held.exceeded(a, b, &present, target)) {
                    rows.add([Some(of_joint.a), of_joint.b], of_joint.levers, (row.p, row.torque), bodies);
                    errors.push(error);
                }
            }
            if errors.is_empty() || errors.len() > WHOLE {
                return;
            }
            let Some(factors) = Factors::new(&rows.matrix()) else { return };
            let lambda = -factors.solve_whole(&errors.into());
            let mut kept = Vec::new();
            for (body, (shift, turn)) in rows.responses(|row| lambda[row]) {
                let body_now = &mut bodies[body];
                kept.push((body, body_now.pose, body_now.angular_velocity));
                let pose = body_now.pose;
                body_now.pose = Pose::new(pose.position + shift, rotation_vector::exp(&turn) * pose.rotation);
                body_now.carry_velocity(&pose);
            }
            let now = misfit(&self.list, bodies);
            if now.is_nan() || now >= before {
                for (body, pose, omega) in kept {
                    (bodies[body].pose, bodies[body].angular_velocity) = (pose, omega);
                }
                return;
            }
            if now <= FOLLOWED {
                return;
            }
            before = now;
        }
    }

    /// Returns the groups of bodies that these joints connect, but neither to the world nor to a body that moves as prescribed or
    /// along some axes only.
    fn free(&self, scene: &Scene, joints: &[usize]) -> Vec<Vec<usize>> {
        let group = groups(scene, &self.list);
        let is_free = |body: usize| scene.bodies[body].is_dynamic() && scene.bodies[body].fixed.is_none();
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let acting = || joints.iter().map(|&i| &self.list[i]).filter(|joint| !joint.broken);
        for joint in acting() {
            for body in
                std::iter::once(joint.a).chain(joint.b).filter(|&body| scene.bodies[body].is_dynamic())
            {
                members.entry(group[body]).or_default().push(body);
            }
        }
        for joint in acting() {
            if !(is_free(joint.a) && joint.b.is_some_and(is_free)) {
                std::iter::once(joint.a).chain(joint.b).for_each(|body| _ = members.remove(&group[body]));
            }
        }
        let once = |mut bodies: Vec<usize>| {
            bodies.sort_unstable();
            bodies.dedup();
            bodies
        };
        members.into_values().map(once).collect()
    }
}

fn spin(scene: &Scene, bodies: &[SolverBody], group: &[usize]) -> Spin {
    Spin::about_center(group.iter().map(|&i| {
        let (of_scene, body) = (&scene.bodies[i], &bodies[i]);
        MovingMass {
            mass: of_scene.mass,
            position: body.pose.position,
            velocity: body.linear_velocity,
            inertia: of_scene.inertia_world(&body.pose),
            omega: body.angular_velocity,
        }
    }))
}

/// Turns the whole group so that it has this angular momentum (kg m²/s) again.
fn regain(scene: &Scene, bodies: &mut [SolverBody], group: &[usize], momentum: &Vec3) {
    let now = spin(scene, bodies, group);
    let Some(omega) = now.turn_to(momentum) else { return };
    for &i in group {
        let body = &mut bodies[i];
        body.linear_velocity += omega.cross(&(body.pose.position - now.center));
        body.angular_velocity += omega;
    }
}
