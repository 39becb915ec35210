//! What a joint holds.

use super::JointKind;

/// The relative motion that a joint prevents while it is inside its bounds.
///
/// A distance joint holds a length and a gear a sum of turns; neither is an axis, so both hold none here, except that a
/// distance joint of length 0 holds all three origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Whether A's origin is held on B's along each axis of B.
    pub gap: [bool; 3],
    /// Which rotations of A relative to B are prevented.
    pub rotation: HeldRotation,
}

/// The rotations of a frame A relative to a frame B that a joint prevents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldRotation {
    /// All three.
    All,
    /// The two that tilt A's x axis against B's.
    Swing,
    /// The one that changes the right angle between A's y axis and B's x axis.
    Cross,
    /// None.
    None,
}

impl JointKind {
    /// Returns what the joint holds.
    ///
    /// ```
    /// use rigor_scene::{HeldRotation, JointKind};
    /// let rail = JointKind::CYLINDRICAL.held();
    /// assert_eq!((rail.gap, rail.rotation), ([false, true, true], HeldRotation::Swing));
    /// ```
    pub fn held(&self) -> Held {
        let (gap, rotation) = match self {
            Self::Fixed => ([true; 3], HeldRotation::All),
            Self::Ball { .. } => ([true; 3], HeldRotation::None),
            Self::Hinge { .. } => ([true; 3], HeldRotation::Swing),
            Self::Universal => ([true; 3], HeldRotation::Cross),
            Self::Prismatic { .. } => ([false, true, true], HeldRotation::All),
            Self::Cylindrical { .. } => ([false, true, true], HeldRotation::Swing),
            // At distance 0 the origins coincide.
            Self::Distance { max, .. } if *max <= 0.0 => ([true; 3], HeldRotation::None),
            Self::Distance { .. } | Self::Gear { .. } => ([false; 3], HeldRotation::None),
        };
        Held { gap, rotation }
    }
}
