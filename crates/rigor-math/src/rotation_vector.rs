//! Rotation vectors θ ∈ R³ (rad): the direction is the axis, the length the angle.
//!
//! R(θ) maps local to world components. A body whose θ changes at the rate θ̇ has the world angular velocity
//! ω = J(θ) θ̇ with the left Jacobian J, so that Ṙ = \[ω\] R; its local angular velocity is Rᵀω = J(θ)ᵀ θ̇.
//!
//! All functions are finite and smooth for every ‖θ‖ < 10¹⁵⁰ rad, 0, π and 2π included, except
//! [`left_jacobian_inverse`] at 2π, 4π, …, where exp itself is singular.

use crate::elementary;
use crate::sinc::{cot_defect, sinc, sinc_defect, sinc_derivatives, versinc, versinc_derivatives};
use crate::{Mat3, UnitQuaternion, Vec3};
use nalgebra::Quaternion;

/// The rotation by ‖θ‖ about θ.
///
/// q = (cos(‖θ‖/2), ½ sinc(‖θ‖/2) θ).
///
/// `theta` in rad.
///
/// ```
/// use rigor_math::{Vec3, rotation_vector};
/// let quarter = rotation_vector::exp(&Vec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
/// assert!((quarter * Vec3::x() - Vec3::y()).norm() < 1e-15);
/// ```
pub fn exp(theta: &Vec3) -> UnitQuaternion {
    let half_angle = 0.5 * theta.norm();
    let vector = theta * (0.5 * sinc(half_angle));
    UnitQuaternion::new_unchecked(Quaternion::from_parts(elementary::cos(half_angle), vector))
}

/// The rotation vector of norm at most π (up to rounding) whose [`exp`] is `q`.
///
/// θ = 2 atan2(‖v‖, w) v/‖v‖ for q = (w, v), w ≥ 0.
///
/// q and −q give the same bits. A half turn has two such vectors, ±θ; the one whose first non-zero component
/// is positive is returned. Accurate to a few units in the last place everywhere, near 0 and near π alike.
///
/// ```
/// use rigor_math::{Vec3, rotation_vector};
/// let theta = Vec3::new(1e-9, -2.0, 0.5);
/// assert!((rotation_vector::log(&rotation_vector::exp(&theta)) - theta).norm() < 1e-15);
/// ```
pub fn log(q: &UnitQuaternion) -> Vec3 {
    let q = canonical(q);
    let (vector, norm) = (q.imag(), q.imag().norm());
    if norm == 0.0 { vector * 2.0 } else { vector * (2.0 * elementary::atan2(norm, q.w) / norm) }
}

/// Of q and −q, the one whose first non-zero component in the order (w, x, y, z) is positive.
fn canonical(q: &UnitQuaternion) -> Quaternion<f64> {
    let negative = [q.w, q.i, q.j, q.k].into_iter().find(|&c| c != 0.0).is_some_and(|c| c < 0.0);
    if negative { -q.into_inner() } else { q.into_inner() }
}

/// The rotation vector of norm at most π for the same rotation as `theta`.
///
/// ```
/// use rigor_math::{Vec3, rotation_vector};
/// use std::f64::consts::TAU;
/// let wrapped = rotation_vector::wrap(&Vec3::new(0.0, TAU - 1.0, 0.0));
/// assert!((wrapped - Vec3::new(0.0, -1.0, 0.0)).norm() < 1e-15);
/// ```
pub fn wrap(theta: &Vec3) -> Vec3 {
    log(&exp(theta))
}

