//! Data that does not change as bodies move, built once per scene.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rigor_ccd::RigidMotion;
use rigor_ccd::broad_phase::{BroadPhaseError, Shape, proximity};
use rigor_geometry::{Aabb, Mesh};
use rigor_math::Pose;
use rigor_scene::{Body, BodyId, Scene, Skeleton};

use crate::candidate_cache::CandidateCache;
use crate::config::Pairs;
use crate::contact::PrimitivePair;
use crate::contact_set::StoredContacts;
use crate::placement::{Coordinates, Placement};
use crate::skin::Skin;
use crate::stretch::volume;

/// Shapes and skins of the last scene.
#[derive(Debug, Default)]
pub(crate) struct ShapeCache {
    skeletons: Vec<Skeleton>,
    starts: Vec<Pose>,
    /// Bodies with equal skeletons share one, so that many bodies of one kind stay in the caches.
    shapes: Vec<Shape>,
    skins: Vec<Arc<Skin>>,
    bounds: Vec<Aabb>,
    /// The volume (m³) of each body, for its stiffness.
    volumes: Vec<f64>,
    start_distance: Option<f64>,
    nearby: CandidateCache,
    filter: Filter,
    kept: Option<StoredContacts>,
}

impl ShapeCache {
    /// Rebuilds what differs from `scene`.
    pub fn update(&mut self, scene: &Scene, pairs: Pairs) {
        let is_of = |(known, body): (&Skeleton, &Body)| {
            Arc::ptr_eq(&known.mesh, &body.skeleton.mesh) && known.offsets == body.skeleton.offsets
        };
        let is_same =
            self.skeletons.len() == scene.bodies.len() && self.skeletons.iter().zip(&scene.bodies).all(is_of);
        if !is_same {
            self.skeletons = scene.bodies.iter().map(|body| body.skeleton.clone()).collect();
            let (first, which) = distinct(&self.skeletons);
            let of = |&body: &usize| {
                let skeleton = &self.skeletons[body];
                (shape(skeleton), Arc::new(skin(&skeleton.mesh, pairs)))
            };
            let kinds: Vec<_> = first.par_iter().map(of).collect();
            (self.shapes, self.skins) = which.into_iter().map(|kind| kinds[kind].clone()).unzip();
            self.bounds = self.skeletons.iter().map(Skeleton::bounds).collect();
            self.volumes = scene.bodies.iter().map(volume).collect();
        }
        if !is_same || !self.filter.is_of(scene) {
            (self.filter, self.kept, self.nearby) = (Filter::of(scene), None, CandidateCache::default());
        }
        let starts = || scene.bodies.iter().map(|body| body.initial.pose);
        if !is_same || !self.starts.iter().copied().eq(starts()) {
            (self.starts, self.start_distance) = (starts().collect(), None);
        }
    }

    /// Returns the bounding box of each body, in its own frame (m).
    pub fn bounds(&self) -> &[Aabb] {
        &self.bounds
    }

    /// Returns the volume (m³) of each body, for its stiffness.
    pub fn volumes(&self) -> &[f64] {
        &self.volumes
    }

    /// Returns one shape, skin and box per body, and the cache of nearby pairs.
    pub fn parts(&mut self) -> (&[Shape], &[Arc<Skin>], &[Aabb], &mut CandidateCache) {
        (&self.shapes, &self.skins, &self.bounds, &mut self.nearby)
    }

    /// Keeps the contacts at the end of a step for the next one.
    pub fn keep(&mut self, kept: StoredContacts) {
        self.kept = Some(kept);
    }

    /// Returns the contacts at the end of the last step, once.
    pub fn take_kept(&mut self) -> Option<StoredContacts> {
        self.kept.take()
    }

    /// Returns a body as it is at time 0.
    pub fn resting(&self, body: usize) -> (&Shape, RigidMotion) {
        let pose = &self.starts[body];
        (&self.shapes[body], RigidMotion::at_rest(pose.position, pose.rotation))
    }

