//! Conversion of the parts of a body to shapes of the engine.

use rapier3d_f64::math::Vector;
use rapier3d_f64::parry::shape::{TriMeshBuilderError, TriMeshFlags};
use rapier3d_f64::prelude::ColliderBuilder;
use rigor_geometry::Mesh;
use rigor_math::Vec3;
use rigor_scene::{Body, Part, PartKind};

use super::config::Concave;

/// A part of a body that the engine rejects.
#[derive(Debug, thiserror::Error)]
pub(super) enum ShapeError {
    #[error("rapier finds no convex hull of its vertices")]
    NoHull,
    #[error("rapier refuses its triangles: {source}")]
    Triangles { source: TriMeshBuilderError },
}

/// Builds a collider without mass for `part`: a cuboid, ball or capsule, the convex hull of its vertices, its triangles or
/// convex pieces.
///
/// Closed meshes are one-sided with internal edges smoothed, open ones two-sided, as the engine's
/// documentation recommends. Poses are in the body's principal frame.
///
/// # Errors
/// [`ShapeError`] when the engine rejects the geometry.
pub(super) fn collider(body: &Body, part: &Part, concave: Concave) -> Result<ColliderBuilder, ShapeError> {
    let builder = match &part.kind {
        PartKind::Box { half_extents: h } => {
            let pose = super::pose::to_engine(&part.pose);
            return Ok(ColliderBuilder::cuboid(h.x, h.y, h.z).position(pose).density(0.0));
        }
        PartKind::Ball { radius } => {
            let pose = super::pose::to_engine(&part.pose);
            return Ok(ColliderBuilder::ball(*radius).position(pose).density(0.0));
        }
        PartKind::Capsule { radius, half_length } => {
            let pose = super::pose::to_engine(&part.pose);
            return Ok(ColliderBuilder::capsule_y(*half_length, *radius).position(pose).density(0.0));
        }
        PartKind::Convex => ColliderBuilder::convex_hull(&vertices(body, part)).ok_or(ShapeError::NoHull)?,
        PartKind::Concave if concave == Concave::Decomposition => {
            ColliderBuilder::convex_decomposition(&vertices(body, part), &triangles(body, part))
        }
        PartKind::Concave => ColliderBuilder::trimesh_with_flags(
            vertices(body, part),
            triangles(body, part),
            flags(body, part),
        )
        .map_err(|source| ShapeError::Triangles { source })?,
    };
    Ok(builder.density(0.0))
}

fn vertices(body: &Body, part: &Part) -> Vec<Vector> {
    body.mesh.vertices()[part.vertices.clone()].iter().map(|v| Vector::new(v.x, v.y, v.z)).collect()
}

fn triangles(body: &Body, part: &Part) -> Vec<[u32; 3]> {
    let first = part.vertices.start as u32;
    body.mesh.triangles()[part.triangles.clone()].iter().map(|t| t.map(|v| v - first)).collect()
}

fn flags(body: &Body, part: &Part) -> TriMeshFlags {
    let vertices: Vec<Vec3> = body.mesh.vertices()[part.vertices.clone()].to_vec();
    let closed = Mesh::new(vertices, triangles(body, part), Vec::new()).is_ok_and(|mesh| mesh.is_closed());
    if closed {
        TriMeshFlags::ORIENTED | TriMeshFlags::FIX_INTERNAL_EDGES
    } else {
        TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED
    }
}
