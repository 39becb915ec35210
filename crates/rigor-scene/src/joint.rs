//! Joints between bodies, as data.

use rigor_math::Pose;

use crate::body::BodyId;

pub mod coordinate;
mod force_law;
mod freedom;
mod held;
mod misfit;

pub use coordinate::{JointFrames, swing_of, turn_of, unwrapped};
pub use force_law::{ForceLaw, ForceTable, MAX_TERMS, TableError};
pub use freedom::{Drive, Freedom, Goal, ROUNDING, Range};
pub use held::{Held, HeldRotation};
pub use misfit::Misfit;

/// A joint between a frame A of one body and a frame B of another body or of the world.
///
/// Its coordinates describe A relative to B: the *slide* is the position of A's origin along B's x axis (m),
/// the *turn* the rotation of A about that axis (rad), the *swing* the angle between the x axes of both
/// (rad). All are 0 where the frames coincide. The turn is counted over whole turns: it starts in (−π, π], or as
/// [`Range::start`] says, and is followed from there.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Unique in its scene.
    pub name: String,
    /// Which relative motion is allowed.
    pub kind: JointKind,
    /// The first body.
    pub body_a: BodyId,
    /// The second body; `None` is the world.
    pub body_b: Option<BodyId>,
    /// A: the joint's frame in body a's principal frame.
    pub frame_a: Pose,
    /// B: the joint's frame in body b's principal frame, or in the world.
    pub frame_b: Pose,
    /// Compliance α (m/N) of the constraint on the frames' origins, the inverse of the stiffness; 0 is rigid.
    pub compliance: f64,
    /// Compliance α (rad/(N m)) of the constraint on the frames' axes; 0 is rigid.
    pub angular_compliance: f64,
    /// Damping of the free motion.
    pub damping: JointDamping,
    /// Maximum load.
    pub strength: Strength,
}

impl Joint {
    /// Creates a rigid, undamped, unbreakable joint between the frame `frame_a` of a body and the frame
    /// `frame_b` of another body or of the world.
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

    /// Whether some load breaks it.
    pub fn can_break(&self) -> bool {
        self.strength.force.is_finite() || self.strength.torque.is_finite()
    }
}

/// Which relative motion a joint allows. Axes are those of the joint's frames.
#[derive(Debug, Clone, PartialEq)]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// Every rotation, within bounds.
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
    /// Rotation about B's x and A's y axis, which stay perpendicular: a cardan joint.
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
    /// Any motion that keeps the distance of the origins between `min` and `max`; with the compliance of the joint these
    /// are soft. A spring between two points has a drive, and 0 and ∞ as its bounds.
    Distance {
        /// Minimum distance (m).
        min: f64,
        /// Maximum distance (m); ∞ for none.
        max: f64,
        /// Drive of the distance (m): a spring, a damper or a motor between two points.
        drive: Option<Drive>,
    },
    /// Couples the turn of a about A's x axis to the turn of b about B's x axis: `ratio` · (turn of a) −
    /// (turn of b) is constant. Other joints must hold the two axes; this one does not.
    Gear {
        /// Turns of b per turn of a; negative if they turn in opposite directions; not 0.
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

    /// A distance between `min` and `max` (m), without a drive.
    pub const fn distance(min: f64, max: f64) -> Self {
        Self::Distance { min, max, drive: None }
    }

    /// Whether it holds nothing, but may pull: a distance joint without bounds.
    pub fn is_loose(&self) -> bool {
        match self {
            Self::Distance { min, max, .. } => *min <= 0.0 && *max == f64::INFINITY,
            Self::Fixed
            | Self::Ball { .. }
            | Self::Hinge { .. }
            | Self::Universal
            | Self::Prismatic { .. }
            | Self::Cylindrical { .. }
            | Self::Gear { .. } => false,
        }
    }

    /// Drive of the slide, or of the distance of a distance joint.
    pub fn length_drive(&self) -> Option<&Drive> {
        match self {
            Self::Prismatic { slide } | Self::Cylindrical { slide, .. } => slide.drive.as_ref(),
            Self::Distance { drive, .. } => drive.as_ref(),
            Self::Fixed | Self::Ball { .. } | Self::Hinge { .. } | Self::Universal | Self::Gear { .. } => {
                None
            }
        }
    }

    /// Drive of the turn.
    pub fn turn_drive(&self) -> Option<&Drive> {
        self.turn()?.drive.as_ref()
    }

    /// Iterates over the drives of the joint: of its slide or distance, and of its turn.
    pub fn drives(&self) -> impl Iterator<Item = &Drive> {
        self.length_drive().into_iter().chain(self.turn_drive())
    }

    /// Bounds and drive of a's slide along B's x axis, if the joint allows it.
    pub fn slide(&self) -> Option<&Freedom> {
        match self {
            Self::Prismatic { slide } | Self::Cylindrical { slide, .. } => Some(slide),
            Self::Fixed
            | Self::Ball { .. }
            | Self::Hinge { .. }
            | Self::Universal
            | Self::Distance { .. }
            | Self::Gear { .. } => None,
        }
    }

    /// Bounds and drive of a's turn about B's x axis, if the joint allows only that rotation.
    pub fn turn(&self) -> Option<&Freedom> {
        match self {
            Self::Hinge { turn } | Self::Cylindrical { turn, .. } => Some(turn),
            Self::Fixed
            | Self::Ball { .. }
            | Self::Universal
            | Self::Prismatic { .. }
            | Self::Distance { .. }
            | Self::Gear { .. } => None,
        }
    }

    /// Bounds of a's turn about B's x axis: those of a hinge or a cylindrical joint, or the twist of a ball joint.
    pub fn turn_range(&self) -> Range {
        match self {
            Self::Hinge { turn } | Self::Cylindrical { turn, .. } => turn.range,
            Self::Ball { twist, .. } => *twist,
            Self::Fixed
            | Self::Universal
            | Self::Prismatic { .. }
            | Self::Distance { .. }
            | Self::Gear { .. } => Range::UNBOUNDED,
        }
    }

    /// Bounds of the swing of a ball joint.
    pub fn swing_range(&self) -> Range {
        match self {
            Self::Ball { swing, .. } => *swing,
            Self::Fixed
            | Self::Hinge { .. }
            | Self::Universal
            | Self::Prismatic { .. }
            | Self::Cylindrical { .. }
            | Self::Distance { .. }
            | Self::Gear { .. } => Range::UNBOUNDED,
        }
    }

    /// Bounds of the slide, or of the distance of a distance joint.
    pub fn length_range(&self) -> Range {
        match self {
            Self::Prismatic { slide } | Self::Cylindrical { slide, .. } => slide.range,
            Self::Distance { min, max, .. } => Range::new(*min, *max),
            Self::Fixed | Self::Ball { .. } | Self::Hinge { .. } | Self::Universal | Self::Gear { .. } => {
                Range::UNBOUNDED
            }
        }
    }
}

/// Damping of a joint's free motion: velocities decay as exp(−k t).
///
/// Source: \[Mueller2020\] §3.5, joint damping.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointDamping {
    /// k (1/s) of the relative velocity at the joint; for a distance joint, of its component along the line
    /// between the ends.
    pub linear: f64,
    /// k (1/s) of the relative angular velocity.
    pub angular: f64,
}

/// Load above which a joint breaks; infinite if it never does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// Maximum force (N).
    pub force: f64,
    /// Maximum torque (N m).
    pub torque: f64,
}

impl Default for Strength {
    fn default() -> Self {
        Self { force: f64::INFINITY, torque: f64::INFINITY }
    }
}
