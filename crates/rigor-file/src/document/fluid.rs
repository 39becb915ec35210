//! `[[fluid]]`: a block of a liquid.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_default;

/// A block of a liquid: particles in a cubic lattice, without those that lie inside of bodies at time 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Fluid")]
pub struct FluidEntry {
    /// Unique among the particles, ropes, cloths, soft blocks and fluids, without `.`.
    pub name: String,
    /// Density without pressure (kg/m³).
    #[serde(default = "water")]
    pub density: f64,
    /// Dynamic viscosity μ (Pa s).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 0.0))]
    pub viscosity: f64,
    /// Distance of neighbouring particles (m); the same for all fluids of a scene.
    pub spacing: f64,
    /// Edges along x, y, z (m), each a whole multiple of `spacing`.
    pub size: [f64; 3],
    /// Centre of the block at time 0 (m, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub position: [f64; 3],
    /// Velocity at time 0 (m/s, world).
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub velocity: [f64; 3],
}

fn water() -> f64 {
    1000.0
}
