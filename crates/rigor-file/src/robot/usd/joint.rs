//! Joints with their bounds and drives.
//!
//! A coordinate of a joint is that of the second body in the first, which is the one of our first body in our second. So bodies
//! change their order; where the second is the world, both frames turn half a turn about y instead, which changes the sign twice.

use openusd::usd::Prim;
use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion};

use super::Reader;
use super::place;
use super::prim::Sheet;
use crate::document::{JointEntry, JointName, Placement, SlideEntry, SwingEntry, TurnEntry};
use crate::error::SceneError;
use crate::robot::write;

/// One end of a joint.
struct End {
    body: Option<usize>,
    /// The joint's frame in the body or in the world; its x axis is that of the joint.
    frame: Pose,
}

/// Reads a joint; `None` if it was left out.
///
/// # Errors
/// A number is not possible.
pub fn read(reader: &Reader<'_>, prim: &Prim) -> Result<Option<JointEntry>, SceneError> {
    let sheet = reader.sheet;
    let leave = |what: &str, why: &str| {
        sheet.drop(prim, what, why);
        sheet.forget(prim);
        Ok(None)
    };
    let kind = match sheet.kind(prim)?.as_str() {
        "PhysicsFixedJoint" => JointName::Fixed,
        "PhysicsRevoluteJoint" => JointName::Hinge,
        "PhysicsPrismaticJoint" => JointName::Prismatic,
        "PhysicsSphericalJoint" => JointName::Ball,
        "PhysicsDistanceJoint" => JointName::Distance,
        other => {
            return leave(&format!("<{other}>"), "this kind of joint is not supported: the bodies are free");
        }
    };
    if !sheet.flag(prim, "physics:jointEnabled")?.unwrap_or(true) {
        return leave("physics:jointEnabled", "it is false: the bodies are free");
    }
    let (first, second) = (end(reader, prim, 0)?, end(reader, prim, 1)?);
    let turned = |end: End| End { frame: end.frame.compose(&Pose::new(Vec3::zeros(), half_turn())), ..end };
    let (a, b) = match (first.body, second.body) {
        (None, None) => return leave("physics:body0", "no end of the joint is at a body"),
        (Some(a), Some(b)) if a == b => {
            return leave("physics:body0", "both ends of the joint are at one body");
        }
        (Some(_), None) => (turned(first), turned(second)),
        (_, Some(_)) => (second, first),
    };
    let Some(index) = a.body else { return Ok(None) };
    let is_dynamic = |i: usize| reader.bodies[i].role == crate::document::RoleName::Dynamic;
    if !is_dynamic(index) && !b.body.is_some_and(is_dynamic) {
        return leave("physics:body0", "neither body is dynamic");
    }
    let mut entry = JointEntry {
        body_b: b.body.map(|body| reader.bodies[body].name.clone()),
        frame_a: Some(placement(&a.frame)),
        frame_b: Some(placement(&b.frame)),
        contact: sheet.flag(prim, "physics:collisionEnabled")?.unwrap_or(false),
        break_force: effort(sheet, prim, "physics:breakForce", reader.units.force())?,
        break_torque: effort(sheet, prim, "physics:breakTorque", reader.units.moment())?,
        ..JointEntry::new(prim.path().as_str().trim_start_matches('/'), kind, &reader.bodies[index].name)
    };
    match kind {
        JointName::Hinge => entry.turn = Some(turn(reader, prim)?).filter(|t| *t != TurnEntry::default()),
        JointName::Prismatic => {
            entry.slide = Some(slide(reader, prim)?).filter(|s| *s != SlideEntry::default());
        }
        JointName::Ball => entry.swing = swing(sheet, prim)?,
        JointName::Distance => {
            let bound = |name: &str| {
                let value = sheet.number(prim, name)?.filter(|x| *x >= 0.0 && x.is_finite());
                Ok::<_, SceneError>(value.map(|x| x * reader.units.length))
            };
            (entry.min, entry.max) = (bound("physics:minDistance")?, bound("physics:maxDistance")?);
            if entry.min.is_none() && entry.max.is_none() {
                return leave("<PhysicsDistanceJoint>", "it has no bounds");
            }
        }
        JointName::Fixed | JointName::Universal | JointName::Cylindrical | JointName::Gear => {}
    }
    Ok(Some(entry))
}

