//! A tree of bounding boxes for overlap, ray and nearest queries.
//!
//! It wraps parry's tree, with `f64` boxes and comparisons that count touching boxes as overlapping, so that
//! it never misses a pair. Answers are sorted here, so that they depend on the boxes alone and not on how the
//! tree was built.

pub(crate) mod ray;

use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhNode, BvhWorkspace, TraversalAction};
use rigor_math::{Pose, Vec3};

use crate::Aabb;

/// Number of boxes up to which a loop over all is faster than a descent, which transforms a box many times.
const FEW: usize = 32;

/// A tree over boxes; each box is identified by its index in the given list.
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
    /// Builds a tree over `boxes`.
    ///
    /// # Errors
    /// [`BvhError`] if a box is empty, infinite or NaN.
    pub fn new(boxes: &[Aabb]) -> Result<Self, BvhError> {
        check(boxes)?;
        let boxes: Vec<ParryAabb> = boxes.iter().map(to_parry).collect();
        let tree = ParryBvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        Ok(Self { tree, workspace: BvhWorkspace::default() })
    }

    /// Moves the boxes and keeps the shape of the tree.
    ///
    /// Several times faster than building a new tree, and as good as long as neighbours stay neighbours.
    ///
    /// # Errors
    /// [`BvhError`] as in [`Bvh::new`]; the tree is then unchanged.
    ///
    /// # Panics
    /// If the number of boxes differs from that of the tree.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<(), BvhError> {
        assert_eq!(boxes.len(), self.len(), "a refit needs as many boxes as the tree holds");
        check(boxes)?;
        for (index, bounds) in boxes.iter().enumerate() {
            self.tree.insert_or_update_partially(to_parry(bounds), index as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        Ok(())
    }

    /// Number of boxes.
    pub fn len(&self) -> usize {
        self.tree.leaf_count() as usize
    }

    /// Whether the tree holds no boxes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The smallest box around all boxes; [`Aabb::EMPTY`] if there are none.
    pub fn bounds(&self) -> Aabb {
        if self.is_empty() { Aabb::EMPTY } else { from_parry(&self.tree.root_aabb()) }
    }

    /// The box with index `index`.
    ///
    /// # Panics
    /// If no box has this index.
    pub fn leaf(&self, index: u32) -> Aabb {
        bounds_of(self.tree.leaf_node(index).expect("an index of a box of this tree"))
    }

    /// The indices of all boxes that overlap `query`, ascending; touching counts.
    pub fn overlapping(&self, query: &Aabb) -> Vec<u32> {
        self.leaves_where(|bounds| bounds.overlaps(query))
    }

    /// As [`Bvh::overlapping`], but replaces the contents of `found`.
    pub fn overlapping_into(&self, query: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        self.gather_leaves(|bounds| bounds.overlaps(query), found);
    }

    /// All pairs [i, j], i < j, of boxes that overlap each other, in ascending order; touching counts.
    pub fn overlapping_pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        self.tree.traverse_bvtt_single_tree::<false>(&mut BvhWorkspace::default(), &mut |i, j| {
            pairs.push([i.min(j), i.max(j)]);
        });
        pairs.sort_unstable();
        pairs
    }

    /// All pairs [i, j] where box i of this tree overlaps box j of `other`, ascending; touching counts.
    pub fn overlapping_pairs_with(&self, other: &Self) -> Vec<[u32; 2]> {
        self.pairs_where(other, BvhNode::intersects)
    }

    /// As [`Bvh::overlapping_pairs_with`], where `pose` maps the frame of `other` to that of this tree, and
    /// boxes within `margin` (m) of each other along every axis count as overlapping.
    ///
    /// Trees in the frames of their bodies thus never need a refit. The boxes of `other` are
    /// [`Aabb::transformed`], which enlarges them: no pair is missed, but some false positives are reported.
    pub fn overlapping_pairs_posed(&self, other: &Self, pose: &Pose, margin: f64) -> Vec<[u32; 2]> {
        let abs_rotation = pose.rotation_matrix().abs();
        let place = |bounds: Aabb| bounds.transformed_by(pose, &abs_rotation).grow(margin);
        if self.len().max(other.len()) > FEW {
            return self.pairs_where(other, |a, b| place(bounds_of(b)).overlaps(&bounds_of(a)));
        }
        let all = self.bounds();
        let mut pairs = Vec::new();
        for j in 0..other.len() as u32 {
            let placed = place(other.leaf(j));
            if placed.overlaps(&all) {
                let near = (0..self.len() as u32).filter(|&i| placed.overlaps(&self.leaf(i)));
                pairs.extend(near.map(|i| [i, j]));
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// The box with the smallest `distance_sq` (m²) from `point` (m) below `limit_sq`, and that distance; the
    /// lowest index among ties.
    ///
    /// `distance_sq` returns the squared distance to the contents of a box, which must be at least the
    /// distance to the box itself.
    pub fn nearest(
        &self,
        point: &Vec3,
        limit_sq: f64,
        distance_sq: impl Fn(u32) -> f64,
    ) -> Option<(u32, f64)> {
        // Stays a lower bound even where rounding makes `distance_sq` smaller than the distance to the box.
        let at_least = |bounds: &Aabb| bounds.distance_sq(point) * (1.0 - 64.0 * f64::EPSILON);
        let cost = |node: &BvhNode, _| at_least(&bounds_of(node));
        let (_, least_sq) = self.tree.find_best(limit_sq, cost, |leaf, _| Some(distance_sq(leaf)))?;
        let nearby = self.leaves_where(|bounds| at_least(bounds) <= least_sq);
        nearby.into_iter().find(|&leaf| distance_sq(leaf) <= least_sq).map(|leaf| (leaf, least_sq))
    }

    /// The leaves, ascending, that satisfy `holds` and whose ancestors all satisfy it.
    fn leaves_where(&self, holds: impl Fn(&Aabb) -> bool) -> Vec<u32> {
        let mut leaves = Vec::new();
        self.gather_leaves(holds, &mut leaves);
        leaves
    }

    fn gather_leaves(&self, holds: impl Fn(&Aabb) -> bool, leaves: &mut Vec<u32>) {
        self.visit(holds, |leaf| leaves.push(leaf));
        leaves.sort_unstable();
    }

    /// Calls `found`, in any order, with each leaf that satisfies `holds` and whose ancestors all satisfy it.
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
        // The traversal does not test the children of the roots, some of which may be leaves.
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

pub(crate) fn check(boxes: &[Aabb]) -> Result<(), BvhError> {
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
