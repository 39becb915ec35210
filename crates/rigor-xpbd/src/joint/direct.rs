//! Direct solver: joints that form trees of bodies, solved all at once.
//!
//! Let Λ be the motion of a body per impulse f with the rest of its tree at rest, ξ = y + Λf. A joint between
//! a *child* and its *parent* demands r + J_c ξ_c + J_p ξ_p + α̃ Δλ = 0, r = c + α̃λ, and acts through f_c =
//! G_c Δλ, f_p = G_p Δλ. From the leaves to the root, each joint is eliminated into the motion of its parent:
//!
//! ```text
//! T = α̃ + J_c Λ_c G_c + J_p Λ_p G_p      ρ = r + J_c y_c + J_p y_p
//! y_p ← y_p − Λ_p G_p T⁻¹ ρ               Λ_p ← Λ_p − Λ_p G_p T⁻¹ J_p Λ_p
//! ```
//!
//! In reverse order Δλ = −T⁻¹ (ρ + J_p Λ_p f_p), with Λ_p before the update and f_p the impulse on the parent
//! from joints nearer to the root. The cost is linear in the number of joints, and one sweep carries a heavy
//! weight on a light chain.
//!
//! A chain that two joints of the world pull straight has a T that is singular: no impulse lengthens it. Near that pose J and G, at
//! levers from after and from before the prediction, are different small vectors, and T = J Λ G is as often negative as positive.
//! Trees that the world holds by two joints or more therefore use the current levers for both, so that T = J Λ Jᵀ is never
//! negative, and the motion is the smallest one that closes the joints. Their angular momentum is not conserved anyway. Whatever
//! the tree, a solution that leaves its joints farther from their constraints than it found them is taken back, and the tree is
//! swept.
//!
//! Source: \[Baraff1996\], the elimination of trees without fill; \[Mueller2020\] for J, G, c and α̃.
//! Deviation: Λ is propagated instead of its inverse, so that masses may be infinite.

mod rows;
mod solve;
mod thread;

use rigor_scene::{JointKind, Scene};

use super::{Joints, SolverJoint};
use crate::body::SolverBody;
use crate::config::Config;
use solve::{EliminatedJoint, Placed, Push};
use thread::Thread;

type Square = nalgebra::Matrix6<f64>;
type Column = nalgebra::Vector6<f64>;
type Wide<const N: usize> = nalgebra::SMatrix<f64, N, 6>;
type Tall<const N: usize> = nalgebra::SMatrix<f64, 6, N>;

/// The joints that are solved together, and the motion of their bodies.
#[derive(Debug, Default)]
pub(super) struct Trees {
    trees: Vec<Tree>,
    /// Tree by tree, from the leaves to the root.
    order: Vec<Elimination>,
    /// One entry per elimination, in the same order.
    pushes: Vec<Push>,
    /// Per joint, whether a tree contains it.
    included: Vec<bool>,
    /// Links for which the order was computed.
    links: Vec<Link>,
    /// Per body: Λ, y and f.
    mobility: Vec<Square>,
    motion: Vec<Column>,
    impulse: Vec<Column>,
    /// Threads of one tree, in its order.
    threads: Vec<Thread>,
    /// Bodies of one tree before its solution.
    before: Vec<Placed>,
    lines: Vec<EliminatedJoint<1>>,
    balls: Vec<EliminatedJoint<3>>,
    hinges: Vec<EliminatedJoint<5>>,
    welds: Vec<EliminatedJoint<6>>,
    /// Largest condition number of a tree whose solution was taken back in this step, and the joint where it was; 0 if none was.
    pub singular: f64,
    pub singular_joint: usize,
    /// Largest mobility of a joint's bodies alone over that in the tree that is solved, and the joint.
    stiffest: (f64, usize),
    /// Joints that must be solved individually after all.
    left_out: Vec<usize>,
}

/// A tree of joined bodies, and the range of its joints in the order.
#[derive(Debug, Clone, Copy)]
struct Tree {
    root: usize,
    from: usize,
    to: usize,
    has_threads: bool,
    /// Whether two or more of its joints hold it to the world: then it may be stretched straight between them.
    is_clamped: bool,
}

