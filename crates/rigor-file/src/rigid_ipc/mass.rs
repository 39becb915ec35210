//! The principal frame of a body, for what the reference program gives in it.

use rigor_geometry::Mesh;
use rigor_geometry::mass::MassProperties;
use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion};

use super::super::error::SceneError;
use super::field::Field;

/// The principal frame in the frame of the mesh that `scale` (by axis) stretches, and mirrors where it is negative.
///
/// # Errors
/// The mesh has no mass.
pub fn principal_frame(body: &Field<'_>, mesh: &Mesh, scale: &[f64; 3]) -> Result<Pose, SceneError> {
    let scaled = mesh.stretched(&Vec3::from(*scale));
    let mass = MassProperties::of(&scaled, 1.0).map_err(|error| body.error(error.to_string()))?;
    Ok(Pose::new(mass.center, mass.principal().axes))
}

/// The rotation of a body: angles (degrees) about x, then y, then z.
pub fn rotation(body: &Field<'_>) -> Result<UnitQuaternion, SceneError> {
    Ok(quaternion::from_extrinsic_xyz_degrees(&body.vector_or_zero("rotation")?.into()))
}
