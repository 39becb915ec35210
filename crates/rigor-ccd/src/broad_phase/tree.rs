//! A bounding-volume tree that never moves.
//!
//! Unlike [`rigor_geometry::Bvh`], a traversal carries what it has computed for a node of one tree down the
//! other tree, so a box is moved once instead of once per comparison.

use rigor_geometry::Aabb;
use rigor_math::Vec3;

/// A binary tree in depth-first order: each node, then its left subtree, then its right one.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    /// The diagonal (m).
    size: f64,
    /// The right child, or the box of a leaf.
    next: u32,
    is_leaf: bool,
}

/// Computes the swept volumes of boxes for comparison with the boxes of another tree.
pub(super) trait Sweep {
    /// The volume that points of A sweep, as seen from B and including the margin.
    type Swept;
    /// Returns the volume swept by those points of a box that come within the margin of B.
    fn of_box(&self, bounds: &Aabb) -> Self::Swept;
    /// Same for the convex hull of some points.
    fn of_points(&self, points: &[Vec3]) -> Self::Swept {
        self.of_box(&Aabb::of_points(points))
    }
    /// Whether the swept volume may come within the margin of a box of B.
    fn meets(&self, swept: &Self::Swept, bounds: &Aabb) -> bool;
}

impl Tree {
    /// Builds a tree over at least one box by splitting at the median of the centres along the axis of their
    /// largest spread.
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut tree = Self { nodes: Vec::with_capacity(2 * boxes.len()) };
        tree.build(boxes, &mut order);
        tree
    }

    fn build(&mut self, boxes: &[Aabb], order: &mut [u32]) {
        let bounds = order.iter().fold(Aabb::EMPTY, |all, &i| all.union(&boxes[i as usize]));
        let here = self.nodes.len();
        self.nodes.push(Node { bounds, size: bounds.diagonal(), next: order[0], is_leaf: order.len() == 1 });
        if order.len() == 1 {
            return;
        }
        let center = |i: u32| boxes[i as usize].min + boxes[i as usize].max;
        let spread = order.iter().fold(Aabb::EMPTY, |all, &i| all.union(&Aabb::of_points([&center(i)])));
        let axis = spread.extent().imax();
        let key = |i: u32| center(i)[axis];
        order.sort_unstable_by(|&i, &j| key(i).total_cmp(&key(j)).then(i.cmp(&j)));
        let (left, right) = order.split_at_mut(order.len() / 2);
        self.build(boxes, left);
        self.nodes[here].next = self.nodes.len() as u32;
        self.build(boxes, right);
    }

    /// The box around everything.
    pub fn bounds(&self) -> &Aabb {
        &self.nodes[0].bounds
    }

    /// Appends to `pairs` every box i of this tree and box j of `other` for which `sweep` reports that they
    /// and all their ancestors' boxes meet.
    pub fn meeting<S: Sweep>(&self, other: &Self, sweep: &S, pairs: &mut Vec<[u32; 2]>) {
        let swept = sweep.of_box(self.bounds());
        Descent { a: &self.nodes, b: &other.nodes, sweep, pairs }.visit(0, &swept, 0);
    }
}

struct Descent<'a, S> {
    a: &'a [Node],
    b: &'a [Node],
    sweep: &'a S,
    pairs: &'a mut Vec<[u32; 2]>,
}

impl<S: Sweep> Descent<'_, S> {
    fn visit(&mut self, i: u32, swept: &S::Swept, j: u32) {
        let (a, b) = (&self.a[i as usize], &self.b[j as usize]);
        if !self.sweep.meets(swept, &b.bounds) {
            return;
        }
        if a.is_leaf && b.is_leaf {
            self.pairs.push([a.next, b.next]);
        } else if b.is_leaf || (!a.is_leaf && a.size >= b.size) {
            for child in [i + 1, a.next] {
                let swept = self.sweep.of_box(&self.a[child as usize].bounds);
                self.visit(child, &swept, j);
            }
        } else {
            self.visit(i, swept, j + 1);
            self.visit(i, swept, b.next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nearby(f64);

    impl Sweep for Nearby {
        type Swept = Aabb;
        fn of_box(&self, bounds: &Aabb) -> Aabb {
            bounds.grow(self.0)
        }
        fn meets(&self, swept: &Aabb, bounds: &Aabb) -> bool {
            swept.overlaps(bounds)
        }
    }

    #[test]
    fn pairs_are_those_of_all_boxes_compared() {
        let boxes = |n: u32, step: f64| -> Vec<Aabb> {
            let at = |k: u32| Vec3::new(0.82, 0.67, 0.55).map(|g| (f64::from(k) * g * step).fract() * 4.0);
            (0..n).map(|k| Aabb::new(at(k), at(k) + Vec3::repeat(0.3))).collect()
        };
        for (n, m) in [(1, 1), (1, 50), (70, 1), (90, 121)] {
            let (a, b) = (boxes(n, 1.0), boxes(m, 1.7));
            let mut pairs = Vec::new();
            Tree::new(&a).meeting(&Tree::new(&b), &Nearby(0.2), &mut pairs);
            pairs.sort_unstable();
            let all = (0..n).flat_map(|i| (0..m).map(move |j| [i, j]));
            let meet = |&[i, j]: &[u32; 2]| a[i as usize].grow(0.2).overlaps(&b[j as usize]);
            assert_eq!(pairs, all.filter(meet).collect::<Vec<_>>());
        }
    }
}
