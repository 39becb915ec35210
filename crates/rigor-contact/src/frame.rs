//! Coordinate frames of bodies, with rotations as matrices.

use rigor_math::{Mat3, Pose, Vec3, fused};

/// One body's frame in another's. The rotation is a matrix because it is applied to many points.
#[derive(Debug, Clone, Copy, Default)]
pub struct Frame {
    rotation: Mat3,
    origin: Vec3,
}

impl Frame {
    /// Creates the frame with this `rotation`, whose columns are its axes, and `origin` (m).
    #[inline]
    pub fn new(rotation: Mat3, origin: Vec3) -> Self {
        Self { rotation, origin }
    }

    /// Returns the matrix, column by column, and the origin (m).
    #[inline]
    pub fn slices(&self) -> [&[f64]; 2] {
        [self.rotation.as_slice(), self.origin.as_slice()]
    }

    /// Returns the frame that `pose` places in the outer frame.
    #[inline]
    pub fn of(pose: &Pose) -> Self {
        Self { rotation: pose.rotation_matrix(), origin: pose.position }
    }

    /// Returns this frame moved by `shift` (m, outer).
    #[inline]
    pub fn shifted(&self, shift: &Vec3) -> Self {
        Self { origin: self.origin + shift, ..*self }
    }

    /// Returns the outer frame as seen from this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, origin: -(rotation * self.origin) }
    }

    /// Returns `inner`, a frame of this one, as seen from the outer frame.
    #[inline]
    pub fn compose(&self, inner: &Self) -> Self {
        Self { rotation: self.rotation * inner.rotation, origin: self.point(&inner.origin) }
    }

    /// Returns an upper bound on the distance between the tips of a unit vector carried by the two frames: 2
    /// sin(θ/2), where θ is the angle between them.
    #[inline]
    pub fn chord(&self, other: &Self) -> f64 {
        (self.rotation - other.rotation).norm() * std::f64::consts::FRAC_1_SQRT_2
    }

    /// Returns the origin (m).
    #[inline]
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Returns the outer coordinates (m) of a point.
    #[inline]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        fused::mul_add(&self.rotation, local, &self.origin)
    }

    /// Returns the outer components of a direction.
    #[inline]
    pub fn vector(&self, local: &Vec3) -> Vec3 {
        fused::mul(&self.rotation, local)
    }

    /// Returns the inner components of an outer direction.
    #[inline]
    pub fn inverse_vector(&self, outer: &Vec3) -> Vec3 {
        self.rotation.tr_mul(outer)
    }
}
