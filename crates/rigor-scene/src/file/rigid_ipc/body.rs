//! One entry of `rigid_bodies`: one body, or one for each component of its mesh.

use std::path::Path;
use std::sync::Arc;

use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3, rotation_vector};

use super::super::at::At;
use super::super::error::{SceneError, Warning};
use super::super::native::{Library, MeshSource};
use super::draft::Draft;
use super::field::Field;
use super::group::Groups;
use super::mass::{principal_frame, rotation};

/// Translates the bodies of a scene.
pub struct Bodies<'a, 'l, 'f> {
    bodies: Vec<Body<'a>>,
    groups: Groups,
    friction: Option<Field<'a>>,
    dt: f64,
    library: &'l mut Library<'f>,
    warnings: &'l mut Vec<Warning>,
}

struct Body<'a> {
    field: Field<'a>,
    name: String,
    role: Role,
    fixed: [bool; 6],
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Static,
    Dynamic,
    Kinematic,
}

/// What the mesh of a body is, and how it lies in the body's frame.
struct Shape<'a> {
    source: Field<'a>,
    mesh: Source,
    scale: [f64; 3],
    position: [f64; 3],
}

enum Source {
    File(Arc<MeshSource>),
    WrittenOut(Mesh),
}

impl<'a, 'l, 'f> Bodies<'a, 'l, 'f> {
    /// The enabled bodies of `problem`.
    ///
    /// # Errors
    /// A value of the wrong kind.
    pub fn new(
        problem: &Field<'a>,
        dt: f64,
        library: &'l mut Library<'f>,
        warnings: &'l mut Vec<Warning>,
    ) -> Result<Self, SceneError> {
        let (mut bodies, mut groups) = (Vec::new(), Groups::default());
        for (i, field) in problem.items_or_none("rigid_bodies")?.into_iter().enumerate() {
            field.keys()?;
            if field.flag_or("enabled", true)? {
                let body = Body::new(field, i)?;
                groups.note(&body.field, body.role == Role::Dynamic)?;
                bodies.push(body);
            }
        }
        Ok(Self { bodies, groups, friction: problem.get("coefficient_friction"), dt, library, warnings })
    }

    /// All of them in native form.
    ///
    /// # Errors
    /// A value of the wrong kind, or a mesh that cannot be read.
    pub fn all(mut self) -> Result<Vec<Draft>, SceneError> {
        let mut native = Vec::new();
        for body in std::mem::take(&mut self.bodies) {
            native.extend(self.entries(&body)?);
        }
        Ok(native)
    }

    fn entries(&mut self, body: &Body<'a>) -> Result<Vec<Draft>, SceneError> {
        let shape = self.shape(body)?;
        if !body.field.flag_or("split_components", false)? {
            return Ok(vec![self.entry(body, &body.name, &shape, None)?]);
        }
        let parts = shape.mesh.mesh().split_components();
        // Components with triangles come first; the reference program drops the others.
        let n_parts = parts.iter().filter(|part| part.dimension() == 2).count();
        let entry = |i| self.entry(body, &format!("{}-part{i:03}", body.name), &shape, Some(i));
        (0..n_parts).map(entry).collect()
    }

    fn entry(
        &mut self,
        body: &Body<'a>,
        name: &str,
        shape: &Shape<'a>,
        component: Option<usize>,
    ) -> Result<Draft, SceneError> {
        let field = &body.field;
        let mut native = Draft::new(field);
        native.set("name", name, Some(&shape.source));
        native.set("role", body.role.name(), field.get("type").as_ref());
        copy(field, "position", "position", &mut native)?;
        copy(field, "rotation", "rotation_deg", &mut native)?;
        self.density(body, &mut native)?;
        if let Some(friction) = &self.friction {
            native.set("friction", friction.real()?, Some(friction));
        }
        body.dynamics(&mut native)?;
        if body.role == Role::Kinematic {
            self.motion(body, shape, &mut native)?;
        }
        if body.role == Role::Dynamic {
            self.warn_of_one_fixed_rotation(body, shape)?;
        }
        self.groups.write(field, body.role == Role::Dynamic, &mut native)?;
        native.set("shape", [shape.native(field, component)?], Some(&shape.source));
        Ok(native)
    }

    /// A body that no force moves may have no density there; its mass plays no part.
    fn density(&self, body: &Body<'_>, native: &mut Draft) -> Result<(), SceneError> {
        if let Some(density) = body.field.get("density") {
            let value = density.real()?;
            if value != 0.0 || body.role == Role::Dynamic {
                native.set("density", value, Some(&density));
            }
        }
        Ok(())
    }

