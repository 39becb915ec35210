//! The squared distance of a point p from the unbounded line through a and b.
//!
//! With e = b − a and m = (p − a) × e: d² = ‖m‖²/‖e‖², r = e × m/‖e‖², and the foot is a + t e with
//! t = (p − a)·e/‖e‖². The cross product, unlike ‖p − a‖² − t² ‖e‖², does not cancel near the line.

use nalgebra::{SMatrix, SVector};
use rigor_math::{Mat3, Vec3};

use super::piece::SmoothPiece;
use crate::cross::cross;

/// w = (1, −(1 − t), −t), r as above, and t has the slope e/‖e‖² along the line.
#[inline]
pub fn piece(p: &Vec3, a: &Vec3, b: &Vec3) -> SmoothPiece<3> {
    let (e, w) = (b - a, p - a);
    let e_sq = e.norm_squared();
    let t = w.dot(&e) / e_sq;
    let slope = e / e_sq;
    SmoothPiece {
        weights: [1.0, t - 1.0, -t],
        slopes: [Vec3::zeros(), -slope, slope],
        separation: e.cross(&cross(&w, &e)) / e_sq,
        normal_projection: Mat3::identity() - slope * e.transpose(),
    }
}

/// d² = ‖(p − a) × (b − a)‖²/‖b − a‖² (m²); NaN if a = b.
///
/// ```
/// use rigor_geometry::distance::point_line;
/// use rigor_math::Vec3;
/// let (a, b) = (Vec3::zeros(), Vec3::x());
/// assert_eq!(point_line::distance_sq(&Vec3::new(7.0, 3.0, 4.0), &a, &b), 25.0);
/// ```
#[inline]
pub fn distance_sq(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let e = b - a;
    cross(&(p - a), &e).norm_squared() / e.norm_squared()
}

/// ∂d²/∂(p, a, b) (m).
#[inline]
pub fn distance_sq_gradient(p: &Vec3, a: &Vec3, b: &Vec3) -> SVector<f64, 9> {
    piece(p, a, b).gradient()
}

/// ∂²d²/∂(p, a, b)².
#[inline]
pub fn distance_sq_hessian(p: &Vec3, a: &Vec3, b: &Vec3) -> SMatrix<f64, 9, 9> {
    piece(p, a, b).hessian()
}
