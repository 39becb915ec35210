//! Unit quaternions q = (w, v): conversion from and to numbers, interpolation and rotation.
//!
//! A product a·b turns by b first. Rotation vectors are in world components and multiply from the left.

use crate::rotation_vector::{exp, log};
use crate::{Mat3, UnitQuaternion, UnitVec3, Vec3, elementary};
use nalgebra::{Quaternion, Rotation3};

/// Numbers that do not define a rotation.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum QuaternionError {
    /// A component is NaN or infinite.
    #[error("the quaternion (w, x, y, z) = {wxyz:?} has a component that is not finite")]
    NotFinite {
        /// The given components.
        wxyz: [f64; 4],
    },
    /// All components are zero, so that there is no direction to normalise.
    #[error("the quaternion (w, x, y, z) = (0, 0, 0, 0) has no direction")]
    Zero,
    /// A matrix is not a rotation.
    #[error(
        "the matrix is not a rotation: |RᵀR − 1| = {deviation:e} must be at most {tolerance:e} \
         and det R = {determinant} must be positive"
    )]
    NotARotation {
        /// The largest entry of |RᵀR − 1|; NaN if the matrix has one.
        deviation: f64,
        /// The allowed deviation.
        tolerance: f64,
        /// det R.
        determinant: f64,
    },
}

/// The rotation by `angle` (rad) about `axis`, right-handed.
///
/// ```
/// use rigor_math::{Vec3, quaternion};
/// let q = quaternion::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
/// assert!((q * Vec3::x() - Vec3::y()).norm() < 1e-15);
/// ```
pub fn from_axis_angle(axis: &UnitVec3, angle: f64) -> UnitQuaternion {
    let (s, c) = elementary::sin_cos(0.5 * angle);
    UnitQuaternion::new_unchecked(Quaternion::from_parts(c, axis.into_inner() * s))
}

/// The rotation about the fixed x, then the fixed y, then the fixed z axis: R = R_z R_y R_x.
///
/// `degrees` are the angles about x, y and z. Half turns are exact.
///
/// ```
/// use rigor_math::{Vec3, quaternion};
/// let q = quaternion::from_extrinsic_xyz_degrees(&Vec3::new(90.0, 0.0, 90.0));
/// assert!((q * Vec3::y() - Vec3::z()).norm() < 1e-15); // x turns y to z, which the turn about z keeps
/// ```
pub fn from_extrinsic_xyz_degrees(degrees: &Vec3) -> UnitQuaternion {
    let about = |axis: UnitVec3, degrees: f64| {
        let (s, c) = elementary::sin_cos_degrees(0.5 * degrees);
        UnitQuaternion::new_unchecked(Quaternion::from_parts(c, axis.into_inner() * s))
    };
    about(Vec3::z_axis(), degrees.z) * about(Vec3::y_axis(), degrees.y) * about(Vec3::x_axis(), degrees.x)
}

/// The rotation with these components (w, x, y, z), normalised.
///
/// Any non-zero length from 10⁻³⁰⁰ to 10³⁰⁰ is accepted; the caller decides whether one far from 1 is an
/// error.
///
/// # Errors
/// [`QuaternionError::NotFinite`] if a component is NaN or infinite, [`QuaternionError::Zero`] if all are zero.
///
/// ```
/// use rigor_math::{Vec3, quaternion};
/// let half_turn = quaternion::from_wxyz([0.0, 0.0, 0.0, 7.0])?;
/// assert_eq!(half_turn * Vec3::x(), -Vec3::x());
/// assert!(quaternion::from_wxyz([0.0; 4]).is_err());
/// # Ok::<(), quaternion::QuaternionError>(())
/// ```
pub fn from_wxyz(wxyz: [f64; 4]) -> Result<UnitQuaternion, QuaternionError> {
    if !wxyz.iter().all(|c| c.is_finite()) {
        return Err(QuaternionError::NotFinite { wxyz });
    }
    let largest = wxyz.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
    if largest == 0.0 {
        return Err(QuaternionError::Zero);
    }
    let [w, x, y, z] = wxyz.map(|c| c / largest);
    Ok(normalized(Quaternion::new(w, x, y, z)))
}

