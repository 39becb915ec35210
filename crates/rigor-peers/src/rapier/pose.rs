//! Conversion of poses and vectors between the engine's types and ours.

use rapier3d_f64::glamx::{DQuat, DVec3};
use rapier3d_f64::math::Pose as EnginePose;
use rigor_math::{Pose, UnitQuaternion, Vec3};

/// Converts a pose to the engine's type.
pub(super) fn to_engine(pose: &Pose) -> EnginePose {
    let q = pose.rotation.coords;
    EnginePose { rotation: DQuat::from_xyzw(q.x, q.y, q.z, q.w), translation: to_vector(&pose.position) }
}

/// Converts a pose to our type.
pub(super) fn from_engine(pose: &EnginePose) -> Pose {
    let q = pose.rotation;
    let rotation = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(q.w, q.x, q.y, q.z));
    Pose::new(from_vector(pose.translation), rotation)
}

/// Converts a vector to the engine's type.
pub(super) fn to_vector(v: &Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// Converts a vector to our type.
pub(super) fn from_vector(v: DVec3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}
