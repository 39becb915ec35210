//! `[[joint]]`: a joint between two bodies, or between a body and the world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_default;
use super::placement::Placement;

/// A joint, placed in the world at time 0 (`position`, `axis`) or by its frame in each body (`frame_a`,
/// `frame_b`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Joint")]
pub struct JointEntry {
    /// Unique among the joints.
    pub name: String,
    /// Which relative motion is allowed.
    pub kind: JointName,
    /// The first body's name.
    pub body_a: String,
    /// The second body's name. Default: the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_b: Option<String>,
    /// Position of the joint at time 0 (m, world).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// Direction of the joint's x axis at time 0 (world): the axis of a hinge, the rail of a prismatic joint;
    /// any length but 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = [1.0, 0.0, 0.0]))]
    pub axis: Option<[f64; 3]>,
    /// Direction of the joint's y axis at time 0 (world), the second axis of a universal joint; it is made
    /// perpendicular to `axis` and must not be parallel to it. Default: the y axis under the shortest
    /// rotation from x to `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_axis: Option<[f64; 3]>,
    /// Position of the second body's end of a distance joint at time 0 (m, world). Default: `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// The joint's frame in the first body's frame, instead of `position` and `axis`; its x axis is that of
    /// the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_a: Option<Placement>,
    /// The joint's frame in the second body's frame, or in the world; required with `frame_a`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_b: Option<Placement>,
    /// Minimum distance of a distance joint (m). Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Maximum distance of a distance joint (m); `min` = `max` makes a rod or, with `compliance`, a spring. Default with a drive:
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Bounds and drive of the turn of a hinge or a cylindrical joint; bounds of the twist of a ball joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnEntry>,
    /// Bounds and drive of the slide of a prismatic or a cylindrical joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide: Option<SlideEntry>,
    /// Drive of the distance of a distance joint: a spring, a damper or a motor between two points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<LengthEntry>,
    /// Bounds of the swing of a ball joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swing: Option<SwingEntry>,
    /// For a gear: turns of the second body per turn of the first; negative if they turn in opposite
    /// directions; not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Inverse of the stiffness that holds the joint's ends together (m/N); 0 is rigid.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
    /// Inverse of the stiffness that holds the joint's axes (rad/(N m)); 0 is rigid.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub angular_compliance: f64,
    /// Decay rate of the relative velocity at the joint (1/s); for a distance joint, of its component along
    /// the line between the ends.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub linear_damping: f64,
    /// Decay rate of the relative angular velocity (1/s).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub angular_damping: f64,
    /// Force (N), averaged over a step, above which the joint breaks. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
    /// Torque (N m), averaged over a step, above which the joint breaks. Default: unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_torque: Option<f64>,
    /// Whether the two bodies can collide. If false, they never do, even after the joint breaks.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub contact: bool,
    /// A row of identical joints instead of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<JointCopies>,
}

impl JointEntry {
    /// Creates a rigid joint of a body with the world, with default values.
    pub fn new(name: impl Into<String>, kind: JointName, body_a: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            body_a: body_a.into(),
            body_b: None,
            position: None,
            axis: None,
            second_axis: None,
            to: None,
            frame_a: None,
            frame_b: None,
            min: None,
            max: None,
            turn: None,
            slide: None,
            length: None,
            swing: None,
            ratio: None,
            compliance: 0.0,
            angular_compliance: 0.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            break_force: None,
            break_torque: None,
            contact: false,
            copies: None,
        }
    }
}

/// A row of identical joints, named `NAME-k` with k from 0: the k-th connects the k-th bodies after the two
/// named ones, in the order of the scene.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointCopies {
    /// Number of joints, at least 1.
    pub count: u32,
    /// Advance of `position` and `to` from one joint to the next (m, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub spacing: [f64; 3],
}

