//! Products of matrices and vectors with fused multiply-add, for the innermost loops.
//!
//! Each component takes three operations instead of five or six. The bits are the same on every processor;
//! those without a fused instruction are slower.

use crate::{Mat3, Vec3};

/// M x.
///
/// ```
/// use rigor_math::{Mat3, Vec3, fused};
/// let m = Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0);
/// assert_eq!(fused::mul(&m, &Vec3::new(1.0, 2.0, 3.0)), Vec3::new(-2.0, 1.0, 6.0));
/// ```
#[inline]
pub fn mul(m: &Mat3, x: &Vec3) -> Vec3 {
    let row = |a: f64, b: f64, c: f64| a.mul_add(x.x, b.mul_add(x.y, c * x.z));
    Vec3::new(row(m.m11, m.m12, m.m13), row(m.m21, m.m22, m.m23), row(m.m31, m.m32, m.m33))
}

/// M x + y.
///
/// ```
/// use rigor_math::{Mat3, Vec3, fused};
/// let m = Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0);
/// assert_eq!(fused::mul_add(&m, &Vec3::new(1.0, 2.0, 3.0), &Vec3::x()), Vec3::new(-1.0, 1.0, 6.0));
/// ```
#[inline]
pub fn mul_add(m: &Mat3, x: &Vec3, y: &Vec3) -> Vec3 {
    let row = |a: f64, b: f64, c: f64, y: f64| a.mul_add(x.x, b.mul_add(x.y, c.mul_add(x.z, y)));
    Vec3::new(row(m.m11, m.m12, m.m13, y.x), row(m.m21, m.m22, m.m23, y.y), row(m.m31, m.m32, m.m33, y.z))
}
