//! What does not change of a body: its tree, its surface and its closed curves.

use std::sync::Arc;

use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::containment::winding;
use rigor_math::{Pose, Vec3};
use rigor_scene::Skeleton;

use super::curves::curves;
use crate::certificate::shape::PrimitiveTree;
use crate::separation::separation;
use crate::surface::Primitive;
use crate::surface::shape::Shape;

/// Data computed once per skeleton.
#[derive(Debug)]
pub(super) struct MeshData {
    pub(super) shape: PrimitiveTree,
    pub(super) surface: Arc<Shape>,
    /// Closed curves, as vertices of the skeleton; round parts have none.
    pub(super) curves: Vec<Vec<u32>>,
    /// Radius (m) of the largest ball about the centre of mass in the body; 0 if the centre is outside.
    pub(super) inner: f64,
}

impl MeshData {
    pub(super) fn new(skeleton: &Skeleton, surface: Arc<Shape>) -> Self {
        let shape = PrimitiveTree::new(skeleton);
        let inner = enclosed(skeleton).max(in_rounds(&shape));
        Self { shape, surface, curves: curves(&skeleton.mesh), inner }
    }

    /// The data of the body that has got the shape `surface` by a strain.
    pub(super) fn strained(&self, surface: Arc<Shape>) -> Self {
        let skeleton = surface.skeleton();
        let shape = PrimitiveTree::new(&skeleton);
        let inner = enclosed(&skeleton).max(in_rounds(&shape));
        Self { shape, surface, curves: self.curves.clone(), inner }
    }
}

/// Returns the radius (m) of the largest ball about the centre of mass in a round part; 0 if there is none.
fn in_rounds(shape: &PrimitiveTree) -> f64 {
    let (centre, body) = (Primitive::Point(Vec3::zeros()), Pose::identity());
    let of = |i: u32| shape.offset_of(i) - separation(&centre, &shape.primitive(i, &body)).norm();
    let n_primitives = if shape.is_plain() { 0 } else { shape.tree.len() as u32 };
    (0..n_primitives).map(of).fold(0.0, f64::max)
}

/// Returns the radius (m) of the largest ball about the centre of mass in the solid that the triangles bound; 0 if the centre is
/// outside.
fn enclosed(skeleton: &Skeleton) -> f64 {
    let (centre, mesh) = (Vec3::zeros(), &skeleton.mesh);
    let vertices = mesh.vertices();
    if winding(&centre, vertices, mesh.triangles()).is_none_or(|turns| turns == 0) {
        return 0.0;
    }
    let to = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|v| vertices[v as usize]);
        point_triangle::distance_sq(&centre, &a, &b, &c)
    };
    mesh.triangles().iter().map(to).fold(f64::INFINITY, f64::min).sqrt()
}
