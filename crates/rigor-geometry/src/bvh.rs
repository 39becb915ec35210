//! A tree of bounding boxes that finds those that overlap.
//!
//! The tree is parry's, with boxes in `f64` and comparisons that let touching boxes overlap, so that it never misses a
//! pair. Here its answers are put in order, so that they depend on the boxes alone and not on how the tree was built.

mod ray;

use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhNode, BvhWorkspace, TraversalAction};
use rigor_math::{Pose, Vec3};

use crate::Aabb;

/// A tree over boxes, each known by its index in the list given.
///
/// ```
/// use rigor_geometry::{Aabb, Bvh};
/// use rigor_math::Vec3;
/// let boxes = [0.0, 0.5, 3.0].map(|x| Aabb::new(Vec3::x() * x, Vec3::x() * x + Vec3::repeat(1.0)));
/// let tree = Bvh::new(&boxes)?;
/// assert_eq!(tree.overlapping_pairs(), [[0, 1]]);
/// assert_eq!(tree.overlapping(&boxes[2].grow(1.6)), [1, 2]);
/// # Ok::<(), rigor_geometry::bvh::BvhError>(())
/// ```
#[derive(Clone)]
pub struct Bvh {
    tree: ParryBvh,
    workspace: BvhWorkspace,
}

/// A box that a tree cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("box {index} from {:?} to {:?} must be finite and not empty", bounds.min.as_slice(), bounds.max.as_slice())]
pub struct BvhError {
    /// Its index.
    pub index: usize,
    /// The box.
    pub bounds: Aabb,
}

impl Bvh {
    /// A tree over `boxes`.
    ///
    /// # Errors
    /// [`BvhError`] for a box that is empty, infinite or NaN.
    pub fn new(boxes: &[Aabb]) -> Result<Self, BvhError> {
        check(boxes)?;
        let boxes: Vec<ParryAabb> = boxes.iter().map(to_parry).collect();
        let tree = ParryBvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        Ok(Self { tree, workspace: BvhWorkspace::default() })
    }

