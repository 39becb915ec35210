//! The squared distance of the unbounded lines through a0, a1 and through b0, b1.
//!
//! With u = a1 − a0, v = b1 − b0, w = a0 − b0 and n = u × v: d² = (w·n)²/‖n‖², r = n (w·n)/‖n‖². The closest points are
//! a0 + s u and b0 + t v; from w + s u − t v = r, crossed with v and with u, s = n·(v × w)/‖n‖² and
//! t = n·(u × w)/‖n‖².

use nalgebra::{SMatrix, SVector};
use rigor_math::Vec3;

use super::piece::SmoothPiece;
use crate::cross::cross;

/// w = (1 − s, s, −(1 − t), −t); s has the slope v × n/‖n‖², 1 along u and 0 along v; t has the slope u ×
/// n/‖n‖², 1 along −v (because r changes by −t v) and 0 along u.
#[inline]
pub fn piece(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> SmoothPiece<4> {
    let (u, v, w) = (a1 - a0, b1 - b0, a0 - b0);
    let n = cross(&u, &v);
    let n_over_sq = n / n.norm_squared();
    let (slope_s, slope_t) = (v.cross(&n_over_sq), u.cross(&n_over_sq));
    let (s, t) = (n_over_sq.dot(&v.cross(&w)), n_over_sq.dot(&u.cross(&w)));
    SmoothPiece {
        weights: [1.0 - s, s, t - 1.0, -t],
        slopes: [-slope_s, slope_s, slope_t, -slope_t],
        separation: n_over_sq * w.dot(&n),
        normal_projection: n_over_sq * n.transpose(),
    }
}

/// d² = ((a0 − b0)·n)²/‖n‖², n = (a1 − a0) × (b1 − b0) (m²); NaN if the lines are parallel.
///
/// ```
/// use rigor_geometry::distance::line_line;
/// use rigor_math::Vec3;
/// let (b0, b1) = (Vec3::new(5.0, 0.0, 2.0), Vec3::new(5.0, 1.0, 2.0));
/// assert_eq!(line_line::distance_sq(&Vec3::zeros(), &Vec3::x(), &b0, &b1), 4.0);
/// ```
#[inline]
pub fn distance_sq(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> f64 {
    let n = cross(&(a1 - a0), &(b1 - b0));
    let height = (a0 - b0).dot(&n);
    height * (height / n.norm_squared())
}

/// ∂d²/∂(a0, a1, b0, b1) (m).
#[inline]
pub fn distance_sq_gradient(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> SVector<f64, 12> {
    piece(a0, a1, b0, b1).gradient()
}

/// ∂²d²/∂(a0, a1, b0, b1)².
#[inline]
pub fn distance_sq_hessian(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> SMatrix<f64, 12, 12> {
    piece(a0, a1, b0, b1).hessian()
}
