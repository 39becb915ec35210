//! What does not change of a body: its tree, its surface and its closed curves.

use std::sync::Arc;

use rigor_geometry::Mesh;

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
}

impl MeshData {
    pub(super) fn new(mesh: &Arc<Mesh>, surface: Arc<Shape>) -> Self {
        Self { shape: PrimitiveTree::new(mesh), surface, curves: curves(mesh) }
    }
}
