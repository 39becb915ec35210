//! Translation of positions and rotations.

use rigor_math::{Pose, UnitQuaternion, Vec3, quaternion, rotation_vector};

use super::super::at::At;
use super::super::document::Placement;
use super::super::error::SceneError;

/// Converts `placement`, written at `at`, to a pose.
///
/// # Errors
/// More than one rotation, or a quaternion of length 0.
pub fn pose(placement: &Placement, at: &At<'_>) -> Result<Pose, SceneError> {
    Ok(Pose::new(placement.position.into(), rotation(placement, at)?))
}

fn rotation(placement: &Placement, at: &At<'_>) -> Result<UnitQuaternion, SceneError> {
    match (placement.rotation_deg, placement.quaternion, placement.rotation_vector_deg) {
        (None, None, None) => Ok(UnitQuaternion::identity()),
        (Some(degrees), None, None) => Ok(quaternion::from_extrinsic_xyz_degrees(&degrees.into())),
        (None, Some(wxyz), None) => {
            quaternion::from_wxyz(wxyz).map_err(|error| at.join("quaternion").error(error.to_string()))
        }
        (None, None, Some(degrees)) => Ok(rotation_vector::exp(&radians(degrees))),
        (_, second, _) => {
            let key = if second.is_some() { "quaternion" } else { "rotation_vector_deg" };
            let message = "expected only one of `rotation_deg`, `quaternion` and `rotation_vector_deg`";
            Err(at.join(key).error(message))
        }
    }
}

/// Converts degrees to radians.
pub fn radians(degrees: [f64; 3]) -> Vec3 {
    Vec3::from(degrees) * (std::f64::consts::PI / 180.0)
}
