//! Elimination from the leaves of a tree to its root, and back-substitution.

use rigor_math::{Mat3, Pose, Vec3, quaternion};

use super::super::SolverJoint;
use super::rows::Rows;
use super::thread::Thread;
use super::{Column, Elimination, Square, Tall, Tree, Trees, Wide, rows_of};
use crate::body::SolverBody;

/// Minimum mobility along a row, relative to that of the joint's bodies alone; below it the row is redundant,
/// because other joints already hold the bodies.
const HELD: f64 = 1e-9;

/// Maximum number of passes over a tree beyond one per thread, to decide which threads are taut. A tree whose
/// threads are pulled taut from one end finds one per pass.
const PASSES: usize = 20;

/// Residual, relative to the size of the joints, up to which a solution may raise it by rounding.
const SMALL: f64 = 1e-9;

/// Motion by a solution, over the farthest that a projection may need, up to which nonlinearity explains it.
const FAR: f64 = 2.0;

/// A body before the solution of its tree.
#[derive(Debug)]
pub(super) struct Placed {
    body: usize,
    pose: Pose,
    sums: [Vec3; 2],
}

/// Data of an eliminated joint, kept for back-substitution.
#[derive(Debug)]
pub(super) struct EliminatedJoint<const N: usize> {
    inverse: nalgebra::SMatrix<f64, N, N>,
    rest: nalgebra::SVector<f64, N>,
    /// J_p Λ_p.
    reach: Wide<N>,
    feels_parent: Tall<N>,
    feels_child: Tall<N>,
    axes: Mat3,
}

/// Increments of a joint's multipliers and impulses.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Push {
    lambda: Vec3,
    lambda_angular: Vec3,
    impulse: Vec3,
    angular_impulse: Vec3,
    /// Whether other joints already hold one of its rows.
    is_redundant: bool,
}

impl Trees {
    /// Solves all trees once. Redundant joints are left out, and so are the joints of a tree whose threads
    /// find no consistent taut set.
    pub fn solve(
        &mut self,
        joints: &mut [SolverJoint],
        bodies: &mut [SolverBody],
        world: &SolverBody,
        h: f64,
    ) {
        self.left_out.clear();
        for i in 0..self.trees.len() {
            let tree = self.trees[i];
            self.look_at_threads(tree, joints, bodies, world, h);
            let is_solved = (0..PASSES + self.threads.len()).any(|_| {
                self.begin(tree, bodies);
                self.eliminate_all(tree, joints, bodies, world, h);
                self.substitute_all(tree, joints);
                !self.revise_threads(tree, joints, bodies)
            });
            let n_left_out = self.left_out.len();
            if !(is_solved && self.apply_if_better(tree, joints, bodies, world, h)) {
                if self.stiffest.0 > self.singular {
                    (self.singular, self.singular_joint) = self.stiffest;
                }
                self.left_out.truncate(n_left_out);
                self.left_out.extend(self.order[tree.range()].iter().map(|step| step.joint));
            }
        }
    }

    /// Applies the solution, and takes it back if it leaves the joints farther from their constraints; returns whether it stays.
    fn apply_if_better(
        &mut self,
        tree: Tree,
        joints: &mut [SolverJoint],
        bodies: &mut [SolverBody],
        world: &SolverBody,
        h: f64,
    ) -> bool {
        let residual_sq = |order: &[Elimination], joints: &[SolverJoint], bodies: &[SolverBody]| {
            order.iter().fold((0.0, 0.0), |(sum, size), step| {
                let joint = &joints[step.joint];
                let (a, b) = (&bodies[joint.a], joint.b.map_or(world, |b| &bodies[b]));
                let (residual, lever_sq) = joint.residual_sq(a, b, h);
                (sum + residual, size + lever_sq)
            })
        };
        if tree.is_clamped && self.is_too_far(tree, joints, bodies, world, h) {
            return false;
        }
        let (before, size) = residual_sq(&self.order[tree.range()], joints, bodies);
        let kept = tree.bodies(&self.order).map(|i| Placed {
            body: i,
            pose: bodies[i].pose,
            sums: bodies[i].sums(),
        });
        self.before.clear();
        self.before.extend(kept);
        self.apply(tree, joints, bodies);
        let (after, _) = residual_sq(&self.order[tree.range()], joints, bodies);
        if after <= before + SMALL * SMALL * size {
            return true;
        }
        for placed in &self.before {
            let body = &mut bodies[placed.body];
            body.pose = placed.pose;
            body.set_sums(placed.sums);
        }
        for (step, push) in self.order[tree.range()].iter().zip(&self.pushes[tree.range()]) {
            if !push.is_redundant {
                joints[step.joint].give_back(push);
            }
        }
        false
    }

