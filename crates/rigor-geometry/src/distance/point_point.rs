//! The squared distance of two points: d² = ‖p − q‖².

use nalgebra::{SMatrix, SVector};
use rigor_math::{Mat3, Vec3};

use super::piece::SmoothPiece;

/// w = (1, −1), and P = 1.
#[inline]
pub fn piece(p: &Vec3, q: &Vec3) -> SmoothPiece<2> {
    SmoothPiece {
        weights: [1.0, -1.0],
        slopes: [Vec3::zeros(); 2],
        separation: p - q,
        normal_projection: Mat3::identity(),
    }
}

/// d² = ‖p − q‖² (m²).
///
/// ```
/// use rigor_geometry::distance::point_point;
/// use rigor_math::Vec3;
/// assert_eq!(point_point::distance_sq(&Vec3::zeros(), &Vec3::new(3.0, 0.0, 4.0)), 25.0);
/// ```
#[inline]
pub fn distance_sq(p: &Vec3, q: &Vec3) -> f64 {
    piece(p, q).distance_sq()
}

/// ∂d²/∂(p, q) (m).
#[inline]
pub fn distance_sq_gradient(p: &Vec3, q: &Vec3) -> SVector<f64, 6> {
    piece(p, q).gradient()
}

/// ∂²d²/∂(p, q)²: 2 on the diagonal, −2 between p and q.
#[inline]
pub fn distance_sq_hessian(p: &Vec3, q: &Vec3) -> SMatrix<f64, 6, 6> {
    piece(p, q).hessian()
}
