//! Joints.

use std::collections::BTreeMap;

use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion};

use super::super::at::At;
use super::super::document::{JointEntry, JointName};
use super::super::error::SceneError;
use super::super::tree::shortened;
use super::{Names, placement};
use crate::body::{Body, BodyId};
use crate::joint::{Joint, JointKind};

/// The joints that `entries`, written at `at`, stand for.
///
/// # Errors
/// An unknown body, a name given twice, frames that are missing or given twice, or numbers that make no sense.
pub fn joints(
    entries: &[JointEntry],
    at: &At<'_>,
    names: &Names<'_>,
    bodies: &[Body],
) -> Result<Vec<Joint>, SceneError> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut joints = Vec::with_capacity(entries.len());
    for (i, entry) in entries.iter().enumerate() {
        if let Some(earlier) = first.insert(&entry.name, i) {
            let before = at.join(earlier).join("name").whereabouts();
            let message = format!("the joint `{}` is there already, at {before}", shortened(&entry.name));
            return Err(at.join(i).join("name").error(message));
        }
        joints.push(Reader { entry, at: at.join(i), names, bodies }.joint()?);
    }
    Ok(joints)
}

struct Reader<'a> {
    entry: &'a JointEntry,
    at: At<'a>,
    names: &'a Names<'a>,
    bodies: &'a [Body],
}

impl Reader<'_> {
    fn joint(&self) -> Result<Joint, SceneError> {
        let entry = self.entry;
        let body_a = self.names.find(&entry.body_a, &self.at.join("body_a"))?;
        let find_b = |name: &String| self.names.find(name, &self.at.join("body_b"));
        let body_b = entry.body_b.as_ref().map(find_b).transpose()?;
        if body_b == Some(body_a) {
            return Err(self.at.join("body_b").error("expected another body than `body_a`"));
        }
        let (frame_a, frame_b) = self.frames(body_a, body_b)?;
        Ok(Joint {
            name: entry.name.clone(),
            kind: self.kind()?,
            body_a,
            body_b,
            frame_a,
            frame_b,
            compliance: self.at.join("compliance").non_negative(entry.compliance)?,
        })
    }

    fn kind(&self) -> Result<JointKind, SceneError> {
        let is_distance = self.entry.kind == JointName::Distance;
        for (key, given) in [("max", self.entry.max.is_some()), ("to", self.entry.to.is_some())] {
            if given && !is_distance {
                return Err(self.at.join(key).error(format!("only distance joints have `{key}`")));
            }
        }
        Ok(match self.entry.kind {
            JointName::Fixed => JointKind::Fixed,
            JointName::Ball => JointKind::Ball,
            JointName::Hinge => JointKind::Hinge,
            JointName::Prismatic => JointKind::Prismatic,
            JointName::Distance => {
                let Some(max) = self.entry.max else {
                    return Err(self.at.error("a distance joint needs `max`"));
                };
                JointKind::Distance { max: self.at.join("max").non_negative(max)? }
            }
        })
    }

    /// The joint's frame in the principal frame of each body.
    fn frames(&self, a: BodyId, b: Option<BodyId>) -> Result<(Pose, Pose), SceneError> {
        let entry = self.entry;
        match (&entry.position, &entry.frame_a, &entry.frame_b) {
            (Some(position), None, None) => {
                let rotation = self.rotation()?;
                let end_a = Pose::new((*position).into(), rotation);
                let end_b = Pose::new(entry.to.unwrap_or(*position).into(), rotation);
                let body_a = &self.bodies[a.0].initial.pose;
                let frame_b = b.map_or(end_b, |b| self.bodies[b.0].initial.pose.inverse().compose(&end_b));
                Ok((body_a.inverse().compose(&end_a), frame_b))
            }
            (None, Some(frame_a), Some(frame_b)) => {
                for (key, given) in [("axis", entry.axis.is_some()), ("to", entry.to.is_some())] {
                    if given {
                        let message =
                            format!("`{key}` goes with `position`, not with `frame_a` and `frame_b`");
                        return Err(self.at.join(key).error(message));
                    }
                }
                let frame_a = placement::pose(frame_a, &self.at.join("frame_a"))?;
                let frame_b = placement::pose(frame_b, &self.at.join("frame_b"))?;
                let in_principal =
                    |body: BodyId, frame: &Pose| self.bodies[body.0].frame.inverse().compose(frame);
                Ok((in_principal(a, &frame_a), b.map_or(frame_b, |b| in_principal(b, &frame_b))))
            }
            _ => Err(self.at.error("expected either `position`, or `frame_a` and `frame_b`")),
        }
    }

    /// Turns x into the axis, the shortest way.
    fn rotation(&self) -> Result<UnitQuaternion, SceneError> {
        let axis = Vec3::from(self.entry.axis.unwrap_or([1.0, 0.0, 0.0]));
        let largest = axis.amax();
        if largest == 0.0 {
            return Err(self.at.join("axis").error("expected a direction, found [0, 0, 0]"));
        }
        // Scaled first, so that no square is lost to the range of numbers.
        let axis = (axis / largest).normalize();
        let half_way = [1.0 + axis.x, 0.0, -axis.z, axis.y];
        Ok(quaternion::from_wxyz(half_way).unwrap_or_else(|_| {
            // Straight back: half a turn about z.
            UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 0.0, 0.0, 1.0))
        }))
    }
}
