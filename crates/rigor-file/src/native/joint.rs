//! Translation of joints.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind of joint must be thought of everywhere")]

mod kind;

use std::collections::BTreeMap;
use std::iter;

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, quaternion};

use super::super::at::At;
use super::super::document::JointEntry;
use super::super::error::{SceneError, Warning};
use super::super::tree::shortened;
use super::{Names, placement};
use rigor_scene::Scene;
use rigor_scene::body::{Body, BodyId};
use rigor_scene::joint::{Joint, JointDamping, JointKind, Strength};

/// Maximum number of starts that do not hold of which each is told.
const MAX_NAMED: usize = 20;

/// Converts `entries`, written at `at`, to joints.
///
/// # Errors
/// An unknown body, a duplicate name, missing or doubly given frames, or invalid numbers.
pub fn joints(
    entries: &[JointEntry],
    at: &At<'_>,
    names: &Names<'_>,
    bodies: &[Body],
) -> Result<Vec<Joint>, SceneError> {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut joints = Vec::with_capacity(entries.len());
    for (i, entry) in entries.iter().enumerate() {
        for joint in (Reader { entry, at: at.join(i), names, bodies }).joints()? {
            if let Some(earlier) = first.insert(joint.name.clone(), i) {
                let before = at.join(earlier).join("name").whereabouts();
                let message = format!("the joint `{}` already exists, at {before}", shortened(&joint.name));
                return Err(at.join(i).join("name").error(message));
            }
            joints.push(joint);
        }
    }
    Ok(joints)
}

/// Returns the pairs of bodies (smaller id first) for which a joint disables contact, i.e. the joints without
/// `contact`.
pub fn kept_apart(entries: &[JointEntry], joints: &[Joint]) -> impl Iterator<Item = (BodyId, BodyId)> {
    let asks = entries.iter().flat_map(|entry| iter::repeat_n(entry.contact, n_joints(entry)));
    asks.zip(joints).filter(|(contact, _)| !contact).filter_map(|(_, joint)| {
        let (a, b) = (joint.body_a, joint.body_b?);
        Some((a.min(b), a.max(b)))
    })
}

/// Warns of joints of `scene`, made of `entries` that are written at `at`, which do not hold at time 0: of up to
/// [`MAX_NAMED`] by name, and of the number of all others.
pub fn warn_of_starts(scene: &Scene, entries: &[JointEntry], at: &At<'_>, warnings: &mut Vec<Warning>) {
    let entry_of: Vec<usize> =
        entries.iter().enumerate().flat_map(|(i, entry)| iter::repeat_n(i, n_joints(entry))).collect();
    let errors = scene.start_errors();
    for error in errors.iter().take(MAX_NAMED) {
        let finding = at.join(entry_of[error.joint]).finding(error.to_string());
        warnings
            .push(finding.with_help("start it where it holds, or check its bounds, its goal and its frames"));
    }
    if errors.len() > MAX_NAMED {
        let more = errors.len() - MAX_NAMED;
        warnings.push(at.finding(format!("{more} more starts of joints do not hold")));
    }
}

/// Warns of dampers that do nothing, because their drives are rigid.
pub fn warn_of_damping(entries: &[JointEntry], at: &At<'_>, warnings: &mut Vec<Warning>) {
    for (i, entry) in entries.iter().enumerate() {
        let turn = entry.turn.as_ref().map(|turn| {
            let has_law = turn.drive_stiffness.is_some() || turn.drive_table_deg.is_some();
            ("turn", turn.drive_damping, turn.drive_compliance, has_law)
        });
        let slide = entry.slide.as_ref().map(|slide| {
            let has_law = slide.drive_stiffness.is_some() || slide.drive_table.is_some();
            ("slide", slide.drive_damping, slide.drive_compliance, has_law)
        });
        for (key, damping, compliance, has_law) in turn.into_iter().chain(slide) {
            if damping > 0.0 && compliance == 0.0 && !has_law {
                let at = at.join(i).join(key).join("drive_damping");
                let finding = at.finding("a rigid drive has no damping: `drive_damping` does nothing");
                warnings.push(finding.with_help(
                    "give the drive a `drive_compliance` or a `drive_stiffness`; `drive_stiffness = [0]` is a damper alone",
                ));
            }
        }
    }
}

/// Returns the number of joints of an entry.
fn n_joints(entry: &JointEntry) -> usize {
    entry.copies.map_or(1, |copies| copies.count as usize)
}

struct Reader<'a> {
    entry: &'a JointEntry,
    at: At<'a>,
    names: &'a Names<'a>,
    bodies: &'a [Body],
}

