//! USD physics: bodies, colliders, joints and materials of UsdPhysics.
//!
//! Rules that decide the scene: lengths are in `metersPerUnit` (0.01 m if the file has none) and masses in `kilogramsPerUnit`;
//! angles are in degrees; a collider belongs to the nearest prim above it, or itself, that is a rigid body, and is static without
//! one; bodies that a joint connects collide only if the joint says so. The list of what was left out names prims, which have no
//! lines in binary files.

mod collider;
mod filter;
mod joint;
pub(super) mod layer;
mod mass;
mod material;
mod place;
mod polygon;
mod prim;
mod stage;
mod value;
mod why;

use std::collections::BTreeMap;
use std::path::Path;

use openusd::sdf;
use openusd::usd::Prim;
use rigor_math::{Pose, Vec3};

use super::write;
use super::{Dropped, Imported};
use crate::document::{BodyEntry, ContactFreeEntry, FrictionEntry, RoleName, TimeEntry};
use crate::error::SceneError;
use crate::{Document, Files};
use collider::Collider;
use material::Material;
use place::Affine;
use prim::Sheet;

/// Friction of a body without a material.
const FRICTION: f64 = 0.5;
/// Suggested time step (s).
const STEP: f64 = 0.002;

/// Reads a scene.
///
/// # Errors
/// The file cannot be read, or a value has the wrong type or is not possible.
pub fn import(path: &Path, files: &dyn Files) -> Result<Imported, SceneError> {
    let sheet = stage::open(path, files)?;
    let mut reader = Reader::new(&sheet)?;
    for path in sheet.paths()? {
        reader.prim(&path)?;
    }
    let document = reader.document(path)?;
    let mut dropped: Vec<Dropped> = sheet.dropped()?;
    dropped.sort();
    dropped.dedup();
    Ok(Imported { document, dropped })
}

/// Units of a file.
#[derive(Clone, Copy)]
struct Units {
    /// Length (m).
    length: f64,
    /// Mass (kg).
    mass: f64,
}

/// What is known about a prim that was visited.
#[derive(Clone, Copy)]
struct Visited {
    /// From its axes to the world (m).
    place: Affine,
    /// The body to which it belongs.
    body: Option<usize>,
    /// Whether all below it is left out.
    is_closed: bool,
}

/// A body, or a collider that never moves.
struct Body {
    prim: Prim,
    name: String,
    place: Affine,
    pose: Pose,
    role: RoleName,
    colliders: Vec<Collider>,
    /// Velocity (m/s) and angular velocity (rad/s) in the world.
    velocity: [Vec3; 2],
}

struct Reader<'a> {
    sheet: &'a Sheet,
    units: Units,
    up: Vec3,
    gravity: Option<Vec3>,
    visited: BTreeMap<String, Visited>,
    bodies: Vec<Body>,
    joints: Vec<Prim>,
    groups: Vec<Prim>,
}

impl<'a> Reader<'a> {
    fn new(sheet: &'a Sheet) -> Result<Self, SceneError> {
        let unit = |name: &str, or: f64| match sheet.metadata_number(name)?.unwrap_or(or) {
            unit if unit > 0.0 && unit.is_finite() => Ok(unit),
            unit => Err(sheet.file_error(format!("{name} is {unit}: it must be positive and finite"))),
        };
        let units = Units { length: unit("metersPerUnit", 0.01)?, mass: unit("kilogramsPerUnit", 1.0)? };
        let up = match sheet.metadata_text("upAxis")?.as_deref() {
            None | Some("Y") => Vec3::y(),
            Some("Z") => Vec3::z(),
            Some("X") => Vec3::x(),
            Some(other) => return Err(sheet.file_error(format!("there is no axis {other:?}"))),
        };
        Ok(Self {
            sheet,
            units,
            up,
            gravity: None,
            visited: BTreeMap::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            groups: Vec::new(),
        })
    }

    /// What is known about the nearest prim at or above `path`, else about the world.
    fn nearest(&self, path: &sdf::Path) -> Visited {
        let world = Visited { place: Affine::scaled(self.units.length), body: None, is_closed: false };
        let mut at = Some(path.clone());
        while let Some(path) = at {
            if let Some(visited) = self.visited.get(path.as_str()) {
                return *visited;
            }
            at = path.parent();
        }
        world
    }

    fn prim(&mut self, path: &sdf::Path) -> Result<(), SceneError> {
        let (sheet, prim) = (self.sheet, self.sheet.prim(path));
        let above = path.parent().map_or_else(|| self.nearest(path), |parent| self.nearest(&parent));
        if above.is_closed {
            return Ok(());
        }
        let kind = sheet.kind(&prim)?;
        let mut own = above;
        match kind.as_str() {
            "PhysicsScene" => self.scene(&prim)?,
            "PhysicsCollisionGroup" => self.groups.push(prim.clone()),
            "Material" => own.is_closed = true,
            other if other.starts_with("Physics") && other.ends_with("Joint") => {
                self.joints.push(prim.clone());
            }
            other if why::is_place(other) => {
                let world = Affine::scaled(self.units.length);
                own.place = place::of(sheet, &prim, &above.place, &world)?;
                self.placed(&prim, other, &above, &mut own)?;
            }
            other => {
                sheet.drop(&prim, format!("<{other}>"), why::prim(other));
                own.is_closed = true;
            }
        }
        if !own.is_closed {
            sheet.visit(&prim)?;
        }
        self.visited.insert(path.as_str().to_owned(), own);
        Ok(())
    }

