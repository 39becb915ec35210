//! Bodies that nothing outside holds or turns.

use rigor_math::Vec3;
use rigor_math::disjoint_sets::DisjointSets;
use rigor_math::spin::{MovingMass, Spin};
use rigor_scene::Scene;

use crate::flying::FlyingBody;
use crate::rows::Joints;

/// Sets of bodies that joints or contacts tie to each other and to nothing else: the angular momentum of each set about its centre does not change.
#[derive(Debug, Clone)]
pub struct Isolated {
    sets: Vec<Vec<usize>>,
}

impl Isolated {
    /// Finds the sets of bodies that joints tie, or that touch as these pairs. Bodies that take no part hold others; so do those with a force, a torque or a fixed axis.
    pub fn of(
        scene: &Scene,
        joints: &Joints,
        takes_part: impl Fn(usize) -> bool,
        touching: impl Iterator<Item = [usize; 2]>,
    ) -> Self {
        let n = scene.bodies.len();
        let is_free = |b: usize| {
            let body = &scene.bodies[b];
            let is_driven = body.force != Vec3::zeros() || body.torque != Vec3::zeros();
            takes_part(b) && body.is_dynamic() && body.fixed.is_none() && !is_driven
        };
        let mut sets = DisjointSets::new(n);
        let (mut is_tied, mut is_held) = (vec![false; n], vec![false; n]);
        let acting = scene.joints.iter().zip(&joints.list).filter(|(_, at)| !at.broken);
        let tied = acting.map(|(joint, _)| [Some(joint.body_a.0), joint.body_b.map(|b| b.0)]);
        for ends in tied.chain(touching.map(|pair| pair.map(Some))) {
            match ends {
                [Some(a), Some(b)] if is_free(a) && is_free(b) => {
                    sets.join(a, b);
                    (is_tied[a], is_tied[b]) = (true, true);
                }
                ends => ends.into_iter().flatten().for_each(|b| is_held[b] = true),
            }
        }
        for b in 0..n {
            let first = sets.first(b);
            is_held[first] |= is_held[b];
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); n];
        for b in (0..n).filter(|&b| is_tied[b]) {
            let first = sets.first(b);
            if !is_held[first] {
                members[first].push(b);
            }
        }
        members.retain(|set| !set.is_empty());
        Self { sets: members }
    }

    /// Returns how each set spins at the end of a substep.
    pub fn spins(&self, scene: &Scene, bodies: &[FlyingBody]) -> Vec<Spin> {
        self.sets.iter().map(|set| spin(scene, bodies, set)).collect()
    }

    /// Gives each set back the angular momentum that a projection of its poses took, by one rotation of all, which no joint and no contact feels.
    pub fn restore(&self, scene: &Scene, bodies: &mut [FlyingBody], before: &[Spin]) {
        for (set, before) in self.sets.iter().zip(before) {
            let now = spin(scene, bodies, set);
            let Some(omega) = now.turn_to(&before.momentum) else { continue };
            for &b in set {
                let end = &mut bodies[b].end;
                end.linear_velocity += omega.cross(&(end.pose.position - now.center));
                end.angular_velocity += omega;
            }
        }
    }
}

fn spin(scene: &Scene, bodies: &[FlyingBody], set: &[usize]) -> Spin {
    Spin::about_center(set.iter().map(|&b| {
        let (body, at) = (&scene.bodies[b], &bodies[b].end);
        MovingMass {
            mass: body.mass,
            position: at.pose.position,
            velocity: at.linear_velocity,
            inertia: body.inertia_world(&at.pose),
            omega: at.angular_velocity,
        }
    }))
}
