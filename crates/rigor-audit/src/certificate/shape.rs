//! The skeleton of a body in its own frame, for the certificate.

use std::sync::Arc;

use rigor_geometry::intersection::Relation;
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::{Pose, Vec3};
use rigor_scene::Skeleton;

use super::interval::{Interval, Vector, norm, plus, points, times};
use super::placement::Placement;
use super::spot::Spot;
use crate::separation::distance;
use crate::surface::Primitive;
use crate::surface::shape::{boxes, corners};

/// Triangles, wires and single points of a body, each the convex hull of its vertices, grown by its offset ρ, with a tree over
/// them.
#[derive(Debug)]
pub(crate) struct PrimitiveTree {
    mesh: Arc<Mesh>,
    /// ρ (m) of each vertex; empty if all are 0.
    offsets: Arc<[f64]>,
    /// The largest ρ (m).
    pub max_offset: f64,
    /// Every vertex.
    pub all: Vec<u32>,
    /// Maximum distance (m) of a point of the body from the centre of mass.
    pub radius: f64,
    /// Maximum distance (m) of a vertex from the centre of mass: by how much per radian a turn moves the body. The ball about a
    /// vertex is the same however it turned.
    pub arm: f64,
    /// The box around the body.
    bounds: Vector,
    /// The box around the vertices.
    core: Vector,
    /// Over all primitives, grown by ρ, in the frame of the body.
    pub tree: Bvh,
}

impl PrimitiveTree {
    pub fn new(skeleton: &Skeleton) -> Self {
        let vertices = skeleton.mesh.vertices();
        let (boxes, bounds, core) = (boxes(skeleton), skeleton.bounds(), skeleton.mesh.bounds());
        let around = |of: &Aabb| std::array::from_fn(|k| Interval { lo: of.min[k], hi: of.max[k] });
        let norms = || vertices.iter().map(|x| norm(&points(x)));
        let reach = |(v, away): (usize, Interval)| (away + Interval::point(skeleton.offset(v))).hi;
        let arm = norms().map(|away| away.hi).fold(0.0, f64::max);
        let radius =
            if skeleton.is_plain() { arm } else { norms().enumerate().map(reach).fold(0.0, f64::max) };
        Self {
            mesh: Arc::clone(&skeleton.mesh),
            offsets: Arc::clone(&skeleton.offsets),
            max_offset: skeleton.max_offset(),
            all: (0..vertices.len() as u32).collect(),
            radius,
            arm,
            bounds: around(&bounds),
            core: around(&core),
            tree: Bvh::new(&boxes).expect("boxes of a mesh's primitives are finite"),
        }
    }

    pub fn vertex(&self, index: u32) -> &Vec3 {
        &self.mesh.vertices()[index as usize]
    }

    /// ρ (m) of a vertex.
    pub fn offset(&self, vertex: u32) -> f64 {
        self.offsets.get(vertex as usize).copied().unwrap_or(0.0)
    }

    /// ρ (m) of a primitive.
    pub fn offset_of(&self, primitive: u32) -> f64 {
        if self.is_plain() { 0.0 } else { self.offset(self.corners(primitive)[0]) }
    }

    /// Whether no part is round.
    pub fn is_plain(&self) -> bool {
        self.offsets.is_empty()
    }

    /// Returns a box (m, world) that contains the placed body.
    pub fn bounds_at(&self, place: &Placement) -> Aabb {
        let bounds = plus(&times(&place.rotation, &self.bounds), &place.position);
        Aabb { min: bounds.map(|x| x.lo).into(), max: bounds.map(|x| x.hi).into() }
    }

    /// As [`PrimitiveTree::bounds_at`] for any matrix: that of a rotation contains a ball, which that of a strain may not.
    pub fn affine_bounds_at(&self, place: &Placement) -> Aabb {
        let bounds = plus(&times(&place.rotation, &self.core), &place.position);
        let rho = Interval::point(self.max_offset);
        let [min, max] = [bounds.map(|x| (x - rho).lo), bounds.map(|x| (x + rho).hi)];
        Aabb { min: min.into(), max: max.into() }
    }

    /// Returns the vertices of these primitives, ascending, each once.
    pub fn vertices_of(&self, primitives: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut vertices: Vec<u32> =
            primitives.flat_map(|p| corners(&self.mesh, p as usize).iter().copied()).collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }

    /// The vertices of a primitive.
    pub fn corners(&self, primitive: u32) -> &[u32] {
        corners(&self.mesh, primitive as usize)
    }

    /// Returns whether a primitive and one of `other`, both rounded and grown by ρ, have a common point.
    pub fn touches(&self, [i, j]: [u32; 2], other: &Self, [spot, others]: [&Spot; 2]) -> bool {
        let (p, q) = (self.primitive_at(i, spot), other.primitive_at(j, others));
        let rho = self.offset_of(i) + other.offset_of(j);
        if rho > 0.0 { distance(&p, &q) <= rho } else { p.contact(&q) != Relation::Disjoint }
    }

    /// Returns a primitive in the world (m), rounded, without its offset.
    pub fn primitive(&self, index: u32, pose: &Pose) -> Primitive {
        self.placed(index, |x| pose.point(x))
    }

    /// As [`PrimitiveTree::primitive`].
    pub fn primitive_at(&self, index: u32, spot: &Spot) -> Primitive {
        self.placed(index, |x| spot.point(x))
    }

    fn placed(&self, index: u32, place: impl Fn(&Vec3) -> Vec3) -> Primitive {
        let at = |v: u32| place(self.vertex(v));
        match *self.corners(index) {
            [a, b, c] => Primitive::Triangle([at(a), at(b), at(c)]),
            [a, b] => Primitive::Wire([at(a), at(b)]),
            ref point => Primitive::Point(at(point[0])),
        }
    }
}
