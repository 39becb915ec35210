//! A `key` of `keyframe` as the start.

use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion};

use super::super::model::{Joint, Kind};
use super::super::xml::Element;
use crate::error::{Finding, SceneError};

/// The coordinates of all joints, in the order of the file.
pub struct Start {
    qpos: Vec<f64>,
    /// The first coordinate that was not used yet.
    at: usize,
    /// Controls of the actuators.
    pub control: Vec<f64>,
    /// The error if the number of coordinates is wrong.
    wrong: SceneError,
}

impl Start {
    /// Finds the key of this name, or of this number.
    ///
    /// # Errors
    /// There is none, or a number is invalid.
    pub fn of(root: &Element<'_>, key: &str) -> Result<Self, SceneError> {
        let all: Vec<Element<'_>> =
            root.children().into_iter().filter(|child| child.name() == "keyframe").collect();
        let keys: Vec<Element<'_>> =
            all.iter().flat_map(Element::children).filter(|child| child.name() == "key").collect();
        let named = keys.iter().find(|element| element.peek("name") == Some(key));
        let Some(found) = named.or_else(|| keys.get(key.parse::<usize>().ok()?)) else {
            let names: Vec<String> = keys
                .iter()
                .enumerate()
                .map(|(i, key)| key.peek("name").map_or_else(|| i.to_string(), str::to_owned))
                .collect();
            return Err(root.error(format!("there is no key {key:?}: the file has {names:?}")));
        };
        all.iter().for_each(|all| {
            all.read();
        });
        let found = found.read();
        found.text("name");
        if found.numbers("qvel")?.is_some_and(|qvel| qvel.iter().any(|v| *v != 0.0)) {
            found.drop("<key qvel>", "the scene starts at rest");
        }
        let qpos = found.numbers("qpos")?.unwrap_or_default();
        let wrong =
            found.error(format!("qpos has {} numbers, and the joints have another number", qpos.len()));
        Ok(Self { qpos, at: 0, control: found.numbers("ctrl")?.unwrap_or_default(), wrong })
    }

    /// The next coordinates.
    fn take<const N: usize>(&mut self, or: [f64; N]) -> [f64; N] {
        let taken = self.qpos.get(self.at..self.at + N).and_then(|part| part.try_into().ok());
        self.at += N;
        taken.unwrap_or(or)
    }

    /// Moves a body, which is at `pose`, by the coordinate of a joint, which is `zero` there; bounds and the rest count from there.
    pub fn move_joint(&mut self, joint: &mut Joint, zero: f64, pose: &mut Pose) {
        let turned = |pose: &Pose, turn: &UnitQuaternion| {
            Pose::new(joint.position + turn * (pose.position - joint.position), turn * pose.rotation)
        };
        let moved = match joint.kind {
            Kind::Fixed => return,
            Kind::Ball => {
                let own = quaternion::from_wxyz(self.take([1.0, 0.0, 0.0, 0.0])).unwrap_or_default();
                let turn = pose.rotation * own * pose.rotation.inverse();
                *pose = turned(pose, &turn);
                return;
            }
            Kind::Hinge => {
                let [q] = self.take([zero]);
                let axis = nalgebra::Unit::new_unchecked(joint.axis);
                *pose = turned(pose, &quaternion::from_axis_angle(&axis, q - zero));
                q - zero
            }
            Kind::Slide => {
                let [q] = self.take([zero]);
                let way: Vec3 = joint.axis * (q - zero);
                *pose = Pose::new(pose.position + way, pose.rotation);
                joint.position += way;
                q - zero
            }
        };
        joint.limits = joint.limits.map(|bound| bound.map(|bound| bound - moved));
        joint.rest -= moved;
    }

    /// The place of a free body.
    ///
    /// # Errors
    /// Its quaternion is 0.
    pub fn free(&mut self, element: &Element<'_>) -> Result<Pose, SceneError> {
        let [x, y, z, w, i, j, k] = self.take([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        Ok(Pose::new(Vec3::new(x, y, z), super::unit([w, i, j, k], element)?))
    }

    /// Checks that all coordinates were used.
    ///
    /// # Errors
    /// There are more of them, or fewer.
    pub fn check(&self) -> Result<(), SceneError> {
        if self.at == self.qpos.len() || self.qpos.is_empty() {
            return Ok(());
        }
        let finding: &Finding = &self.wrong;
        let message = format!("qpos has {} numbers: the joints have {}", self.qpos.len(), self.at);
        Err(Finding { message, ..finding.clone() }.into())
    }
}