    fn shape(&mut self, body: &Body<'a>) -> Result<Shape<'a>, SceneError> {
        let field = &body.field;
        let (source, mesh) = match field.get("mesh").filter(|mesh| mesh.text() != Ok("")) {
            Some(file) => {
                let mut at = At::root(field.tree());
                for segment in &file.path().0 {
                    at = at.join(segment.clone());
                }
                let mesh = self.library.get(file.text()?, &at, self.warnings)?;
                (file, Source::File(mesh))
            }
            None => (field.clone(), Source::WrittenOut(written_out(field)?)),
        };
        let (scale, position) = scale(field, mesh.mesh())?;
        Ok(Shape { source, mesh, scale, position })
    }

    /// `kinematic_max_time` and `kinematic_poses`: one pose for each step, of the centre of mass and the principal frame.
    fn motion(&mut self, body: &Body<'a>, shape: &Shape<'a>, native: &mut Draft) -> Result<(), SceneError> {
        let field = &body.field;
        let (stops_at, poses) = (field.get("kinematic_max_time"), field.items_or_none("kinematic_poses")?);
        let mut motion = Draft::new(field);
        let stops = stops_at.as_ref().map_or(Ok(-1.0), Field::real)?;
        if stops >= 0.0 {
            motion.set("stops_at", stops, stops_at.as_ref());
        }
        if let Some(source) = field.get("kinematic_poses").filter(|_| !poses.is_empty()) {
            let frame = principal_frame(field, shape.mesh.mesh(), &shape.scale)?;
            let message = "these poses are of the principal frame, whose axes the file does not state: they are read as those \
                           of ascending moments of inertia, which two equal moments or a sign may turn";
            self.warnings.push(source.finding(message));
            let poses = poses.iter().map(|pose| placed(pose, &frame)).collect::<Result<Vec<_>, _>>()?;
            motion.set("poses", poses, Some(&source));
            motion.set("interval", self.dt, Some(&source));
        }
        if stops >= 0.0 || !poses.is_empty() {
            native.set("motion", motion, stops_at.as_ref());
        }
        Ok(())
    }

    fn warn_of_one_fixed_rotation(&mut self, body: &Body<'a>, shape: &Shape<'a>) -> Result<(), SceneError> {
        let [_, _, _, turning @ ..] = body.fixed;
        let (Some(axis), 1) =
            (turning.iter().position(|fixed| *fixed), turning.iter().filter(|f| **f).count())
        else {
            return Ok(());
        };
        let frame = principal_frame(&body.field, shape.mesh.mesh(), &shape.scale)?;
        let direction = rotation(&body.field)? * (frame.rotation * Vec3::ith(axis, 1.0));
        let message = format!(
            "with one rotation fixed, the reference program fixes entry {axis} of the rotation vector of the principal frame, \
             whose axis {axis} is ({:.6}, {:.6}, {:.6}); here no rotation about world axis {axis} is allowed",
            direction.x, direction.y, direction.z
        );
        let field = body.field.get("is_dof_fixed").unwrap_or_else(|| body.field.clone());
        self.warnings.push(field.finding(message));
        Ok(())
    }
}

impl<'a> Body<'a> {
    fn new(field: Field<'a>, index: usize) -> Result<Self, SceneError> {
        let fixed = fixed(&field)?;
        let kind = field.text_or("type", "dynamic")?;
        let role = match kind {
            _ if fixed == [true; 6] => Role::Static,
            "static" => Role::Static,
            "dynamic" => Role::Dynamic,
            "kinematic" => Role::Kinematic,
            _ => {
                let message = "expected `static`, `dynamic` or `kinematic`";
                return Err(field.get("type").unwrap_or(field).error(message));
            }
        };
        let mesh = Path::new(field.text_or("mesh", "")?).file_stem();
        let stem = mesh.map_or_else(|| "body".into(), |stem| stem.to_string_lossy());
        Ok(Self { name: format!("{stem}-{index}"), field, role, fixed })
    }