/// The components (w, x, y, z).
///
/// ```
/// assert_eq!(rigor_math::quaternion::to_wxyz(&rigor_math::UnitQuaternion::identity()), [1.0, 0.0, 0.0, 0.0]);
/// ```
pub fn to_wxyz(q: &UnitQuaternion) -> [f64; 4] {
    [q.w, q.i, q.j, q.k]
}

/// The rotation that a matrix represents, if all entries of |RᵀR − 1| are at most `tolerance` and det R > 0.
///
/// If the matrix is off by δ from a rotation, the result is off by O(δ).
///
/// # Errors
/// [`QuaternionError::NotARotation`] with the numbers if it is not a rotation or has a NaN.
///
/// ```
/// use rigor_math::{Mat3, quaternion};
/// assert!(quaternion::from_matrix(&Mat3::identity(), 1e-12).is_ok());
/// assert!(quaternion::from_matrix(&-Mat3::identity(), 1e-12).is_err()); // a reflection
/// ```
pub fn from_matrix(r: &Mat3, tolerance: f64) -> Result<UnitQuaternion, QuaternionError> {
    let gap = r.transpose() * r - Mat3::identity();
    let deviation = if gap.iter().any(|e| e.is_nan()) { f64::NAN } else { gap.amax() };
    let determinant = r.determinant();
    if deviation <= tolerance && determinant > 0.0 {
        Ok(from_rotation_matrix(r))
    } else {
        Err(QuaternionError::NotARotation { deviation, tolerance, determinant })
    }
}

/// The quaternion of a matrix known to be a rotation up to rounding.
pub(crate) fn from_rotation_matrix(r: &Mat3) -> UnitQuaternion {
    normalized(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*r)).into_inner())
}

/// q/|q|, for q ≠ 0 with |q|² in range.
///
/// If |q|² = 1 + x is so close to 1 that rounding hides x², this is (1 − x/2) q, which takes no root.
#[inline]
fn normalized(q: Quaternion<f64>) -> UnitQuaternion {
    let excess = q.norm_squared() - 1.0;
    if excess.abs() < 1e-8 {
        UnitQuaternion::new_unchecked(q * (1.0 - 0.5 * excess))
    } else {
        UnitQuaternion::new_normalize(q)
    }
}

/// The rotation a fraction `t` of the way from `a` to `b`, at constant angular velocity along the shorter arc.
///
/// exp(t log(b a⁻¹)) a.
///
/// `t` = 0 returns `a` exactly and `t` = 1 returns `b` up to sign and rounding; outside [0, 1] the turn
/// continues. `b` and −`b` give the same result. If `a` and `b` are half a turn apart, both arcs are equally
/// short and [`log`] decides.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, quaternion};
/// let b = quaternion::from_axis_angle(&Vec3::x_axis(), 1.0);
/// let middle = quaternion::slerp(&UnitQuaternion::identity(), &b, 0.5);
/// assert!(quaternion::difference(&middle, &quaternion::from_axis_angle(&Vec3::x_axis(), 0.5)).norm() < 1e-15);
/// ```
pub fn slerp(a: &UnitQuaternion, b: &UnitQuaternion, t: f64) -> UnitQuaternion {
    exp(&(difference(a, b) * t)) * a
}

/// `q` turned by the world rotation vector `delta` (rad): exp(δ) q.
///
/// The product is normalised, so that rounding errors do not accumulate over many steps.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, quaternion, rotation_vector};
/// let delta = Vec3::new(0.1, 0.2, 0.3);
/// let q = quaternion::rotate(&UnitQuaternion::identity(), &delta);
/// assert!((rotation_vector::log(&q) - delta).norm() < 1e-15);
/// ```
pub fn rotate(q: &UnitQuaternion, delta: &Vec3) -> UnitQuaternion {
    normalized((exp(delta) * q).into_inner())
}

