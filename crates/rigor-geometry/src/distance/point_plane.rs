//! The squared distance of a point p from the unbounded plane through a, b and c.
//!
//! With n = (b − a) × (c − a): d² = ((p − a)·n)²/‖n‖², r = n ((p − a)·n)/‖n‖².

use nalgebra::{SMatrix, SVector};
use rigor_math::Vec3;

use super::piece::SmoothPiece;
use crate::cross::cross;

/// w = (1, −β_a, −β_b, −β_c), β the barycentric coordinates of the foot: β_b has the slope (c − a) × n/‖n‖², 1 along
/// b − a and 0 along c − a; likewise β_c; β_a = 1 − β_b − β_c.
#[inline]
pub fn piece(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> SmoothPiece<4> {
    let (ab, ac, w) = (b - a, c - a, p - a);
    let n = cross(&ab, &ac);
    let n_over_sq = n / n.norm_squared();
    let (slope_b, slope_c) = (ac.cross(&n_over_sq), n_over_sq.cross(&ab));
    let (beta_b, beta_c) = (n_over_sq.dot(&w.cross(&ac)), n_over_sq.dot(&ab.cross(&w)));
    SmoothPiece {
        weights: [1.0, beta_b + beta_c - 1.0, -beta_b, -beta_c],
        slopes: [Vec3::zeros(), -(slope_b + slope_c), slope_b, slope_c],
        separation: n_over_sq * w.dot(&n),
        normal_projection: n_over_sq * n.transpose(),
    }
}

/// d² = ((p − a)·n)²/‖n‖², n = (b − a) × (c − a) (m²); NaN if a, b, c are collinear.
///
/// ```
/// use rigor_geometry::distance::point_plane;
/// use rigor_math::Vec3;
/// let (a, b, c) = (Vec3::zeros(), Vec3::x(), Vec3::y());
/// assert_eq!(point_plane::distance_sq(&Vec3::new(7.0, 8.0, -3.0), &a, &b, &c), 9.0);
/// ```
#[inline]
pub fn distance_sq(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    let n = cross(&(b - a), &(c - a));
    let height = (p - a).dot(&n);
    height * (height / n.norm_squared())
}

/// ∂d²/∂(p, a, b, c) (m).
#[inline]
pub fn distance_sq_gradient(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> SVector<f64, 12> {
    piece(p, a, b, c).gradient()
}

/// ∂²d²/∂(p, a, b, c)².
#[inline]
pub fn distance_sq_hessian(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> SMatrix<f64, 12, 12> {
    piece(p, a, b, c).hessian()
}
