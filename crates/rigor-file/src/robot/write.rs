//! From the robot to the document of a scene.

use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion};
use rigor_shapes::{Capsule, Cone, Cuboid, Cylinder, Icosphere, Plane};

use super::meet::masks;
use super::model::{Geometry, Joint, Kind, Link, Mass, Model, Shape};
use crate::Document;
use crate::document::{
    BodyEntry, CombineName, ContactFreeEntry, FrictionEntry, Group, InertiaEntry, JointEntry, JointName,
    MeshShape, RoleName, Scale, ShapeEntry, SlideEntry, TimeEntry, TurnEntry,
};

/// Fineness of round shapes.
const SUBDIVISIONS: u32 = 2;
const SEGMENTS: u32 = 24;
const RINGS: u32 = 6;
/// Compliance of a drive that only damps.
pub const LOOSE: f64 = 1e12;

/// Returns the scene of a robot.
pub fn document(mut model: Model) -> Document {
    model.weld();
    let group = model.is_one_group.then(|| Group::Name("robot".into()));
    let touching = || model.links.iter().filter(|link| !link.shapes.is_empty());
    let is_layered = !model.is_one_group && touching().any(|link| masks(link) != (1, 1));
    let body = model.links.iter().map(|link| body(link, group.clone(), is_layered)).collect();
    let joint = model.joints.iter().map(|joint| self::joint(joint, &model)).collect();
    let named = |(a, b): &(usize, usize)| ContactFreeEntry {
        bodies: [model.links[*a].name.clone(), model.links[*b].name.clone()],
    };
    let is_seen = |i: &usize| !model.links[*i].shapes.is_empty();
    let apart = model.apart.iter().filter(|(a, b)| !model.is_one_group && is_seen(a) && is_seen(b));
    Document {
        name: model.name.clone(),
        gravity: model.gravity,
        time: TimeEntry { dt: model.dt.unwrap_or(0.002), duration: 1.0 },
        friction_rule: if model.takes_larger_friction { CombineName::Max } else { CombineName::Average },
        contact_free: apart.map(named).collect(),
        body,
        joint,
        ..Document::default()
    }
}

/// The numbers of the bits of a mask.
fn numbers(mask: u32) -> Vec<u32> {
    (0..u32::BITS).filter(|bit| mask >> bit & 1 == 1).collect()
}

fn body(link: &Link, group: Option<Group>, is_layered: bool) -> BodyEntry {
    let mut entry = BodyEntry {
        role: if link.is_static { RoleName::Static } else { RoleName::Dynamic },
        friction: FrictionEntry::Uniform(link.friction.unwrap_or(0.5)),
        position: link.pose.position.into(),
        quaternion: turned(&link.pose.rotation),
        group,
        ..BodyEntry::new(&link.name, link.shapes.iter().map(shape).collect())
    };
    if link.shapes.is_empty() {
        stand_in(&mut entry, &link.mass.center);
    } else if is_layered {
        let (layers, meets) = masks(link);
        (entry.layers, entry.meets) = (Some(numbers(layers)), Some(numbers(meets)));
    }
    if !link.is_static {
        weigh(&mut entry, &link.mass);
    }
    entry
}

/// Gives a body without shapes a point in its centre of mass, which collides with nothing.
pub fn stand_in(entry: &mut BodyEntry, center: &Vec3) {
    let mesh = MeshShape { vertices: Some(vec![(*center).into()]), ..MeshShape::default() };
    entry.shape = vec![ShapeEntry { mesh: Some(mesh), ..ShapeEntry::default() }];
    (entry.layers, entry.meets) = (Some(Vec::new()), Some(Vec::new()));
}

/// Gives a body its mass, or the least that it may have.
pub fn weigh(entry: &mut BodyEntry, mass: &Mass) {
    let mass = if mass.is_solid() { *mass } else { mass.least() };
    let i = &mass.inertia;
    entry.mass = Some(mass.mass);
    entry.inertia = Some(InertiaEntry {
        center: mass.center.into(),
        moments: [i[(0, 0)], i[(1, 1)], i[(2, 2)]],
        products: [i[(0, 1)], i[(0, 2)], i[(1, 2)]],
    });
}

/// A rotation, if it is one.
pub fn turned(rotation: &UnitQuaternion) -> Option<[f64; 4]> {
    (*rotation != UnitQuaternion::identity()).then(|| quaternion::to_wxyz(rotation))
}

