//! The trees of every body's primitives, built once a scene.

use std::sync::Arc;

use rigor_ccd::broad_phase::Shape;
use rigor_geometry::Mesh;
use rigor_scene::Scene;

/// The shapes of the last scene.
#[derive(Debug, Default)]
pub(crate) struct ShapeCache {
    meshes: Vec<Arc<Mesh>>,
    shapes: Vec<Shape>,
}

impl ShapeCache {
    /// One shape per body of `scene`.
    pub fn of(&mut self, scene: &Scene) -> &[Shape] {
        let is_same = self.meshes.len() == scene.bodies.len()
            && self.meshes.iter().zip(&scene.bodies).all(|(mesh, body)| Arc::ptr_eq(mesh, &body.mesh));
        if !is_same {
            self.meshes = scene.bodies.iter().map(|body| body.mesh.clone()).collect();
            self.shapes = self.meshes.iter().map(|mesh| Shape::new(mesh.as_ref().clone())).collect();
        }
        &self.shapes
    }
}
