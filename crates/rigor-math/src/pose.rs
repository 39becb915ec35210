//! A rigid placement: rotation, then translation.

use crate::{Mat3, UnitQuaternion, Vec3, quaternion, rotation_vector};

/// Maps local coordinates to a parent frame: x ↦ q x + p.
///
/// Source: \[Ferguson2021\] eq. (4), with the rotation kept as a unit quaternion.
///
/// ```
/// use rigor_math::{Pose, Vec3, quaternion};
/// let half_turn = quaternion::from_axis_angle(&Vec3::z_axis(), std::f64::consts::PI);
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
    #[inline]
    pub fn new(position: Vec3, rotation: UnitQuaternion) -> Self {
        Self { position, rotation }
    }

    /// The identity.
    pub fn identity() -> Self {
        Self::new(Vec3::zeros(), UnitQuaternion::identity())
    }

    /// A translation (m).
    pub fn translation(position: Vec3) -> Self {
        Self::new(position, UnitQuaternion::identity())
    }

    /// The placement with this translation (m) and rotation vector (rad): x ↦ R(θ) x + p.
    ///
    /// Source: \[Ferguson2021\] eq. (4).
    ///
    /// ```
    /// use rigor_math::{Pose, Vec3};
    /// let pose = Pose::from_rotation_vector(Vec3::z(), &Vec3::new(0.0, 0.0, std::f64::consts::PI));
    /// assert!((pose.point(&Vec3::x()) - Vec3::new(-1.0, 0.0, 1.0)).norm() < 1e-15);
    /// ```
    pub fn from_rotation_vector(position: Vec3, theta: &Vec3) -> Self {
        Self::new(position, rotation_vector::exp(theta))
    }

    /// The rotation vector θ of the rotation, of norm at most π (rad).
    pub fn rotation_vector(&self) -> Vec3 {
        rotation_vector::log(&self.rotation)
    }

    /// The rotation matrix, from local to parent components. For many points it is cheaper than the quaternion.
    #[inline]
    pub fn rotation_matrix(&self) -> Mat3 {
        self.rotation.to_rotation_matrix().into_inner()
    }

    /// The parent coordinates of a local point (m).
    #[inline]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.rotation * local + self.position
    }

    /// The parent components of a local direction.
    #[inline]
    pub fn vector(&self, local: &Vec3) -> Vec3 {
        self.rotation * local
    }

    /// The local coordinates of a parent point (m).
    #[inline]
    pub fn inverse_point(&self, parent: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(&(parent - self.position))
    }

    /// The local components of a parent direction.
    #[inline]
    pub fn inverse_vector(&self, parent: &Vec3) -> Vec3 {
        self.rotation.inverse_transform_vector(parent)
    }

    /// The placement that undoes this one.
    ///
    /// ```
    /// use rigor_math::{Pose, Vec3};
    /// let pose = Pose::translation(Vec3::new(1.0, 2.0, 3.0));
    /// assert_eq!(pose.inverse().compose(&pose), Pose::identity());
    /// ```
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self::new(-(rotation * self.position), rotation)
    }

    /// Applies `inner` first, then this: the placement of `inner`'s local frame in this one's parent.
    ///
    /// ```
    /// use rigor_math::{Pose, Vec3};
    /// let lift = Pose::translation(Vec3::z());
    /// let turn = Pose::from_rotation_vector(Vec3::zeros(), &Vec3::new(std::f64::consts::PI, 0.0, 0.0));
    /// assert!((turn.compose(&lift).position + Vec3::z()).norm() < 1e-15);
    /// ```
    #[inline]
    pub fn compose(&self, inner: &Self) -> Self {
        Self::new(self.point(&inner.position), self.rotation * inner.rotation)
    }

    /// The placement of this one's local frame in that of `reference`: reference⁻¹ ∘ self.
    ///
    /// Source: \[Ferguson2021\] eq. (15), with `reference` for body b.
    ///
    /// ```
    /// use rigor_math::{Pose, Vec3};
    /// let (a, b) = (Pose::translation(Vec3::x()), Pose::translation(Vec3::y()));
    /// assert_eq!(a.relative_to(&b).position, Vec3::new(1.0, -1.0, 0.0));
    /// ```
    #[inline]
    pub fn relative_to(&self, reference: &Self) -> Self {
        let rotation = reference.rotation.inverse() * self.rotation;
        Self::new(reference.inverse_point(&self.position), rotation)
    }

    /// The placement a fraction `t` of the way to `other`.
    ///
    /// The position moves along a line, the rotation along the shorter arc.
    ///
    /// `t` = 0 returns this placement exactly. Meant for rendering and resampling; the path that rigid IPC
    /// checks is linear in the rotation vector instead (\[Ferguson2021\] eq. (16)).
    ///
    /// ```
    /// use rigor_math::{Pose, Vec3};
    /// let end = Pose::from_rotation_vector(Vec3::new(2.0, 0.0, 0.0), &Vec3::new(0.0, 0.0, 1.0));
    /// let middle = Pose::identity().interpolate(&end, 0.5);
    /// assert_eq!(middle.position, Vec3::x());
    /// assert!((middle.rotation_vector() - Vec3::new(0.0, 0.0, 0.5)).norm() < 1e-15);
    /// ```
    pub fn interpolate(&self, other: &Self, t: f64) -> Self {
        let position = self.position + (other.position - self.position) * t;
        Self::new(position, quaternion::slerp(&self.rotation, &other.rotation, t))
    }

    /// Whether every component is finite.
    pub fn is_finite(&self) -> bool {
        self.position.iter().chain(self.rotation.coords.iter()).all(|c| c.is_finite())
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::identity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    fn pose() -> impl Strategy<Value = Pose> {
        (vector(10.0), vector(4.0)).prop_map(|(p, theta)| Pose::from_rotation_vector(p, &theta))
    }

    /// 12 roundings of vectors of length at most 40.
    const TOLERANCE: f64 = 1e-13;

    proptest! {
        #[test]
        fn inverse_undoes_points_and_vectors(pose in pose(), x in vector(5.0)) {
            prop_assert!((pose.inverse_point(&pose.point(&x)) - x).norm() < TOLERANCE);
            prop_assert!((pose.inverse().point(&pose.point(&x)) - x).norm() < TOLERANCE);
            prop_assert!((pose.inverse_vector(&pose.vector(&x)) - x).norm() < TOLERANCE);
            prop_assert!((pose.rotation_matrix() * x + pose.position - pose.point(&x)).norm() < TOLERANCE);
        }

        #[test]
        fn composition_is_application_in_turn(a in pose(), b in pose(), x in vector(5.0)) {
            prop_assert!((a.compose(&b).point(&x) - a.point(&b.point(&x))).norm() < TOLERANCE);
            prop_assert!((a.relative_to(&b).point(&x) - b.inverse_point(&a.point(&x))).norm() < TOLERANCE);
        }

        #[test]
        fn interpolation_meets_both_ends_and_halves_the_turn(a in pose(), b in pose()) {
            prop_assert_eq!(a.interpolate(&b, 0.0), a);
            let (middle, end) = (a.interpolate(&b, 0.5), a.interpolate(&b, 1.0));
            let turn = |from: &Pose, to: &Pose| quaternion::difference(&from.rotation, &to.rotation);
            prop_assert!((end.position - b.position).norm() < TOLERANCE && turn(&end, &b).norm() < 4e-15);
            prop_assert!((turn(&a, &middle) - turn(&middle, &b)).norm() < 4e-15);
        }
    }
}
