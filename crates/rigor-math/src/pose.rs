//! A rigid placement: rotation, then translation.

use crate::{UnitQuaternion, Vec3};

/// Maps local coordinates to a parent frame: x ↦ q x + p.
///
/// Source: [Ferguson2021] eq. (4), with the rotation kept as a unit quaternion.
///
/// ```
/// use rigor_math::{Pose, UnitQuaternion, Vec3};
/// let half_turn = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), std::f64::consts::PI);
/// let pose = Pose::new(Vec3::new(1.0, 0.0, 0.0), half_turn);
/// assert!((pose.point(&Vec3::x()) - Vec3::zeros()).norm() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// The image of the local origin (m).
    pub position: Vec3,
    /// The rotation from local to parent axes.
    pub rotation: UnitQuaternion,
}

impl Pose {
    /// The placement with this translation (m) and rotation.
    pub fn new(position: Vec3, rotation: UnitQuaternion) -> Self {
        Self { position, rotation }
    }

    /// The placement that moves nothing.
    pub fn identity() -> Self {
        Self::new(Vec3::zeros(), UnitQuaternion::identity())
    }

    /// A translation (m).
    pub fn translation(position: Vec3) -> Self {
        Self::new(position, UnitQuaternion::identity())
    }

    /// The parent coordinates of a local point (m).
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.rotation * local + self.position
    }

    /// The parent components of a local direction.
    pub fn vector(&self, local: &Vec3) -> Vec3 {
        self.rotation * local
    }

    /// The local coordinates of a parent point (m).
    pub fn inverse_point(&self, parent: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(parent - self.position))
    }

    /// The local components of a parent direction.
    pub fn inverse_vector(&self, parent: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(parent)
    }

    /// The placement that undoes this one.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self::new(-(rotation * self.position), rotation)
    }

    /// First `inner`, then this: the placement of `inner`'s local frame in this one's parent.
    pub fn compose(&self, inner: &Self) -> Self {
        Self::new(self.point(&inner.position), self.rotation * inner.rotation)
    }

    /// Whether every component is a finite number.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.rotation.coords.iter()).all(|c| c.is_finite())
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::identity()
    }
}
