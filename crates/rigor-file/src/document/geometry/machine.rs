//! Machine parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A spur gear with axis y and involute teeth, one of them pointing to +x. Two gears of the same module and
/// pressure angle mesh at the axle distance module · (teeth₁ + teeth₂)/2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Gear")]
pub struct GearShape {
    /// Number of teeth, 5 to 1024.
    pub teeth: u32,
    /// Pitch diameter divided by the number of teeth (m).
    pub module: f64,
    /// Pressure angle (degrees), 10 to 30.
    #[serde(default = "twenty")]
    pub pressure_angle_deg: f64,
    /// Arc length on the pitch circle by which each tooth is thinner than half the pitch (m). Default:
    /// module/20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlash: Option<f64>,
    /// Width along y (m). Default: 8 modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// Radius of the axle hole (m); 0 for none.
    #[serde(default)]
    pub bore: f64,
    /// Segments per flank, 1 to 64.
    #[serde(default = "six")]
    pub flank_segments: u32,
}

/// A right-handed thread of ISO form with axis y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Thread")]
pub struct ThreadShape {
    /// Radius of the bolt's crests (m).
    pub radius: f64,
    /// Advance along y per turn (m).
    pub pitch: f64,
}

/// A bolt with axis y: a thread from y = 0 up, with a hexagonal head on top. A nut with the same thread and
/// segments fits on it when rotated by any angle about y and lifted by pitch · angle/360°.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Bolt")]
pub struct BoltShape {
    /// The thread.
    pub thread: ThreadShape,
    /// Length of the thread (m), rounded to a multiple of pitch/segments.
    pub length: f64,
    /// Circumradius of the head (m); its sides must project beyond the thread.
    pub head_radius: f64,
    /// Height of the head (m).
    pub head_height: f64,
    /// Vertices per turn, 12 to 960, a multiple of 6.
    #[serde(default = "forty_eight")]
    pub segments: u32,
}

/// A hexagonal nut with axis y, from y = 0 up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Nut")]
pub struct NutShape {
    /// The thread of the bolt.
    pub thread: ThreadShape,
    /// Difference between the thread radii of nut and bolt (m).
    pub clearance: f64,
    /// Height (m), rounded to a multiple of pitch/segments.
    pub height: f64,
    /// Circumradius of the hexagon (m); its sides must project beyond the thread.
    pub radius: f64,
    /// Vertices per turn, 12 to 960, a multiple of 6.
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
