//! A position with a rotation, written in one of three ways.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_default;

/// A frame relative to another: a position and at most one kind of rotation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Placement {
    /// Origin (m).
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub position: [f64; 3],
    /// Rotation by angles (degrees) about the outer frame's x, then y, then z axis: R = Rz·Ry·Rx.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation_deg: Option<[f64; 3]>,
    /// Rotation as a quaternion [w, x, y, z], instead of `rotation_deg`; it is normalised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Rotation as axis × angle (degrees), instead of `rotation_deg`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation_vector_deg: Option<[f64; 3]>,
}