    /// Reads gravity: that of the earth against the axis that points up, unless the scene says otherwise.
    fn scene(&mut self, prim: &Prim) -> Result<(), SceneError> {
        let direction = self.sheet.vector(prim, "physics:gravityDirection")?.map(Vec3::from);
        let strength = self.sheet.number(prim, "physics:gravityMagnitude")?;
        if self.gravity.is_some() {
            self.sheet.drop(prim, "<PhysicsScene>", "the first scene of the file gives gravity");
            return Ok(());
        }
        let direction = direction.and_then(|direction| direction.try_normalize(0.0)).unwrap_or(-self.up);
        let strength = strength.filter(|g| *g >= 0.0).map_or(9.81, |g| g * self.units.length);
        if !strength.is_finite() {
            return Err(self.sheet.error(prim, "gravity must be finite"));
        }
        self.gravity = Some(direction * strength);
        Ok(())
    }

    /// Reads a prim with a place: a body, a collider, both, or neither.
    fn placed(
        &mut self,
        prim: &Prim,
        kind: &str,
        above: &Visited,
        own: &mut Visited,
    ) -> Result<(), SceneError> {
        let sheet = self.sheet;
        if sheet.has(prim, "PhysicsRigidBodyAPI")? {
            if sheet.flag(prim, "physics:rigidBodyEnabled")?.unwrap_or(true) {
                own.body = Some(self.body(prim, own, above)?);
            } else {
                sheet.drop(prim, "physics:rigidBodyEnabled", "it is false: the prim does not move by itself");
            }
        }
        if !why::is_shape(kind) {
            return Ok(());
        }
        let is_collider = sheet.has(prim, "PhysicsCollisionAPI")?
            && sheet.flag(prim, "physics:collisionEnabled")?.unwrap_or(true);
        if !is_collider {
            sheet.drop(prim, format!("<{kind}>"), "no collider: for display only");
            sheet.forget(prim);
            return Ok(());
        }
        let index = match own.body {
            Some(index) => index,
            None => self.push(prim, own, RoleName::Static, [Vec3::zeros(); 2])?,
        };
        let (pose, is_static) = (self.bodies[index].pose, self.bodies[index].role == RoleName::Static);
        let Some(collider) = Collider::of(sheet, prim, kind, &own.place.seen_from(&pose), &self.units)?
        else {
            if is_static {
                self.bodies.pop();
            }
            return Ok(());
        };
        self.bodies[index].colliders.push(collider);
        Ok(())
    }

    fn body(&mut self, prim: &Prim, own: &Visited, above: &Visited) -> Result<usize, SceneError> {
        let sheet = self.sheet;
        let is_kinematic = sheet.flag(prim, "physics:kinematicEnabled")?.unwrap_or(false);
        let role = if is_kinematic { RoleName::Kinematic } else { RoleName::Dynamic };
        // Velocities are rates of the prim's place, which is in axes of the prim above it.
        let linear = Vec3::from(sheet.finite_vector(prim, "physics:velocity")?.unwrap_or_default());
        let turning = Vec3::from(sheet.finite_vector(prim, "physics:angularVelocity")?.unwrap_or_default());
        let (axes, _) = place::split(sheet, prim, &above.place)?;
        let velocity = [above.place.vector(&linear), axes.vector(&turning) * 1.0_f64.to_radians()];
        self.push(prim, own, role, velocity)
    }

    fn push(
        &mut self,
        prim: &Prim,
        own: &Visited,
        role: RoleName,
        velocity: [Vec3; 2],
    ) -> Result<usize, SceneError> {
        let (pose, _) = place::split(self.sheet, prim, &own.place)?;
        let plain = prim.path().name().unwrap_or("body").to_owned();
        let mut name = plain.clone();
        for k in 2.. {
            if !self.bodies.iter().any(|body| body.name == name) {
                break;
            }
            name = format!("{plain}-{k}");
        }
        let (prim, place) = (prim.clone(), own.place);
        self.bodies.push(Body { prim, name, place, pose, role, colliders: Vec::new(), velocity });
        Ok(self.bodies.len() - 1)
    }

    fn document(&self, path: &Path) -> Result<Document, SceneError> {
        let bodies: Result<Vec<BodyEntry>, SceneError> = self.bodies.iter().map(|b| self.entry(b)).collect();
        let mut joints = Vec::new();
        for prim in &self.joints {
            joints.extend(joint::read(self, prim)?);
        }
        let named = |(a, b): (usize, usize)| ContactFreeEntry {
            bodies: [self.bodies[a].name.clone(), self.bodies[b].name.clone()],
        };
        Ok(Document {
            name: path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            gravity: self.gravity.unwrap_or(-self.up * 9.81).into(),
            time: TimeEntry { dt: STEP, duration: 1.0 },
            contact_free: filter::apart(self)?.into_iter().map(named).collect(),
            body: bodies?,
            joint: joints,
            ..Document::default()
        })
    }

    fn entry(&self, body: &Body) -> Result<BodyEntry, SceneError> {
        let mass = mass::of(self.sheet, body, &self.units)?;
        let shapes = body.colliders.iter().map(|collider| write::shape(&collider.shape)).collect();
        let material = Material::of_body(self.sheet, body);
        let mut entry = BodyEntry {
            role: body.role,
            friction: material.map_or(FrictionEntry::Uniform(FRICTION), |m| m.friction()),
            restitution: material.map_or(0.0, |m| m.restitution),
            position: body.pose.position.into(),
            quaternion: write::turned(&body.pose.rotation),
            linear_velocity: body.velocity[0].into(),
            angular_velocity: (body.velocity[1] != Vec3::zeros()).then(|| body.velocity[1].into()),
            ..BodyEntry::new(&body.name, shapes)
        };
        if body.colliders.is_empty() {
            write::stand_in(&mut entry, &mass.center);
        }
        if body.role == RoleName::Dynamic {
            write::weigh(&mut entry, &mass);
        }
        Ok(entry)
    }
}
