//! The descent of two trees at once.

use rigor_math::{Mat3, Pose, Vec3};

use super::node::{Link, Node, ROUNDINGS};

/// A descent of two trees, the second of which is placed in the frame of the first.
pub(super) struct Descent<'a, V> {
    trees: [&'a [Node]; 2],
    /// R and p: x ↦ R x + p maps the second frame to the first.
    rotation: Mat3,
    /// |R|, entry by entry.
    abs_rotation: Mat3,
    position: Vec3,
    /// More than the roundings of a bound (m).
    slack: f64,
    limit: f64,
    /// The smallest bound (m) of a pair that was skipped.
    skipped: f64,
    visit: &'a mut V,
}

impl<'a, V: FnMut(u32, u32) -> f64> Descent<'a, V> {
    /// `reaches` are the maximum distances (m) of the boxes from the origins of their frames.
    pub(super) fn new(
        trees: [&'a [Node]; 2],
        reaches: [f64; 2],
        pose: &Pose,
        limit: f64,
        visit: &'a mut V,
    ) -> Self {
        let rotation = pose.rotation_matrix();
        Self {
            trees,
            rotation,
            abs_rotation: rotation.abs(),
            position: pose.position,
            slack: ROUNDINGS * (reaches[0] + reaches[1] + pose.position.norm()),
            limit,
            skipped: f64::INFINITY,
            visit,
        }
    }

    pub(super) fn start(&mut self) {
        let at_least = self.bound(0, 0);
        self.enter(at_least, 0, 0);
    }

    pub(super) fn skipped(&self) -> f64 {
        self.skipped
    }

    /// Visits the leaves below two nodes whose distance is at least `at_least` (m).
    fn enter(&mut self, at_least: f64, i: u32, j: u32) {
        if at_least > self.limit {
            self.skipped = self.skipped.min(at_least);
            return;
        }
        let (a, b) = (self.node(0, i), self.node(1, j));
        let children = match (a.link, b.link) {
            (Link::Leaf(a), Link::Leaf(b)) => {
                self.limit = (self.visit)(a, b);
                return;
            }
            (Link::Second(second), Link::Leaf(_)) => [(i + 1, j), (second, j)],
            (Link::Leaf(_), Link::Second(second)) => [(i, j + 1), (i, second)],
            (Link::Second(second), Link::Second(_)) if a.half.sum() >= b.half.sum() => {
                [(i + 1, j), (second, j)]
            }
            (_, Link::Second(second)) => [(i, j + 1), (i, second)],
        };
        let bounds = children.map(|(i, j)| self.bound(i, j));
        let order = if bounds[1] < bounds[0] { [1, 0] } else { [0, 1] };
        for k in order {
            self.enter(bounds[k], children[k].0, children[k].1);
        }
    }

    fn node(&self, tree: usize, index: u32) -> &Node {
        &self.trees[tree][index as usize]
    }

    /// Returns a lower bound on the distance (m) between two boxes: that of each box from the smallest box
    /// around the other along its own axes.
    ///
    /// In the frame of a, box b with centre c and half edges h lies within R c + p ± |R| h.
    fn bound(&self, i: u32, j: u32) -> f64 {
        let (a, b) = (self.node(0, i), self.node(1, j));
        let apart = self.rotation * b.center + self.position - a.center;
        let in_a = (apart.abs() - a.half - self.abs_rotation * b.half).sup(&Vec3::zeros()).norm_squared();
        let seen = self.rotation.tr_mul(&apart);
        let in_b = (seen.abs() - b.half - self.abs_rotation.tr_mul(&a.half)).sup(&Vec3::zeros());
        in_a.max(in_b.norm_squared()).sqrt() - self.slack
    }
}