    /// Returns the smallest initial distance (m) between bodies that may collide; infinity if it is at least
    /// `reach` (m).
    ///
    /// # Errors
    /// [`BroadPhaseError`] when a coordinate is too large or not finite.
    pub fn start_distance(&mut self, scene: &Scene, reach: f64) -> Result<f64, BroadPhaseError> {
        if let Some(known) = self.start_distance {
            return Ok(known);
        }
        let bodies: Vec<(&Shape, Pose)> = self.shapes.iter().zip(self.starts.iter().copied()).collect();
        let found = proximity(&bodies, reach, |a, b| scene.can_collide(BodyId(a), BodyId(b)))?;
        let places: Vec<Placement> =
            self.starts.iter().map(|pose| Placement::new(pose, Coordinates::Local)).collect();
        let contacts = found.iter().map(|candidate| PrimitivePair::among(candidate, &self.shapes));
        let nearest =
            contacts.map(|c| c.distance(&places)).filter(|d| *d < reach).fold(f64::INFINITY, f64::min);
        self.start_distance = Some(nearest);
        Ok(nearest)
    }
}

/// Returns what collision detection knows of a body.
pub(crate) fn shape(skeleton: &Skeleton) -> Shape {
    Shape::rounded(skeleton.mesh.as_ref().clone(), skeleton.offsets.to_vec())
}

/// Returns the first body of each kind of skeleton, and the kind of each body: those of one kind are equal, bit by bit.
fn distinct(skeletons: &[Skeleton]) -> (Vec<usize>, Vec<usize>) {
    let (mut first, mut kinds) = (Vec::new(), BTreeMap::new());
    let mut kind = |(body, skeleton): (usize, &Skeleton)| {
        *kinds.entry(bits(skeleton)).or_insert_with(|| {
            first.push(body);
            first.len() - 1
        })
    };
    let which = skeletons.iter().enumerate().map(&mut kind).collect();
    (first, which)
}

/// Returns all that a skeleton consists of, as numbers.
fn bits(skeleton: &Skeleton) -> Vec<u64> {
    let mesh = &skeleton.mesh;
    let counts =
        [mesh.vertices().len(), mesh.triangles().len(), mesh.triangle_edges().len(), mesh.edges().len()];
    let indices = mesh.triangles().iter().flatten().chain(mesh.edges().iter().flatten()).chain(mesh.points());
    let counts = counts.into_iter().map(|count| count as u64);
    let offsets = skeleton.offsets.iter().map(|offset| offset.to_bits());
    let coordinates = mesh.vertices().iter().flatten().map(|x| x.to_bits()).chain(offsets);
    counts.chain(coordinates).chain(indices.map(|index| u64::from(*index))).collect()
}

/// What decides which bodies collide.
#[derive(Debug, Default)]
struct Filter {
    /// Group, layers and layers met of each body, and whether it is dynamic.
    bodies: Vec<([u32; 3], bool)>,
    contact_free: BTreeSet<(BodyId, BodyId)>,
}

impl Filter {
    fn of(scene: &Scene) -> Self {
        Self { bodies: scene.bodies.iter().map(key).collect(), contact_free: scene.contact_free.clone() }
    }

    fn is_of(&self, scene: &Scene) -> bool {
        self.bodies.iter().copied().eq(scene.bodies.iter().map(key))
            && self.contact_free == scene.contact_free
    }
}

fn key(body: &Body) -> ([u32; 3], bool) {
    ([body.group, body.layers, body.meets], body.is_dynamic())
}

fn skin(mesh: &Mesh, pairs: Pairs) -> Skin {
    match pairs {
        Pairs::All => Skin::plain(mesh),
        Pairs::Distinct => Skin::of(mesh),
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;
    use rigor_shapes::Cuboid;

    use super::*;

    #[test]
    fn only_equal_meshes_are_of_one_kind() {
        let cuboid =
            |x: f64| Arc::new(Cuboid { size: Vec3::new(x, 1.0, 1.0), segments: [1; 3] }.mesh().unwrap());
        let cube = cuboid(1.0);
        let reversed = Arc::new(cube.flipped());
        let meshes = [cube.clone(), cuboid(1.0 + f64::EPSILON), cuboid(1.0), reversed, cube];
        let mut skeletons = meshes.map(Skeleton::plain).to_vec();
        let round = Skeleton { offsets: vec![0.1; 8].into(), ..skeletons[0].clone() };
        skeletons.push(round);
        assert_eq!(distinct(&skeletons), (vec![0, 1, 3, 5], vec![0, 1, 0, 2, 0, 3]));
    }
}
