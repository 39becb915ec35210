//! Surfaces of soft bodies: edges and triangles between particles.

use rigor_scene::{ParticleId, Scene, SoftBody};

/// A triangle of three particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Patch {
    pub corners: [usize; 3],
    /// Whether it is part of a closed surface around a solid block, counter-clockwise seen from outside.
    pub is_closed: bool,
}

/// All edges and triangles of a scene's soft bodies.
#[derive(Debug, Default)]
pub(super) struct Skin {
    /// Ascending within a soft body, each once.
    pub edges: Vec<[usize; 2]>,
    pub patches: Vec<Patch>,
    /// Soft bodies for which this was prepared.
    known: Vec<SoftBody>,
}

impl Skin {
    /// Prepares the surfaces of `scene`, unless they are unchanged.
    pub fn prepare(&mut self, scene: &Scene) {
        if self.known == scene.soft_bodies {
            return;
        }
        self.known.clone_from(&scene.soft_bodies);
        self.edges.clear();
        self.patches.clear();
        for soft in &scene.soft_bodies {
            let directed = soft.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
            let mut directed: Vec<[ParticleId; 2]> = directed.collect();
            directed.sort_unstable();
            let has_opposite = |[a, b]: &[ParticleId; 2]| directed.binary_search(&[*b, *a]).is_ok();
            let is_once = directed.windows(2).all(|pair| pair[0] != pair[1]);
            let is_closed = is_once && directed.iter().all(has_opposite);
            let all = directed.iter().chain(&soft.edges);
            let mut edges: Vec<[usize; 2]> = all.map(|[a, b]| [a.0.min(b.0), a.0.max(b.0)]).collect();
            edges.sort_unstable();
            edges.dedup();
            self.edges.extend(edges);
            let corners = soft.triangles.iter().map(|triangle| triangle.map(|id| id.0));
            self.patches.extend(corners.map(|corners| Patch { corners, is_closed }));
        }
    }
}
