//! The squared distance of a point p from the triangle a, b, c.

use nalgebra::{SMatrix, SVector};
use rigor_math::Vec3;

use super::piece::SmoothPiece;
use super::{Closest, point_edge, point_line, point_plane, point_point};
use crate::cross::cross;

/// The feature of the triangle that is nearest to the point.
///
/// Source: \[Li2020\], the case distinction of the point–triangle distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Region {
    /// The vertex a.
    VertexA,
    /// The vertex b.
    VertexB,
    /// The vertex c.
    VertexC,
    /// Strictly between a and b.
    EdgeAB,
    /// Strictly between b and c.
    EdgeBC,
    /// Strictly between c and a.
    EdgeCA,
    /// Strictly inside the triangle.
    Face,
}

/// The feature nearest to p.
///
/// Vertices are found by the signs of the projections on their two edges, edges by those and by the side of
/// the edge on which p lies, seen along the normal; otherwise it is the face. All tests are linear in p, so
/// the borders are correct to a few ε ‖p − vertex‖ even for needles. For a triangle without area the face is
/// never nearest; for an edge without length, its interior never is.
#[inline]
pub fn region(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> Region {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    let (ap, bp, cp) = (p - a, p - b, p - c);
    // For each edge, the projections on it from its start and from its end.
    let on_ab = (ap.dot(&ab), bp.dot(&ab));
    let on_bc = (bp.dot(&bc), cp.dot(&bc));
    let on_ca = (cp.dot(&ca), ap.dot(&ca));
    if on_ab.0 <= 0.0 && on_ca.1 >= 0.0 {
        return Region::VertexA;
    }
    if on_bc.0 <= 0.0 && on_ab.1 >= 0.0 {
        return Region::VertexB;
    }
    if on_ca.0 <= 0.0 && on_bc.1 >= 0.0 {
        return Region::VertexC;
    }
    let n = cross(&ab, &-ca);
    let (side_ab, side_bc, side_ca) = (n.dot(&ab.cross(&ap)), n.dot(&bc.cross(&bp)), n.dot(&ca.cross(&cp)));
    let within = |on: (f64, f64)| on.0 > 0.0 && on.1 < 0.0;
    if within(on_ab) && side_ab <= 0.0 {
        Region::EdgeAB
    } else if within(on_bc) && side_bc <= 0.0 {
        Region::EdgeBC
    } else if within(on_ca) && side_ca <= 0.0 {
        Region::EdgeCA
    } else if side_ab > 0.0 && side_bc > 0.0 && side_ca > 0.0 && n.norm_squared() > 0.0 {
        Region::Face
    } else {
        nearest_edge(p, a, b, c)
    }
}

/// The nearest of the three edges, for needles where rounding makes the signs contradict each other.
#[cold]
fn nearest_edge(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> Region {
    use Region::{EdgeAB, EdgeBC, EdgeCA, VertexA, VertexB, VertexC};
    let edges = [
        (a, b, [VertexA, VertexB, EdgeAB]),
        (b, c, [VertexB, VertexC, EdgeBC]),
        (c, a, [VertexC, VertexA, EdgeCA]),
    ];
    let mut nearest = (f64::INFINITY, VertexA);
    for (start, end, [at_start, at_end, between]) in edges {
        let region = point_edge::region(p, start, end);
        let d_sq = point_edge::distance_sq_in(region, p, start, end);
        if d_sq < nearest.0 {
            let here = match region {
                point_edge::Region::VertexA => at_start,
                point_edge::Region::VertexB => at_end,
                point_edge::Region::Edge => between,
            };
            nearest = (d_sq, here);
        }
    }
    nearest.1
}

/// The nearest feature and points; `weights` refer to (p, a, b, c): 1 and minus the barycentric coordinates.
///
/// The coordinates are accurate to ε ‖p − a‖/h, with h the smallest height of the triangle; `point_b` is
/// accurate to a few ε ‖p − a‖ for any h.
///
/// ```
/// use rigor_geometry::distance::point_triangle::{Region, closest};
/// use rigor_math::Vec3;
/// let found = closest(&Vec3::new(0.25, 0.5, 2.0), &Vec3::zeros(), &Vec3::x(), &Vec3::y());
/// assert_eq!((found.region, found.separation), (Region::Face, Vec3::new(0.0, 0.0, 2.0)));
/// assert_eq!(found.weights, [1.0, -0.25, -0.25, -0.5]);
/// ```
#[inline]
pub fn closest(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> Closest<Region, 4> {
    let region = region(p, a, b, c);
    let piece = piece_in(region, p, a, b, c);
    let beta_b = (-piece.weights[2]).clamp(0.0, 1.0);
    // Not `clamp`, which panics if squares overflowed and beta_b is NaN.
    let beta_c = (-piece.weights[3]).max(0.0).min(1.0 - beta_b);
    let weights = [1.0, beta_b + beta_c - 1.0, -beta_b, -beta_c];
    Closest { region, weights, point_a: *p, point_b: p - piece.separation, separation: piece.separation }
}

/// Weights, slopes, r and P of the piece of the current region.
#[inline]
pub fn piece(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> SmoothPiece<4> {
    piece_in(region(p, a, b, c), p, a, b, c)
}

/// d² (m²).
#[inline]
pub fn distance_sq(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    distance_sq_in(region(p, a, b, c), p, a, b, c)
}

/// ∂d²/∂(p, a, b, c) (m).
#[inline]
pub fn distance_sq_gradient(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> SVector<f64, 12> {
    distance_sq_gradient_in(region(p, a, b, c), p, a, b, c)
}

/// ∂²d²/∂(p, a, b, c)²; it jumps between regions.
#[inline]
pub fn distance_sq_hessian(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> SMatrix<f64, 12, 12> {
    distance_sq_hessian_in(region(p, a, b, c), p, a, b, c)
}

/// d² (m²) of the features that `region` names, with edges extended to lines and the face to its plane.
#[inline]
pub fn distance_sq_in(region: Region, p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    match region {
        Region::VertexA => point_point::distance_sq(p, a),
        Region::VertexB => point_point::distance_sq(p, b),
        Region::VertexC => point_point::distance_sq(p, c),
        Region::EdgeAB => point_line::distance_sq(p, a, b),
        Region::EdgeBC => point_line::distance_sq(p, b, c),
        Region::EdgeCA => point_line::distance_sq(p, c, a),
        Region::Face => point_plane::distance_sq(p, a, b, c),
    }
}

/// The gradient (m) of [`distance_sq_in`].
#[inline]
pub fn distance_sq_gradient_in(region: Region, p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> SVector<f64, 12> {
    piece_in(region, p, a, b, c).gradient()
}

/// The Hessian of [`distance_sq_in`].
#[inline]
pub fn distance_sq_hessian_in(
    region: Region,
    p: &Vec3,
    a: &Vec3,
    b: &Vec3,
    c: &Vec3,
) -> SMatrix<f64, 12, 12> {
    piece_in(region, p, a, b, c).hessian()
}

#[inline]
fn piece_in(region: Region, p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> SmoothPiece<4> {
    match region {
        Region::VertexA => point_point::piece(p, a).scatter([0, 1]),
        Region::VertexB => point_point::piece(p, b).scatter([0, 2]),
        Region::VertexC => point_point::piece(p, c).scatter([0, 3]),
        Region::EdgeAB => point_line::piece(p, a, b).scatter([0, 1, 2]),
        Region::EdgeBC => point_line::piece(p, b, c).scatter([0, 2, 3]),
        Region::EdgeCA => point_line::piece(p, c, a).scatter([0, 3, 1]),
        Region::Face => point_plane::piece(p, a, b, c),
    }
}
