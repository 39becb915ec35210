//! URDF: links, joints and collision shapes.
//!
//! Only collision elements become shapes. The links of a robot do not collide with each other, as is usual for URDF, whose shapes
//! overlap at the joints. Without a coefficient of friction, 0.5 is used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, quaternion};

use super::account::{NO_MOTION, RULE};
use super::geometry::find;
use super::model::{Geometry, Joint, Kind, Link, Mass, Model, Shape};
use super::xml::Element;
use super::{Base, Options};
use crate::Files;
use crate::error::SceneError;

/// Name of the link that does not move.
const WORLD: &str = "world";

/// Reads a robot.
///
/// # Errors
/// A number is invalid, or a joint names a link that does not exist.
pub fn model(
    root: &Element<'_>,
    path: &Path,
    files: &dyn Files,
    options: &Options,
) -> Result<Model, SceneError> {
    let mut model = Model {
        name: root.text("name").unwrap_or_default().to_owned(),
        gravity: [0.0, 0.0, -9.81],
        is_one_group: true,
        ..Model::default()
    };
    let mut by_name = BTreeMap::new();
    for element in root.all("link") {
        let link = link(&element, path, files)?;
        if by_name.insert(link.name.clone(), model.links.len()).is_some() {
            return Err(element.error(format!("a second link is called {:?}", link.name)));
        }
        model.links.push(link);
    }
    if model.links.is_empty() {
        return Err(root.error("the robot has no link"));
    }
    root.all("gazebo").for_each(|element| gazebo(&element));
    let elements: Vec<Element<'_>> = root.all("joint").collect();
    // A link "world" that only joints name is the world, as in Drake.
    let has_parent = |name: &str| {
        let parents = elements.iter().filter_map(|joint| joint.child("parent"));
        parents.filter_map(|parent| parent.text("link")).any(|link| link == name)
    };
    if !by_name.contains_key(WORLD) && has_parent(WORLD) {
        by_name.insert(WORLD.to_owned(), model.links.len());
        let world = Link::new(WORLD.to_owned(), Pose::identity(), Mass::NONE);
        model.links.push(Link { is_static: true, ..world });
    }
    let mut joints = Vec::new();
    for element in &elements {
        joints.push(joint(element, &by_name)?);
    }
    place(&mut model, &mut joints, root)?;
    let children: BTreeSet<usize> = joints.iter().map(|placed| placed.joint.child).collect();
    let mut held = BTreeMap::<usize, Vec<usize>>::new();
    for placed in joints.iter().filter(|placed| placed.is_held && placed.joint.kind == Kind::Fixed) {
        held.entry(placed.joint.parent.unwrap_or_default()).or_default().push(placed.joint.child);
    }
    for i in (0..model.links.len()).filter(|i| !children.contains(i)) {
        let mass = welded_mass(&model, &held, i);
        let link = &mut model.links[i];
        link.is_static = link.name == WORLD
            || match options.base {
                Base::ByMass => mass <= 0.0,
                Base::Fixed => true,
                Base::Free => false,
            };
        let (word, name) = (if link.is_static { "fixed" } else { "free" }, &link.name);
        root.drop(
            format!("base {word}: {name}, {mass:.4} kg"),
            format!("{RULE}with what fixed joints hold to it"),
        );
    }
    model.joints = joints.into_iter().filter_map(|placed| placed.is_held.then_some(placed.joint)).collect();
    Ok(model)
}

/// Returns the mass (kg) of a link and of all that fixed joints hold to it.
fn welded_mass(model: &Model, held: &BTreeMap<usize, Vec<usize>>, root: usize) -> f64 {
    let (mut mass, mut ahead) = (0.0, vec![root]);
    while let Some(link) = ahead.pop() {
        mass += model.links[link].mass.mass;
        ahead.extend(held.get(&link).into_iter().flatten());
    }
    mass
}

/// Lists what an element of Gazebo sets: friction, springs and the like change the physics, and other settings do not.
fn gazebo(element: &Element<'_>) {
    const PHYSICS: [&str; 22] = [
        "mu",
        "mu1",
        "mu2",
        "fdir1",
        "kp",
        "kd",
        "minDepth",
        "maxVel",
        "gravity",
        "turnGravityOff",
        "selfCollide",
        "self_collide",
        "dampingFactor",
        "velocity_decay",
        "provideFeedback",
        "implicitSpringDamper",
        "springStiffness",
        "springReference",
        "stopCfm",
        "stopErp",
        "static",
        "kinematic",
    ];
    element.text("reference");
    for child in element.children() {
        let what = format!("<gazebo> <{}>", child.name());
        let why = if PHYSICS.contains(&child.name()) { "settings of Gazebo are not read" } else { NO_MOTION };
        child.drop_whole(what, why);
    }
}