impl Tree {
    fn range(self) -> std::ops::Range<usize> {
        self.from..self.to
    }

    /// Iterates over its bodies, each once.
    fn bodies(self, order: &[Elimination]) -> impl Iterator<Item = usize> {
        let children = order[self.range()].iter().filter_map(|step| step.child);
        std::iter::once(self.root).chain(children)
    }
}

/// A joint between two bodies, of which the parent is nearer to the root; without a child it holds the parent
/// to a static body or the world.
#[derive(Debug, Clone, Copy)]
struct Elimination {
    joint: usize,
    child: Option<usize>,
    parent: usize,
}

impl Elimination {
    /// Returns the indices of parent and child: 0 for `a`, 1 for the other body.
    fn sides(&self, a: usize) -> (usize, usize) {
        if self.parent == a { (0, 1) } else { (1, 0) }
    }
}

/// The movable bodies of a joint; `None` if it cannot be solved together with others.
type Link = Option<(usize, Option<usize>)>;

/// Returns the number of rows of a joint; `None` if it is solved individually.
fn rows_of(kind: &JointKind) -> Option<usize> {
    match kind {
        kind if kind.is_loose() => None,
        JointKind::Distance { max, .. } if *max > 0.0 => Some(1),
        JointKind::Ball { .. } | JointKind::Distance { .. } => Some(3),
        JointKind::Hinge { .. } => Some(5),
        JointKind::Fixed => Some(6),
        JointKind::Universal
        | JointKind::Prismatic { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Gear { .. } => None,
    }
}

impl Trees {
    /// Finds trees among the joints. Excluded are joints that would close a loop, joints of bodies with fixed
    /// axes, and all threads among bodies joined in a loop, because a tree would solve some of those exactly
    /// and others not.
    pub fn prepare(&mut self, scene: &Scene, joints: &[SolverJoint]) {
        let links = joints.iter().map(|joint| link(scene, joint));
        if self.links.len() == joints.len() && links.clone().eq(self.links.iter().copied()) {
            return;
        }
        self.links = links.collect();
        self.included = vec![false; joints.len()];
        let n = scene.bodies.len();
        let mut near = Neighbours::new(n, &self.links);
        near.cut_threads_of_loops(joints);
        (self.trees, self.order) = (Vec::new(), Vec::new());
        let mut is_known = vec![false; n];
        for root in 0..n {
            if !std::mem::replace(&mut is_known[root], true) {
                self.grow(root, joints, &near, &mut is_known);
            }
        }
        self.pushes = vec![Push::default(); self.order.len()];
        self.mobility.resize(n, Square::zeros());
        self.motion.resize(n, Column::zeros());
        self.impulse.resize(n, Column::zeros());
    }

    /// Adds the tree around `root`, outwards to the leaves; for each body it adds the joints to its children
    /// and to static bodies.
    fn grow(&mut self, root: usize, joints: &[SolverJoint], near: &Neighbours, is_known: &mut [bool]) {
        let from = self.order.len();
        let mut bodies = vec![root];
        let mut next = 0;
        while let Some(&parent) = bodies.get(next) {
            next += 1;
            for &(joint, other) in &near.of[parent] {
                match other {
                    Some(body) if is_known[body] => continue,
                    Some(body) => {
                        is_known[body] = true;
                        bodies.push(body);
                    }
                    None => {}
                }
                self.included[joint] = true;
                self.order.push(Elimination { joint, child: other, parent });
            }
        }
        let joined = &mut self.order[from..];
        joined.reverse();
        if !joined.is_empty() {
            let has_threads = joined.iter().any(|step| joints[step.joint].is_thread());
            let is_clamped = joined.iter().filter(|step| step.child.is_none()).count() > 1;
            self.trees.push(Tree { root, from, to: self.order.len(), has_threads, is_clamped });
        }
    }

    /// Returns whether joint `i` is solved here.
    pub fn includes(&self, i: usize) -> bool {
        self.included[i]
    }
}

/// Per body, its joints and the bodies at their other ends.
struct Neighbours {
    of: Vec<Vec<(usize, Option<usize>)>>,
}

impl Neighbours {
    fn new(n: usize, links: &[Link]) -> Self {
        let mut of = vec![Vec::new(); n];
        for (joint, link) in links.iter().enumerate() {
            let Some((a, b)) = *link else { continue };
            of[a].push((joint, b));
            if let Some(b) = b {
                of[b].push((joint, Some(a)));
            }
        }
        Self { of }
    }

    fn cut_threads_of_loops(&mut self, joints: &[SolverJoint]) {
        let mut is_known = vec![false; self.of.len()];
        for root in 0..self.of.len() {
            let joined = self.joined(root, &mut is_known);
            let ends = joined.iter().flat_map(|&body| &self.of[body]).filter(|(_, other)| other.is_some());
            // A tree has one joint fewer than bodies, and each joint has two ends.
            if ends.count() + 2 > 2 * joined.len() {
                joined
                    .iter()
                    .for_each(|&body| self.of[body].retain(|&(joint, _)| !joints[joint].is_thread()));
            }
        }
    }

    /// Returns the bodies connected with `root`, including it; none if it is known.
    fn joined(&self, root: usize, is_known: &mut [bool]) -> Vec<usize> {
        let mut bodies = Vec::new();
        let mut ahead = vec![root];
        while let Some(body) = ahead.pop() {
            if !std::mem::replace(&mut is_known[body], true) {
                bodies.push(body);
                ahead.extend(self.of[body].iter().filter_map(|(_, other)| *other));
            }
        }
        bodies
    }
}

fn link(scene: &Scene, joint: &SolverJoint) -> Link {
    let body = |i: usize| &scene.bodies[i];
    let is_plain = |i: usize| !body(i).is_dynamic() || body(i).fixed.is_none();
    if joint.broken
        || rows_of(&joint.kind).is_none()
        || ![Some(joint.a), joint.b].into_iter().flatten().all(is_plain)
    {
        return None;
    }
    let moving = |i: &usize| body(*i).is_dynamic();
    match (Some(joint.a).filter(moving), joint.b.filter(moving)) {
        (Some(a), b) => Some((a, b)),
        (None, Some(b)) => Some((b, None)),
        (None, None) => None,
    }
}

impl SolverJoint {
    fn is_thread(&self) -> bool {
        rows_of(&self.kind) == Some(1)
    }
}

impl Joints {
    /// Solves joints outside of trees, and effects that the trees do not cover, one after another, and back again where they are
    /// [tangled](super::tangle); then the trees.
    pub fn solve_trees(&mut self, bodies: &mut [SolverBody], config: &Config, iteration: u32, h: f64) {
        let is_odd = !iteration.is_multiple_of(2);
        self.sweep_before_trees(bodies, |tangled| if tangled { Some(is_odd) } else { Some(false) }, h);
        // The trees are one projection, and sweeps forwards and backwards a symmetric map: their product has real eigenvalues.
        if self.tangles.has_any() && !is_odd && iteration + 1 == config.iterations {
            self.sweep_before_trees(bodies, |tangled| tangled.then_some(true), h);
        }
        self.trees.solve(&mut self.list, bodies, &self.world, h);
        for k in 0..self.trees.left_out.len() {
            self.solve_one(self.trees.left_out[k], bodies, h);
        }
    }

    /// Sweeps over what the trees do not cover: backwards if `backwards` says so of joints that are tangled or not, and not at all
    /// if `None`.
    fn sweep_before_trees(
        &mut self,
        bodies: &mut [SolverBody],
        backwards: impl Fn(bool) -> Option<bool>,
        h: f64,
    ) {
        let n = self.list.len();
        for reversed in [false, true] {
            for k in 0..n {
                let i = if reversed { n - 1 - k } else { k };
                let is_swept = !self.trees.includes(i) || self.list[i].has_more();
                if is_swept && backwards(self.tangles.contains(i)) == Some(reversed) {
                    self.solve_one(i, bodies, h);
                }
            }
        }
    }
}
