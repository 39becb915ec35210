//! Joints that make trees of bodies, solved all at once.
//!
//! With Λ for how a body moves by an impulse f at rest of its tree, ξ = y + Λf, a joint between a *child* and its *parent* asks
//! for r + J_c ξ_c + J_p ξ_p + α̃ Δλ = 0, r = c + α̃λ, and acts by f_c = G_c Δλ, f_p = G_p Δλ. Joint after joint, from the leaves to the
//! root, is put into the motion of its parent:
//!
//! ```text
//! T = α̃ + J_c Λ_c G_c + J_p Λ_p G_p      ρ = r + J_c y_c + J_p y_p
//! y_p ← y_p − Λ_p G_p T⁻¹ ρ               Λ_p ← Λ_p − Λ_p G_p T⁻¹ J_p Λ_p
//! ```
//!
//! and in the reverse order Δλ = −T⁻¹ (ρ + J_p Λ_p f_p) with Λ_p as it was, where f_p is what joints nearer to the root do to the parent.
//! The work grows with the number of joints; a heavy weight on a light chain is carried in one sweep.
//!
//! Source: [Baraff1996], the elimination of trees without fill; [Mueller2020] for J, G, c and α̃. Deviation: Λ is
//! carried instead of its inverse, so that no mass need be finite.

use rigor_math::{Mat3, Vec3, skew};
use rigor_scene::{JointKind, Scene};

use super::angular;
use super::frames::Frames;
use super::{Joints, SolverJoint};
use crate::body::SolverBody;
use crate::constraint::position::Levers;

type Square = nalgebra::Matrix6<f64>;
type Column = nalgebra::Vector6<f64>;
type Wide<const N: usize> = nalgebra::SMatrix<f64, N, 6>;
type Tall<const N: usize> = nalgebra::SMatrix<f64, 6, N>;

/// By how much less a body may move along a joint than if nothing else held it, before others are said to hold it.
const HELD: f64 = 1e-9;

/// The joints that are solved together, and the motion of their bodies.
#[derive(Debug, Default)]
pub(super) struct Trees {
    /// From the leaves to the roots.
    order: Vec<Elimination>,
    /// Per joint, whether it is among them.
    included: Vec<bool>,
    /// What the order was made for.
    links: Vec<Link>,
    /// Per body: Λ, y and f.
    mobility: Vec<Square>,
    motion: Vec<Column>,
    impulse: Vec<Column>,
    balls: Vec<Solved<3>>,
    hinges: Vec<Solved<5>>,
    welds: Vec<Solved<6>>,
    /// Joints along which others hold already what they would.
    redundant: Vec<usize>,
}

/// A joint between two bodies, of which the parent is nearer to the root; without a child it holds the parent to what does not move.
#[derive(Debug, Clone, Copy)]
struct Elimination {
    joint: usize,
    child: Option<usize>,
    parent: usize,
}

/// The bodies of a joint that can be moved; `None` if it cannot be solved together with others.
type Link = Option<(usize, Option<usize>)>;

/// A joint's own equations.
struct Rows<const N: usize> {
    /// r.
    rest: nalgebra::SVector<f64, N>,
    alpha_tilde: nalgebra::SVector<f64, N>,
    /// Mobility along each row if nothing but the joint's bodies were there.
    scale: nalgebra::SVector<f64, N>,
    /// J and G of a, then of b.
    moves: [Wide<N>; 2],
    feels: [Tall<N>; 2],
    axes: Mat3,
}

/// What is kept of a joint for the way back.
#[derive(Debug)]
struct Solved<const N: usize> {
    inverse: nalgebra::SMatrix<f64, N, N>,
    rest: nalgebra::SVector<f64, N>,
    /// J_p Λ_p.
    reach: Wide<N>,
    feels_parent: Tall<N>,
    feels_child: Tall<N>,
    axes: Mat3,
}

/// How many rows a joint has here; none if it is solved by itself.
fn rows_of(kind: &JointKind) -> Option<usize> {
    match kind {
        JointKind::Ball { .. } => Some(3),
        JointKind::Hinge { .. } => Some(5),
        JointKind::Fixed => Some(6),
        _ => None,
    }
}

impl Trees {
    /// Finds trees among the joints. A joint that would close a loop is left out, and one of a body with fixed axes.
    pub fn prepare(&mut self, scene: &Scene, joints: &[SolverJoint]) {
        let links = joints.iter().map(|joint| link(scene, joint));
        if self.links.len() == joints.len() && links.clone().eq(self.links.iter().copied()) {
            return;
        }
        self.links = links.collect();
        self.included = vec![false; joints.len()];
        let n = scene.bodies.len();
        let mut near: Vec<Vec<(usize, Option<usize>)>> = vec![Vec::new(); n];
        for (joint, link) in self.links.iter().enumerate() {
            let Some((a, b)) = *link else { continue };
            near[a].push((joint, b));
            if let Some(b) = b {
                near[b].push((joint, Some(a)));
            }
        }
        self.order.clear();
        let mut is_known = vec![false; n];
        for root in 0..n {
            if !std::mem::replace(&mut is_known[root], true) {
                self.grow(root, &near, &mut is_known);
            }
        }
        self.order.reverse();
        self.mobility.resize(n, Square::zeros());
        self.motion.resize(n, Column::zeros());
        self.impulse.resize(n, Column::zeros());
    }

