//! Geometries drawn by points.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::either::OutlineEntry;
use super::super::is_default;

/// A region of the x–y plane, with holes, extruded along z symmetrically about z = 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Extrude")]
pub struct ExtrudeShape {
    /// The boundary of the region; it must not intersect itself.
    pub outline: OutlineEntry,
    /// Holes: inside the outline, disjoint from it and from each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<OutlineEntry>,
    /// Depth along z (m). Default: none, an open sheet at z = 0 that faces +z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
}

/// A profile revolved about the y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Revolve")]
pub struct RevolveShape {
    /// Points [r, y] (m). If r = 0 at both ends, the axis closes the profile; if r > 0 everywhere, the last
    /// point is joined to the first to form a ring.
    pub profile: Vec<[f64; 2]>,
    /// Vertices per circle, 3 to 4096.
    #[serde(default = "super::round")]
    pub segments: u32,
}

/// A wire without thickness: edges from point to point.
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

/// Unconnected points, spread evenly over a sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PointSphere")]
pub struct PointSphereShape {
    /// Radius (m).
    pub radius: f64,
    /// Number of points, 4 to 1 000 000.
    pub count: u32,
}