/// Half a turn about y.
fn half_turn() -> UnitQuaternion {
    UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 0.0, 1.0, 0.0))
}

fn placement(pose: &Pose) -> Placement {
    Placement {
        position: pose.position.into(),
        quaternion: write::turned(&pose.rotation),
        ..Placement::default()
    }
}

fn end(reader: &Reader<'_>, prim: &Prim, side: usize) -> Result<End, SceneError> {
    let sheet = reader.sheet;
    let named = sheet.targets(prim, &format!("physics:body{side}"))?;
    let place = sheet.finite_vector(prim, &format!("physics:localPos{side}"))?.unwrap_or_default();
    let turn = match sheet.quaternion(prim, &format!("physics:localRot{side}"))? {
        None => UnitQuaternion::identity(),
        Some(parts) => quaternion::from_wxyz(parts).map_err(|error| sheet.error(prim, error.to_string()))?,
    };
    let target = match named.first() {
        None => reader.nearest(&openusd::sdf::Path::abs_root()),
        Some(path) if reader.visited.contains_key(path.as_str()) => reader.nearest(path),
        Some(path) => return Err(sheet.error(prim, format!("physics:body{side}: there is no prim {path}"))),
    };
    let axis = match sheet.text(prim, "physics:axis")?.as_deref() {
        None | Some("X") => UnitQuaternion::identity(),
        Some("Y") => quaternion::from_extrinsic_xyz_degrees(&Vec3::new(0.0, 0.0, 90.0)),
        Some("Z") => quaternion::from_extrinsic_xyz_degrees(&Vec3::new(0.0, -90.0, 0.0)),
        Some(other) => return Err(sheet.error(prim, format!("there is no axis {other:?}"))),
    };
    let (pose, _) = place::split(sheet, prim, &target.place)?;
    let world = Pose::new(target.place.point(&place.into()), pose.rotation * turn * axis);
    let body = target.body;
    Ok(End { body, frame: body.map_or(world, |body| world.relative_to(&reader.bodies[body].pose)) })
}

/// A largest force or torque; `None` if it is not limited.
fn effort(sheet: &Sheet, prim: &Prim, name: &str, unit: f64) -> Result<Option<f64>, SceneError> {
    match sheet.number(prim, name)? {
        Some(value) if value.is_finite() && value <= 0.0 => {
            Err(sheet.error(prim, format!("{name} is {value}: it must be positive")))
        }
        value => Ok(value.filter(|value| value.is_finite()).map(|value| value * unit)),
    }
}

/// The bounds of the coordinate, in units of the file.
fn bounds(sheet: &Sheet, prim: &Prim) -> Result<[Option<f64>; 2], SceneError> {
    let bound = |name: &str| Ok::<_, SceneError>(sheet.number(prim, name)?.filter(|x| x.is_finite()));
    match [bound("physics:lowerLimit")?, bound("physics:upperLimit")?] {
        [Some(lower), Some(upper)] if lower > upper => {
            sheet.drop(prim, "physics:lowerLimit", "it is above the upper limit: there is no limit");
            Ok([None; 2])
        }
        bounds => Ok(bounds),
    }
}

/// A drive in units of the file.
struct Drive {
    stiffness: f64,
    damping: f64,
    position: f64,
    velocity: f64,
    strength: Option<f64>,
}