    /// Moves the boxes and keeps the shape of the tree: several times as fast as a new one, as good while neighbours stay
    /// neighbours.
    ///
    /// # Errors
    /// [`BvhError`] as in [`Bvh::new`]; the tree is then as it was.
    ///
    /// # Panics
    /// When there are not as many boxes as before.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        assert_eq!(boxes.len(), self.len(), "a refit must be given as many boxes as the tree was built from");
        check(boxes)?;
        for (index, bounds) in boxes.iter().enumerate() {
            self.tree.insert_or_update_partially(to_parry(bounds), index as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        Ok(())
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.tree.leaf_count() as usize
    }

    /// Whether there is no box.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The smallest box around all.
    pub fn bounds(&self) -> Aabb {
        if self.is_empty() { Aabb::EMPTY } else { from_parry(&self.tree.root_aabb()) }
    }

    /// The box of an index.
    ///
    /// # Panics
    /// When there is none of this index.
    pub fn leaf(&self, index: u32) -> Aabb {
        bounds_of(self.tree.leaf_node(index).expect("an index of a box of this tree"))
    }

    /// The boxes that overlap `query`, ascending; touching counts.
    pub fn overlapping(&self, query: &Aabb) -> Vec<u32> {
        self.leaves_where(|bounds| bounds.overlaps(query))
    }

    /// As [`Bvh::overlapping`], in place of what `found` held.
    pub fn overlapping_into(&self, query: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        self.gather_leaves(|bounds| bounds.overlaps(query), found);
    }

    /// All pairs [i, j] of boxes that overlap one another, i < j, in ascending order; touching counts.
    pub fn overlapping_pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        self.tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |i, j| {
            pairs.push([i.min(j), i.max(j)]);
        });
        pairs.sort_unstable();
        pairs
    }

    /// All pairs [i, j] of a box i of this tree that overlaps box j of `other`, in ascending order; touching counts.
    pub fn overlapping_pairs_with(&self, other: &Self) -> Vec<[u32; 2]> {
        self.pairs_where(other, BvhNode::intersects)
    }

    /// As [`Bvh::overlapping_pairs_with`], where `pose` takes the frame of `other` to that of this tree and boxes within
    /// `margin` (m) of each other along every axis count as overlapping.
    ///
    /// With it, trees in the frames of their bodies need never be refitted. Boxes of `other` are
    /// [`Aabb::transformed`], which makes them larger: no pair is missed, some are found in vain.
    pub fn overlapping_pairs_posed(&self, other: &Self, pose: &Pose, margin: f64) -> Vec<[u32; 2]> {
        let abs_rotation = pose.rotation_matrix().abs();
        self.pairs_where(other, |a, b| {
            bounds_of(b).transformed_by(pose, &abs_rotation).grow(margin).overlaps(&bounds_of(a))
        })
    }

    /// The box, among those whose `distance_sq` (m²) from `point` (m) is less than `limit_sq`, for which it is least, and
    /// that distance; of several equally near, the first.
    ///
    /// `distance_sq` is asked for the distance of what lies in a box, which must not be less than that of the box.
    pub fn nearest(
        &self,
        point: &Vec3,
        limit_sq: f64,
        distance_sq: impl Fn(u32) -> f64,
    ) -> Option<(u32, f64)> {
        // A lower bound even of distances that rounding has made smaller than that of the box.
        let at_least = |bounds: &Aabb| bounds.distance_sq(point) * (1.0 - 64.0 * f64::EPSILON);
        let cost = |node: &BvhNode, _| at_least(&bounds_of(node));
        let (_, least_sq) = self.tree.find_best(limit_sq, cost, |leaf, _| Some(distance_sq(leaf)))?;
        let nearby = self.leaves_where(|bounds| at_least(bounds) <= least_sq);
        nearby.into_iter().find(|&leaf| distance_sq(leaf) <= least_sq).map(|leaf| (leaf, least_sq))
    }

    /// The boxes for which, as for all boxes around them, `holds`, ascending.
    fn leaves_where(&self, holds: impl Fn(&Aabb) -> bool) -> Vec<u32> {
        let mut leaves = Vec::new();
        self.gather_leaves(holds, &mut leaves);
        leaves
    }

    fn gather_leaves(&self, holds: impl Fn(&Aabb) -> bool, leaves: &mut Vec<u32>) {
        self.visit(holds, |leaf| leaves.push(leaf));
        leaves.sort_unstable();
    }

    /// Calls `found` with each box for which, as for all boxes around it, `holds`, in any order.
    fn visit(&self, holds: impl Fn(&Aabb) -> bool, mut found: impl FnMut(u32)) {
        self.tree.traverse(|node| {
            if !holds(&bounds_of(node)) {
                return TraversalAction::Prune;
            }
            node.leaf_data().into_iter().for_each(&mut found);
            TraversalAction::Continue
        });
    }

    fn pairs_where(&self, other: &Self, holds: impl Fn(&BvhNode, &BvhNode) -> bool) -> Vec<[u32; 2]> {
        // The traversal does not test the roots' children, some of which may be leaves.
        let leaf = |tree: &'_ Self, index: u32| *tree.tree.leaf_node(index).expect("a leaf of the tree");
        let mut pairs: Vec<[u32; 2]> = self
            .tree
            .leaf_pairs(&other.tree, &holds)
            .filter(|&(i, j)| holds(&leaf(self, i), &leaf(other, j)))
            .map(|(i, j)| [i, j])
            .collect();
        pairs.sort_unstable();
        pairs
    }
}

impl std::fmt::Debug for Bvh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bvh").field("len", &self.len()).field("bounds", &self.bounds()).finish()
    }
}

fn check(boxes: &[Aabb]) -> Result<(), BvhError> {
    let bad = |bounds: &Aabb| bounds.is_empty() || !bounds.is_finite();
    match boxes.iter().position(bad) {
        Some(index) => Err(BvhError { index, bounds: boxes[index] }),
        None => Ok(()),
    }
}

fn to_parry(bounds: &Aabb) -> ParryAabb {
    ParryAabb::new(bounds.min.into(), bounds.max.into())
}

fn from_parry(bounds: &ParryAabb) -> Aabb {
    Aabb { min: bounds.mins.into(), max: bounds.maxs.into() }
}

fn bounds_of(node: &BvhNode) -> Aabb {
    Aabb { min: node.mins().into(), max: node.maxs().into() }
}

#[cfg(test)]
mod tests;