    /// Whether the solution of a tree moves its bodies farther, by ‖Δx‖² = Σ m Δx² + θ·Iθ, than a projection can.
    ///
    /// The nearest poses at which joints hold are at most as far as those before the substep, where they held up to r: ‖Δx‖ ≤ ‖y − x₀‖ + r √Σm. A chain
    /// that is stretched straight between two pins is lengthened only by turning its links by √c for a lack c, which the linear equations make c/0.
    fn is_too_far(
        &self,
        tree: Tree,
        joints: &[SolverJoint],
        bodies: &[SolverBody],
        world: &SolverBody,
        h: f64,
    ) -> bool {
        let (mut moved_sq, mut free_sq, mut mass) = (0.0, 0.0, 0.0);
        for i in tree.bodies(&self.order) {
            let (body, f) = (&bodies[i], &self.impulse[i]);
            let (p, torque) = (Vec3::new(f[0], f[1], f[2]), Vec3::new(f[3], f[4], f[5]));
            moved_sq += p.dot(&body.w.component_mul(&p)) + torque.dot(&(body.inverse_inertia * torque));
            let of_body = if body.w.max() > 0.0 { 1.0 / body.w.max() } else { 0.0 };
            let turn = quaternion::difference(&body.pose_prev.rotation, &body.pose.rotation);
            let inertia = body.inverse_inertia.try_inverse().unwrap_or_else(Mat3::zeros);
            free_sq += of_body * (body.pose.position - body.pose_prev.position).norm_squared()
                + turn.dot(&(inertia * turn));
            mass += of_body;
        }
        let lacks = self.order[tree.range()].iter().map(|step| {
            let joint = &joints[step.joint];
            // What is prescribed is where it is now.
            let before = |body: &SolverBody| {
                let pose = if body.is_moved() { body.pose_prev } else { body.pose };
                SolverBody { pose, ..body.clone() }
            };
            let (a, b) =
                (before(&bodies[joint.a]), joint.b.map_or_else(|| world.clone(), |b| before(&bodies[b])));
            joint.residual_sq(&a, &b, h).0
        });
        moved_sq > FAR * FAR * (free_sq + mass * lacks.sum::<f64>())
    }

    /// Initialises Λ for free bodies and sets y and f to 0.
    fn begin(&mut self, tree: Tree, bodies: &[SolverBody]) {
        self.balls.clear();
        self.hinges.clear();
        self.welds.clear();
        self.lines.clear();
        self.stiffest = (0.0, 0);
        for i in tree.bodies(&self.order) {
            let w = &bodies[i].w;
            let mut free = Square::from_diagonal(&Column::new(w.x, w.y, w.z, 0.0, 0.0, 0.0));
            free.fixed_view_mut::<3, 3>(3, 3).copy_from(&bodies[i].inverse_inertia);
            self.mobility[i] = free;
            self.motion[i] = Column::zeros();
            self.impulse[i] = Column::zeros();
        }
    }

    fn look_at_threads(
        &mut self,
        tree: Tree,
        joints: &[SolverJoint],
        bodies: &[SolverBody],
        world: &SolverBody,
        h: f64,
    ) {
        self.threads.clear();
        for step in self.order[tree.range()].iter().filter(|_| tree.has_threads) {
            let joint = &joints[step.joint];
            if rows_of(&joint.kind) == Some(1) {
                let (a, b) = (&bodies[joint.a], joint.b.map_or(world, |b| &bodies[b]));
                self.threads.extend(joint.thread(a, b, tree.is_clamped, h));
            }
        }
    }

