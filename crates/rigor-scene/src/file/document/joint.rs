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
    /// Direction at time 0 (world) of the axis of a hinge or the rail of a prismatic joint; any length but 0.
    ///
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = [1.0, 0.0, 0.0]))]
    pub axis: Option<[f64; 3]>,
    /// Where the second body's end of a distance joint is at time 0 (m, world). Default: `position`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 3]>,
    /// The joint's frame in the first body's own frame, instead of `position` and `axis`; its x axis is the joint's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_a: Option<Placement>,
    /// The joint's frame in the second body's own frame, or in the world; goes with `frame_a`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_b: Option<Placement>,
    /// The longest distance that a distance joint allows (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Inverse of the joint's stiffness (m/N); 0 is rigid.
    #[serde(default, skip_serializing_if = "is_default")]
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
    /// Every rotation.
    Ball,
    /// Rotation about the axis.
    Hinge,
    /// Translation along the axis.
    Prismatic,
    /// Everything, while the ends are at most `max` apart.
    Distance,
}