impl Reader<'_> {
    fn joints(&self) -> Result<Vec<Joint>, SceneError> {
        let entry = self.entry;
        let body_a = self.names.find(&entry.body_a, &self.at.join("body_a"))?;
        let find_b = |name: &String| self.names.find(name, &self.at.join("body_b"));
        let body_b = entry.body_b.as_ref().map(find_b).transpose()?;
        let Some(copies) = entry.copies else {
            return Ok(vec![self.joint(&entry.name, body_a, body_b, &Vec3::zeros())?]);
        };
        self.check_count(copies.count, body_a.max(body_b.unwrap_or(body_a)))?;
        let copy = |k: usize| {
            let after = |body: BodyId| BodyId(body.0 + k);
            let shift = Vec3::from(copies.spacing) * k as f64;
            self.joint(&format!("{}-{k}", entry.name), after(body_a), body_b.map(after), &shift)
        };
        (0..n_joints(entry)).map(copy).collect()
    }

    /// Checks that there are enough bodies, starting with the `later` one of the first joint.
    fn check_count(&self, count: u32, later: BodyId) -> Result<(), SceneError> {
        let most = self.bodies.len() - later.0;
        if (1..=most).contains(&(count as usize)) {
            return Ok(());
        }
        let message = format!("expected 1 to {most}, the number of bodies available, found {count}");
        Err(self.at.join("copies").join("count").error(message))
    }

    /// Builds the joint, displaced by `shift` (m, world) from the position in the entry.
    fn joint(
        &self,
        name: &str,
        body_a: BodyId,
        body_b: Option<BodyId>,
        shift: &Vec3,
    ) -> Result<Joint, SceneError> {
        let entry = self.entry;
        if body_b == Some(body_a) {
            return Err(self.at.join("body_b").error("expected a body other than `body_a`"));
        }
        let moves = |body: BodyId| self.bodies[body.0].is_dynamic();
        if !moves(body_a) && !body_b.is_some_and(moves) {
            return Err(self.at.error("expected at least one of the two bodies to be dynamic"));
        }
        let (frame_a, frame_b) = self.frames(body_a, body_b, shift)?;
        let non_negative = |key: &str, value| self.at.join(key).non_negative(value);
        let strength = |key: &str, value: Option<f64>| match value {
            Some(value) => self.at.join(key).positive(value),
            None => Ok(f64::INFINITY),
        };
        Ok(Joint {
            kind: kind::of(entry, &self.at)?,
            compliance: non_negative("compliance", entry.compliance)?,
            angular_compliance: non_negative("angular_compliance", entry.angular_compliance)?,
            damping: JointDamping {
                linear: non_negative("linear_damping", entry.linear_damping)?,
                angular: non_negative("angular_damping", entry.angular_damping)?,
            },
            strength: Strength {
                force: strength("break_force", entry.break_force)?,
                torque: strength("break_torque", entry.break_torque)?,
            },
            ..Joint::new(name, JointKind::Fixed, (body_a, frame_a), (body_b, frame_b))
        })
    }

    /// Computes the joint's frame in the principal frame of each body.
    fn frames(&self, a: BodyId, b: Option<BodyId>, shift: &Vec3) -> Result<(Pose, Pose), SceneError> {
        let entry = self.entry;
        match (&entry.position, &entry.frame_a, &entry.frame_b) {
            (Some(position), None, None) => {
                let rotation = self.rotation()?;
                let end_a = Pose::new(Vec3::from(*position) + shift, rotation);
                let end_b = Pose::new(Vec3::from(entry.to.unwrap_or(*position)) + shift, rotation);
                let body_a = &self.bodies[a.0].initial.pose;
                let frame_b = b.map_or(end_b, |b| self.bodies[b.0].initial.pose.inverse().compose(&end_b));
                Ok((body_a.inverse().compose(&end_a), frame_b))
            }
            (None, Some(frame_a), Some(frame_b)) => {
                let given = [
                    ("axis", entry.axis.is_some()),
                    ("second_axis", entry.second_axis.is_some()),
                    ("to", entry.to.is_some()),
                ];
                for (key, given) in given {
                    if given {
                        let message = format!(
                            "`{key}` requires `position` and cannot be combined with `frame_a` and `frame_b`"
                        );
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

    /// Computes the rotation that maps x to the axis and y to the second axis; without a second axis, the
    /// shortest rotation.
    fn rotation(&self) -> Result<UnitQuaternion, SceneError> {
        let axis = self.direction("axis", self.entry.axis.unwrap_or([1.0, 0.0, 0.0]))?;
        if let Some(second) = self.entry.second_axis {
            return self.square(&axis, &self.direction("second_axis", second)?);
        }
        let half_way = [1.0 + axis.x, 0.0, -axis.z, axis.y];
        Ok(quaternion::from_wxyz(half_way).unwrap_or_else(|_| {
            // Opposite direction: half a turn about z.
            UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 0.0, 0.0, 1.0))
        }))
    }

    /// Returns a direction of any length but 0 as a unit vector.
    fn direction(&self, key: &str, direction: [f64; 3]) -> Result<Vec3, SceneError> {
        let direction = Vec3::from(direction);
        let largest = direction.amax();
        if largest == 0.0 {
            return Err(self.at.join(key).error("expected a direction, found [0, 0, 0]"));
        }
        // Scaling first prevents the squares from overflowing or underflowing.
        Ok((direction / largest).normalize())
    }

    fn square(&self, x: &Vec3, second: &Vec3) -> Result<UnitQuaternion, SceneError> {
        let z = x.cross(second);
        if z.norm() < 1e-6 {
            let message = "expected a direction that is not parallel to `axis`";
            return Err(self.at.join("second_axis").error(message));
        }
        let z = z.normalize();
        let turned = Mat3::from_columns(&[*x, z.cross(x), z]);
        Ok(quaternion::from_matrix(&turned, 1e-9).expect("three unit vectors at right angles"))
    }
}
