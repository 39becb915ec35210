//! Joint sweeps: in order, colour by colour, or all at once.

use rigor_math::Vec3;
use rigor_scene::Scene;

use super::{Joints, SolverJoint};
use crate::body::SolverBody;
use crate::config::{Config, Solver};
use crate::order::rank;

/// A joint solved on copies of itself and of its bodies.
#[derive(Debug)]
pub(super) struct JointWork {
    joint: SolverJoint,
    a: SolverBody,
    b: SolverBody,
}

impl JointWork {
    fn new(joint: &SolverJoint, bodies: &[SolverBody], world: &SolverBody) -> Self {
        let b = joint.b.map_or(world, |b| &bodies[b]);
        Self { joint: joint.clone(), a: bodies[joint.a].clone(), b: b.clone() }
    }

    fn solve(&mut self, h: f64) {
        self.joint.solve_positions(&mut self.a, &mut self.b, h);
    }

    /// Returns the bodies, with their indices, that the joint may have moved.
    fn bodies(&self) -> impl Iterator<Item = (usize, &SolverBody)> {
        let b = self.joint.b.map(|b| (b, &self.b));
        std::iter::once((self.joint.a, &self.a)).chain(b).filter(|(_, body)| body.is_moved())
    }
}

impl Joints {
    /// Arranges the joints in solving order.
    pub(super) fn arrange(&mut self, scene: &Scene, config: &Config) {
        let Self { list, ranks, .. } = self;
        ranks.arrange(config, list.len(), scene.bodies.len(), |i| moved(scene, &list[i]));
    }

    /// Sweeps once over the positions of all joints.
    pub(super) fn sweep(
        &mut self,
        scene: &Scene,
        bodies: &mut [SolverBody],
        config: &Config,
        iteration: u32,
        h: f64,
    ) {
        match config.solver {
            Solver::Symmetric if !iteration.is_multiple_of(2) => {
                for k in (0..self.list.len()).rev() {
                    self.solve_one(self.ranks.order()[k], bodies, h);
                }
            }
            Solver::GaussSeidel | Solver::Symmetric => {
                for k in 0..self.list.len() {
                    self.solve_one(self.ranks.order()[k], bodies, h);
                }
            }
            Solver::Coloured | Solver::RedBlack => self.by_colour(bodies, h),
            Solver::Jacobi => self.at_once(scene, bodies, config, h),
        }
    }

    /// Sweeps colour by colour. Joints of one colour share no movable body, so each works on copies and
    /// writes them back.
    fn by_colour(&mut self, bodies: &mut [SolverBody], h: f64) {
        for colour in 0..self.ranks.n_colours() {
            let joints = &self.ranks.order()[self.ranks.of_colour(colour)];
            self.works.clear();
            self.works.extend(joints.iter().map(|&i| JointWork::new(&self.list[i], bodies, &self.world)));
            rank::for_each(&mut self.works, |work| work.solve(h));
            for (&i, work) in joints.iter().zip(&self.works) {
                work.bodies().for_each(|(id, body)| bodies[id].clone_from(body));
                self.list[i].clone_from(&work.joint);
            }
        }
    }

    /// Solves all joints from the same poses, and applies a share of each joint's impulses and multipliers.
    ///
    /// Source: \[Macklin2014\] §4.2. Deviation: both bodies use the same share, so that one loses what the
    /// other gains.
    fn at_once(&mut self, scene: &Scene, bodies: &mut [SolverBody], config: &Config, h: f64) {
        let Self { list, ranks, works, sums, world, .. } = self;
        works.clear();
        works.extend(list.iter().map(|joint| JointWork::new(joint, bodies, world)));
        rank::for_each(works, |work| work.solve(h));
        sums.clear();
        sums.resize(bodies.len(), (Vec3::zeros(), Vec3::zeros()));
        for (work, joint) in works.iter_mut().zip(list) {
            let share = ranks.share(config, moved(scene, joint));
            for (id, after) in work.bodies() {
                sums[id].0 += (after.impulse - bodies[id].impulse) * share;
                sums[id].1 += (after.angular_impulse - bodies[id].angular_impulse) * share;
            }
            joint.follow(&work.joint, share);
        }
        for (body, (p, torque)) in bodies.iter_mut().zip(sums) {
            if *p != Vec3::zeros() || *torque != Vec3::zeros() {
                body.apply_positional_sum(p, torque);
            }
        }
    }
}

impl SolverJoint {
    /// Moves multipliers and impulses by the fraction `share` towards those of `after`.
    fn follow(&mut self, after: &Self, share: f64) {
        for (now, then) in [
            (&mut self.lambda, after.lambda),
            (&mut self.lambda_angular, after.lambda_angular),
            (&mut self.impulse, after.impulse),
            (&mut self.angular_impulse, after.angular_impulse),
        ] {
            *now += (then - *now) * share;
        }
        let drives = [(&mut self.turn_drive, &after.turn_drive), (&mut self.slide_drive, &after.slide_drive)];
        for (now, then) in drives {
            if let (Some(now), Some(then)) = (now, then) {
                now.follow(then, share);
            }
        }
    }
}

/// Returns the bodies that `joint` can move.
pub(super) fn moved<'a>(
    scene: &'a Scene,
    joint: &SolverJoint,
) -> impl Iterator<Item = usize> + Clone + use<'a> {
    std::iter::once(joint.a).chain(joint.b).filter(move |&i| scene.bodies[i].is_dynamic())
}
