//! A tree of boxes that stays in the frame of its body.
//!
//! A rigid body moves; its tree does not: a query brings the other tree, the point or the ray into the frame
//! of the body. So a tree is built once per mesh, and bodies with the same mesh share it. [`crate::Bvh`] serves
//! boxes that move independently.
//!
//! Every query is a descent: it calls `visit` with boxes that may still matter, the most promising first, and
//! `visit` returns the limit that the rest of the descent has to beat. The order of visits depends on the boxes
//! and the query only.

mod descent;
mod node;

use rigor_math::{Pose, Vec3};

use crate::Aabb;
use crate::bvh::ray::meets;
use crate::bvh::{BvhError, check};
use descent::Descent;
use node::{Link, Node, ROUNDINGS};

/// A tree over boxes in the frame of a body; each box is identified by its index in the given list.
///
/// ```
/// use rigor_geometry::{Aabb, RigidTree};
/// use rigor_math::{Pose, Vec3};
/// let boxes = [0.0, 2.0, 4.0].map(|x| Aabb::new(Vec3::x() * x, Vec3::x() * x + Vec3::repeat(1.0)));
/// let tree = RigidTree::new(&boxes)?;
/// // The same boxes, 5 m to the right: the gap between the last and the first is 0 m, the next ones 2 m.
/// let mut found = Vec::new();
/// tree.pairs(&tree, &Pose::translation(Vec3::x() * 5.0), 0.5, &mut |i, j| {
///     found.push([i, j]);
///     0.5
/// });
/// assert_eq!(found, [[2, 0]]);
/// # Ok::<(), rigor_geometry::bvh::BvhError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RigidTree {
    /// In preorder: the first child of a node follows it.
    nodes: Vec<Node>,
    /// Maximum distance (m) of a corner of a box from the origin.
    reach: f64,
}

impl RigidTree {
    /// Builds a tree over `boxes`, each split at the median along the longest axis.
    ///
    /// # Errors
    /// [`BvhError`] if a box is empty, infinite or NaN.
    pub fn new(boxes: &[Aabb]) -> Result<Self, BvhError> {
        check(boxes)?;
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let corner = |b: &Aabb| b.min.abs().sup(&b.max.abs()).norm();
        let reach = boxes.iter().map(corner).fold(0.0, f64::max);
        let mut tree = Self { nodes: Vec::with_capacity(2 * boxes.len()), reach };
        if !boxes.is_empty() {
            tree.build(boxes, &mut order);
        }
        Ok(tree)
    }

    fn build(&mut self, boxes: &[Aabb], order: &mut [u32]) {
        let bounds = order.iter().fold(Aabb::EMPTY, |all, i| all.union(&boxes[*i as usize]));
        let at = self.nodes.len();
        self.nodes.push(Node::around(&bounds, Link::Leaf(order[0])));
        if order.len() == 1 {
            return;
        }
        let middle = |i: u32| boxes[i as usize].min + boxes[i as usize].max;
        let middles: Vec<Vec3> = order.iter().map(|i| middle(*i)).collect();
        let axis = Aabb::of_points(&middles).extent().imax();
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |i, j| {
            middle(*i)[axis].total_cmp(&middle(*j)[axis]).then(i.cmp(j))
        });
        let (first, second) = order.split_at_mut(half);
        self.build(boxes, first);
        self.nodes[at].link = Link::Second(self.nodes.len() as u32);
        self.build(boxes, second);
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Whether the tree holds no boxes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Maximum distance (m) of a corner of a box from the origin.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Visits pairs of a box of this tree and a box of `other`, nearest first, where `pose` maps the frame of
    /// `other` to that of this tree.
    ///
    /// `visit` returns the new limit (m). Returns a lower bound (m) on the distances in all pairs that were
    /// not visited; infinite if there are none.
    ///
    /// Guarantee: points of two boxes that were not visited are at least as far apart as the limit was then,
    /// for a pose with a rotation of norm 1 whose components are exact.
    pub fn pairs(
        &self,
        other: &Self,
        pose: &Pose,
        limit: f64,
        visit: &mut impl FnMut(u32, u32) -> f64,
    ) -> f64 {
        if self.is_empty() || other.is_empty() {
            return f64::INFINITY;
        }
        let mut descent =
            Descent::new([&self.nodes, &other.nodes], [self.reach, other.reach], pose, limit, visit);
        descent.start();
        descent.skipped()
    }

