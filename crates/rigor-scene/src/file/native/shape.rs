//! Shapes.

use rigor_geometry::shapes::{self, ShapeError};
use rigor_geometry::{Mesh, MeshError};
use rigor_math::Vec3;

use super::super::at::At;
use super::super::document::geometry::{
    BoxShape, CylinderShape, IcosphereShape, MeshShape, PlaneShape, SphereShape,
};
use super::super::document::{Scale, ShapeEntry};
use super::super::error::{SceneError, Warning};
use super::library::Library;
use super::placement;
use crate::body::PartKind;
use crate::build::PlacedShape;

/// Meshes for which vertices × triangles is more than this are not looked at for convexity.
const MAX_CONVEXITY_TESTS: usize = 100_000_000;

/// The shape that `entry`, written at `at`, stands for.
///
/// # Errors
/// Not exactly one geometry, or one whose parameters or mesh make no sense.
pub fn placed(
    entry: &ShapeEntry,
    at: &At<'_>,
    library: &mut Library<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<PlacedShape, SceneError> {
    let (mesh, kind) = geometry(entry, at, library, warnings)?;
    let (mesh, kind) = scaled(mesh, kind, entry.scale, &at.join("scale"))?;
    Ok(PlacedShape { mesh, kind, pose: placement::pose(&entry.placement(), at)? })
}

fn geometry(
    entry: &ShapeEntry,
    at: &At<'_>,
    library: &mut Library<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<(Mesh, PartKind), SceneError> {
    let procedural = procedural(entry);
    let mut keys: Vec<&str> = procedural.iter().filter(|(_, g)| g.is_some()).map(|(key, _)| *key).collect();
    keys.extend(entry.mesh.as_ref().map(|_| "mesh"));
    let key = match keys[..] {
        [key] => key,
        [first, second, ..] => {
            let message = format!("expected one geometry, found `{first}` and `{second}`");
            return Err(at.join(second).error(message));
        }
        [] => {
            let known: Vec<_> = procedural.iter().map(|(key, _)| *key).chain(["mesh"]).collect();
            return Err(at.error(format!("the shape has no geometry: expected one of {}", known.join(", "))));
        }
    };
    let here = at.join(key);
    if let Some(mesh) = &entry.mesh {
        return authored(mesh, &here, library, warnings);
    }
    let chosen = procedural.into_iter().find_map(|(_, geometry)| geometry).expect("one key is set, and not mesh");
    chosen.build().map_err(|error| parameter_error(&error, &here))
}

/// A geometry that a few numbers describe.
trait Geometry {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError>;
}

fn procedural(entry: &ShapeEntry) -> Vec<(&'static str, Option<&dyn Geometry>)> {
    fn this<G: Geometry>(geometry: &Option<G>) -> Option<&dyn Geometry> {
        geometry.as_ref().map(|g| g as &dyn Geometry)
    }
    vec![
        ("box", this(&entry.box_)),
        ("sphere", this(&entry.sphere)),
        ("icosphere", this(&entry.icosphere)),
        ("plane", this(&entry.plane)),
        ("cylinder", this(&entry.cylinder)),
    ]
}

impl Geometry for BoxShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let size = Vec3::from(self.size);
        let mesh = shapes::Cuboid { size, segments: self.segments }.mesh()?;
        Ok((mesh, PartKind::Box { half_extents: 0.5 * size }))
    }
}

impl Geometry for SphereShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let Self { radius, segments, rings } = *self;
        Ok((shapes::UvSphere { radius, segments, rings }.mesh()?, PartKind::Convex))
    }
}

impl Geometry for IcosphereShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let Self { radius, subdivisions } = *self;
        Ok((shapes::Icosphere { radius, subdivisions }.mesh()?, PartKind::Convex))
    }
}

impl Geometry for PlaneShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let Self { size, segments } = *self;
        Ok((shapes::Plane { size, segments }.mesh()?, PartKind::Concave))
    }
}

