//! Joints between bodies, as data.

use rigor_math::Pose;

use crate::body::BodyId;

/// A joint holds a frame of one body against a frame of another, or of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Unique in its scene.
    pub name: String,
    /// Which relative motion is left free.
    pub kind: JointKind,
    /// The first body.
    pub body_a: BodyId,
    /// The second body; `None` is the world.
    pub body_b: Option<BodyId>,
    /// The joint's frame in body a's principal frame.
    pub frame_a: Pose,
    /// The joint's frame in body b's principal frame, or in the world.
    pub frame_b: Pose,
    /// α (m/N): the inverse of the joint's stiffness; 0 is rigid.
    pub compliance: f64,
}

/// Which relative motion a joint leaves free. Axes are those of the joint's frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// None.
    Fixed,
    /// Every rotation.
    Ball,
    /// Rotation about x.
    Hinge,
    /// Translation along x.
    Prismatic,
    /// Everything, while the origins are at most this far apart (m).
    Distance {
        /// The longest distance allowed (m).
        max: f64,
    },
}
