//! Geometries drawn by points.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::either::OutlineEntry;

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
