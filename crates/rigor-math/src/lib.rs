//! Rotations, poses and inertia: the mathematics that every other crate stands on.
//!
//! | module | what |
//! | --- | --- |
//! | [`elementary`] | sin, cos and their kin, the same bits on every platform |
//! | [`pose`] | a rigid placement: rotation, then translation |

pub mod elementary;
pub mod pose;

/// A vector of three `f64`: a position, velocity, force, ….
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 3×3 matrix of `f64`.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A rotation as a unit quaternion. nalgebra stores it (x, y, z, w); files and docs write (w, x, y, z).
pub type UnitQuaternion = nalgebra::UnitQuaternion<f64>;

pub use pose::Pose;
