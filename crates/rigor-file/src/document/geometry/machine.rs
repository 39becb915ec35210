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

fn six() -> u32 {
    6
}

fn twenty() -> f64 {
    20.0
}
