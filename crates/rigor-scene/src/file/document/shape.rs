//! `[[body.shape]]`: one shape of a body. Exactly one of the geometry keys is set.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::either::Scale;
use super::geometry::{BoxShape, CylinderShape, IcosphereShape, MeshShape, PlaneShape, SphereShape};
use super::is_default;
use super::placement::Placement;

/// One shape: exactly one geometry, scaled, rotated and then moved into the body's own frame.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShapeEntry {
    /// A box about the origin.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub box_: Option<BoxShape>,
    /// A sphere of meridians and parallels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sphere: Option<SphereShape>,
    /// A sphere with triangles of nearly equal size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icosphere: Option<IcosphereShape>,
    /// An open, flat rectangle at y = 0 that faces up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaneShape>,
    /// A cylinder about y.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cylinder: Option<CylinderShape>,
    /// A mesh from a file, or written out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshShape>,
    /// Origin of the shape in the body's own frame (m). Default: [0, 0, 0].
    #[serde(skip_serializing_if = "is_default")]
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
    /// Factor on the geometry before it is rotated: a number, or one for each of x, y, z (dimensionless, > 0).
    #[serde(skip_serializing_if = "is_default")]
    pub scale: Scale,
}

impl ShapeEntry {
    /// A mesh read from `file`, as it stands.
    pub fn mesh_file(file: impl Into<String>) -> Self {
        Self { mesh: Some(MeshShape { file: Some(file.into()), ..MeshShape::default() }), ..Self::default() }
    }

    /// Where the shape stands in the body's own frame.
    pub fn placement(&self) -> Placement {
        Placement {
            position: self.position,
            rotation_deg: self.rotation_deg,
            quaternion: self.quaternion,
            rotation_vector_deg: self.rotation_vector_deg,
        }
    }
}
