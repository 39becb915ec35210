//! Bodies that intersect at the start of a run.

use rayon::prelude::*;
use rigor_ccd::broad_phase::proximity_between;
use rigor_geometry::intersection::{Relation, mesh_mesh};
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::Vec3;
use rigor_scene::{Body, BodyId, Scene, StepError};

use crate::contact::{PrimitivePair, points};
use crate::placement::Placement;
use crate::shapes::shape;

/// Relative error of a distance.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Refuses bodies whose surfaces cross, as no step could part them.
///
/// Distances do not show them: where an edge passes through the inside of a triangle, all primitives may be
/// far from each other. The test is exact for the rounded coordinates of the vertices. Of round parts, the distance from the centre
/// or axis decides, and that these cross nothing.
///
/// # Errors
/// [`StepError::Intersecting`] that names the first two.
pub(crate) fn refuse(scene: &Scene, places: &[Placement]) -> Result<(), StepError> {
    let placed = scene.bodies.iter().zip(places);
    let meshes: Vec<Mesh> =
        placed.map(|(body, place)| body.skeleton.mesh.map_vertices(|x_local| place.point(x_local))).collect();
    let around = |(body, mesh): (&Body, &Mesh)| mesh.bounds().grow(body.skeleton.max_offset());
    let bounds: Vec<Aabb> = scene.bodies.iter().zip(&meshes).map(around).collect();
    // The broad phase refuses coordinates that are not finite.
    let Ok(tree) = Bvh::new(&bounds) else { return Ok(()) };
    let mut pairs = tree.overlapping_pairs();
    pairs.sort_unstable();
    let crossing = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|body| body as usize);
        if !scene.can_collide(BodyId(a), BodyId(b)) {
            return None;
        }
        let contact = mesh_mesh::contact(&meshes[a], &meshes[b]);
        let crossing = contact.filter(|(how, _)| *how == Relation::Crossing).map(|(_, near)| near);
        crossing.or_else(|| overlap(scene, places, [a, b])).map(|near| ([a, b], near))
    };
    pairs.par_iter().find_map_first(crossing).map_or(Ok(()), |(pair, near)| Err(error(scene, pair, near)))
}

/// Returns a point (m) at which a round part of one body overlaps the other body, if there is one.
fn overlap(scene: &Scene, places: &[Placement], pair: [usize; 2]) -> Option<Vec3> {
    let skeletons = pair.map(|body| &scene.bodies[body].skeleton);
    if skeletons.iter().all(|skeleton| skeleton.is_plain()) {
        return None;
    }
    let shapes = skeletons.map(shape);
    let places = pair.map(|body| places[body]);
    // The broad phase refuses coordinates that are too large; so does the search for contacts.
    let near =
        proximity_between([(&shapes[0], places[0].pose()), (&shapes[1], places[1].pose())], 0.0).ok()?;
    near.iter().find_map(|candidate| {
        let pair = PrimitivePair::among(candidate, &shapes);
        let x = points(&pair, &places);
        let (weights, separation) = pair.nearest(&x);
        // Bodies that only touch are refused later, as too near.
        let size = x.iter().map(Vec3::amax).fold(pair.offset(), f64::max);
        let overlaps = pair.offset() - separation.norm() > ROUNDING * size;
        let normal = separation.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let touching = pair.surface_points(&weights, &normal, &places);
        (pair.offset() > 0.0 && overlaps).then(|| places[pair.bodies[1]].point(&touching[1]))
    })
}

fn error(scene: &Scene, pair: [usize; 2], near: Vec3) -> StepError {
    let names = pair.map(|body| scene.bodies[body].name.clone());
    StepError::Intersecting { bodies: pair.map(BodyId), names: Box::new(names), near }
}