    fn eliminate_all(
        &mut self,
        tree: Tree,
        joints: &[SolverJoint],
        bodies: &[SolverBody],
        world: &SolverBody,
        h: f64,
    ) {
        let mut threads = std::mem::take(&mut self.threads);
        let mut next = threads.iter();
        for k in tree.range() {
            let step = self.order[k];
            let joint = &joints[step.joint];
            let (a, b) = (&bodies[joint.a], joint.b.map_or(world, |b| &bodies[b]));
            let done = match rows_of(&joint.kind) {
                Some(1) => {
                    let thread = next.next().expect("one entry per thread of the tree");
                    let solved = self.eliminate_thread(step, joint.a, thread);
                    keep(&mut self.lines, solved)
                }
                Some(3) => {
                    let solved = self.eliminate(step, joint.a, &joint.rows::<3>(a, b, tree.is_clamped, h));
                    keep(&mut self.balls, solved)
                }
                Some(5) => {
                    let solved = self.eliminate(step, joint.a, &joint.rows::<5>(a, b, tree.is_clamped, h));
                    keep(&mut self.hinges, solved)
                }
                _ => {
                    let solved = self.eliminate(step, joint.a, &joint.rows::<6>(a, b, tree.is_clamped, h));
                    keep(&mut self.welds, solved)
                }
            };
            self.pushes[k].is_redundant = !done;
        }
        std::mem::swap(&mut self.threads, &mut threads);
    }

    /// Eliminates a joint into the motion of its parent; returns `None` if other joints already hold the
    /// bodies along one of its rows.
    fn eliminate<const N: usize>(
        &mut self,
        step: Elimination,
        a: usize,
        rows: &Rows<N>,
    ) -> Option<EliminatedJoint<N>> {
        let Elimination { child, parent, .. } = step;
        let (p, c) = step.sides(a);
        let reach = times(&rows.moves[p], &self.mobility[parent]);
        let mut t = times(&reach, &rows.feels[p]) + nalgebra::SMatrix::from_diagonal(&rows.alpha_tilde);
        let mut rest = rows.rest + times(&rows.moves[p], &self.motion[parent]);
        if let Some(child) = child {
            t += times(&times(&rows.moves[c], &self.mobility[child]), &rows.feels[c]);
            rest += times(&rows.moves[c], &self.motion[child]);
        }
        let inverse = t.try_inverse()?;
        for i in 0..N {
            let condition = inverse[(i, i)].abs() * rows.scale[i];
            if condition > self.stiffest.0 {
                self.stiffest = (condition, step.joint);
            }
        }
        let is_held = |i: usize| inverse[(i, i)].abs() * rows.scale[i] * HELD < 1.0;
        if !(0..N).all(is_held) {
            return None;
        }
        let back = times(&self.mobility[parent], &times(&rows.feels[p], &inverse));
        self.motion[parent] -= times(&back, &rest);
        self.mobility[parent] -= times(&back, &reach);
        let feels_child = if child.is_some() { rows.feels[c] } else { Tall::zeros() };
        Some(EliminatedJoint {
            inverse,
            rest,
            reach,
            feels_parent: rows.feels[p],
            feels_child,
            axes: rows.axes,
        })
    }

    /// Does the same for a thread; a slack thread applies a fixed impulse, whatever the motion of its ends.
    fn eliminate_thread(
        &mut self,
        step: Elimination,
        a: usize,
        thread: &Thread,
    ) -> Option<EliminatedJoint<1>> {
        if thread.is_taut {
            return self.eliminate(step, a, &thread.row);
        }
        let (p, c) = step.sides(a);
        let (feels_parent, delta) = (thread.row.feels[p], thread.let_go());
        if delta != 0.0 {
            self.motion[step.parent] += self.mobility[step.parent] * feels_parent * delta;
        }
        Some(EliminatedJoint {
            inverse: nalgebra::Matrix1::new(1.0),
            rest: nalgebra::Vector1::new(-delta),
            reach: Wide::zeros(),
            feels_parent,
            feels_child: thread.row.feels[c],
            axes: thread.row.axes,
        })
    }

    /// Computes Δλ from the root to the leaves.
    fn substitute_all(&mut self, tree: Tree, joints: &[SolverJoint]) {
        for k in tree.range().rev() {
            let (step, push) = (self.order[k], &mut self.pushes[k]);
            if push.is_redundant {
                continue;
            }
            *push = match rows_of(&joints[step.joint].kind) {
                Some(1) => substitute(&mut self.impulse, step, self.lines.pop()),
                Some(3) => substitute(&mut self.impulse, step, self.balls.pop()),
                Some(5) => substitute(&mut self.impulse, step, self.hinges.pop()),
                _ => substitute(&mut self.impulse, step, self.welds.pop()),
            };
        }
    }

