//! The geometries of a shape. Round ones have the axis y, flat ones the normal y; the origin is the centre of
//! the bounding box unless a geometry says otherwise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_default;

mod drawn;
mod machine;
mod masonry;

pub use super::either::{Circle, OutlineEntry};
pub use drawn::{ExtrudeShape, PointSphereShape, RevolveShape, WireShape};
pub use machine::{BoltShape, GearShape, NutShape, ThreadShape};
pub use masonry::{ArchShape, ArchStoneShape, CatenaryArchShape};

/// A box centred at the origin, with its edges along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Box")]
pub struct BoxShape {
    /// Edge lengths along x, y, z (m).
    pub size: [f64; 3],
    /// Segments per edge along x, y, z, 1 to 512 each.
    #[serde(default = "ones", skip_serializing_if = "is_ones")]
    #[schemars(extend("default" = [1, 1, 1]))]
    pub segments: [u32; 3],
}

/// A sphere of meridians and parallels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sphere")]
pub struct SphereShape {
    /// Radius (m).
    pub radius: f64,
    /// Number of meridians, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
    /// Number of bands from pole to pole, 2 to 2048.
    #[serde(default = "half_round")]
    pub rings: u32,
}

/// A subdivided icosahedron: a sphere with triangles of nearly equal size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Icosphere")]
pub struct IcosphereShape {
    /// Radius (m).
    pub radius: f64,
    /// Number of times that each triangle is split into four, 0 (20 triangles) to 7 (327 680).
    #[serde(default = "thrice")]
    pub subdivisions: u32,
}

/// A flat, open rectangle at y = 0 that faces up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Plane")]
pub struct PlaneShape {
    /// Edge lengths along x, z (m).
    pub size: [f64; 2],
    /// Segments per edge along x, z, 1 to 1024 each.
    #[serde(default = "one_by_one", skip_serializing_if = "is_one_by_one")]
    #[schemars(extend("default" = [1, 1]))]
    pub segments: [u32; 2],
}

/// A cylinder with axis y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cylinder")]
pub struct CylinderShape {
    /// Radius (m).
    pub radius: f64,
    /// Height (m).
    pub height: f64,
    /// Vertices per circle, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
}

/// A cylinder with axis y and a hemisphere at each end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Capsule")]
pub struct CapsuleShape {
    /// Radius (m).
    pub radius: f64,
    /// Length of the cylinder between the hemispheres (m).
    pub length: f64,
    /// Vertices per circle, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
    /// Number of bands per hemisphere, 1 to 1024.
    #[serde(default = "quarter_round")]
    pub rings: u32,
}

/// A cone with axis y and its apex at the top.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cone")]
pub struct ConeShape {
    /// Radius of the base (m).
    pub radius: f64,
    /// Height along y (m).
    pub height: f64,
    /// Vertices per circle, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
}

/// A ring with axis y and a circular section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Torus")]
pub struct TorusShape {
    /// Radius of the circle through the centres of the sections (m).
    pub major_radius: f64,
    /// Radius of a section (m), less than `major_radius`.
    pub minor_radius: f64,
    /// Number of sections around the axis, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
    /// Vertices per section, 3 to 4096.
    #[serde(default = "half_round")]
    pub sides: u32,
}

/// A round wire bent to a stadium in the x–y plane: two straight parts along y, joined by two half circles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ChainLink")]
pub struct ChainLinkShape {
    /// Length of each straight part (m), ≥ 0.
    pub straight: f64,
    /// Radius of the half circles, measured to the wire's centre line (m).
    pub bend_radius: f64,
    /// Radius of the wire (m), less than `bend_radius`.
    pub wire_radius: f64,
    /// Number of segments per half circle, 2 to 2048.
    #[serde(default = "half_round")]
    pub segments: u32,
    /// Vertices per section of the wire, 3 to 4096.
    #[serde(default = "half_round")]
    pub sides: u32,
}