/// The rotation matrix R(θ).
///
/// R(θ) = 1 + sinc(‖θ‖) \[θ\] + ½ sinc²(‖θ‖/2) \[θ\]².
///
/// Source: \[Ferguson2021\] eq. (14). Deviation: the coefficient of \[θ\]² is printed as 2; with \[θ\] not
/// normalised it is ½, as sinc²(x/2)/2 = (1 − cos x)/x² and eq. (13) have it. At θ = (π/2, 0, 0) the printed
/// form would turn e_y into (0, −3, 1).
///
/// RᵀR = 1 and det R = 1 hold to 10⁻¹⁵ for ‖θ‖ ≤ 1 and to 3·10⁻¹⁵ everywhere.
///
/// ```
/// use rigor_math::{Vec3, rotation_vector};
/// let r = rotation_vector::matrix(&Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
/// assert!((r * Vec3::y() - Vec3::z()).norm() < 1e-15);
/// ```
pub fn matrix(theta: &Vec3) -> Mat3 {
    let x = theta.norm();
    Mat3::identity() + skew(theta) * sinc(x) + skew_sq(theta) * versinc(x)
}

/// The derivatives ∂R/∂θᵢ, i = 0, 1, 2.
///
/// ∂ᵢR = θᵢ (Ds \[θ\] + Dv \[θ\]²) + s \[eᵢ\] + v Sᵢ with Sᵢ = ∂ᵢ\[θ\]² = eᵢθᵀ + θeᵢᵀ − 2θᵢ 1, and s, v and
/// their derivatives from [`crate::sinc`].
///
/// Source: \[Ferguson2021\] eq. (14), differentiated.
///
/// ```
/// use rigor_math::{Vec3, rotation_vector};
/// // About the identity a rotation is its skew matrix.
/// let [dx, _, _] = rotation_vector::matrix_gradient(&Vec3::zeros());
/// assert_eq!(dx, rotation_vector::skew(&Vec3::x()));
/// ```
pub fn matrix_gradient(theta: &Vec3) -> [Mat3; 3] {
    let x = theta.norm();
    let [s, ds, _] = sinc_derivatives(x);
    let [v, dv, _] = versinc_derivatives(x);
    let radial = skew(theta) * ds + skew_sq(theta) * dv;
    std::array::from_fn(|i| radial * theta[i] + skew(&axis(i)) * s + skew_sq_gradient(theta, i) * v)
}

/// The second derivatives ∂²R/∂θᵢ∂θⱼ, as `[i][j]`; symmetric in i and j.
///
/// ∂ᵢⱼR = (θᵢθⱼ D²s + δᵢⱼ Ds) \[θ\] + (θᵢθⱼ D²v + δᵢⱼ Dv) \[θ\]² + Ds (θᵢ\[eⱼ\] + θⱼ\[eᵢ\]) + Dv (θᵢSⱼ +
/// θⱼSᵢ) + v Sᵢⱼ with Sᵢ as in [`matrix_gradient`] and Sᵢⱼ = ∂ᵢⱼ\[θ\]² = eᵢeⱼᵀ + eⱼeᵢᵀ − 2δᵢⱼ 1.
///
/// Source: \[Ferguson2021\] eq. (14), differentiated twice. Guarantee: ‖Σ δᵢδⱼ ∂ᵢⱼR‖ ≤ ‖δ‖² in the operator
/// norm for every δ, so along a line in θ a point at radius r accelerates by at most r ‖θ̇‖².
///
/// ```
/// use rigor_math::{Mat3, Vec3, rotation_vector};
/// let at_zero = rotation_vector::matrix_hessian(&Vec3::zeros());
/// assert_eq!(at_zero[0][0], Mat3::from_diagonal(&Vec3::new(0.0, -1.0, -1.0)));
/// ```
pub fn matrix_hessian(theta: &Vec3) -> [[Mat3; 3]; 3] {
    let x = theta.norm();
    let [_, ds, dds] = sinc_derivatives(x);
    let [v, dv, ddv] = versinc_derivatives(x);
    let (first, second) = (skew(theta), skew_sq(theta));
    let mixed: [Mat3; 3] = std::array::from_fn(|i| skew(&axis(i)) * ds + skew_sq_gradient(theta, i) * dv);
    let entry = |i: usize, j: usize| {
        let (outer, delta) = (theta[i] * theta[j], if i == j { 1.0 } else { 0.0 });
        first * (outer * dds + delta * ds)
            + second * (outer * ddv + delta * dv)
            + (mixed[j] * theta[i] + mixed[i] * theta[j])
            + skew_sq_hessian(i, j) * v
    };
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i.min(j), i.max(j))))
}

