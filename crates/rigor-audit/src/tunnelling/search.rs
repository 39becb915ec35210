//! The search for a motion that moves two bodies past each other.

use rigor_math::Vec3;

use super::kind::MeshData;
use super::motion::{Motion, shifted};
use super::sampled_poses::{SampledPoses, Vertex};
use crate::certificate::shape::PrimitiveTree;
use crate::effort::Effort;

/// Maximum number of vertices of both bodies that are tested for going through the other body.
const MAX_VERTICES: usize = 1 << 12;
/// Maximum number of vertices that went through the other body and are remembered.
const MAX_WITNESSES: usize = 16;

/// A search among motions and detours, which remembers the vertices that went through the other body: they often do so again with
/// another detour, which then needs no proof that fails.
pub(super) struct Search<'a> {
    kinds: [&'a MeshData; 2],
    shapes: [&'a PrimitiveTree; 2],
    /// Whether the bodies touch at the start and at the end.
    is_trimmed: [bool; 2],
    motions: Vec<(Motion, SampledPoses)>,
    /// The last one that went through first.
    witnesses: Vec<Vertex>,
    effort: &'a mut Effort,
    #[cfg(test)]
    n_proofs: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        kinds: [&'a MeshData; 2],
        motions: Vec<Motion>,
        is_trimmed: [bool; 2],
        effort: &'a mut Effort,
    ) -> Self {
        let motions = motions
            .into_iter()
            .map(|motion| {
                let stations = motion.stations(is_trimmed);
                (motion, stations)
            })
            .collect();
        let shapes = kinds.map(|kind| &kind.shape);
        Self {
            kinds,
            shapes,
            is_trimmed,
            motions,
            witnesses: Vec::new(),
            effort,
            #[cfg(test)]
            n_proofs: 0,
        }
    }

    /// Returns whether one of the motions is proven free of contact with the first body shifted by `shift` (m):
    /// [`Motion::is_free_by_detour`]. False if the effort is spent.
    pub(super) fn succeeds(&mut self, shift: &Vec3) -> bool {
        !self.is_given_up() && (0..self.motions.len()).any(|k| self.is_free(k, shift))
    }

    /// Returns whether the effort is spent, so that what was not found says nothing.
    pub(super) fn is_given_up(&self) -> bool {
        self.effort.is_spent()
    }

    fn is_free(&mut self, k: usize, shift: &Vec3) -> bool {
        let is_refuted = self.is_witnessed(k, shift)
            || self.motions[k].0.crosses(self.kinds.map(|kind| &kind.surface), shift, self.effort)
            || !self.witnesses.is_empty() && self.finds_witness(k, shift);
        if is_refuted {
            return false;
        }
        #[cfg(test)]
        {
            self.n_proofs += 1;
        }
        let is_free = self.motions[k].0.is_free_by_detour(self.shapes, shift, self.is_trimmed, self.effort);
        if !is_free && self.witnesses.is_empty() {
            self.finds_witness(k, shift);
        }
        is_free
    }

    /// Returns whether a vertex that went through the other body does so again.
    fn is_witnessed(&mut self, k: usize, shift: &Vec3) -> bool {
        let stations = &self.motions[k].1;
        let goes_through = |v: &Vertex| stations.goes_through(self.shapes, |t| shifted(shift, t), *v);
        let found = self.witnesses.iter().position(goes_through);
        if let Some(found) = found {
            self.witnesses[..=found].rotate_right(1);
        }
        found.is_some()
    }

    /// Seeks a vertex that goes through the other body, and remembers it.
    fn finds_witness(&mut self, k: usize, shift: &Vec3) -> bool {
        let counts = self.shapes.map(|shape| shape.all.len());
        if counts[0] + counts[1] > MAX_VERTICES {
            return false;
        }
        let stations = &self.motions[k].1;
        self.effort.spend(stations.stops.len() * (counts[0] + counts[1]));
        let all = (0..2).flat_map(|body| self.shapes[body].all.iter().map(move |v| (body, *v)));
        let mut through = all.filter(|v| stations.goes_through(self.shapes, |t| shifted(shift, t), *v));
        let found = through.next();
        if let Some(vertex) = found {
            self.witnesses.insert(0, vertex);
            self.witnesses.truncate(MAX_WITNESSES);
        }
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rigor_geometry::Mesh;
    use rigor_math::Pose;
    use rigor_scene::{BodyState, Skeleton};
    use rigor_shapes::Cuboid;

    use super::*;
    use crate::surface::shape::Shape;

    fn data(mesh: Mesh) -> MeshData {
        let skeleton = Skeleton::plain(Arc::new(mesh));
        MeshData::new(&skeleton, Arc::new(Shape::new(&skeleton)))
    }

    /// Points have no surface that crosses a triangle in a frame, so that every proof would go on to its end.
    #[test]
    fn a_cloud_that_went_through_a_wall_needs_one_proof_that_fails_for_all_detours() {
        let grid = (0..25).map(|k| Vec3::new(f64::from(k % 5), f64::from(k / 5), 0.0) * 0.1);
        let cloud = data(Mesh::new(grid.collect(), vec![], vec![]).expect("points"));
        let wall = data(Cuboid::new(Vec3::new(20.0, 20.0, 0.01)).mesh().expect("a box"));
        let state = |z: f64| BodyState { pose: Pose::translation(Vec3::z() * z), ..BodyState::default() };
        let motion = Motion::as_the_second_sees_it(&[state(-1.03), state(0.0)], &[state(1.0), state(0.0)]);
        let mut effort = Effort::UNLIMITED;
        let mut search = Search::new([&cloud, &wall], vec![motion], [false; 2], &mut effort);
        let detours = (0..27).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)));
        assert!(!detours.map(|d| d - Vec3::repeat(1.0)).any(|d| search.succeeds(&(d * 0.5))));
        assert_eq!(search.n_proofs, 1);
        assert!(search.succeeds(&(Vec3::x() * 30.0)), "around the wall");
    }
}
