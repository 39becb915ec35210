//! Joints between bodies, as data.

use rigor_math::Pose;

use crate::body::BodyId;

mod freedom;

pub use freedom::{Drive, Freedom, Goal, Range};

/// A joint holds a frame A of one body against a frame B of another, or of the world.
///
/// Its coordinates are those of A as seen from B: the *slide* is where A's origin is along B's x axis (m), the *turn* how far
/// A is turned about it (rad), the *swing* the angle between the x axes of both (rad). They are 0 where the frames coincide.
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
    /// A: the joint's frame in body a's principal frame.
    pub frame_a: Pose,
    /// B: the joint's frame in body b's principal frame, or in the world.
    pub frame_b: Pose,
    /// α (m/N) of what holds the frames' origins: the inverse of its stiffness; 0 is rigid.
    pub compliance: f64,
    /// α (rad/(N m)) of what holds the frames' axes; 0 is rigid.
    pub angular_compliance: f64,
    /// How fast free motion dies out.
    pub damping: JointDamping,
    /// What it bears.
    pub strength: Strength,
}

impl Joint {
    /// A rigid, undamped, unbreakable joint between the frame `frame_a` of a body and the frame `frame_b` of another,
    /// or of the world.
    pub fn new(
        name: impl Into<String>,
        kind: JointKind,
        (body_a, frame_a): (BodyId, Pose),
        (body_b, frame_b): (Option<BodyId>, Pose),
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            body_a,
            body_b,
            frame_a,
            frame_b,
            compliance: 0.0,
            angular_compliance: 0.0,
            damping: JointDamping::default(),
            strength: Strength::default(),
        }
    }
}

/// Which relative motion a joint leaves free. Axes are those of the joint's frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// None.
    Fixed,
    /// Every rotation, within limits.
    Ball {
        /// Bounds of the swing (rad).
        swing: Range,
        /// Bounds of the turn (rad).
        twist: Range,
    },
    /// Rotation about x.
    Hinge {
        /// The turn (rad).
        turn: Freedom,
    },
    /// Rotation about B's x and A's y, which stay at right angles: a cardan joint.
    Universal,
    /// Translation along x.
    Prismatic {
        /// The slide (m).
        slide: Freedom,
    },
    /// Translation along x and rotation about it.
    Cylindrical {
        /// The slide (m).
        slide: Freedom,
        /// The turn (rad).
        turn: Freedom,
    },
    /// Everything, while the origins are so far apart. With `min` = `max` and a compliance it is a spring.
    Distance {
        /// The shortest distance allowed (m).
        min: f64,
        /// The longest distance allowed (m).
        max: f64,
    },
    /// Everything, but the turns of a about A's x and of b about B's x are coupled: `ratio` turns of a, less one of b, do not
    /// change. Both turns are about axes that something else holds; of them joint says nothing.
    Gear {
        /// Turns of b for each turn of a; negative where they turn in opposite directions. Not 0.
        ratio: f64,
    },
}

impl JointKind {
    /// Every rotation, without limits.
    pub const BALL: Self = Self::Ball { swing: Range::UNBOUNDED, twist: Range::UNBOUNDED };
    /// Rotation about x, without limits or drive.
    pub const HINGE: Self = Self::Hinge { turn: Freedom::FREE };
    /// Translation along x, without limits or drive.
    pub const PRISMATIC: Self = Self::Prismatic { slide: Freedom::FREE };
    /// Translation along x and rotation about it, without limits or drives.
    pub const CYLINDRICAL: Self = Self::Cylindrical { slide: Freedom::FREE, turn: Freedom::FREE };

    /// How freely a slides along B's x axis, if it may.
    pub fn slide(&self) -> Option<&Freedom> {
        match self {
            Self::Prismatic { slide } | Self::Cylindrical { slide, .. } => Some(slide),
            _ => None,
        }
    }

    /// How freely a turns about B's x axis, if that is what the joint leaves free.
    pub fn turn(&self) -> Option<&Freedom> {
        match self {
            Self::Hinge { turn } | Self::Cylindrical { turn, .. } => Some(turn),
            _ => None,
        }
    }
}

/// How fast the velocities of a joint's free motion die out: as exp(−k t).
///
/// Source: [Mueller2020] §3.5, joint damping.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointDamping {
    /// k (1/s) of the relative velocity at the joint; of a distance joint: along the line between its ends.
    pub linear: f64,
    /// k (1/s) of the relative angular velocity.
    pub angular: f64,
}

/// What a joint bears before it breaks; infinite where it never does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// The largest force (N).
    pub force: f64,
    /// The largest torque (N m).
    pub torque: f64,
}

impl Default for Strength {
    fn default() -> Self {
        Self { force: f64::INFINITY, torque: f64::INFINITY }
    }
}