    /// Adds the tree around `root`, from there to the leaves; of a body first its children, then what holds it to the world.
    fn grow(&mut self, root: usize, near: &[Vec<(usize, Option<usize>)>], is_known: &mut [bool]) {
        let mut bodies = vec![root];
        let mut next = 0;
        while let Some(&parent) = bodies.get(next) {
            next += 1;
            for &(joint, other) in &near[parent] {
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
    }

    /// Whether joint `i` is solved here.
    pub fn includes(&self, i: usize) -> bool {
        self.included[i]
    }

    /// Solves the joints once, but for those that are found to be redundant.
    pub fn solve(
        &mut self,
        joints: &mut [SolverJoint],
        bodies: &mut [SolverBody],
        world: &SolverBody,
        h: f64,
    ) {
        self.begin(bodies);
        for i in 0..self.order.len() {
            let step = self.order[i];
            let joint = &joints[step.joint];
            let (a, b) = (&bodies[joint.a], joint.b.map_or(world, |b| &bodies[b]));
            let done = match rows_of(&joint.kind) {
                Some(3) => {
                    let solved = self.eliminate(step, joint.a, joint.rows::<3>(a, b, h));
                    keep(&mut self.balls, solved)
                }
                Some(5) => {
                    let solved = self.eliminate(step, joint.a, joint.rows::<5>(a, b, h));
                    keep(&mut self.hinges, solved)
                }
                _ => {
                    let solved = self.eliminate(step, joint.a, joint.rows::<6>(a, b, h));
                    keep(&mut self.welds, solved)
                }
            };
            if !done {
                self.redundant.push(step.joint);
            }
        }
        self.substitute(joints);
        for step in &self.order {
            for body in step.child.into_iter().chain([step.parent]) {
                let f = std::mem::replace(&mut self.impulse[body], Column::zeros());
                if f != Column::zeros() {
                    let (p, torque) = (Vec3::new(f[0], f[1], f[2]), Vec3::new(f[3], f[4], f[5]));
                    bodies[body].apply_positional_sum(&p, &torque);
                }
            }
        }
    }

    /// Λ of free bodies; y, f ← 0.
    fn begin(&mut self, bodies: &[SolverBody]) {
        self.balls.clear();
        self.hinges.clear();
        self.welds.clear();
        self.redundant.clear();
        for step in &self.order {
            for i in step.child.into_iter().chain([step.parent]) {
                let w = &bodies[i].w;
                let mut free = Square::from_diagonal(&Column::new(w.x, w.y, w.z, 0.0, 0.0, 0.0));
                free.fixed_view_mut::<3, 3>(3, 3).copy_from(&bodies[i].inverse_inertia);
                self.mobility[i] = free;
                self.motion[i] = Column::zeros();
                self.impulse[i] = Column::zeros();
            }
        }
    }

    /// Puts a joint into the motion of its parent; `None` where others hold the bodies already along one of its rows.
    fn eliminate<const N: usize>(&mut self, step: Elimination, a: usize, rows: Rows<N>) -> Option<Solved<N>> {
        let Elimination { child, parent, .. } = step;
        let (p, c) = if parent == a { (0, 1) } else { (1, 0) };
        let reach = rows.moves[p] * self.mobility[parent];
        let mut t = reach * rows.feels[p] + nalgebra::SMatrix::from_diagonal(&rows.alpha_tilde);
        let mut rest = rows.rest + rows.moves[p] * self.motion[parent];
        if let Some(child) = child {
            t += rows.moves[c] * self.mobility[child] * rows.feels[c];
            rest += rows.moves[c] * self.motion[child];
        }
        let inverse = t.try_inverse()?;
        let is_held = |i: usize| inverse[(i, i)].abs() * rows.scale[i] * HELD < 1.0;
        if !(0..N).all(is_held) {
            return None;
        }
        let back = self.mobility[parent] * (rows.feels[p] * inverse);
        self.motion[parent] -= back * rest;
        self.mobility[parent] -= back * reach;
        let feels_child = if child.is_some() { rows.feels[c] } else { Tall::zeros() };
        Some(Solved { inverse, rest, reach, feels_parent: rows.feels[p], feels_child, axes: rows.axes })
    }

    /// Δλ from the roots to the leaves.
    fn substitute(&mut self, joints: &mut [SolverJoint]) {
        let mut left_out = self.redundant.iter().rev().peekable();
        for &step in self.order.iter().rev() {
            if left_out.next_if(|joint| **joint == step.joint).is_some() {
                continue;
            }
            let joint = &mut joints[step.joint];
            match rows_of(&joint.kind) {
                Some(3) => pass(&mut self.impulse, step, self.balls.pop(), joint),
                Some(5) => pass(&mut self.impulse, step, self.hinges.pop(), joint),
                _ => pass(&mut self.impulse, step, self.welds.pop(), joint),
            }
        }
    }
}

fn keep<const N: usize>(kept: &mut Vec<Solved<N>>, solved: Option<Solved<N>>) -> bool {
    let is_there = solved.is_some();
    kept.extend(solved);
    is_there
}

/// Hands the impulse of a joint to its bodies.
fn pass<const N: usize>(
    impulses: &mut [Column],
    step: Elimination,
    solved: Option<Solved<N>>,
    joint: &mut SolverJoint,
) {
    let solved = solved.expect("as many are kept as were eliminated");
    let delta = -(solved.inverse * (solved.rest + solved.reach * impulses[step.parent]));
    impulses[step.parent] += solved.feels_parent * delta;
    if let Some(child) = step.child {
        impulses[child] += solved.feels_child * delta;
    }
    let p = Vec3::new(delta[0], delta[1], delta[2]);
    joint.lambda += solved.axes.tr_mul(&p);
    joint.impulse += p;
    let across = Vec3::from_fn(|i, _| if i + N >= 6 { delta[i + N - 3] } else { 0.0 });
    joint.lambda_angular += across;
    joint.angular_impulse += solved.axes * across;
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
    /// The origins along the world's axes; with N = 5 the axes across B's x, with N = 6 all.
    fn rows<const N: usize>(&self, a: &SolverBody, b: &SolverBody, h: f64) -> Rows<N> {
        let frames = self.frames(a, b);
        let levers = Levers::at_point_of_a(a, b, &self.frame_a.position);
        let axes = frames.axes_b();
        let per_h_sq = 1.0 / (h * h);
        let (soft, soft_angle) = (self.compliance * per_h_sq, self.angular_compliance * per_h_sq);
        let c = frames.gap() + axes * (soft * self.lambda);
        let angle = self.angles::<N>(&frames) + soft_angle * self.lambda_angular;
        let (w, turn) = (a.w.max() + b.w.max(), a.inverse_inertia.trace() + b.inverse_inertia.trace());
        // Row 3 on is about axis 6 − N on.
        let axis = |row: usize| row + 3 - N;
        let pick = |origin: &dyn Fn(usize) -> f64, other: &dyn Fn(usize) -> f64| {
            nalgebra::SVector::from_fn(|row, _| if row < 3 { origin(row) } else { other(axis(row)) })
        };
        let moves = |sign: f64, now: &Vec3| {
            let mut moves = Wide::<N>::zeros();
            moves.fixed_view_mut::<3, 3>(0, 0).copy_from(&Mat3::from_diagonal_element(sign));
            moves.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-sign * skew(now)));
            (3..N).for_each(|row| (0..3).for_each(|k| moves[(row, 3 + k)] = sign * axes[(k, axis(row))]));
            moves
        };
        Rows {
            rest: pick(&|i| c[i], &|i| angle[i]),
            alpha_tilde: pick(&|_| soft, &|_| soft_angle),
            scale: pick(&|_| w, &|_| turn),
            moves: [moves(1.0, &levers.a_now), moves(-1.0, &levers.b_now)],
            feels: [moves(1.0, &levers.a_prev).transpose(), moves(-1.0, &levers.b_prev).transpose()],
            axes,
        }
    }

    /// The angles that are to vanish, about B's axes; those of which there is no row are 0.
    fn angles<const N: usize>(&self, frames: &Frames) -> Vec3 {
        if N == 3 { Vec3::zeros() } else { angular::about_axes(&self.kind, &frames.relative()) }
    }

    /// Whether something other than its rows here acts at the joint.
    pub(super) fn has_more(&self) -> bool {
        let bounded = match self.kind {
            JointKind::Ball { swing, twist } => swing.is_bounded() || twist.is_bounded(),
            JointKind::Hinge { turn } => turn.range.is_bounded() || turn.drive.is_some(),
            _ => false,
        };
        bounded || self.turn_drive.is_some()
    }
}

impl Joints {
    /// Joints that make no tree, and what else acts at the others, one after the other; then the trees.
    pub fn solve_trees(&mut self, bodies: &mut [SolverBody], h: f64) {
        for i in 0..self.list.len() {
            if !self.trees.includes(i) || self.list[i].has_more() {
                self.solve_one(i, bodies, h);
            }
        }
        self.trees.solve(&mut self.list, bodies, &self.world, h);
        for k in 0..self.trees.redundant.len() {
            self.solve_one(self.trees.redundant[k], bodies, h);
        }
    }
}
