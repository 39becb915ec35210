//! The squared distance of a point p from the segment between a and b.

use nalgebra::{SMatrix, SVector};
use rigor_math::Vec3;

use super::piece::SmoothPiece;
use super::{Closest, point_line, point_point};

/// The feature of the edge that is nearest to the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Region {
    /// The vertex a.
    VertexA,
    /// The vertex b.
    VertexB,
    /// A point strictly between them.
    Edge,
}

/// Where the projection of p on the line lies: `VertexA` up to a, `VertexB` from b on, `Edge` in between.
///
/// An edge without length counts as its `VertexA`.
#[inline]
pub fn region(p: &Vec3, a: &Vec3, b: &Vec3) -> Region {
    let e = b - a;
    if (p - a).dot(&e) <= 0.0 || e.norm_squared() == 0.0 {
        Region::VertexA
    } else if (p - b).dot(&e) >= 0.0 {
        Region::VertexB
    } else {
        Region::Edge
    }
}

/// The nearest feature and points; `weights` refer to (p, a, b).
///
/// ```
/// use rigor_geometry::distance::point_edge::{Region, closest};
/// use rigor_math::Vec3;
/// let found = closest(&Vec3::new(1.0, 5.0, 0.0), &Vec3::zeros(), &Vec3::new(4.0, 0.0, 0.0));
/// assert_eq!((found.region, found.point_b), (Region::Edge, Vec3::x()));
/// assert_eq!(found.weights, [1.0, -0.75, -0.25]);
/// ```
#[inline]
pub fn closest(p: &Vec3, a: &Vec3, b: &Vec3) -> Closest<Region, 3> {
    let region = region(p, a, b);
    let piece = piece_in(region, p, a, b);
    let t = (-piece.weights[2]).clamp(0.0, 1.0);
    let point_b = p - piece.separation;
    Closest { region, weights: [1.0, t - 1.0, -t], point_a: *p, point_b, separation: piece.separation }
}

/// Weights, slopes, r and P of the piece of the current region.
#[inline]
pub fn piece(p: &Vec3, a: &Vec3, b: &Vec3) -> SmoothPiece<3> {
    piece_in(region(p, a, b), p, a, b)
}

/// d² (m²).
#[inline]
pub fn distance_sq(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    distance_sq_in(region(p, a, b), p, a, b)
}

/// ∂d²/∂(p, a, b) (m).
#[inline]
pub fn distance_sq_gradient(p: &Vec3, a: &Vec3, b: &Vec3) -> SVector<f64, 9> {
    distance_sq_gradient_in(region(p, a, b), p, a, b)
}

/// ∂²d²/∂(p, a, b)²; it jumps between regions.
#[inline]
pub fn distance_sq_hessian(p: &Vec3, a: &Vec3, b: &Vec3) -> SMatrix<f64, 9, 9> {
    distance_sq_hessian_in(region(p, a, b), p, a, b)
}

/// d² (m²) of the features that `region` names, with the edge extended to its line.
#[inline]
pub fn distance_sq_in(region: Region, p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    match region {
        Region::VertexA => point_point::distance_sq(p, a),
        Region::VertexB => point_point::distance_sq(p, b),
        Region::Edge => point_line::distance_sq(p, a, b),
    }
}

/// The gradient (m) of [`distance_sq_in`].
#[inline]
pub fn distance_sq_gradient_in(region: Region, p: &Vec3, a: &Vec3, b: &Vec3) -> SVector<f64, 9> {
    piece_in(region, p, a, b).gradient()
}

/// The Hessian of [`distance_sq_in`].
#[inline]
pub fn distance_sq_hessian_in(region: Region, p: &Vec3, a: &Vec3, b: &Vec3) -> SMatrix<f64, 9, 9> {
    piece_in(region, p, a, b).hessian()
}

#[inline]
fn piece_in(region: Region, p: &Vec3, a: &Vec3, b: &Vec3) -> SmoothPiece<3> {
    match region {
        Region::VertexA => point_point::piece(p, a).scatter([0, 1]),
        Region::VertexB => point_point::piece(p, b).scatter([0, 2]),
        Region::Edge => point_line::piece(p, a, b),
    }
}