    /// Visits boxes that have a point within a limit (m) of `query`, which `pose` maps to the frame of this
    /// tree. Otherwise as [`RigidTree::pairs`].
    pub fn near_box(&self, query: &Aabb, pose: &Pose, limit: f64, visit: &mut impl FnMut(u32) -> f64) {
        if let Ok(other) = Self::new(std::slice::from_ref(query)) {
            self.pairs(&other, pose, limit, &mut |i, _| visit(i));
        }
    }

    /// Visits boxes, nearest to `point` (m) first, that are not farther from it than the limit (m). `visit`
    /// returns the new limit.
    pub fn around(&self, point: &Vec3, limit: f64, visit: &mut impl FnMut(u32) -> f64) {
        let slack = ROUNDINGS * (self.reach + point.norm());
        let distance = |node: &Node| node.distance(point) - slack;
        self.visit_least(limit, &distance, visit);
    }

    /// Visits boxes whose points may be as far along `direction` (of any length) as a limit, the farthest
    /// first: max { direction · x : x in the box } ≥ limit. `visit` returns the new limit.
    pub fn extreme(&self, direction: &Vec3, limit: f64, visit: &mut impl FnMut(u32) -> f64) {
        let (abs, slack) = (direction.abs(), ROUNDINGS * self.reach * direction.norm());
        let behind = |node: &Node| -(direction.dot(&node.center) + abs.dot(&node.half) + slack);
        self.visit_least(-limit, &behind, &mut |i| -visit(i));
    }

    /// Returns the boxes within `margin` (m) of the ray from `origin` (m) along `direction`, in the order of the
    /// tree.
    pub fn along_ray(&self, origin: &Vec3, direction: &Vec3, margin: f64) -> Vec<u32> {
        let wider = margin + ROUNDINGS * (self.reach + origin.norm());
        let mut found = Vec::new();
        let mut at = 0;
        let mut ends: Vec<usize> = Vec::new();
        while at < self.nodes.len() {
            let node = &self.nodes[at];
            let is_met = meets(&node.bounds().grow(wider), origin, direction, f64::INFINITY);
            match node.link {
                Link::Second(second) if is_met => {
                    ends.push(second as usize);
                    at += 1;
                    continue;
                }
                Link::Leaf(index) if is_met => found.push(index),
                _ => {}
            }
            match ends.pop() {
                Some(second) => at = second,
                None => break,
            }
        }
        found
    }

    /// Visits leaves in ascending order of `bound`, as far as children can be ordered, while it does not
    /// exceed the limit.
    fn visit_least(&self, mut limit: f64, bound: &impl Fn(&Node) -> f64, visit: &mut impl FnMut(u32) -> f64) {
        let mut waiting: Vec<(f64, u32)> = Vec::new();
        if let Some(root) = self.nodes.first() {
            waiting.push((bound(root), 0));
        }
        while let Some((least, at)) = waiting.pop() {
            if least > limit {
                continue;
            }
            match self.nodes[at as usize].link {
                Link::Leaf(index) => limit = visit(index),
                Link::Second(second) => {
                    let children = [at + 1, second].map(|child| (bound(&self.nodes[child as usize]), child));
                    let [near, far] =
                        if children[1].0 < children[0].0 { [children[1], children[0]] } else { children };
                    waiting.extend([far, near].into_iter().filter(|(least, _)| *least <= limit));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
