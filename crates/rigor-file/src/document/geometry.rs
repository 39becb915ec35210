//! The geometries of a shape. Round ones have the axis y, flat ones the normal y; the origin is the centre of
//! the bounding box unless a geometry says otherwise.
//!
//! Most of them are shapes of [`rigor_shapes`] as they are. Those here are written in another way: angles in
//! degrees, defaults that depend on other keys, one key for each choice, heights in rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::is_default;

mod drawn;
mod machine;
mod masonry;

pub use super::either::{Circle, OutlineEntry};
pub use drawn::ExtrudeShape;
pub use machine::GearShape;
pub use masonry::{ArchShape, ArchStoneShape};

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
    /// How open surfaces are closed. Default: they stay open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close: Option<CloseName>,
    /// What a closed part inside of another one is that faces the same way. Default: `solid`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<NestedName>,
}

/// How an open surface is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Close")]
pub enum CloseName {
    /// Triangles across every loop of open edges.
    Fill,
}

/// What a closed part inside of another one is that faces the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Nested")]
pub enum NestedName {
    /// The same matter, counted once.
    Solid,
    /// A hollow.
    Void,
}