/// The left Jacobian J of exp: ω = J(θ) θ̇ with ω in world components (rad/s).
///
/// J = 1 + v \[θ\] + (1 − s)/x² \[θ\]², x = ‖θ‖, s = sin x / x, v = (1 − cos x)/x². J(θ)ᵀ = J(−θ) gives the
/// local components.
///
/// ```
/// use rigor_math::{Mat3, Vec3, rotation_vector};
/// assert_eq!(rotation_vector::left_jacobian(&Vec3::zeros()), Mat3::identity());
/// ```
pub fn left_jacobian(theta: &Vec3) -> Mat3 {
    let x = theta.norm();
    Mat3::identity() + skew(theta) * versinc(x) + skew_sq(theta) * sinc_defect(x)
}

/// The inverse of the left Jacobian: θ̇ = J(θ)⁻¹ ω with ω in world components (rad/s).
///
/// J⁻¹ = 1 − ½ \[θ\] + (1 − (x/2) cot(x/2))/x² \[θ\]², x = ‖θ‖.
///
/// Its norm grows like 2π/|x − 2π| towards the full turn, where no inverse exists. Apply [`wrap`] to θ first,
/// which keeps the norm at most π/2.
///
/// ```
/// use rigor_math::{Mat3, Vec3, rotation_vector as rv};
/// let theta = Vec3::new(0.3, -1.0, 2.0);
/// assert!((rv::left_jacobian_inverse(&theta) * rv::left_jacobian(&theta) - Mat3::identity()).norm() < 1e-14);
/// ```
pub fn left_jacobian_inverse(theta: &Vec3) -> Mat3 {
    Mat3::identity() - skew(theta) * 0.5 + skew_sq(theta) * cot_defect(theta.norm())
}

/// The matrix \[v\] with \[v\] u = v × u.
///
/// Source: \[Ferguson2021\] eq. (5), the bracket.
///
/// ```
/// use rigor_math::{Vec3, skew};
/// assert_eq!(skew(&Vec3::x()) * Vec3::y(), Vec3::z());
/// ```
pub fn skew(v: &Vec3) -> Mat3 {
    v.cross_matrix()
}

/// The vector v whose \[v\] is the skew part ½(M − Mᵀ) of `m`.
///
/// ```
/// use rigor_math::{Mat3, Vec3, skew, unskew};
/// let v = Vec3::new(1.0, 2.0, 3.0);
/// assert_eq!(unskew(&(skew(&v) + Mat3::identity())), v);
/// ```
pub fn unskew(m: &Mat3) -> Vec3 {
    Vec3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]) * 0.5
}

/// \[θ\]² = θθᵀ − ‖θ‖² 1, with a diagonal that is a sum of squares and so loses no digits.
fn skew_sq(theta: &Vec3) -> Mat3 {
    let [x, y, z] = [theta.x, theta.y, theta.z];
    Mat3::new(-(y * y + z * z), x * y, x * z, x * y, -(x * x + z * z), y * z, x * z, y * z, -(x * x + y * y))
}

/// ∂ᵢ\[θ\]² = eᵢθᵀ + θeᵢᵀ − 2θᵢ 1.
fn skew_sq_gradient(theta: &Vec3, i: usize) -> Mat3 {
    let outer = axis(i) * theta.transpose();
    outer + outer.transpose() - Mat3::from_diagonal_element(2.0 * theta[i])
}

/// ∂ᵢⱼ\[θ\]² = eᵢeⱼᵀ + eⱼeᵢᵀ − 2δᵢⱼ 1.
fn skew_sq_hessian(i: usize, j: usize) -> Mat3 {
    skew_sq_gradient(&axis(j), i)
}

fn axis(i: usize) -> Vec3 {
    Vec3::ith(i, 1.0)
}

#[cfg(test)]
mod tests;
