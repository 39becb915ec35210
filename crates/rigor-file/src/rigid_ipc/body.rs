//! Translation of one entry of `rigid_bodies` into one body, or into one per component of its mesh.

use std::path::Path;

use rigor_geometry::mass::Measures;
use rigor_geometry::split::Part;
use rigor_math::{Pose, Vec3, rotation_vector};

use super::super::error::{SceneError, Warning};
use super::super::native::Library;
use super::constraint::{Constraints, Named};
use super::dialect::Dialect;
use super::draft::Draft;
use super::field::Field;
use super::group::Groups;
use super::mass::{principal_frame, rotation};
use super::shape::BodyMesh;

/// Translates the bodies of a scene.
pub struct Bodies<'a, 'l, 'f> {
    bodies: Vec<Body<'a>>,
    dialect: Dialect,
    joints: Vec<Draft>,
    groups: Groups,
    friction: Option<Field<'a>>,
    dt: f64,
    library: &'l mut Library<'f>,
    warnings: &'l mut Vec<Warning>,
}

struct Body<'a> {
    field: Field<'a>,
    name: String,
    stem: String,
    role: Role,
    fixed: [bool; 6],
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Static,
    Dynamic,
    Kinematic,
}

impl<'a, 'l, 'f> Bodies<'a, 'l, 'f> {
    /// Reads the enabled bodies of `problem`.
    ///
    /// # Errors
    /// A value of the wrong type.
    pub fn new(
        problem: &Field<'a>,
        dt: f64,
        library: &'l mut Library<'f>,
        warnings: &'l mut Vec<Warning>,
    ) -> Result<Self, SceneError> {
        let dialect = Dialect::of(problem);
        let mut bodies = Vec::new();
        for (i, field) in problem.items_or_none("rigid_bodies")?.into_iter().enumerate() {
            field.keys()?;
            if field.flag_or("enabled", true)? {
                bodies.push(Body::new(field, i, dialect, warnings)?);
            }
        }
        let joints = held(problem, &mut bodies)?;
        let mut groups = Groups::default();
        for body in &bodies {
            groups.note(&body.field, body.role == Role::Dynamic)?;
        }
        let friction = problem.get("coefficient_friction");
        Ok(Self { bodies, dialect, joints, groups, friction, dt, library, warnings })
    }

    /// Returns the joints that hold them.
    pub fn joints(&mut self) -> Vec<Draft> {
        std::mem::take(&mut self.joints)
    }

    /// Returns all of them in native form.
    ///
    /// # Errors
    /// A value of the wrong type, or a mesh that cannot be read.
    pub fn all(mut self) -> Result<Vec<Draft>, SceneError> {
        let mut native = Vec::new();
        for body in std::mem::take(&mut self.bodies) {
            native.extend(self.entries(&body)?);
        }
        Ok(native)
    }

    fn entries(&mut self, body: &Body<'a>) -> Result<Vec<Draft>, SceneError> {
        let shape = BodyMesh::new(&body.field, self.dialect, self.library, self.warnings)?;
        if !body.field.flag_or("split_components", false)? {
            return Ok(vec![self.entry(body, &body.name, &shape, None)?]);
        }
        // Components with triangles come first; the reference program drops the others.
        let parts = shape.mesh().split_components();
        let solid = parts.iter().enumerate().take_while(|(_, part)| part.dimension() == 2);
        let entry =
            |(i, part)| self.entry(body, &format!("{}-part{i:03}", body.name), &shape, Some((i, part)));
        solid.map(entry).collect()
    }