/// `q` turned by the world rotation vector `delta` (rad) to first order: normalise(q + ½ [δ, 0] q).
///
/// Source: \[Mueller2020\] section 3.2.1, the update of q₁ and q₂, with δ = I⁻¹(r × p). Deviation: normalised
/// at once.
///
/// The angle turned is 2 atan(‖δ‖/2) = ‖δ‖ − ‖δ‖³/12 + …; the axis is exact.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, quaternion};
/// // tan 45° = 1: a rotation vector of 2 rad turns by a right angle only.
/// let q = quaternion::rotate_linearised(&UnitQuaternion::identity(), &Vec3::new(0.0, 0.0, 2.0));
/// assert!((q * Vec3::x() - Vec3::y()).norm() < 1e-15);
/// ```
#[inline]
pub fn rotate_linearised(q: &UnitQuaternion, delta: &Vec3) -> UnitQuaternion {
    normalized(q.into_inner() + Quaternion::from_imag(delta * 0.5) * q.into_inner())
}

/// The orientation after `h` (s) at the constant world angular velocity `omega` (rad/s): exp(hω) q.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, quaternion};
/// let q = quaternion::integrate(&UnitQuaternion::identity(), &Vec3::new(0.0, 3.0, 0.0), 0.1);
/// assert!(quaternion::difference(&q, &quaternion::from_axis_angle(&Vec3::y_axis(), 0.3)).norm() < 1e-15);
/// ```
pub fn integrate(q: &UnitQuaternion, omega: &Vec3, h: f64) -> UnitQuaternion {
    rotate(q, &(omega * h))
}

/// The predicted orientation after `h` (s) at the world angular velocity `omega` (rad/s):
/// normalise(q + ½ h [ω, 0] q).
///
/// Source: \[Mueller2020\] Procedure 3. It turns by 2 atan(h‖ω‖/2) instead of h‖ω‖.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, quaternion};
/// let (q, omega) = (UnitQuaternion::identity(), Vec3::new(0.0, 3.0, 0.0));
/// let gap = |h: f64| {
///     quaternion::integrate(&q, &omega, h).angle_to(&quaternion::integrate_linearised(&q, &omega, h))
/// };
/// assert!((gap(0.02) / gap(0.01) - 8.0).abs() < 0.01); // third order in h
/// ```
pub fn integrate_linearised(q: &UnitQuaternion, omega: &Vec3, h: f64) -> UnitQuaternion {
    rotate_linearised(q, &(omega * h))
}

/// The world rotation vector (rad, norm at most π) that turns `from` into `to`: log(to · from⁻¹).
///
/// Undoes [`rotate`]; the signs of the quaternions do not matter.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, quaternion};
/// let to = quaternion::from_axis_angle(&Vec3::x_axis(), 3.0);
/// assert!((quaternion::difference(&UnitQuaternion::identity(), &to) - Vec3::x() * 3.0).norm() < 1e-15);
/// ```
pub fn difference(from: &UnitQuaternion, to: &UnitQuaternion) -> Vec3 {
    log(&(to * from.inverse()))
}

/// The world rotation vector (rad) that turns `from` into `to`, to first order: ±2 vec(to · from⁻¹).
///
/// Source: \[Mueller2020\] Δq_fixed of section 3.3.1, with the sign rule of Procedure 1: negated if the
/// scalar part is negative.
///
/// Its length is 2 sin(φ/2) for the angle φ between the two, at most 2.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, quaternion};
/// let to = quaternion::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_3);
/// let difference = quaternion::difference_linearised(&UnitQuaternion::identity(), &to);
/// assert!((difference - Vec3::x()).norm() < 1e-15); // 2 sin 30° = 1
/// ```
pub fn difference_linearised(from: &UnitQuaternion, to: &UnitQuaternion) -> Vec3 {
    let delta = to * from.inverse();
    delta.imag() * if delta.w >= 0.0 { 2.0 } else { -2.0 }
}

#[cfg(test)]
mod tests;