impl Geometry for CylinderShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let Self { radius, height, segments } = *self;
        Ok((shapes::Cylinder { radius, height, segments }.mesh()?, PartKind::Convex))
    }
}

/// The place of a parameter: `size.y` is `size[1]`.
fn parameter_error(error: &ShapeError, at: &At<'_>) -> SceneError {
    let ShapeError::Parameter { parameter, value, allowed, .. } = error else {
        return at.error(error.to_string());
    };
    let (key, axis) = parameter.split_once('.').unwrap_or((parameter, ""));
    let here = at.join(key);
    let here = match ["x", "y", "z"].iter().position(|name| *name == axis) {
        Some(index) => here.join(index),
        None => here,
    };
    here.error(format!("expected {allowed}, found {value}"))
}

fn authored(
    shape: &MeshShape,
    at: &At<'_>,
    library: &mut Library<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<(Mesh, PartKind), SceneError> {
    let mesh = match (&shape.file, &shape.vertices) {
        (Some(file), None) if shape.triangles.is_empty() && shape.edges.is_empty() => {
            let whole = &library.get(file, &at.join("file"), warnings)?.mesh;
            match shape.component {
                None => whole.clone(),
                Some(index) => component(whole, index, &at.join("component"))?,
            }
        }
        (None, Some(_)) if shape.component.is_none() => written_out(shape, at)?,
        _ => return Err(at.error("expected either `file`, or `vertices` with `triangles` and `edges`")),
    };
    let kind = if is_convex(&mesh) { PartKind::Convex } else { PartKind::Concave };
    Ok((mesh, kind))
}

fn is_convex(mesh: &Mesh) -> bool {
    mesh.vertices().len().saturating_mul(mesh.triangles().len()) <= MAX_CONVEXITY_TESTS && mesh.is_convex()
}

fn component(whole: &Mesh, index: u32, at: &At<'_>) -> Result<Mesh, SceneError> {
    let parts = whole.split_components();
    let n = parts.len();
    let message = || format!("expected a number below {n}, the count of components, found {index}");
    parts.into_iter().nth(index as usize).map(|part| part.mesh).ok_or_else(|| at.error(message()))
}

fn written_out(shape: &MeshShape, at: &At<'_>) -> Result<Mesh, SceneError> {
    let vertices = shape.vertices.iter().flatten().map(|v| Vec3::from(*v)).collect();
    Mesh::new(vertices, shape.triangles.clone(), shape.edges.clone()).map_err(|error| {
        let key = |kind: &str| if kind == "triangle" { "triangles" } else { "edges" };
        let place = match &error {
            MeshError::Empty => at.join("vertices"),
            MeshError::NotFinite { vertex, .. } => at.join("vertices").join(*vertex),
            MeshError::IndexOutOfRange { kind, index, .. } | MeshError::Degenerate { kind, index, .. } => {
                at.join(key(kind)).join(*index)
            }
        };
        place.error(error.to_string())
    })
}

fn scaled(mesh: Mesh, kind: PartKind, scale: Scale, at: &At<'_>) -> Result<(Mesh, PartKind), SceneError> {
    match scale {
        Scale::Uniform(factor) => {
            at.positive(factor)?;
        }
        Scale::Axes(factors) => {
            for (axis, factor) in factors.into_iter().enumerate() {
                at.join(axis).positive(factor)?;
            }
        }
    }
    if scale.axes() == [1.0; 3] {
        return Ok((mesh, kind));
    }
    let factors = Vec3::from(scale.axes());
    let vertices = mesh.vertices().iter().map(|v| v.component_mul(&factors)).collect();
    let mesh = Mesh::new(vertices, mesh.triangles().to_vec(), mesh.wires().to_vec())
        .map_err(|error| at.error(error.to_string()))?;
    let kind = match kind {
        PartKind::Box { half_extents } => PartKind::Box { half_extents: half_extents.component_mul(&factors) },
        other => other,
    };
    Ok((mesh, kind))
}
