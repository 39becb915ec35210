//! `[[body.shape]]`: one shape of a body, with exactly one geometry key.

use rigor_shapes::{
    Bolt, Capsule, Card, CatenaryArch, ChainLink, Cliff, Coin, Cone, Crack, Cuboid, Cylinder, Icosphere, Nut,
    Plane, PointSphere, Revolution, Spike, Tetrahedron, Torus, UvSphere, Wedge, Wire,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::either::Scale;
use super::geometry::{
    ArchShape, ArchStoneShape, ExtrudeShape, GearShape, HeightFieldShape, HoleShape, MeshShape,
};
use super::is_default;
use super::placement::Placement;

/// One shape: exactly one geometry, scaled, rotated and then moved into the body frame.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Shape")]
pub struct ShapeEntry {
    /// A box centred at the origin.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub box_: Option<Cuboid>,
    /// A sphere of meridians and parallels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sphere: Option<UvSphere>,
    /// A sphere with triangles of nearly equal size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icosphere: Option<Icosphere>,
    /// A flat, open rectangle at y = 0 that faces up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<Plane>,
    /// A cylinder with axis y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cylinder: Option<Cylinder>,
    /// A cylinder with axis y and a hemisphere at each end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capsule: Option<Capsule>,
    /// A cone with axis y and its apex at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cone: Option<Cone>,
    /// A ring with axis y and a circular section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torus: Option<Torus>,
    /// A round wire bent to a stadium in the x–y plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain_link: Option<ChainLink>,
    /// A tetrahedron given by its corners.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tetrahedron: Option<Tetrahedron>,
    /// A prism with a right triangle as its section; its slope rises from −x to +x.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wedge: Option<Wedge>,
    /// A pyramid over a rectangle, with its tip at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spike: Option<Spike>,
    /// A flat cylinder with axis y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coin: Option<Coin>,
    /// A rectangle with normal y, thin or without thickness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// A block with a V-shaped groove along z in its top face.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crack: Option<Crack>,
    /// A block with a rectangular hole in its top face.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hole: Option<HoleShape>,
    /// A block with a step down at +x.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cliff: Option<Cliff>,
    /// A stone of a round arch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch_stone: Option<ArchStoneShape>,
    /// The stones of a round arch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<ArchShape>,
    /// The stones of an arch along a catenary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catenary_arch: Option<CatenaryArch>,
    /// A spur gear with axis y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gear: Option<GearShape>,
    /// A bolt with axis y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bolt: Option<Bolt>,
    /// A nut with axis y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nut: Option<Nut>,
    /// A region of the x–y plane extruded along z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extrude: Option<ExtrudeShape>,
    /// A profile revolved about the y axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revolve: Option<Revolution>,
    /// A wire without thickness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wire: Option<Wire>,
    /// Points spread over a sphere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point_sphere: Option<PointSphere>,
    /// Whether a sphere, icosphere or capsule is what its numbers say: contact and mass are those of the round solid, and the mesh is a
    /// picture of it. Else it is a polyhedron, as all other shapes.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = false))]
    pub round: bool,
    /// Heights over a grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_field: Option<HeightFieldShape>,
    /// A mesh from a file or given explicitly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshShape>,
    /// Origin of the shape in the body frame (m).
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = [0.0, 0.0, 0.0]))]
    pub position: [f64; 3],
    /// Rotation by angles (degrees) about the body's x, then y, then z axis: R = Rz·Ry·Rx.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation_deg: Option<[f64; 3]>,
    /// Rotation as a quaternion [w, x, y, z], instead of `rotation_deg`; it is normalised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Rotation as axis × angle (degrees), instead of `rotation_deg`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation_vector_deg: Option<[f64; 3]>,
    /// Factor applied to the geometry before its rotation: a number, or one for each of x, y, z
    /// (dimensionless, not 0). Negative factors mirror; surfaces still face outwards.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(extend("default" = 1.0))]
    pub scale: Scale,
}

impl ShapeEntry {
    /// Returns the pose of the shape in the body frame.
    pub fn placement(&self) -> Placement {
        Placement {
            position: self.position,
            rotation_deg: self.rotation_deg,
            quaternion: self.quaternion,
            rotation_vector_deg: self.rotation_vector_deg,
        }
    }
}