/// A shape, its axis turned to that of native shapes.
pub fn shape(shape: &Shape) -> ShapeEntry {
    let upright = || shape.pose.compose(&Pose::new(Vec3::zeros(), standing()));
    let (entry, pose) = match &shape.geometry {
        Geometry::Box { size } => {
            (ShapeEntry { box_: Some(Cuboid::new(*size)), ..ShapeEntry::default() }, shape.pose)
        }
        Geometry::Sphere { radius } => (
            ShapeEntry {
                icosphere: Some(Icosphere { radius: *radius, subdivisions: SUBDIVISIONS }),
                ..ShapeEntry::default()
            },
            shape.pose,
        ),
        Geometry::Ellipsoid { radii } => {
            let icosphere = Some(Icosphere { radius: 1.0, subdivisions: SUBDIVISIONS });
            let scale = Scale::Axes((*radii).into());
            (ShapeEntry { icosphere, scale, ..ShapeEntry::default() }, shape.pose)
        }
        Geometry::Cylinder { radius, length } => (
            ShapeEntry {
                cylinder: Some(Cylinder { radius: *radius, height: *length, segments: SEGMENTS }),
                ..ShapeEntry::default()
            },
            upright(),
        ),
        Geometry::Capsule { radius, length } => (
            ShapeEntry {
                capsule: Some(Capsule { radius: *radius, length: *length, segments: SEGMENTS, rings: RINGS }),
                ..ShapeEntry::default()
            },
            upright(),
        ),
        Geometry::Plane { size } => {
            (ShapeEntry { plane: Some(Plane::new(*size)), ..ShapeEntry::default() }, upright())
        }
        Geometry::Mesh { file, scale } => {
            let mesh = Some(MeshShape { file: Some(file.clone()), ..MeshShape::default() });
            (ShapeEntry { mesh, scale: Scale::Axes((*scale).into()), ..ShapeEntry::default() }, shape.pose)
        }
        Geometry::Cone { radius, height } => (
            ShapeEntry {
                cone: Some(Cone { radius: *radius, height: *height, segments: SEGMENTS }),
                ..ShapeEntry::default()
            },
            upright(),
        ),
        Geometry::Surface { vertices, triangles } => {
            let vertices = vertices.iter().map(|vertex| (*vertex).into()).collect();
            let mesh =
                MeshShape { vertices: Some(vertices), triangles: triangles.clone(), ..MeshShape::default() };
            (ShapeEntry { mesh: Some(mesh), ..ShapeEntry::default() }, shape.pose)
        }
    };
    ShapeEntry { position: pose.position.into(), quaternion: turned(&pose.rotation), ..entry }
}

/// Turns the axis y of native shapes to z: a quarter turn about x.
fn standing() -> UnitQuaternion {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    UnitQuaternion::new_normalize(nalgebra::Quaternion::new(half, half, 0.0, 0.0))
}

fn joint(joint: &Joint, model: &Model) -> JointEntry {
    let is_driven = joint.stiffness > 0.0 || joint.damping > 0.0;
    let compliance = if joint.stiffness > 0.0 { 1.0 / joint.stiffness } else { LOOSE };
    let degrees = |x: f64| x.to_degrees();
    let kind = match joint.kind {
        Kind::Fixed => JointName::Fixed,
        Kind::Hinge => JointName::Hinge,
        Kind::Slide => JointName::Prismatic,
        Kind::Ball => JointName::Ball,
    };
    let turn = TurnEntry {
        min_deg: joint.limits[0].map(degrees),
        max_deg: joint.limits[1].map(degrees),
        angle_deg: is_driven.then_some(degrees(joint.rest)),
        drive_compliance: if is_driven { compliance } else { 0.0 },
        drive_damping: joint.damping,
        ..TurnEntry::default()
    };
    let slide = SlideEntry {
        min: joint.limits[0],
        max: joint.limits[1],
        position: is_driven.then_some(joint.rest),
        drive_compliance: if is_driven { compliance } else { 0.0 },
        drive_damping: joint.damping,
        ..SlideEntry::default()
    };
    let meets_parent = |parent: usize| {
        let pair = (parent.min(joint.child), parent.max(joint.child));
        !model.is_one_group && !model.apart.contains(&pair)
    };
    JointEntry {
        contact: joint.parent.is_some_and(meets_parent),
        turn: (joint.kind == Kind::Hinge && turn != TurnEntry::default()).then_some(turn),
        slide: (joint.kind == Kind::Slide && slide != SlideEntry::default()).then_some(slide),
        position: Some(joint.position.into()),
        axis: (joint.kind != Kind::Ball).then(|| joint.axis.into()),
        body_b: joint.parent.map(|parent| model.links[parent].name.clone()),
        ..JointEntry::new(&joint.name, kind, &model.links[joint.child].name)
    }
}
