//! Translation of shapes.

use rigor_geometry::{Mesh, MeshError};
use rigor_math::Vec3;
use rigor_shapes::ShapeError;

use super::super::at::At;
use super::super::document::geometry::{CloseName, NestedName};
use super::super::document::{MeshShape, Scale, ShapeEntry};
use super::super::error::{SceneError, Warning};
use super::super::mesh::{Nested, facing_outwards, fill, resolve};
use super::geometry::procedural;
use super::library::{Library, told};
use super::placement;
use rigor_scene::PartKind;
use rigor_scene::build::PlacedShape;

/// Meshes with vertices × triangles above this are not tested for convexity.
const MAX_CONVEXITY_TESTS: usize = 100_000_000;

/// Converts `entry`, written at `at`, to a shape.
///
/// # Errors
/// Not exactly one geometry, or one with invalid parameters or an invalid mesh.
pub fn placed(
    entry: &ShapeEntry,
    at: &At<'_>,
    library: &mut Library<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<PlacedShape, SceneError> {
    let (mesh, kind) = geometry(entry, at, library, warnings)?;
    let (mesh, kind) = scaled(mesh, kind, entry.scale, &at.join("scale"))?;
    let kind = if entry.round { round(entry, at)? } else { kind };
    Ok(PlacedShape { mesh, kind, pose: placement::pose(&entry.placement(), at)? })
}

/// Returns the round solid of a scaled sphere or capsule.
fn round(entry: &ShapeEntry, at: &At<'_>) -> Result<PartKind, SceneError> {
    let [x, y, z] = entry.scale.axes().map(f64::abs);
    if x != y || y != z {
        let message = "a round shape needs the same factor along x, y and z".to_owned();
        return Err(at
            .join("scale")
            .finding(message)
            .with_help("leave out `round`: its mesh can be stretched")
            .into());
    }
    let sphere = entry.sphere.as_ref().map(|shape| shape.radius);
    let icosphere = entry.icosphere.as_ref().map(|shape| shape.radius);
    if let Some(radius) = sphere.or(icosphere) {
        return Ok(PartKind::Ball { radius: radius * x });
    }
    match &entry.capsule {
        Some(shape) => {
            Ok(PartKind::Capsule { radius: shape.radius * x, half_length: 0.5 * shape.length * x })
        }
        None => {
            let message = "only `sphere`, `icosphere` and `capsule` can be round".to_owned();
            Err(at.join("round").finding(message).with_help("leave out `round`").into())
        }
    }
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
    let chosen =
        procedural.into_iter().find_map(|(_, geometry)| geometry).expect("one key is set, and not mesh");
    chosen.build().map_err(|error| parameter_error(&error, &here))
}

/// Reports a parameter at its place: `size.y` is `size[1]`, `thread.pitch` is `thread.pitch`, an angle has
/// `_deg` in its key.
fn parameter_error(error: &ShapeError, at: &At<'_>) -> SceneError {
    let ShapeError::Parameter { parameter, value, allowed, .. } = error else {
        return at.error(error.to_string());
    };
    let (key, inner) = parameter.split_once('.').unwrap_or((parameter, ""));
    let in_degrees = at.join(format!("{key}_deg").as_str());
    if in_degrees.is_written() {
        return in_degrees.error(format!("expected {allowed}, found {value} (in radians)"));
    }
    let here = if at.join(key).is_written() { at.join(key) } else { at.clone() };
    // A pair has the axes x and z.
    let axes: &[&str] = if here.n_items() == Some(2) { &["x", "z"] } else { &["x", "y", "z"] };
    let here = match axes.iter().position(|name| *name == inner) {
        Some(index) if here.n_items().is_some() => here.join(index),
        _ if here.join(inner).is_written() => here.join(inner),
        _ => here,
    };
    here.error(format!("expected {allowed}, found {value}"))
}

fn authored(
    shape: &MeshShape,
    at: &At<'_>,
    library: &mut Library<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<(Mesh, PartKind), SceneError> {
    let mut notes = Vec::new();
    let (mesh, may_nest) = match (&shape.file, &shape.vertices) {
        (Some(file), None) if shape.triangles.is_empty() && shape.edges.is_empty() => {
            let here = at.join("file");
            match shape.component {
                None => {
                    let source = library.get(file, &here, warnings)?;
                    (source.mesh.clone(), source.nested > 0 || shape.close.is_some())
                }
                Some(index) => {
                    let component =
                        component(&library.components(file, &here, warnings)?, index, &at.join("component"))?;
                    (component, false)
                }
            }
        }
        (None, Some(_)) if shape.component.is_none() => (written_out(shape, at)?, true),
        _ => return Err(at.error("expected either `file`, or `vertices` with `triangles` and `edges`")),
    };
    let fail = |error: MeshError| at.error(error.to_string());
    let mesh = match shape.close {
        None => mesh,
        Some(CloseName::Fill) => match fill(&mesh).map_err(fail)? {
            None => mesh,
            Some((closed, note)) => {
                notes.push(note);
                closed
            }
        },
    };
    let rule = match shape.nested {
        None | Some(NestedName::Solid) => Nested::Solid,
        Some(NestedName::Void) => Nested::Void,
    };
    let mesh = if may_nest {
        let (mesh, note) = resolve(&mesh, rule).map_err(fail)?;
        notes.extend(note);
        mesh
    } else {
        mesh
    };
    let whose = shape.file.as_deref().unwrap_or("the mesh");
    warnings.extend(notes.iter().map(|note| told(note, whose, at)));
    let kind = kind_of(&mesh);
    Ok((mesh, kind))
}

/// Determines what is known about a mesh.
fn kind_of(mesh: &Mesh) -> PartKind {
    let n_tests = mesh.vertices().len().saturating_mul(mesh.triangles().len());
    if n_tests <= MAX_CONVEXITY_TESTS && mesh.is_convex() { PartKind::Convex } else { PartKind::Concave }
}

/// Returns the connected components of a shape, each in its place.
pub fn components(shape: &PlacedShape) -> Vec<PlacedShape> {
    if shape.kind.is_round() {
        return vec![shape.clone()];
    }
    let part = |mesh: Mesh| {
        // A hollow alone is a body.
        let mesh = facing_outwards(&mesh).unwrap_or(mesh);
        PlacedShape { kind: kind_of(&mesh), mesh, pose: shape.pose }
    };
    shape.mesh.split_components().into_iter().map(|component| part(component.mesh)).collect()
}

fn component(components: &[Mesh], index: u32, at: &At<'_>) -> Result<Mesh, SceneError> {
    let n = components.len();
    let message = || format!("expected a number below {n}, the number of components, found {index}");
    components.get(index as usize).cloned().ok_or_else(|| at.error(message()))
}

fn written_out(shape: &MeshShape, at: &At<'_>) -> Result<Mesh, SceneError> {
    let vertices = shape.vertices.iter().flatten().map(|v| Vec3::from(*v)).collect();
    Mesh::new(vertices, shape.triangles.clone(), shape.edges.clone()).map_err(|error| {
        let key = |kind: &str| if kind == "triangle" { "triangles" } else { "edges" };
        let place = match &error {
            MeshError::NotFinite { vertex, .. } => at.join("vertices").join(*vertex),
            MeshError::IndexOutOfRange { kind, index, .. } | MeshError::Degenerate { kind, index, .. } => {
                at.join(key(kind)).join(*index)
            }
            _ => at.join("vertices"),
        };
        place.error(error.to_string())
    })
}

/// Returns the mesh scaled along its axes; negative factors mirror it.
fn scaled(mesh: Mesh, kind: PartKind, scale: Scale, at: &At<'_>) -> Result<(Mesh, PartKind), SceneError> {
    match scale {
        Scale::Uniform(factor) => {
            at.non_zero(factor)?;
        }
        Scale::Axes(factors) => {
            for (axis, factor) in factors.into_iter().enumerate() {
                at.join(axis).non_zero(factor)?;
            }
        }
    }
    if scale.axes() == [1.0; 3] {
        return Ok((mesh, kind));
    }
    let factors = Vec3::from(scale.axes());
    let mesh = mesh.stretched(&factors);
    let mesh = Mesh::new(mesh.vertices().to_vec(), mesh.triangles().to_vec(), mesh.wires().to_vec())
        .map_err(|error| at.error(error.to_string()))?;
    let kind = match kind {
        PartKind::Box { half_extents } => {
            PartKind::Box { half_extents: half_extents.component_mul(&factors.abs()) }
        }
        other => other,
    };
    Ok((mesh, kind))
}
