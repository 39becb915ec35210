//! Bodies that intersect at the start of a run.

use rayon::prelude::*;
use rigor_geometry::intersection::{Relation, mesh_mesh};
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::Vec3;
use rigor_scene::{BodyId, Scene, StepError};

use crate::placement::Placement;

/// Refuses bodies whose surfaces cross, as no step could part them.
///
/// Distances do not show them: where an edge passes through the inside of a triangle, all primitives may be
/// far from each other. The test is exact for the rounded coordinates of the vertices.
///
/// # Errors
/// [`StepError::Intersecting`] that names the first two.
pub(crate) fn refuse(scene: &Scene, places: &[Placement]) -> Result<(), StepError> {
    let placed = scene.bodies.iter().zip(places);
    let meshes: Vec<Mesh> =
        placed.map(|(body, place)| body.mesh.map_vertices(|x_local| place.point(x_local))).collect();
    let bounds: Vec<Aabb> = meshes.iter().map(Mesh::bounds).collect();
    // The broad phase refuses coordinates that are not finite.
    let Ok(tree) = Bvh::new(&bounds) else { return Ok(()) };
    let mut pairs = tree.overlapping_pairs();
    pairs.sort_unstable();
    let crossing = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|body| body as usize);
        let contact =
            scene.can_collide(BodyId(a), BodyId(b)).then(|| mesh_mesh::contact(&meshes[a], &meshes[b]));
        contact.flatten().filter(|(how, _)| *how == Relation::Crossing).map(|(_, near)| ([a, b], near))
    };
    pairs.par_iter().find_map_first(crossing).map_or(Ok(()), |(pair, near)| Err(error(scene, pair, near)))
}

fn error(scene: &Scene, pair: [usize; 2], near: Vec3) -> StepError {
    let names = pair.map(|body| scene.bodies[body].name.clone());
    StepError::Intersecting { bodies: pair.map(BodyId), names: Box::new(names), near }
}