/// The drive that pulls the coordinate, if there is one: force = stiffness (position − x) + damping (velocity − ẋ).
fn drive(sheet: &Sheet, prim: &Prim, instance: &str, unit: f64) -> Result<Option<Drive>, SceneError> {
    if !sheet.has(prim, &format!("PhysicsDriveAPI:{instance}"))? {
        return Ok(None);
    }
    let key = |name: &str| format!("drive:{instance}:physics:{name}");
    let number = |name: &str| {
        let value = sheet.number(prim, &key(name))?.unwrap_or(0.0);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(sheet.error(prim, format!("{} must be finite", key(name))))
        }
    };
    let (position, velocity) = (number("targetPosition")?, number("targetVelocity")?);
    let (stiffness, damping) = (number("stiffness")?.max(0.0), number("damping")?.max(0.0));
    let strength = effort(sheet, prim, &key("maxForce"), unit)?;
    if sheet.text(prim, &key("type"))?.as_deref() == Some("acceleration") {
        sheet.drop(prim, key("type"), "drives by acceleration are not supported: there is no drive");
        return Ok(None);
    }
    if stiffness > 0.0 && velocity != 0.0 {
        sheet.drop(prim, key("targetVelocity"), "a drive to a position ends at rest there");
    }
    let drive = Drive { stiffness, damping, position, velocity, strength };
    Ok((stiffness > 0.0 || damping > 0.0).then_some(drive))
}

fn turn(reader: &Reader<'_>, prim: &Prim) -> Result<TurnEntry, SceneError> {
    let (sheet, unit) = (reader.sheet, reader.units.moment());
    let [min_deg, max_deg] = bounds(sheet, prim)?;
    let mut turn = TurnEntry { min_deg, max_deg, ..TurnEntry::default() };
    // The file gives stiffness and damping per degree.
    let per_radian = unit * 1.0_f64.to_degrees();
    if let Some(drive) = drive(sheet, prim, "angular", unit)? {
        if drive.stiffness > 0.0 {
            turn.angle_deg = Some(drive.position);
            turn.drive_compliance = 1.0 / (drive.stiffness * per_radian);
        } else {
            turn.velocity_deg = Some(drive.velocity);
            turn.drive_compliance = write::LOOSE;
        }
        (turn.drive_damping, turn.max_torque) = (drive.damping * per_radian, drive.strength);
    }
    Ok(turn)
}

fn slide(reader: &Reader<'_>, prim: &Prim) -> Result<SlideEntry, SceneError> {
    let (sheet, units) = (reader.sheet, reader.units);
    let [min, max] = bounds(sheet, prim)?.map(|x| x.map(|x| x * units.length));
    let mut slide = SlideEntry { min, max, ..SlideEntry::default() };
    // Force by length: the lengths of the file cancel.
    if let Some(drive) = drive(sheet, prim, "linear", units.force())? {
        if drive.stiffness > 0.0 {
            slide.position = Some(drive.position * units.length);
            slide.drive_compliance = 1.0 / (drive.stiffness * units.mass);
        } else {
            slide.velocity = Some(drive.velocity * units.length);
            slide.drive_compliance = write::LOOSE;
        }
        (slide.drive_damping, slide.max_force) = (drive.damping * units.mass, drive.strength);
    }
    Ok(slide)
}

/// The cone of a ball joint.
fn swing(sheet: &Sheet, prim: &Prim) -> Result<Option<SwingEntry>, SceneError> {
    let angle = |name: &str| {
        let angle = sheet.number(prim, name)?;
        Ok::<_, SceneError>(angle.filter(|angle| *angle >= 0.0 && angle.is_finite()))
    };
    let (one, other) = (angle("physics:coneAngle0Limit")?, angle("physics:coneAngle1Limit")?);
    let (Some(one), Some(other)) = (one, other) else {
        if one.or(other).is_some() {
            sheet.drop(prim, "physics:coneAngle0Limit", "a bound about one axis only is not supported");
        }
        return Ok(None);
    };
    if one != other {
        sheet.drop(prim, "physics:coneAngle0Limit", "the cone is round, with the larger of both angles");
    }
    Ok(Some(SwingEntry { max_deg: Some(one.max(other).min(180.0)), ..SwingEntry::default() }))
}
