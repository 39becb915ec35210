//! Machine parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A spur gear with involute teeth about y, one tooth pointing to +x. Two gears of one module and pressure angle run
/// together at the distance module · (teeth₁ + teeth₂)/2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Gear")]
pub struct GearShape {
    /// Number of teeth, 5 to 1024.
    pub teeth: u32,
    /// Pitch diameter over number of teeth (m).
    pub module: f64,
    /// Pressure angle (degrees), 10 to 30.
    #[serde(default = "twenty")]
    pub pressure_angle_deg: f64,
    /// Arc on the pitch circle by which each tooth is thinner than half the pitch (m). Default: module/20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlash: Option<f64>,
    /// Width along y (m). Default: 8 modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// Radius of the hole for the axle (m); 0 for none.
    #[serde(default)]
    pub bore: f64,
    /// Into how many chords each flank is cut, 1 to 64.
    #[serde(default = "six")]
    pub flank_segments: u32,
}

/// A right-handed thread of ISO form about y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Thread")]
pub struct ThreadShape {
    /// Radius of the crests of the bolt (m).
    pub radius: f64,
    /// Advance along y in a full turn (m).
    pub pitch: f64,
}

/// A bolt about y: a thread from y = 0 up, and a hexagonal head above it. A nut of the same thread and segments is on it
/// when turned by any angle about y and lifted by pitch · angle/360°.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Bolt")]
pub struct BoltShape {
    /// The thread.
    pub thread: ThreadShape,
    /// Length of the thread (m), rounded to a multiple of pitch/segments.
    pub length: f64,
    /// Circumradius of the head (m), whose sides must stand out over the thread.
    pub head_radius: f64,
    /// Height of the head (m).
    pub head_height: f64,
    /// Vertices around, 12 to 960, a multiple of 6.
    #[serde(default = "forty_eight")]
    pub segments: u32,
}

/// A hexagonal nut about y, from y = 0 up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Nut")]
pub struct NutShape {
    /// The thread of the bolt.
    pub thread: ThreadShape,
    /// By how much the nut's thread is wider in radius than the bolt's (m).
    pub clearance: f64,
    /// Height (m), rounded to a multiple of pitch/segments.
    pub height: f64,
    /// Circumradius of the hexagon (m), whose sides must stand out over the thread.
    pub radius: f64,
    /// Vertices around, 12 to 960, a multiple of 6.
    #[serde(default = "forty_eight")]
    pub segments: u32,
}

fn six() -> u32 {
    6
}

fn forty_eight() -> u32 {
    48
}

fn twenty() -> f64 {
    20.0
}
