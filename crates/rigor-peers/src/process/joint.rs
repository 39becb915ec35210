//! Joints for an engine.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind of joint must be thought of everywhere")]

use rigor_math::Pose;
use rigor_scene::{Joint, JointDamping, JointKind, Scene, Strength};

use super::capabilities::JointType;
use super::message::{LoadedFrame, LoadedJoint, wxyz};

/// Returns the kind of a joint in the protocol, and for a constant distance its length (m); `None` for a joint that is
/// compliant, damped, driven, bounded or breakable, or of another kind.
pub(super) fn kind(joint: &Joint) -> Option<(JointType, Option<f64>)> {
    let is_plain = joint.compliance == 0.0
        && joint.angular_compliance == 0.0
        && joint.damping == JointDamping::default()
        && joint.strength == Strength::default();
    if !is_plain {
        return None;
    }
    match joint.kind {
        JointKind::Fixed => Some((JointType::Fixed, None)),
        ref kind if *kind == JointKind::BALL => Some((JointType::Ball, None)),
        ref kind if *kind == JointKind::HINGE => Some((JointType::Hinge, None)),
        ref kind if *kind == JointKind::PRISMATIC => Some((JointType::Slider, None)),
        JointKind::Distance { min, max, drive: None } if min == max => Some((JointType::Distance, Some(max))),
        JointKind::Ball { .. }
        | JointKind::Hinge { .. }
        | JointKind::Universal
        | JointKind::Prismatic { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Distance { .. }
        | JointKind::Gear { .. } => None,
    }
}

/// Returns the joints of `scene` that the protocol has; `supports` has refused a scene with others.
pub(super) fn joints(scene: &Scene) -> Vec<LoadedJoint> {
    scene.joints.iter().filter_map(|joint| loaded(scene, joint)).collect()
}

fn loaded(scene: &Scene, joint: &Joint) -> Option<LoadedJoint> {
    let (kind, distance) = kind(joint)?;
    let in_authors_frame = |body: usize, pose: &Pose| frame(&scene.bodies[body].frame.compose(pose));
    Some(LoadedJoint {
        name: joint.name.clone(),
        kind,
        body_a: joint.body_a.0,
        body_b: joint.body_b.map(|id| id.0),
        frame_a: in_authors_frame(joint.body_a.0, &joint.frame_a),
        frame_b: match joint.body_b {
            Some(id) => in_authors_frame(id.0, &joint.frame_b),
            None => frame(&joint.frame_b),
        },
        distance,
    })
}

fn frame(pose: &Pose) -> LoadedFrame {
    LoadedFrame { position: pose.position.into(), rotation: wxyz(&pose.rotation) }
}

#[cfg(test)]
mod tests {
    use rigor_scene::{BodyId, Range};

    use super::*;

    fn joint(kind: JointKind) -> Joint {
        Joint::new("j", kind, (BodyId(0), Pose::identity()), (None, Pose::identity()))
    }

    #[test]
    fn only_plain_joints_are_passed_on() {
        assert_eq!(kind(&joint(JointKind::HINGE)), Some((JointType::Hinge, None)));
        assert_eq!(kind(&joint(JointKind::distance(0.5, 0.5))), Some((JointType::Distance, Some(0.5))));
        assert_eq!(kind(&joint(JointKind::distance(0.0, 0.5))), None);
        let drive = Some(rigor_scene::Drive::spring(rigor_scene::Goal::Position(0.5), 0.1));
        assert_eq!(kind(&joint(JointKind::Distance { min: 0.5, max: 0.5, drive })), None);
        let bounded = JointKind::Ball { swing: Range::new(0.0, 1.0), twist: Range::UNBOUNDED };
        assert_eq!(kind(&joint(bounded)), None);
        assert_eq!(kind(&Joint { compliance: 1e-6, ..joint(JointKind::Fixed) }), None);
    }
}
