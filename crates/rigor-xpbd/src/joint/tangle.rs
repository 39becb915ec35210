//! Joints among which sweeps in one direction would let rounding errors grow.
//!
//! Let P be the map of one sweep on deviations of the bodies from where all joints hold, linearised there. A substep moves x to
//! P(2x − x_prev), so a deviation along an eigenvector of P with the eigenvalue ν grows by the roots of μ² − 2νμ + ν = 0:
//!
//! ```text
//! μ = ν ± √(ν² − ν)          0 ≤ ν ≤ 1 real: |μ|² = ν ≤ 1          ν = 1 − δ e^{iφ}, δ ≪ 1: |μ| ≈ 1 ± √δ sin(φ/2)
//! ```
//!
//! Each joint is a projection that is orthogonal in the metric of the masses. Two of them in turn, P₂P₁, have real eigenvalues in
//! [0, 1]; so do those of a row of bodies, whose joints can be coloured alternately (a consistently ordered matrix). Three joints of
//! one body, or bodies in a loop, have complex ones, and deviations grow with the number of substeps, from rounding on. A sweep
//! forwards and one backwards make P₁ … PₙPₙ … P₁, which is symmetric in that metric: its eigenvalues are in [0, 1] again.

use rigor_math::disjoint_sets::DisjointSets;
use rigor_scene::Scene;

use super::SolverJoint;

/// Which joints are swept forwards and backwards.
#[derive(Debug, Default)]
pub(super) struct Tangles {
    /// Per joint its ends, and whether it acts.
    ends: Vec<(usize, Option<usize>, bool)>,
    is_tangled: Vec<bool>,
    has_any: bool,
}

impl Tangles {
    /// Finds groups of joined bodies in which a body has more than two joints, or which contain a loop of three or more bodies.
    pub fn prepare(&mut self, scene: &Scene, joints: &[SolverJoint]) {
        let ends = joints.iter().map(|joint| (joint.a, joint.b, !joint.broken));
        if self.ends.len() == joints.len() && ends.clone().eq(self.ends.iter().copied()) {
            return;
        }
        self.ends = ends.collect();
        let n = scene.bodies.len();
        let moving = |body: usize| scene.bodies[body].is_dynamic();
        let mut group = DisjointSets::new(n);
        let mut n_joints = vec![0_u32; n];
        let mut links: Vec<(usize, usize)> = Vec::new();
        for &(a, b, _) in self.ends.iter().filter(|(.., acts)| *acts) {
            let b = b.filter(|&b| moving(b));
            let a = Some(a).filter(|&a| moving(a));
            a.into_iter().chain(b).for_each(|body| n_joints[body] += 1);
            if let (Some(a), Some(b)) = (a, b) {
                links.push((a.min(b), a.max(b)));
            }
        }
        links.sort_unstable();
        links.dedup();
        let mut is_tangled = vec![false; n];
        for &(a, b) in &links {
            let (a, b) = (group.first(a), group.first(b));
            // A link within a group closes a loop.
            is_tangled[a.min(b)] |= is_tangled[a.max(b)] || !group.join(a, b);
        }
        for body in 0..n {
            is_tangled[group.first(body)] |= n_joints[body] > 2;
        }
        let of_body = |group: &mut DisjointSets, body: usize| moving(body) && is_tangled[group.first(body)];
        self.is_tangled = (self.ends.iter())
            .map(|&(a, b, _)| of_body(&mut group, a) || b.is_some_and(|b| of_body(&mut group, b)))
            .collect();
        self.has_any = self.is_tangled.contains(&true);
    }

    /// Whether any joint is among them.
    pub fn has_any(&self) -> bool {
        self.has_any
    }

    /// Whether joint `i` is.
    pub fn contains(&self, i: usize) -> bool {
        self.is_tangled[i]
    }
}
