//! The geometries that a shape may have. y is the axis of what is round and the normal of what is flat; the origin is
//! the middle of the bounding box unless a geometry says otherwise.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A box about the origin, its edges along the axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Length of the edges along x, y, z (m).
    pub size: [f64; 3],
    /// Into how many parts each edge is cut, 1 to 512.
    #[serde(default = "ones", skip_serializing_if = "is_ones")]
    pub segments: [u32; 3],
}

/// A sphere of meridians and parallels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// Radius (m).
    pub radius: f64,
    /// Meridians.
    #[serde(default = "round")]
    pub segments: u32,
    /// Bands from pole to pole.
    #[serde(default = "half_round")]
    pub rings: u32,
}

/// A sphere from an icosahedron, with triangles of nearly equal size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IcosphereShape {
    /// Radius (m).
    pub radius: f64,
    /// How often each triangle is cut into four.
    #[serde(default = "thrice")]
    pub subdivisions: u32,
}

/// An open, flat rectangle at y = 0 that faces up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// Length of the edges along x, z (m).
    pub size: [f64; 2],
    /// Into how many parts each edge is cut.
    #[serde(default = "one_by_one", skip_serializing_if = "is_one_by_one")]
    pub segments: [u32; 2],
}

/// A cylinder about y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderShape {
    /// Radius (m).
    pub radius: f64,
    /// Height (m).
    pub height: f64,
    /// Sides around the axis.
    #[serde(default = "round")]
    pub segments: u32,
}

/// A mesh: either `file`, or `vertices` with `triangles` and `edges`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
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

fn thrice() -> u32 {
    3
}
