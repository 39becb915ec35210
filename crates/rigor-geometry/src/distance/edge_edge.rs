//! The squared distance of the segments A = a0 a1 and B = b0 b1.

use nalgebra::{SMatrix, SVector};
use rigor_math::Vec3;

use super::piece::SmoothPiece;
use super::{Closest, line_line, point_line, point_point};
use crate::cross::cross;

/// The features of the two edges that are nearest to each other: one of A, then one of B.
///
/// Source: \[Li2020\], the case distinction of the edge–edge distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Region {
    /// a0 and b0.
    VertexA0VertexB0,
    /// a0 and b1.
    VertexA0VertexB1,
    /// a1 and b0.
    VertexA1VertexB0,
    /// a1 and b1.
    VertexA1VertexB1,
    /// a0 and a point strictly inside B.
    VertexA0EdgeB,
    /// a1 and a point strictly inside B.
    VertexA1EdgeB,
    /// A point strictly inside A and b0.
    EdgeAVertexB0,
    /// A point strictly inside A and b1.
    EdgeAVertexB1,
    /// Two points strictly inside.
    EdgeAEdgeB,
}

/// The position of a parameter in [0, 1].
#[derive(Clone, Copy)]
enum EdgeParameter {
    Start,
    End,
    Between,
}

/// Returns the position of numerator/denominator, clamped to [0, 1], in that interval, and its value. The
/// denominator must be ≥ 0. An edge without length counts as its start.
#[inline]
fn place(numerator: f64, denominator: f64) -> (EdgeParameter, f64) {
    if numerator <= 0.0 || denominator == 0.0 {
        (EdgeParameter::Start, 0.0)
    } else if numerator >= denominator {
        (EdgeParameter::End, 1.0)
    } else {
        (EdgeParameter::Between, numerator / denominator)
    }
}