fn link(element: &Element<'_>, path: &Path, files: &dyn Files) -> Result<Link, SceneError> {
    let Some(name) = element.text("name") else { return Err(element.error("the link has no name")) };
    let mut friction = None;
    if let Some(contact) = element.child("contact").and_then(|contact| contact.child("lateral_friction")) {
        friction = contact.number("value")?.filter(|mu| *mu >= 0.0);
    }
    let mass = element.child("inertial").map_or(Ok(Mass::NONE), |inertial| mass(&inertial))?;
    let mut shapes = Vec::new();
    for collision in element.all("collision") {
        shapes.extend(shape(&collision, path, files)?);
    }
    Ok(Link { shapes, friction, ..Link::new(name.to_owned(), Pose::identity(), mass) })
}

fn mass(inertial: &Element<'_>) -> Result<Mass, SceneError> {
    let pose = origin(inertial)?;
    let Some(mass) = inertial.child("mass") else { return Ok(Mass::NONE) };
    let element = mass;
    let mass = element.number("value")?.unwrap_or(0.0);
    if mass < 0.0 {
        element.drop("<mass>", format!("{mass} kg: the link has no mass"));
    }
    let mut tensor = Mat3::zeros();
    if let Some(inertia) = inertial.child("inertia") {
        let get = |name: &str| Ok::<f64, SceneError>(inertia.number(name)?.unwrap_or(0.0));
        let (xx, yy, zz) = (get("ixx")?, get("iyy")?, get("izz")?);
        let (xy, xz, yz) = (get("ixy")?, get("ixz")?, get("iyz")?);
        tensor = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    }
    if mass <= 0.0 {
        return Ok(Mass::NONE);
    }
    let mut own = Mass { mass, center: Vec3::zeros(), inertia: tensor };
    let moments = tensor.symmetric_eigenvalues();
    let (most, sum) = (moments.max(), moments.sum());
    if !own.is_solid() || moments.min() < 0.0 || most > (sum - most) * (1.0 + 1e-6) {
        inertial.drop("<inertia>", "no body has these moments: those of a ball of the same mass are used");
        own.inertia = Mass::ball(mass);
    }
    Ok(own.at(&pose))
}

/// The frame of `origin`: R = Rz(yaw) Ry(pitch) Rx(roll).
fn origin(element: &Element<'_>) -> Result<Pose, SceneError> {
    let Some(origin) = element.child("origin") else { return Ok(Pose::identity()) };
    let position = origin.vector("xyz")?.unwrap_or_default();
    let rpy = origin.vector("rpy")?.unwrap_or_default();
    Ok(Pose::new(position.into(), turn(rpy)))
}

fn turn(rpy: [f64; 3]) -> UnitQuaternion {
    let about =
        |axis: Vec3, angle: f64| quaternion::from_axis_angle(&nalgebra::Unit::new_unchecked(axis), angle);
    about(Vec3::z(), rpy[2]) * about(Vec3::y(), rpy[1]) * about(Vec3::x(), rpy[0])
}

fn shape(collision: &Element<'_>, path: &Path, files: &dyn Files) -> Result<Option<Shape>, SceneError> {
    let pose = origin(collision)?;
    let Some(geometry) = collision.child("geometry") else { return Ok(None) };
    let Some(kind) = geometry.children().into_iter().next() else { return Ok(None) };
    let positive = |name: &str| {
        let value = kind.number(name)?.unwrap_or(0.0);
        if value > 0.0 {
            Ok(value)
        } else {
            Err(kind.error(format!("{name} is {value}: it must be positive")))
        }
    };
    let geometry = match kind.name() {
        "box" => {
            let size = Vec3::from(kind.read().vector("size")?.unwrap_or_default());
            if size.min() <= 0.0 {
                return Err(kind.error("each size must be positive"));
            }
            Geometry::Box { size }
        }
        "sphere" => {
            Geometry::Sphere { radius: kind.read().number("radius").and_then(|_| positive("radius"))? }
        }
        "cylinder" | "capsule" => {
            let (radius, length) =
                (positive("radius")?, kind.read().number("length").and_then(|_| positive("length"))?);
            if kind.name() == "capsule" {
                Geometry::Capsule { radius, length }
            } else {
                Geometry::Cylinder { radius, length }
            }
        }
        "mesh" => {
            let name = kind.read().text("filename").unwrap_or_default();
            let scale = kind.vector("scale")?.unwrap_or([1.0; 3]);
            match find(name, path, files) {
                Ok(found) => {
                    found.notes.iter().for_each(|why| kind.drop(format!("<mesh {name}>"), why));
                    Geometry::Mesh { file: found.name, scale: scale.into() }
                }
                Err(why) => {
                    kind.drop(format!("<mesh {name}>"), why);
                    return Ok(None);
                }
            }
        }
        "plane" => {
            let normal = kind.read().vector("normal")?.map_or(Vec3::z(), Vec3::from);
            if normal.normalize() != Vec3::z() {
                kind.drop("<plane normal>", "the plane looks along z");
            }
            kind.drop("<plane>", format!("{RULE}of the endless plane, 20 m by 20 m are there"));
            Geometry::Plane { size: [20.0; 2] }
        }
        _ => return Ok(None),
    };
    Ok(Some(Shape { geometry, pose }))
}

