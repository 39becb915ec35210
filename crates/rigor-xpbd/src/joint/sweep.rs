//! Joint sweeps: in order, colour by colour, or all at once; forwards and backwards where joints are tangled.

use rigor_math::Vec3;
use rigor_scene::Scene;

use super::tangle::Tangles;
use super::{Joints, SolverJoint};
use crate::body::SolverBody;
use crate::config::{Config, JointSolver, Solver};
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

    /// Sweeps once over the positions of all joints. Those that are [tangled](super::tangle) are swept forwards and backwards
    /// in turn, and as often forwards as backwards.
    pub(super) fn sweep(
        &mut self,
        scene: &Scene,
        bodies: &mut [SolverBody],
        config: &Config,
        iteration: u32,
        h: f64,
    ) {
        let is_odd = !iteration.is_multiple_of(2);
        let is_balanced = config.joints == JointSolver::Balanced && self.tangles.has_any();
        match config.solver {
            Solver::Jacobi => self.at_once(scene, bodies, config, h),
            Solver::Symmetric => self.pass(bodies, Some(is_odd), Some(is_odd), h),
            Solver::GaussSeidel | Solver::Coloured | Solver::RedBlack => {
                self.pass(bodies, Some(false), Some(is_balanced && is_odd), h);
            }
        }
        let is_last = iteration + 1 == config.iterations;
        if is_balanced && is_last && !is_odd && config.solver != Solver::Jacobi {
            self.pass(bodies, None, Some(true), h);
        }
    }

    /// Sweeps once: over the joints of `plain` groups and over tangled ones, each backwards if true and not at all if `None`.
    fn pass(&mut self, bodies: &mut [SolverBody], plain: Option<bool>, tangled: Option<bool>, h: f64) {
        if plain == tangled {
            self.pass_over(bodies, plain == Some(true), |_| true, h);
            return;
        }
        let is_tangled = |tangles: &Tangles, i: usize| tangles.contains(i);
        if let Some(backwards) = plain {
            self.pass_over(bodies, backwards, |(tangles, i)| !is_tangled(tangles, i), h);
        }
        if let Some(backwards) = tangled {
            self.pass_over(bodies, backwards, |(tangles, i)| is_tangled(tangles, i), h);
        }
    }

    /// Sweeps over the joints that `are_in`, colour by colour if the solver uses colours.
    fn pass_over(
        &mut self,
        bodies: &mut [SolverBody],
        backwards: bool,
        are_in: impl Fn((&Tangles, usize)) -> bool,
        h: f64,
    ) {
        let n = if self.ranks.n_colours() > 0 { self.ranks.n_colours() } else { self.list.len() };
        for k in 0..n {
            let k = if backwards { n - 1 - k } else { k };
            if self.ranks.n_colours() > 0 {
                self.colour(bodies, k, &are_in, h);
                continue;
            }
            let i = self.ranks.order()[k];
            if are_in((&self.tangles, i)) {
                self.solve_one(i, bodies, h);
            }
        }
    }

    /// Solves the joints of one colour. They share no movable body, so each works on copies and writes them back.
    fn colour(
        &mut self,
        bodies: &mut [SolverBody],
        colour: usize,
        are_in: &impl Fn((&Tangles, usize)) -> bool,
        h: f64,
    ) {
        let joints = &self.ranks.order()[self.ranks.of_colour(colour)];
        let joints = joints.iter().copied().filter(|&i| are_in((&self.tangles, i)));
        self.works.clear();
        self.works.extend(joints.clone().map(|i| JointWork::new(&self.list[i], bodies, &self.world)));
        rank::for_each(&mut self.works, |work| work.solve(h));
        for (i, work) in joints.zip(&self.works) {
            work.bodies().for_each(|(id, body)| bodies[id].clone_from(body));
            self.list[i].clone_from(&work.joint);
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