/// The features nearest to each other.
///
/// ‖w + s u − t v‖² is convex in (s, t) ∈ [0, 1]²: clamp the unconstrained s and take the best t for it; if
/// that had to be clamped, take the best s for that t. Parallel edges start from s = 0: of all nearest pairs
/// they get one with an end of an edge, never the interiors. Where nearly parallel edges make s uncertain,
/// the distance depends on it as weakly: an error of ε ‖w‖/(‖u‖ sin α) in s, at an angle α, changes the
/// distance by ε ‖w‖.
#[inline]
pub fn region(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> Region {
    let (u, v, w) = (a1 - a0, b1 - b0, a0 - b0);
    let n = cross(&u, &v);
    let (mut at_s, s) = place(n.dot(&v.cross(&w)), n.norm_squared());
    // For s = 1, start from a1 itself, so that t is that of the vertex.
    let from_b0 = if matches!(at_s, EdgeParameter::End) { a1 - b0 } else { w + u * s };
    let (at_t, _) = place(v.dot(&from_b0), v.norm_squared());
    if !matches!(at_t, EdgeParameter::Between) {
        let end = if matches!(at_t, EdgeParameter::End) { b1 } else { b0 };
        at_s = place(u.dot(&(end - a0)), u.norm_squared()).0;
    }
    match (at_s, at_t) {
        (EdgeParameter::Start, EdgeParameter::Start) => Region::VertexA0VertexB0,
        (EdgeParameter::Start, EdgeParameter::End) => Region::VertexA0VertexB1,
        (EdgeParameter::End, EdgeParameter::Start) => Region::VertexA1VertexB0,
        (EdgeParameter::End, EdgeParameter::End) => Region::VertexA1VertexB1,
        (EdgeParameter::Start, EdgeParameter::Between) => Region::VertexA0EdgeB,
        (EdgeParameter::End, EdgeParameter::Between) => Region::VertexA1EdgeB,
        (EdgeParameter::Between, EdgeParameter::Start) => Region::EdgeAVertexB0,
        (EdgeParameter::Between, EdgeParameter::End) => Region::EdgeAVertexB1,
        (EdgeParameter::Between, EdgeParameter::Between) => Region::EdgeAEdgeB,
    }
}

/// The nearest features and points; `weights` refer to (a0, a1, b0, b1): (1 − s, s, −(1 − t), −t).
///
/// ```
/// use rigor_geometry::distance::edge_edge::{Region, closest};
/// use rigor_math::Vec3;
/// let (b0, b1) = (Vec3::new(0.25, -1.0, 3.0), Vec3::new(0.25, 1.0, 3.0));
/// let found = closest(&Vec3::zeros(), &Vec3::x(), &b0, &b1);
/// assert_eq!((found.region, found.weights), (Region::EdgeAEdgeB, [0.75, 0.25, -0.5, -0.5]));
/// assert_eq!(found.separation, Vec3::new(0.0, 0.0, -3.0));
/// ```
#[inline]
pub fn closest(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> Closest<Region, 4> {
    let region = region(a0, a1, b0, b1);
    let piece = piece_in(region, a0, a1, b0, b1);
    let (s, t) = (piece.weights[1].clamp(0.0, 1.0), (-piece.weights[3]).clamp(0.0, 1.0));
    let point_a = if s == 1.0 { *a1 } else { a0 + (a1 - a0) * s };
    Closest {
        region,
        weights: [1.0 - s, s, t - 1.0, -t],
        point_a,
        point_b: point_a - piece.separation,
        separation: piece.separation,
    }
}

/// Weights, slopes, r and P of the piece of the current region.
#[inline]
pub fn piece(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> SmoothPiece<4> {
    piece_in(region(a0, a1, b0, b1), a0, a1, b0, b1)
}

/// d² (m²).
#[inline]
pub fn distance_sq(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> f64 {
    distance_sq_in(region(a0, a1, b0, b1), a0, a1, b0, b1)
}

/// ∂d²/∂(a0, a1, b0, b1) (m); it jumps where parallel edges tilt, which [`crate::mollifier`] smooths.
#[inline]
pub fn distance_sq_gradient(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> SVector<f64, 12> {
    distance_sq_gradient_in(region(a0, a1, b0, b1), a0, a1, b0, b1)
}

/// ∂²d²/∂(a0, a1, b0, b1)²; it jumps between regions and grows as 1/sin²α for edges at a small angle α.
#[inline]
pub fn distance_sq_hessian(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> SMatrix<f64, 12, 12> {
    distance_sq_hessian_in(region(a0, a1, b0, b1), a0, a1, b0, b1)
}

/// d² (m²) of the features that `region` names, with edges extended to lines.
#[inline]
pub fn distance_sq_in(region: Region, a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> f64 {
    match region {
        Region::VertexA0VertexB0 => point_point::distance_sq(a0, b0),
        Region::VertexA0VertexB1 => point_point::distance_sq(a0, b1),
        Region::VertexA1VertexB0 => point_point::distance_sq(a1, b0),
        Region::VertexA1VertexB1 => point_point::distance_sq(a1, b1),
        Region::VertexA0EdgeB => point_line::distance_sq(a0, b0, b1),
        Region::VertexA1EdgeB => point_line::distance_sq(a1, b0, b1),
        Region::EdgeAVertexB0 => point_line::distance_sq(b0, a0, a1),
        Region::EdgeAVertexB1 => point_line::distance_sq(b1, a0, a1),
        Region::EdgeAEdgeB => line_line::distance_sq(a0, a1, b0, b1),
    }
}

/// The gradient (m) of [`distance_sq_in`].
#[inline]
pub fn distance_sq_gradient_in(
    region: Region,
    a0: &Vec3,
    a1: &Vec3,
    b0: &Vec3,
    b1: &Vec3,
) -> SVector<f64, 12> {
    piece_in(region, a0, a1, b0, b1).gradient()
}

/// The Hessian of [`distance_sq_in`].
#[inline]
pub fn distance_sq_hessian_in(
    region: Region,
    a0: &Vec3,
    a1: &Vec3,
    b0: &Vec3,
    b1: &Vec3,
) -> SMatrix<f64, 12, 12> {
    piece_in(region, a0, a1, b0, b1).hessian()
}

#[inline]
fn piece_in(region: Region, a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> SmoothPiece<4> {
    match region {
        Region::VertexA0VertexB0 => point_point::piece(a0, b0).scatter([0, 2]),
        Region::VertexA0VertexB1 => point_point::piece(a0, b1).scatter([0, 3]),
        Region::VertexA1VertexB0 => point_point::piece(a1, b0).scatter([1, 2]),
        Region::VertexA1VertexB1 => point_point::piece(a1, b1).scatter([1, 3]),
        Region::VertexA0EdgeB => point_line::piece(a0, b0, b1).scatter([0, 2, 3]),
        Region::VertexA1EdgeB => point_line::piece(a1, b0, b1).scatter([1, 2, 3]),
        Region::EdgeAVertexB0 => point_line::piece(b0, a0, a1).swap().scatter([2, 0, 1]),
        Region::EdgeAVertexB1 => point_line::piece(b1, a0, a1).swap().scatter([3, 0, 1]),
        Region::EdgeAEdgeB => line_line::piece(a0, a1, b0, b1),
    }
}
