//! What does not change of a body: its tree, its surface and its closed curves.

use std::sync::Arc;

use rigor_geometry::Mesh;
use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::containment::winding;
use rigor_math::Vec3;

use super::curves::curves;
use crate::certificate::shape::PrimitiveTree;
use crate::surface::shape::Shape;

/// Data computed once per mesh.
#[derive(Debug)]
pub(super) struct MeshData {
    pub(super) shape: PrimitiveTree,
    pub(super) surface: Arc<Shape>,
    /// Closed curves, as vertices of the mesh.
    pub(super) curves: Vec<Vec<u32>>,
    /// Radius (m) of the largest ball about the centre of mass in the body; 0 if the centre is outside.
    pub(super) inner: f64,
}

impl MeshData {
    pub(super) fn new(mesh: &Arc<Mesh>, surface: Arc<Shape>) -> Self {
        Self { shape: PrimitiveTree::new(mesh), surface, curves: curves(mesh), inner: inner(mesh) }
    }
}

fn inner(mesh: &Mesh) -> f64 {
    let centre = Vec3::zeros();
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
