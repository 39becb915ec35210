//! The geometries that a shape may have. y is the axis of what is round and the normal of what is flat; the origin is
//! the middle of the bounding box unless a geometry says otherwise.

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

/// A box about the origin, its edges along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Box")]
pub struct BoxShape {
    /// Length of the edges along x, y, z (m).
    pub size: [f64; 3],
    /// Into how many parts each edge is cut, 1 to 512.
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
    /// Meridians, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
    /// Bands from pole to pole, 2 to 2048.
    #[serde(default = "half_round")]
    pub rings: u32,
}

/// A sphere from an icosahedron, with triangles of nearly equal size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Icosphere")]
pub struct IcosphereShape {
    /// Radius (m).
    pub radius: f64,
    /// How often each triangle is cut into four, 0 (20 triangles) to 7 (327 680).
    #[serde(default = "thrice")]
    pub subdivisions: u32,
}

/// An open, flat rectangle at y = 0 that faces up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Plane")]
pub struct PlaneShape {
    /// Length of the edges along x, z (m).
    pub size: [f64; 2],
    /// Into how many parts each edge is cut, 1 to 1024.
    #[serde(default = "one_by_one", skip_serializing_if = "is_one_by_one")]
    #[schemars(extend("default" = [1, 1]))]
    pub segments: [u32; 2],
}

/// A cylinder about y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cylinder")]
pub struct CylinderShape {
    /// Radius (m).
    pub radius: f64,
    /// Height (m).
    pub height: f64,
    /// Vertices around, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
}

/// An upright cylinder with a half sphere on either end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Capsule")]
pub struct CapsuleShape {
    /// Radius (m).
    pub radius: f64,
    /// Length of the cylinder between the half spheres, along y (m).
    pub length: f64,
    /// Vertices around, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
    /// Bands of each half sphere, 1 to 1024.
    #[serde(default = "quarter_round")]
    pub rings: u32,
}

/// An upright cone, its apex above.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cone")]
pub struct ConeShape {
    /// Radius of the base (m).
    pub radius: f64,
    /// Height along y (m).
    pub height: f64,
    /// Vertices around, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
}

/// A ring about y with a circular section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Torus")]
pub struct TorusShape {
    /// Radius of the circle on which the middles of the sections lie (m).
    pub major_radius: f64,
    /// Radius of a section (m), less than the other.
    pub minor_radius: f64,
    /// Sections around the axis, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
    /// Vertices around a section, 3 to 4096.
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
    /// Radius of the half circles, to the middle of the wire (m).
    pub bend_radius: f64,
    /// Radius of the wire (m), less than the other.
    pub wire_radius: f64,
    /// Sections along each half circle, 2 to 2048.
    #[serde(default = "half_round")]
    pub segments: u32,
    /// Vertices around the wire, 3 to 4096.
    #[serde(default = "half_round")]
    pub sides: u32,
}

/// A tetrahedron by its corners, in any order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tetrahedron")]
pub struct TetrahedronShape {
    /// The four corners (m).
    pub corners: [[f64; 3]; 4],
}

/// A prism over a right triangle: level below, upright at +x, its slope rising from −x to +x.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Wedge")]
pub struct WedgeShape {
    /// Length along x, height along y, width along z (m).
    pub size: [f64; 3],
}

/// An upright pyramid over a rectangle, its tip above.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Spike")]
pub struct SpikeShape {
    /// Length of the base along x, height along y, length of the base along z (m).
    pub size: [f64; 3],
}

/// A flat cylinder that lies on its face.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Coin")]
pub struct CoinShape {
    /// Radius (m).
    pub radius: f64,
    /// Thickness along y (m).
    pub thickness: f64,
    /// Vertices around, 3 to 4096.
    #[serde(default = "round")]
    pub segments: u32,
}

/// A rectangle that lies flat: a thin box, or a sheet without thickness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Card")]
pub struct CardShape {
    /// Length of the edges along x, z (m).
    pub size: [f64; 2],
    /// Thickness along y (m). Default: none, a sheet of two triangles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
}

/// A block with a V-shaped groove along z in the middle of its top.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Crack")]
pub struct CrackShape {
    /// Length of the block's edges along x, y, z (m).
    pub size: [f64; 3],
    /// Width of the groove at the top, along x (m), less than the block's.
    pub width: f64,
    /// Depth of the groove (m), less than the block's.
    pub depth: f64,
}

/// A block with a rectangular hole in the middle of its top.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Hole")]
pub struct HoleShape {
    /// Length of the block's edges along x, y, z (m).
    pub size: [f64; 3],
    /// Length of the opening along x, z (m), less than the block's.
    pub opening: [f64; 2],
    /// Depth of the hole (m), less than the block's. Default: it goes through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// Whether the hole narrows to a point at its depth, like the mould of a spike, instead of ending flat.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub pointed: bool,
}

/// A block whose upper part at +x is cut away, which leaves a step down from a cliff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cliff")]
pub struct CliffShape {
    /// Length of the whole block's edges along x, y, z (m).
    pub size: [f64; 3],
    /// Length along x of what is cut away (m), less than the block's.
    pub step: f64,
    /// Height of the cliff (m), less than the block's.
    pub drop: f64,
}

/// Heights over a grid of equal rectangles in the x–z plane, about the y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "HeightField")]
pub struct HeightFieldShape {
    /// Length of the edges of the whole along x, z (m).
    pub size: [f64; 2],
    /// Heights (m): rows from −z to +z, each from −x to +x; 2 to 2049 each way.
    pub heights: Vec<Vec<f64>>,
    /// How far below the lowest height a level base closes the mesh (m). Default: an open sheet that faces up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
}

/// A mesh: either `file`, or `vertices` with `triangles` and `edges`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Mesh")]
pub struct MeshShape {
    /// An obj, stl, ply, off or gltf/glb file (m), by its path relative to the scene file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Take only this connected component of the file's mesh, counted from 0: those with triangles come first, then
    /// wires, then points, each by their first vertex. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<u32>,
    /// Vertices (m), instead of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<Vec<[f64; 3]>>,
    /// Triangles by their corners in `vertices`, from 0, counter-clockwise seen from outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triangles: Vec<[u32; 3]>,
    /// Edges that belong to no triangle, by their ends in `vertices`, from 0.
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
