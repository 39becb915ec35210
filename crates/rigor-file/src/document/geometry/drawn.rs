//! What is drawn by points.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::either::OutlineEntry;
use super::super::is_default;

/// A region of the x–y plane, with holes, drawn out along z about z = 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Extrude")]
pub struct ExtrudeShape {
    /// The rim of the region: it does not meet itself.
    pub outline: OutlineEntry,
    /// What is cut out: inside of the rim, apart from it and from each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<OutlineEntry>,
    /// Depth along z (m). Default: none, an open sheet at z = 0 that faces +z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
}

/// What a profile sweeps when it is turned about y, as on a lathe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Revolve")]
pub struct RevolveShape {
    /// Points [r, y] (m). With r = 0 at both ends the axis closes the profile; with r > 0 everywhere the last point is
    /// joined to the first, for a ring.
    pub profile: Vec<[f64; 2]>,
    /// Vertices around, 3 to 4096.
    #[serde(default = "super::round")]
    pub segments: u32,
}

/// A bent wire without thickness: edges from point to point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Wire")]
pub struct WireShape {
    /// The points (m), at least two.
    pub points: Vec<[f64; 3]>,
    /// Whether the last point is joined to the first.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub closed: bool,
}

/// Points, unconnected, spread evenly over a sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PointSphere")]
pub struct PointSphereShape {
    /// Radius (m).
    pub radius: f64,
    /// How many points, 4 to 1 000 000.
    pub count: u32,
}