/// A joint before its place in the world is known.
struct Placed {
    joint: Joint,
    /// The child's frame in the parent's.
    origin: Pose,
    /// The axis in the child's frame.
    axis: Vec3,
    /// Whether the joint holds its links together at all.
    is_held: bool,
}

fn joint(element: &Element<'_>, links: &BTreeMap<String, usize>) -> Result<Placed, SceneError> {
    let name = element.text("name").unwrap_or("joint").to_owned();
    let end = |tag: &str| {
        let named = element.child(tag).and_then(|end| end.text("link"));
        let Some(link) = named else { return Err(element.error(format!("the joint has no {tag}"))) };
        links.get(link).copied().ok_or_else(|| element.error(format!("there is no link {link:?}")))
    };
    let (parent, child) = (end("parent")?, end("child")?);
    let word = element.text("type").unwrap_or_default();
    let (kind, is_held) = match word {
        "fixed" => (Kind::Fixed, true),
        "revolute" | "continuous" => (Kind::Hinge, true),
        "prismatic" => (Kind::Slide, true),
        "spherical" | "ball" => (Kind::Ball, true),
        "floating" => (Kind::Fixed, false),
        other => {
            element.drop(
                format!("<joint type={other:?}>"),
                "this kind of joint is not supported: the links are free",
            );
            (Kind::Fixed, false)
        }
    };
    let axis = match element.child("axis") {
        Some(axis) => Vec3::from(axis.vector("xyz")?.unwrap_or([1.0, 0.0, 0.0])),
        None => Vec3::x(),
    };
    let axis = match (axis.try_normalize(0.0), kind) {
        (Some(axis), _) => axis,
        (None, Kind::Fixed | Kind::Ball) => Vec3::x(),
        (None, Kind::Hinge | Kind::Slide) => return Err(element.error("the axis has no direction")),
    };
    let mut limits = [None; 2];
    if let Some(limit) = element.child("limit").filter(|_| word != "continuous") {
        let (lower, upper) = (limit.number("lower")?, limit.number("upper")?);
        limits = match (lower, upper) {
            (Some(lower), Some(upper)) if lower <= upper && word != "fixed" => [Some(lower), Some(upper)],
            // Other readers take 0 for a bound that is not there.
            (None, None) if matches!(kind, Kind::Hinge | Kind::Slide) => [Some(0.0), Some(0.0)],
            (Some(lower), None) if lower <= 0.0 => [Some(lower), Some(0.0)],
            (None, Some(upper)) if upper >= 0.0 => [Some(0.0), Some(upper)],
            (None, None) => [None; 2],
            _ => {
                limit.drop("<limit>", "a lower limit above the upper one stands for no limit");
                [None; 2]
            }
        };
    }
    if let Some(limit) = element.child("limit").filter(|_| word == "continuous")
        && (limit.text("lower").is_some() || limit.text("upper").is_some())
    {
        limit.drop("<limit>", format!("{RULE}a continuous joint has no bounds"));
    }
    let mut damping = 0.0;
    if let Some(dynamics) = element.child("dynamics") {
        damping = dynamics.number("damping")?.unwrap_or(0.0).max(0.0);
    }
    let joint =
        Joint { parent: Some(parent), limits, damping, ..Joint::new(name, kind, child, Vec3::zeros(), axis) };
    Ok(Placed { joint, origin: origin(element)?, axis, is_held })
}

/// Places links and joints in the world, from the roots on.
fn place(model: &mut Model, joints: &mut [Placed], root: &Element<'_>) -> Result<(), SceneError> {
    let mut below = vec![Vec::new(); model.links.len()];
    let mut is_child = vec![false; model.links.len()];
    for (i, placed) in joints.iter().enumerate() {
        if std::mem::replace(&mut is_child[placed.joint.child], true) {
            let name = &model.links[placed.joint.child].name;
            return Err(root.error(format!("the link {name:?} has two parents")));
        }
        below[placed.joint.parent.unwrap_or_default()].push(i);
    }
    let mut ahead: Vec<usize> = (0..model.links.len()).filter(|i| !is_child[*i]).collect();
    let mut n_placed = 0;
    while let Some(parent) = ahead.pop() {
        for i in std::mem::take(&mut below[parent]) {
            let placed = &mut joints[i];
            let pose = model.links[parent].pose.compose(&placed.origin);
            model.links[placed.joint.child].pose = pose;
            placed.joint.position = pose.position;
            placed.joint.axis = pose.vector(&placed.axis);
            ahead.push(placed.joint.child);
            n_placed += 1;
        }
    }
    if n_placed < joints.len() {
        return Err(root.error("joints form a circle: no link is first"));
    }
    Ok(())
}
