//! `[[joint]]`: a joint between two bodies, or a body and the world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_default;
use super::placement::Placement;

/// A joint. Say where it is in the world at time 0 (`position`, `axis`), or where its frame is in each body
/// (`frame_a`, `frame_b`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Joint")]
pub struct JointEntry {
    /// Unique among the joints.
    pub name: String,
    /// Which relative motion is left free.
    pub kind: JointName,
    /// The first body's name.
    pub body_a: String,
    /// The second body's name. Default: the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_b: Option<String>,
    /// Where the joint is at time 0 (m, world).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// Direction at time 0 (world) of the joint's x axis: the axis of a hinge, the rail of a prismatic joint; any
    /// length but 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = [1.0, 0.0, 0.0]))]
    pub axis: Option<[f64; 3]>,
    /// Direction at time 0 (world) of the joint's y axis, the second axis of a universal joint, made square to `axis`;
    /// not along it. Default: y, as `axis` is turned from x the shortest way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_axis: Option<[f64; 3]>,
    /// Where the second body's end of a distance joint is at time 0 (m, world). Default: `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// The joint's frame in the first body's own frame, instead of `position` and `axis`; its x axis is the joint's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_a: Option<Placement>,
    /// The joint's frame in the second body's own frame, or in the world; goes with `frame_a`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_b: Option<Placement>,
    /// The shortest distance that a distance joint allows (m). Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The longest distance that a distance joint allows (m); `min` = `max` is a rod or a spring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Bounds and drive of the turn of a hinge or a cylindrical joint; bounds of the twist of a ball joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnEntry>,
    /// Bounds and drive of the slide of a prismatic or a cylindrical joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide: Option<SlideEntry>,
    /// Bounds of the swing of a ball joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swing: Option<SwingEntry>,
    /// Turns of the second body for each turn of the first, of a gear; negative where they turn in opposite directions;
    /// not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Inverse of the stiffness (m/N) of what holds the joint's ends together; 0 is rigid.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
    /// Inverse of the stiffness (rad/(N m)) of what holds the joint's axes; 0 is rigid.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub angular_compliance: f64,
    /// How fast the relative velocity at the joint dies out (1/s); of a distance joint: along the line between its ends.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub linear_damping: f64,
    /// How fast the relative angular velocity dies out (1/s).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub angular_damping: f64,
    /// The force (N), averaged over a step, above which the joint breaks. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
    /// The torque (N m), averaged over a step, above which the joint breaks. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_torque: Option<f64>,
    /// Whether the two bodies may still touch each other, also once the joint is broken.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub contact: bool,
    /// A row of equal joints instead of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<JointCopies>,
}

/// A row of equal joints, named `NAME-k` with k from 0: the k-th is between the k-th bodies after the two that are
/// named, in the order of the scene.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointCopies {
    /// How many; at least 1.
    pub count: u32,
    /// By how much `position` and `to` advance from one to the next (m, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub spacing: [f64; 3],
}

/// A turn about the joint's x axis: the angle of the first body against the second, 0 where the joint's frames coincide.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Turn")]
pub struct TurnEntry {
    /// The least angle (degrees, −180 to 180). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_deg: Option<f64>,
    /// The largest angle (degrees, −180 to 180). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_deg: Option<f64>,
    /// Inverse of the stiffness of the bounds (rad/(N m)); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
    /// The angle that a drive turns to (degrees, −180 to 180).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle_deg: Option<f64>,
    /// The angular velocity that a drive turns with (degrees/s), instead of `angle_deg`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity_deg: Option<f64>,
    /// Inverse of the stiffness of the drive (rad/(N m)); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_compliance: f64,
    /// Torque of the drive per angular velocity against its target (N m s); a rigid drive needs none.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_damping: f64,
    /// The largest torque of the drive (N m). Default: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_torque: Option<f64>,
}

/// A slide along the joint's x axis: the position of the first body's end against the second's.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Slide")]
pub struct SlideEntry {
    /// The least position (m). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The largest position (m). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Inverse of the stiffness of the bounds (m/N); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
    /// The position that a drive moves to (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<f64>,
    /// The velocity that a drive moves with (m/s), instead of `position`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
    /// Inverse of the stiffness of the drive (m/N); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_compliance: f64,
    /// Force of the drive per velocity against its target (N s/m); a rigid drive needs none.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub drive_damping: f64,
    /// The largest force of the drive (N). Default: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_force: Option<f64>,
}

/// A swing: the angle between the joint's x axes in both bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Swing")]
pub struct SwingEntry {
    /// The least angle (degrees, 0 to 180).
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub min_deg: f64,
    /// The largest angle (degrees, 0 to 180). Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_deg: Option<f64>,
    /// Inverse of the stiffness of the bounds (rad/(N m)); 0 is rigid.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub compliance: f64,
}

/// Which relative motion a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JointKind")]
pub enum JointName {
    /// None.
    Fixed,
    /// Every rotation, within the bounds of `swing` and `turn`.
    Ball,
    /// Rotation about the axis.
    Hinge,
    /// Rotation about the second body's x axis and the first one's y axis, which stay at right angles.
    Universal,
    /// Translation along the axis.
    Prismatic,
    /// Translation along the axis and rotation about it.
    Cylindrical,
    /// Everything, while the ends are at least `min` and at most `max` apart.
    Distance,
    /// Everything, but the second body turns about its x axis `ratio` times as far as the first about its own; other
    /// joints hold the axes.
    Gear,
}