/// Rotation about the joint's x axis: the angle of the first body relative to the second, 0 where the joint's
/// frames coincide, counted over whole turns from its value at time 0: that in (−180, 180], unless whole turns
/// more or less take it nearer to both bounds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Turn")]
pub struct TurnEntry {
    /// Lower bound of the angle (degrees, counted over whole turns). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_deg: Option<f64>,
    /// Upper bound of the angle (degrees, counted over whole turns). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_deg: Option<f64>,
    /// Inverse of the stiffness of the bounds (rad/(N m)); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
    /// Target angle of the drive (degrees, counted over whole turns).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle_deg: Option<f64>,
    /// Target angular velocity of the drive (degrees/s), instead of `angle_deg`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity_deg: Option<f64>,
    /// Inverse of the stiffness of the drive (rad/(N m)); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_compliance: f64,
    /// Stiffness of the drive instead of `drive_compliance`: up to 5 coefficients kᵢ ≥ 0 (N m/radⁱ) of the torque
    /// k₁ c + k₂ c² + k₃ c³ + … that pulls back at the
    /// angle c > 0 (rad) from the target, and its opposite at −c. `[0]` is a damper alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_stiffness: Option<Vec<f64>>,
    /// Points instead of `drive_compliance`: pairs of the angle from the target (degrees) and the torque that pulls back (N m),
    /// straight between them and beyond. Angles must rise, torques must not fall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_table_deg: Option<Vec<[f64; 2]>>,
    /// Torque of the drive divided by the angular velocity relative to its target (N m s); a rigid drive
    /// needs none.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_damping: f64,
    /// Maximum torque of the drive (N m). Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_torque: Option<f64>,
}

/// Translation along the joint's x axis: the position of the first body's end relative to the second's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Slide")]
pub struct SlideEntry {
    /// Lower bound of the position (m). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Upper bound of the position (m). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Inverse of the stiffness of the bounds (m/N); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
    /// Target position of the drive (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<f64>,
    /// Target velocity of the drive (m/s), instead of `position`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
    /// Inverse of the stiffness of the drive (m/N); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_compliance: f64,
    /// Stiffness of the drive instead of `drive_compliance`: up to 5 coefficients kᵢ ≥ 0 (N/mⁱ) of the force
    /// k₁ c + k₂ c² + k₃ c³ + … that pulls back at the
    /// deviation c > 0 (m) from the target, and its opposite at −c. `[0]` is a damper alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_stiffness: Option<Vec<f64>>,
    /// Points instead of `drive_compliance`: pairs of the deviation from the target (m) and the force that pulls back (N), straight
    /// between them and beyond. Deviations must rise, forces must not fall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_table: Option<Vec<[f64; 2]>>,
    /// Force of the drive divided by the velocity relative to its target (N s/m); a rigid drive needs none.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_damping: f64,
    /// Maximum force of the drive (N). Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_force: Option<f64>,
}

/// Drive of the distance between the ends of a distance joint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Length")]
pub struct LengthEntry {
    /// Target distance of the drive (m): the length of a spring without force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Target velocity of the drive (m/s), instead of `distance`: positive moves the ends apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
    /// Inverse of the stiffness of the drive (m/N); 0 is rigid, for drives to a velocity or with `max_force`.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_compliance: f64,
    /// Stiffness of the drive instead of `drive_compliance`: up to 5 coefficients kᵢ ≥ 0 (N/mⁱ) of the force
    /// k₁ c + k₂ c² + k₃ c³ + … that pulls back at the
    /// deviation c > 0 (m) from the target, and its opposite at −c. `[0]` is a damper alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_stiffness: Option<Vec<f64>>,
    /// Points instead of `drive_compliance`: pairs of the deviation from the target (m) and the force that pulls back (N), straight
    /// between them and beyond. Deviations must rise, forces must not fall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_table: Option<Vec<[f64; 2]>>,
    /// Force of the drive divided by the velocity relative to its target (N s/m).
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_damping: f64,
    /// Maximum force of the drive (N). Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_force: Option<f64>,
}

/// Swing: the angle between the joint's x axes in both bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Swing")]
pub struct SwingEntry {
    /// Lower bound of the angle (degrees, 0 to 180).
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub min_deg: f64,
    /// Upper bound of the angle (degrees, 0 to 180). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_deg: Option<f64>,
    /// Inverse of the stiffness of the bounds (rad/(N m)); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
}

/// Which relative motion a joint allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JointKind")]
pub enum JointName {
    /// No relative motion.
    Fixed,
    /// Every rotation, within the bounds of `swing` and `turn`.
    Ball,
    /// Rotation about the axis.
    Hinge,
    /// Rotation about the second body's x axis and the first body's y axis, which stay perpendicular.
    Universal,
    /// Translation along the axis.
    Prismatic,
    /// Translation along the axis and rotation about it.
    Cylindrical,
    /// Any motion that keeps the distance of the ends between `min` and `max`.
    Distance,
    /// Any motion, but the second body turns about its x axis `ratio` times as far as the first about its
    /// own; other joints must hold the axes.
    Gear,
}
