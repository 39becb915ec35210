//! The principal frame of a body, in which the reference program states some quantities.

use rigor_geometry::Mesh;
use rigor_geometry::mass::MassProperties;
use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion};

use super::super::error::SceneError;
use super::dialect::Dialect;
use super::field::Field;

/// Returns the principal frame in the frame of the mesh scaled by `scale` (per axis; negative factors
/// mirror).
///
/// # Errors
/// The mesh has no mass.
pub fn principal_frame(body: &Field<'_>, mesh: &Mesh, scale: &[f64; 3]) -> Result<Pose, SceneError> {
    let scaled = mesh.stretched(&Vec3::from(*scale));
    let mass = MassProperties::of(&scaled, 1.0).map_err(|error| body.error(error.to_string()))?;
    Ok(Pose::new(mass.center, mass.principal().axes))
}

/// Returns the rotation of a body: angles about x, then y, then z.
pub fn rotation(body: &Field<'_>, dialect: Dialect) -> Result<UnitQuaternion, SceneError> {
    let angles = Vec3::from(body.vector_or_zero("rotation")?);
    Ok(quaternion::from_extrinsic_xyz_degrees(&(angles * dialect.degrees())))
}
