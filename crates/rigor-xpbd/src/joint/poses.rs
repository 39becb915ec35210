//! Sweeps over poses alone: joints move bodies, and velocities stay what they are.

use rigor_math::Pose;
use rigor_math::disjoint_sets::DisjointSets;
use rigor_scene::Scene;

use super::{SolverJoint, with_bodies};
use crate::body::SolverBody;

/// Sweeps over poses in a substep.
const SWEEPS: usize = 16;

/// Scratch memory of the sweeps.
#[derive(Debug, Default)]
pub(super) struct Poses {
    /// The bodies that joints move, each once.
    bodies: Vec<usize>,
    /// Their poses before the sweeps, and those before the substep.
    before: Vec<[Pose; 2]>,
}

impl Poses {
    /// Sweeps forwards and backwards over the poses of the `joints` of a list; impulses and multipliers stay as they are, and
    /// angular velocities turn with their bodies.
    pub fn sweep(
        &mut self,
        scene: &Scene,
        list: &mut [SolverJoint],
        joints: &[usize],
        (bodies, world): (&mut [SolverBody], &mut SolverBody),
        h: f64,
    ) {
        self.bodies.clear();
        let ends = joints.iter().flat_map(|&i| [Some(list[i].a), list[i].b]).flatten();
        self.bodies.extend(ends.filter(|&body| scene.bodies[body].is_dynamic()));
        self.bodies.sort_unstable();
        self.bodies.dedup();
        self.before.clear();
        self.before.extend(self.bodies.iter().map(|&body| [bodies[body].pose, bodies[body].pose_prev]));
        let forwards = joints.iter();
        for sweep in 0..SWEEPS {
            let order: &mut dyn Iterator<Item = &usize> =
                if sweep % 2 == 0 { &mut forwards.clone() } else { &mut forwards.clone().rev() };
            for &i in order {
                with_bodies(&mut list[i], bodies, world, |joint, a, b| joint.close(a, b, h));
            }
        }
        for (&body, [pose, pose_prev]) in self.bodies.iter().zip(&self.before) {
            bodies[body].carry_velocity(pose);
            bodies[body].pose_prev = *pose_prev;
        }
    }
}

/// Returns the unbroken joints of all bodies that such joints connect with one of `bodies`, in order.
pub(super) fn connected(scene: &Scene, list: &[SolverJoint], bodies: &[usize]) -> Vec<usize> {
    let moving = |body: usize| scene.bodies[body].is_dynamic();
    let group = groups(scene, list);
    let mut is_concerned = vec![false; group.len()];
    bodies.iter().filter(|&&body| moving(body)).for_each(|&body| is_concerned[group[body]] = true);
    let concerns = |body: usize| moving(body) && is_concerned[group[body]];
    let joins = |joint: &SolverJoint| !joint.broken && (concerns(joint.a) || joint.b.is_some_and(concerns));
    (0..list.len()).filter(|&i| joins(&list[i])).collect()
}

/// Returns, per body, the first body of those that unbroken joints connect with it.
pub(super) fn groups(scene: &Scene, list: &[SolverJoint]) -> Vec<usize> {
    let moving = |body: usize| scene.bodies[body].is_dynamic();
    let mut group = DisjointSets::new(scene.bodies.len());
    for joint in list.iter().filter(|joint| !joint.broken) {
        if let Some(b) = joint.b.filter(|&b| moving(b) && moving(joint.a)) {
            group.join(joint.a, b);
        }
    }
    (0..scene.bodies.len()).map(|body| group.first(body)).collect()
}