    /// Drops rows that act in the wrong direction and adds rows whose bounds are violated; returns whether
    /// there were any.
    ///
    /// Source: \[Hintermueller2003\], the primal–dual active set: all such rows change at once.
    fn revise_threads(&mut self, tree: Tree, joints: &[SolverJoint], bodies: &[SolverBody]) -> bool {
        let mut has_changed = false;
        let mut threads = self.threads.iter_mut();
        for k in tree.range().filter(|_| tree.has_threads) {
            let joint = &joints[self.order[k].joint];
            if rows_of(&joint.kind) != Some(1) {
                continue;
            }
            let thread = threads.next().expect("one entry per thread of the tree");
            let push = &self.pushes[k];
            if push.is_redundant {
                continue;
            }
            has_changed |= if thread.is_taut {
                thread.loosen(push.lambda.x)
            } else {
                let moved = |i: usize| bodies[i].moved_by(&self.impulse[i]);
                thread.tighten([&moved(joint.a), &joint.b.map_or(Column::zeros(), moved)])
            };
        }
        has_changed
    }

    /// Applies impulses to joints and bodies.
    fn apply(&mut self, tree: Tree, joints: &mut [SolverJoint], bodies: &mut [SolverBody]) {
        for (step, push) in self.order[tree.range()].iter().zip(&self.pushes[tree.range()]) {
            if push.is_redundant {
                self.left_out.push(step.joint);
            } else {
                joints[step.joint].take(push);
            }
        }
        for i in tree.bodies(&self.order) {
            let f = &self.impulse[i];
            if *f != Column::zeros() {
                let (p, torque) = (Vec3::new(f[0], f[1], f[2]), Vec3::new(f[3], f[4], f[5]));
                bodies[i].apply_positional_sum(&p, &torque);
            }
        }
    }
}

impl SolverJoint {
    fn take(&mut self, push: &Push) {
        self.lambda += push.lambda;
        self.lambda_angular += push.lambda_angular;
        self.impulse += push.impulse;
        self.angular_impulse += push.angular_impulse;
    }

    fn give_back(&mut self, push: &Push) {
        self.lambda -= push.lambda;
        self.lambda_angular -= push.lambda_angular;
        self.impulse -= push.impulse;
        self.angular_impulse -= push.angular_impulse;
    }
}

fn keep<const N: usize>(kept: &mut Vec<EliminatedJoint<N>>, solved: Option<EliminatedJoint<N>>) -> bool {
    let is_there = solved.is_some();
    kept.extend(solved);
    is_there
}

/// Returns A B, computed with fused multiply–add.
#[inline]
fn times<const R: usize, const K: usize, const C: usize>(
    a: &nalgebra::SMatrix<f64, R, K>,
    b: &nalgebra::SMatrix<f64, K, C>,
) -> nalgebra::SMatrix<f64, R, C> {
    let mut product = nalgebra::SMatrix::zeros();
    for (to, from) in product.data.0.iter_mut().zip(&b.data.0) {
        for (column, &factor) in a.data.0.iter().zip(from) {
            to.iter_mut().zip(column).for_each(|(to, &x): (&mut f64, &f64)| *to = x.mul_add(factor, *to));
        }
    }
    product
}

/// Applies the impulse of a joint to its bodies.
fn substitute<const N: usize>(
    impulses: &mut [Column],
    step: Elimination,
    solved: Option<EliminatedJoint<N>>,
) -> Push {
    let solved = solved.expect("one entry per eliminated joint");
    let delta = -times(&solved.inverse, &(solved.rest + times(&solved.reach, &impulses[step.parent])));
    impulses[step.parent] += times(&solved.feels_parent, &delta);
    if let Some(child) = step.child {
        impulses[child] += times(&solved.feels_child, &delta);
    }
    if N == 1 {
        let (lambda, impulse) = (Vec3::x() * delta[0], solved.axes.column(0) * delta[0]);
        return Push { lambda, impulse, ..Push::default() };
    }
    let p = Vec3::new(delta[0], delta[1], delta[2]);
    let across = Vec3::from_fn(|i, _| if i + N >= 6 { delta[i + N - 3] } else { 0.0 });
    Push {
        lambda: solved.axes.tr_mul(&p),
        impulse: p,
        lambda_angular: across,
        angular_impulse: solved.axes * across,
        is_redundant: false,
    }
}
