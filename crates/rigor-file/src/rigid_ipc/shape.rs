//! The mesh of a body and its placement in the body frame.

use std::sync::Arc;

use rigor_geometry::Mesh;
use rigor_geometry::split::Part;
use rigor_math::Vec3;

use super::super::at::At;
use super::super::error::{SceneError, Warning};
use super::super::native::{Library, MeshSource};
use super::dialect::Dialect;
use super::draft::Draft;
use super::field::Field;

/// A mesh from a file or given explicitly, scaled and moved.
pub struct BodyMesh<'a> {
    /// The source for places in messages: the name of the file, or the body.
    pub source: Field<'a>,
    /// Factors along x, y, z, applied first; negative ones mirror.
    pub scale: [f64; 3],
    position: [f64; 3],
    mesh: Source,
}

enum Source {
    /// Its name, and the mesh.
    File(String, Arc<MeshSource>),
    WrittenOut(Mesh),
}

impl<'a> BodyMesh<'a> {
    /// Reads the shape of `body`.
    ///
    /// # Errors
    /// A value of the wrong type, or a mesh that cannot be read.
    pub fn new(
        body: &Field<'a>,
        dialect: Dialect,
        library: &mut Library<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, SceneError> {
        let (source, mesh) = match body.get("mesh").filter(|mesh| mesh.text() != Ok("")) {
            Some(file) => {
                let path = file.path().0.iter().cloned();
                let at = path.fold(At::root(body.tree()), |at, segment| at.join(segment));
                let name = dialect.mesh(body)?;
                let mesh = library.get(&name, &at, warnings)?;
                (file, Source::File(name.into_owned(), mesh))
            }
            None => (body.clone(), Source::WrittenOut(written_out(body)?)),
        };
        let (scale, position) = scale(body, mesh.mesh())?;
        Ok(Self { source, scale, position, mesh })
    }

    /// Returns the mesh as given, without scaling.
    pub fn mesh(&self) -> &Mesh {
        self.mesh.mesh()
    }

    /// Returns the native shape of one component or of all.
    ///
    /// # Errors
    /// A value of the wrong type.
    pub fn native(&self, body: &Field<'_>, component: Option<(usize, &Part)>) -> Result<Draft, SceneError> {
        let mut mesh = Draft::new(&self.source);
        match (&self.mesh, component) {
            (Source::File(name, _), _) => {
                mesh.set("file", &**name, None);
                if let Some((index, _)) = component {
                    mesh.set("component", index as i64, body.get("split_components").as_ref());
                }
            }
            (Source::WrittenOut(whole), None) => write_out(whole, body, &mut mesh),
            (Source::WrittenOut(_), Some((_, part))) => write_out(&part.mesh, body, &mut mesh),
        }
        let mut shape = Draft::new(&self.source);
        shape.set("mesh", mesh, None);
        if self.scale != [1.0; 3] {
            let source = body.get("dimensions").or_else(|| body.get("scale"));
            shape.set("scale", self.scale, source.as_ref());
        }
        if self.position != [0.0; 3] {
            shape.set("position", self.position, body.get("dimensions").as_ref());
        }
        Ok(shape)
    }
}

impl Source {
    fn mesh(&self) -> &Mesh {
        match self {
            Self::File(_, file) => &file.mesh,
            Self::WrittenOut(mesh) => mesh,
        }
    }
}

/// Returns the factors that scale the mesh about its origin, and the subsequent displacement.
///
/// Factors are `dimensions` divided by the extents of the mesh, where an extent of 0 counts as 1: a mesh that
/// is flat at c is then placed at c · dimension. A displacement does that, because for the dimension 0 it
/// would take the factor 0.
fn scale(body: &Field<'_>, mesh: &Mesh) -> Result<([f64; 3], [f64; 3]), SceneError> {
    let Some(dimensions) = body.get("dimensions") else {
        let Some(scale) = body.get("scale") else { return Ok(([1.0; 3], [0.0; 3])) };
        let uniform = scale.real().map(|factor| [factor; 3]);
        return Ok((uniform.or_else(|_| scale.vector())?, [0.0; 3]));
    };
    let dimensions = dimensions.vector()?;
    let bounds = mesh.bounds();
    let (mut scale, mut position) = ([1.0; 3], [0.0; 3]);
    for k in 0..3 {
        let extent = bounds.max[k] - bounds.min[k];
        if extent == 0.0 {
            position[k] = bounds.min[k] * (dimensions[k] - 1.0);
        } else {
            scale[k] = dimensions[k] / extent;
        }
    }
    Ok((scale, position))
}

/// Builds the mesh from `vertices`, `edges` and `faces`.
fn written_out(body: &Field<'_>) -> Result<Mesh, SceneError> {
    let vertices =
        body.items_or_none("vertices")?.iter().map(Field::vector).collect::<Result<Vec<_>, _>>()?;
    let faces = body.items_or_none("faces")?.iter().map(corners).collect::<Result<Vec<_>, _>>()?;
    let edges = body.items_or_none("edges")?.iter().map(corners).collect::<Result<Vec<_>, _>>()?;
    let vertices = vertices.into_iter().map(Vec3::from).collect();
    Mesh::new(vertices, faces, edges).map_err(|error| body.error(error.to_string()))
}

fn corners<const N: usize>(field: &Field<'_>) -> Result<[u32; N], SceneError> {
    let index = |item: &Field<'_>| {
        let index = item.whole()?;
        u32::try_from(index).map_err(|_| item.error(format!("expected a vertex index from 0, found {index}")))
    };
    let found = field.items()?.iter().map(index).collect::<Result<Vec<_>, _>>()?;
    found
        .try_into()
        .map_err(|found: Vec<u32>| field.error(format!("expected {N} vertices, found {}", found.len())))
}

fn write_out(mesh: &Mesh, body: &Field<'_>, native: &mut Draft) {
    let wide = |indices: &[u32]| -> Vec<i64> { indices.iter().map(|v| i64::from(*v)).collect() };
    let vertices: Vec<[f64; 3]> = mesh.vertices().iter().map(|v| [v.x, v.y, v.z]).collect();
    native.set("vertices", vertices, body.get("vertices").as_ref());
    let triangles: Vec<_> = mesh.triangles().iter().map(|t| wide(t)).collect();
    native.set("triangles", triangles, body.get("faces").as_ref());
    let wires: Vec<_> = mesh.wires().iter().map(|w| wide(w)).collect();
    native.set("edges", wires, body.get("edges").as_ref());
}
