//! What does not change as bodies move, built once a scene.

use std::sync::Arc;

use rigor_ccd::broad_phase::Shape;
use rigor_geometry::Mesh;
use rigor_scene::Scene;

use crate::config::Pairs;
use crate::skin::Skin;

/// The shapes and skins of the last scene.
#[derive(Debug, Default)]
pub(crate) struct ShapeCache {
    meshes: Vec<Arc<Mesh>>,
    shapes: Vec<Shape>,
    skins: Vec<Skin>,
}

impl ShapeCache {
    /// One shape and one skin per body of `scene`.
    pub fn of(&mut self, scene: &Scene, pairs: Pairs) -> (&[Shape], &[Skin]) {
        let is_same = self.meshes.len() == scene.bodies.len()
            && self.meshes.iter().zip(&scene.bodies).all(|(mesh, body)| Arc::ptr_eq(mesh, &body.mesh));
        if !is_same {
            self.meshes = scene.bodies.iter().map(|body| body.mesh.clone()).collect();
            self.shapes = self.meshes.iter().map(|mesh| Shape::new(mesh.as_ref().clone())).collect();
            self.skins = self.meshes.iter().map(|mesh| skin(mesh, pairs)).collect();
        }
        (&self.shapes, &self.skins)
    }
}

fn skin(mesh: &Mesh, pairs: Pairs) -> Skin {
    match pairs {
        Pairs::All => Skin::plain(mesh),
        Pairs::Distinct => Skin::of(mesh),
    }
}