    fn entry(
        &mut self,
        body: &Body<'a>,
        name: &str,
        shape: &BodyMesh<'a>,
        component: Option<(usize, &Part)>,
    ) -> Result<Draft, SceneError> {
        let field = &body.field;
        let mut native = Draft::new(field);
        native.set("name", name, Some(&shape.source));
        native.set("role", body.role.name(), field.get("type").as_ref());
        scaled(field, "position", "position", 1.0, &mut native)?;
        scaled(field, "rotation", "rotation_deg", self.dialect.degrees(), &mut native)?;
        self.density(body, shape, component, &mut native)?;
        if let Some(friction) = &self.friction {
            native.set("friction", friction.real()?, Some(friction));
        }
        body.dynamics(self.dialect, &mut native)?;
        if self.dialect == Dialect::AffineBody && body.role == Role::Dynamic {
            self.torque_in_principal_axes(body, shape, &mut native)?;
        }
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

    /// Writes the density. The reference program allows density 0 for a non-dynamic body, whose mass does not
    /// matter; it is then left out. Its one number stands for kg/m³, kg/m², kg/m and kg per point.
    fn density(
        &self,
        body: &Body<'_>,
        shape: &BodyMesh<'_>,
        component: Option<(usize, &Part)>,
        native: &mut Draft,
    ) -> Result<(), SceneError> {
        let source = body.field.get("density");
        let value = source.as_ref().map(Field::real).transpose()?;
        if let Some(value) = value.filter(|value| *value != 0.0 || body.role == Role::Dynamic) {
            native.set("density", value, source.as_ref());
        }
        if body.role != Role::Dynamic {
            return Ok(());
        }
        let mesh = component.map_or(shape.mesh(), |(_, part)| &part.mesh);
        // A mesh without a mass is refused later, with its place.
        let Ok(Measures { area, length, points, .. }) = Measures::of(mesh) else { return Ok(()) };
        let value = value.unwrap_or(1000.0);
        let kinds =
            [("areal_density", area > 0.0), ("line_density", length > 0.0), ("point_mass", points > 0)];
        for (key, _) in kinds.into_iter().filter(|(_, is_there)| *is_there) {
            native.set(key, value, source.as_ref());
        }
        Ok(())
    }

    /// Translates `kinematic_max_time` and `kinematic_poses`: one pose per step, of the centre of mass and
    /// the principal frame.
    fn motion(
        &mut self,
        body: &Body<'a>,
        shape: &BodyMesh<'a>,
        native: &mut Draft,
    ) -> Result<(), SceneError> {
        let field = &body.field;
        let (stops_at, poses) = (field.get("kinematic_max_time"), field.items_or_none("kinematic_poses")?);
        let mut motion = Draft::new(field);
        let stops = stops_at.as_ref().map_or(Ok(-1.0), Field::real)?;
        if stops >= 0.0 {
            motion.set("stops_at", stops, stops_at.as_ref());
        }
        if let Some(source) = field.get("kinematic_poses").filter(|_| !poses.is_empty()) {
            let frame = principal_frame(field, shape.mesh(), &shape.scale)?;
            let message = "these poses are of the principal frame, whose axes the file does not state: they are assumed to have \
                           ascending moments of inertia, which leaves signs and the axes of equal moments undetermined";
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

    /// Writes a torque that the file states in the principal axes of the body, as they are at the start.
    fn torque_in_principal_axes(
        &mut self,
        body: &Body<'a>,
        shape: &BodyMesh<'a>,
        native: &mut Draft,
    ) -> Result<(), SceneError> {
        let Some(source) = body.field.get("torque") else { return Ok(()) };
        let local = Vec3::from(source.vector()?);
        if local == Vec3::zeros() {
            return Ok(());
        }
        let frame = principal_frame(&body.field, shape.mesh(), &shape.scale)?;
        let world = rotation(&body.field, self.dialect)? * (frame.rotation * local);
        let message = format!(
            "the torque turns with the principal axes of the body in the program that the scene is written for; here it is \
             constant, ({:.6e}, {:.6e}, {:.6e}) in the world, which is the same while the body turns about it",
            world.x, world.y, world.z
        );
        self.warnings.push(source.finding(message));
        native.set("torque", [world.x, world.y, world.z], Some(&source));
        Ok(())
    }

    fn warn_of_one_fixed_rotation(
        &mut self,
        body: &Body<'a>,
        shape: &BodyMesh<'a>,
    ) -> Result<(), SceneError> {
        let [_, _, _, turning @ ..] = body.fixed;
        let (Some(axis), 1) =
            (turning.iter().position(|fixed| *fixed), turning.iter().filter(|f| **f).count())
        else {
            return Ok(());
        };
        let frame = principal_frame(&body.field, shape.mesh(), &shape.scale)?;
        let direction = rotation(&body.field, self.dialect)? * (frame.rotation * Vec3::ith(axis, 1.0));
        let message = format!(
            "with one rotation fixed, the reference program fixes component {axis} of the rotation vector in the principal frame, \
             whose axis {axis} is ({:.6}, {:.6}, {:.6}); here no rotation about world axis {axis} is allowed",
            direction.x, direction.y, direction.z
        );
        let field = body.field.get("is_dof_fixed").unwrap_or_else(|| body.field.clone());
        self.warnings.push(field.finding(message));
        Ok(())
    }
}

impl<'a> Body<'a> {
    fn new(
        field: Field<'a>,
        index: usize,
        dialect: Dialect,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, SceneError> {
        let fixed = match (dialect, field.get("is_dof_fixed")) {
            (Dialect::RigidIpc, _) => fixed(&field)?,
            (Dialect::AffineBody, None) => [false; 6],
            (Dialect::AffineBody, Some(ignored)) => {
                let message = "ignored, as in the program that the scene is written for: it holds bodies by linear_constraints";
                warnings.push(ignored.finding(message));
                [false; 6]
            }
        };
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
        let mesh = dialect.mesh(&field)?;
        let stem = Path::new(&*mesh).file_stem();
        let stem = stem.map_or_else(|| "body".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Ok(Self { name: format!("{stem}-{index}"), stem, field, role, fixed })
    }

    /// Writes velocities, forces and fixed axes; components along fixed axes are set to 0.
    fn dynamics(&self, dialect: Dialect, native: &mut Draft) -> Result<(), SceneError> {
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
            put("angular_velocity", "angular_velocity_deg", rotation, dialect.degrees())?;
        }
        if self.role == Role::Dynamic {
            put("force", "force", translation, 1.0)?;
            if dialect == Dialect::RigidIpc {
                put("torque", "torque", rotation, std::f64::consts::PI / 180.0)?;
            }
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

/// Makes the bodies static that the world holds by three points, and returns the joints of the others.
fn held<'a>(problem: &Field<'a>, bodies: &mut [Body<'a>]) -> Result<Vec<Draft>, SceneError> {
    let named = |body: &Body<'a>| {
        let (name, stem) = (body.name.clone(), body.stem.clone());
        Named { name, stem, field: body.field.clone() }
    };
    let named: Vec<Named<'a>> = bodies.iter().map(named).collect();
    let constraints = Constraints::new(problem, &named)?;
    for (_, body) in bodies.iter_mut().enumerate().filter(|(i, _)| constraints.is_fixed(*i)) {
        body.role = Role::Static;
    }
    Ok(constraints.joints(&named))
}

/// Writes the vector under `key`, times `unit`, as `name`.
fn scaled(field: &Field<'_>, key: &str, name: &str, unit: f64, native: &mut Draft) -> Result<(), SceneError> {
    if let Some(source) = field.get(key) {
        native.set(name, source.vector()?.map(|component| component * unit), Some(&source));
    }
    Ok(())
}

/// Reads which of x, y, z and the rotations about them are fixed.
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

/// Converts a pose of the centre of mass and the principal frame to the native pose of the mesh, whose
/// principal frame is `frame`.
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
