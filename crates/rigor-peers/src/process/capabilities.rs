//! What an engine can do, as it states it.

use rigor_scene::PartKind;
use serde::{Deserialize, Serialize};

use super::coefficient::Rule;

/// What an engine can do. Its `hello` states it, and for engines that come with this program so does the table
/// in `crates/rigor-peers/peers/engines.toml`; both must agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// Closed concave surfaces of static and kinematic bodies.
    pub static_concave: Surface,
    /// Closed concave surfaces of dynamic bodies.
    pub dynamic_concave: Surface,
    /// What computes convex pieces of a concave surface.
    #[serde(default)]
    pub decomposition: Decomposition,
    /// Maximum number of edges of a convex polyhedron; absent if there is none.
    #[serde(default)]
    pub convex_edges: Option<u32>,
    /// The round parts that it has. Others are convex polyhedra to it, and so are all to a peer that does not know this key.
    #[serde(default)]
    pub round: Vec<RoundType>,
    /// Open surfaces of static bodies, such as a plane.
    pub static_open: OpenSurface,
    /// How coefficients of restitution are combined; absent if the engine has no restitution.
    #[serde(default)]
    pub restitution: Option<Rule>,
    /// How friction coefficients are combined.
    pub friction: Rule,
    /// Whether static friction has a coefficient of its own.
    pub static_friction: bool,
    /// Whether bodies may move as prescribed.
    pub kinematic: bool,
    /// Whether degrees of freedom of a body may be locked.
    pub fixed_axes: bool,
    /// Whether a constant force and torque may act on a body.
    pub loads: bool,
    /// The joints that it has.
    #[serde(default)]
    pub joints: Vec<JointType>,
    /// Whether contact may be disabled for single pairs of bodies.
    pub pair_filter: bool,
    /// Whether contacts are reported with their forces.
    pub contact_forces: bool,
    /// Whether free bodies turn by Euler's equations; otherwise they keep ω.
    pub gyroscopic: bool,
    /// The floating-point numbers that it computes with.
    pub precision: Precision,
    /// Whether two processes give the same bits; resuming a run depends on it.
    pub deterministic: bool,
    /// The number of threads that it uses.
    pub threads: u32,
}

impl Capabilities {
    /// Returns whether the engine has parts of this kind as what they are, if they are round; true for all others.
    pub fn has(&self, kind: &PartKind) -> bool {
        match kind {
            PartKind::Ball { .. } => self.round.contains(&RoundType::Ball),
            PartKind::Capsule { .. } => self.round.contains(&RoundType::Capsule),
            PartKind::Box { .. } | PartKind::Convex | PartKind::Concave => true,
        }
    }
}

/// A rigid joint without bounds, drive, damping or strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointType {
    /// No relative motion.
    Fixed,
    /// Every rotation.
    Ball,
    /// Rotation about x.
    Hinge,
    /// Translation along x.
    Slider,
    /// A constant distance of the origins.
    Distance,
}

/// A part without facets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundType {
    /// A ball.
    Ball,
    /// All points within a radius of a segment.
    Capsule,
}

/// The representation of a closed concave surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The triangles.
    Exact,
    /// Convex pieces or the convex hull, by the setting `concave`.
    Convex,
    /// There are no such bodies.
    None,
}

/// What computes convex pieces of a concave surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decomposition {
    /// CoACD.
    #[default]
    Coacd,
    /// V-HACD.
    Vhacd,
}

/// The representation of an open surface of a static body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenSurface {
    /// The triangles.
    Exact,
    /// A flat surface is the face of a slab of 1 m; a curved one is a prism below each of its triangles.
    Slab,
}

/// Floating-point numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

impl Precision {
    /// Maximum relative difference between a number that was sent and the same number read back.
    pub fn tolerance(self) -> f64 {
        match self {
            Self::Single => 1e-5,
            Self::Double => 1e-9,
        }
    }
}
