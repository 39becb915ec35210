//! The surface of a body in its own frame, for the certificate.

use std::sync::Arc;

use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::{Pose, Vec3};

use super::interval::{Interval, Vector, norm, plus, points, times};
use super::placement::Placement;
use crate::surface::Primitive;
use crate::surface::shape::{corners, count};

/// Triangles, wires and single points of a body, each the convex hull of its vertices, with a tree over them.
#[derive(Debug)]
pub(crate) struct PrimitiveTree {
    mesh: Arc<Mesh>,
    /// Every vertex.
    pub all: Vec<u32>,
    /// Maximum distance (m) of a vertex from the centre of mass.
    pub radius: f64,
    /// The box around all vertices.
    bounds: Vector,
    /// Over all primitives, in the frame of the body.
    pub tree: Bvh,
}

impl PrimitiveTree {
    pub fn new(mesh: &Arc<Mesh>) -> Self {
        let (n, vertices) = (count(mesh), mesh.vertices());
        let boxes: Vec<Aabb> = (0..n)
            .map(|i| Aabb::of_points(corners(mesh, i).iter().map(|v| &vertices[*v as usize])))
            .collect();
        let bounds = mesh.bounds();
        Self {
            mesh: Arc::clone(mesh),
            all: (0..vertices.len() as u32).collect(),
            radius: vertices.iter().map(|v| norm(&points(v)).hi).fold(0.0, f64::max),
            bounds: std::array::from_fn(|k| Interval { lo: bounds.min[k], hi: bounds.max[k] }),
            tree: Bvh::new(&boxes).expect("boxes of a mesh's primitives are finite"),
        }
    }

    pub fn vertex(&self, index: u32) -> &Vec3 {
        &self.mesh.vertices()[index as usize]
    }

    /// Returns a box (m, world) that contains the placed body.
    pub fn bounds_at(&self, place: &Placement) -> Aabb {
        let bounds = plus(&times(&place.rotation, &self.bounds), &place.position);
        Aabb { min: bounds.map(|x| x.lo).into(), max: bounds.map(|x| x.hi).into() }
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

    /// Returns a primitive in the world (m), rounded.
    pub fn primitive(&self, index: u32, pose: &Pose) -> Primitive {
        let at = |v: u32| pose.point(self.vertex(v));
        match *self.corners(index) {
            [a, b, c] => Primitive::Triangle([at(a), at(b), at(c)]),
            [a, b] => Primitive::Wire([at(a), at(b)]),
            ref point => Primitive::Point(at(point[0])),
        }
    }
}