    /// Velocities, forces and fixed axes; what acts along a fixed axis counts for nothing.
    fn dynamics(&self, native: &mut Draft) -> Result<(), SceneError> {
        let [tx, ty, tz, rx, ry, rz] = self.fixed;
        let (translation, rotation) = ([tx, ty, tz], [rx, ry, rz]);
        let mut put = |key: &str, name: &str, fixed: [bool; 3], unit: f64| -> Result<(), SceneError> {
            let Some(source) = self.field.get(key) else { return Ok(()) };
            let value = source.vector()?;
            let free = [0, 1, 2].map(|k| if fixed[k] { 0.0 } else { value[k] * unit });
            native.set(name, free, Some(&source));
            Ok(())
        };
        if self.role != Role::Static {
            put("linear_velocity", "linear_velocity", translation, 1.0)?;
            put("angular_velocity", "angular_velocity_deg", rotation, 1.0)?;
        }
        if self.role == Role::Dynamic {
            put("force", "force", translation, 1.0)?;
            put("torque", "torque", rotation, std::f64::consts::PI / 180.0)?;
            if self.fixed != [false; 6] {
                let source = self.field.get("is_dof_fixed");
                let mut fixed = Draft::new(source.as_ref().unwrap_or(&self.field));
                fixed.set("translation", translation, source.as_ref());
                fixed.set("rotation", rotation, source.as_ref());
                native.set("fixed", fixed, source.as_ref());
            }
        }
        Ok(())
    }
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Dynamic => "dynamic",
            Self::Kinematic => "kinematic",
        }
    }
}

impl Source {
    fn mesh(&self) -> &Mesh {
        match self {
            Self::File(file) => &file.mesh,
            Self::WrittenOut(mesh) => mesh,
        }
    }
}

impl Shape<'_> {
    fn native(&self, body: &Field<'_>, component: Option<usize>) -> Result<Draft, SceneError> {
        let mut mesh = Draft::new(&self.source);
        match (&self.mesh, component) {
            (Source::File(_), _) => {
                mesh.set("file", self.source.text()?, None);
                if let Some(component) = component {
                    mesh.set("component", component as i64, body.get("split_components").as_ref());
                }
            }
            (Source::WrittenOut(whole), None) => write_out(whole, body, &mut mesh),
            (Source::WrittenOut(whole), Some(i)) => {
                write_out(&whole.split_components()[i].mesh, body, &mut mesh);
            }
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

fn copy(field: &Field<'_>, key: &str, name: &str, native: &mut Draft) -> Result<(), SceneError> {
    if let Some(source) = field.get(key) {
        native.set(name, source.vector()?, Some(&source));
    }
    Ok(())
}

/// Which of x, y, z and the rotations about them are fixed.
fn fixed(body: &Field<'_>) -> Result<[bool; 6], SceneError> {
    let Some(field) = body.get("is_dof_fixed") else { return Ok([false; 6]) };
    if let Ok(all) = field.flag() {
        return Ok([all; 6]);
    }
    let flags = field.items()?.iter().map(Field::flag).collect::<Result<Vec<_>, _>>()?;
    flags.try_into().map_err(|flags: Vec<bool>| {
        field.error(format!("expected true, false or 6 of them (x, y, z, rx, ry, rz), found {}", flags.len()))
    })
}

/// The factors by which the mesh is stretched about its origin, and where it is moved then.
///
/// `dimensions` are divided by the extents of the mesh, of which 0 counts as 1: a mesh that is flat at c then lies at
/// c · dimension, which no factor > 0 says if the dimension is 0.
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

/// The mesh of `vertices`, `edges` and `faces`.
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
        u32::try_from(index).map_err(|_| item.error(format!("expected a vertex from 0, found {index}")))
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

/// A pose of the centre of mass and the principal frame, as the native pose of the mesh, whose principal frame is
/// `frame`.
///
/// Source: the reference program keeps q = Q v + x of vertices in the principal frame; with v = Aᵀ (X − c) the mesh has
/// the rotation Q Aᵀ and the origin x − Q Aᵀ c.
fn placed(pose: &Field<'_>, frame: &Pose) -> Result<Draft, SceneError> {
    let center = Vec3::from(pose.vector_or_zero("position")?);
    let principal = rotation_vector::exp(&pose.vector_or_zero("rotation")?.into());
    let mesh = Pose::new(center, principal).compose(&frame.inverse());
    let mut native = Draft::new(pose);
    native.set("position", [mesh.position.x, mesh.position.y, mesh.position.z], Some(pose));
    let q = mesh.rotation.quaternion();
    native.set("quaternion", [q.w, q.i, q.j, q.k], Some(pose));
    Ok(native)
}