/// A tetrahedron given by its corners, in any order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tetrahedron")]
pub struct TetrahedronShape {
    /// The four corners (m).
    pub corners: [[f64; 3]; 4],
}

/// A prism with a right triangle as its section: flat at the bottom, vertical at +x, with a slope that rises
/// from −x to +x.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Wedge")]
pub struct WedgeShape {
    /// Length along x, height along y, width along z (m).
    pub size: [f64; 3],
}

/// A pyramid over a rectangle, with its tip at the top.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Spike")]
pub struct SpikeShape {
    /// Base length along x, height along y, base length along z (m).
    pub size: [f64; 3],
}

/// A flat cylinder with axis y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Coin")]
pub struct CoinShape {
    /// Radius (m).
    pub radius: f64,
    /// Thickness along y (m).
    pub thickness: f64,
    /// Vertices per circle, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
}

/// A rectangle with normal y: a thin box, or a sheet without thickness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Card")]
pub struct CardShape {
    /// Edge lengths along x, z (m).
    pub size: [f64; 2],
    /// Thickness along y (m). Default: none, a sheet of two triangles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
}

/// A block with a V-shaped groove along z in the middle of its top face.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Crack")]
pub struct CrackShape {
    /// Edge lengths of the block along x, y, z (m).
    pub size: [f64; 3],
    /// Width of the groove at the top, along x (m), less than that of the block.
    pub width: f64,
    /// Depth of the groove (m), less than the height of the block.
    pub depth: f64,
}

/// A block with a rectangular hole in the middle of its top face.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Hole")]
pub struct HoleShape {
    /// Edge lengths of the block along x, y, z (m).
    pub size: [f64; 3],
    /// Edge lengths of the opening along x, z (m), less than those of the block.
    pub opening: [f64; 2],
    /// Depth of the hole (m), less than the height of the block. Default: the hole goes through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// Whether the hole narrows to a point at its depth, like the mould of a spike, instead of having a flat
    /// bottom.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub pointed: bool,
}

/// A block whose upper part at +x is cut away, which leaves a step down from a cliff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cliff")]
pub struct CliffShape {
    /// Edge lengths of the whole block along x, y, z (m).
    pub size: [f64; 3],
    /// Length of the cut-away part along x (m), less than that of the block.
    pub step: f64,
    /// Height of the cliff (m), less than that of the block.
    pub drop: f64,
}

/// Heights over a regular grid in the x–z plane, centred at the y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HeightField")]
pub struct HeightFieldShape {
    /// Edge lengths of the whole grid along x, z (m).
    pub size: [f64; 2],
    /// Heights (m): rows from −z to +z, each from −x to +x; 2 to 2049 in each direction.
    pub heights: Vec<Vec<f64>>,
    /// Distance from the lowest height down to a flat base that closes the mesh (m). Default: an open sheet
    /// that faces up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
}

/// A mesh: either `file`, or `vertices` with `triangles` and `edges`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Mesh")]
pub struct MeshShape {
    /// An obj, stl, ply, off or gltf/glb file (coordinates in m), by its path relative to the scene file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Index from 0 of the only connected component to use from the file's mesh: those with triangles come
    /// first, then wires, then points, each ordered by first vertex. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<u32>,
    /// Vertices (m), instead of `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<Vec<[f64; 3]>>,
    /// Triangles as indices into `vertices`, from 0, counter-clockwise seen from outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triangles: Vec<[u32; 3]>,
    /// Edges that belong to no triangle, as indices into `vertices`, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<[u32; 2]>,
}

fn ones() -> [u32; 3] {
    [1; 3]
}

fn is_ones(segments: &[u32; 3]) -> bool {
    *segments == ones()
}

fn one_by_one() -> [u32; 2] {
    [1; 2]
}

fn is_one_by_one(segments: &[u32; 2]) -> bool {
    *segments == one_by_one()
}

fn round() -> u32 {
    32
}

fn half_round() -> u32 {
    16
}

fn quarter_round() -> u32 {
    8
}

fn thrice() -> u32 {
    3
}
