//! Arches and their stones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stone of a round arch: the part of a tube with axis z between two planes through the axis. The origin is
/// the centre of the arch; angles run from +x to +y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ArchStone")]
pub struct ArchStoneShape {
    /// Radius of the underside (m).
    pub inner_radius: f64,
    /// Radius of the upper side (m).
    pub outer_radius: f64,
    /// Width along z (m).
    pub depth: f64,
    /// Angle of the first joint (degrees).
    pub start_deg: f64,
    /// Angle of the last joint (degrees), greater than the first by less than 180.
    pub end_deg: f64,
    /// Flat segments per curved face, 1 to 1024.
    #[serde(default = "one")]
    pub segments: u32,
}

/// A round arch of identical stones in one mesh, from +x over +y to −x, centred at the origin. With `split`
/// each stone is a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Arch")]
pub struct ArchShape {
    /// Radius of the underside (m).
    pub inner_radius: f64,
    /// Radius of the upper side (m).
    pub outer_radius: f64,
    /// Width along z (m).
    pub depth: f64,
    /// Angle between the first joint and the last (degrees), symmetric about +y.
    #[serde(default = "half_turn")]
    pub span_deg: f64,
    /// Number of stones, 1 to 4096.
    pub stones: u32,
    /// Width of the joints at the underside (m).
    #[serde(default)]
    pub gap: f64,
    /// Flat segments per curved face of each stone, 1 to 1024.
    #[serde(default = "one")]
    pub segments: u32,
}

fn one() -> u32 {
    1
}

fn half_turn() -> f64 {
    180.0
}
