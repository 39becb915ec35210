//! Whether two triangles meet.

use rigor_math::Vec3;

use super::{Relation, boxes_are_disjoint, edge_triangle, edges};
use crate::predicates::{Sign, orient_3d};

/// `Crossing` if the triangles pass through each other, `Touching` if they meet otherwise, even by coplanar
/// overlap.
///
/// If each has corners strictly on both sides of the other's plane, both meet the common line of the planes
/// in an interval, and the order of the interval ends decides. Otherwise they meet if an edge of one meets
/// the other.
///
/// ```
/// use rigor_geometry::intersection::{Relation, triangle_triangle};
/// use rigor_math::Vec3;
/// let a = [Vec3::zeros(), Vec3::x(), Vec3::y()];
/// let upright = |z: f64| [[0.25, 0.25, z], [0.25, 0.5, z + 2.0], [0.5, 0.25, z + 2.0]].map(Vec3::from);
/// assert_eq!(triangle_triangle::contact(&a, &upright(-1.0)), Relation::Crossing);
/// assert_eq!(triangle_triangle::contact(&a, &upright(0.0)), Relation::Touching);
/// assert_eq!(triangle_triangle::contact(&a, &upright(0.1)), Relation::Disjoint);
/// assert_eq!(triangle_triangle::contact(&a, &a), Relation::Touching);
/// ```
pub fn contact(a: &[Vec3; 3], b: &[Vec3; 3]) -> Relation {
    if boxes_are_disjoint(a, b) {
        return Relation::Disjoint;
    }
    let sides_a = sides(b, a);
    if Sign::are_strictly_equal(&sides_a) {
        return Relation::Disjoint;
    }
    let sides_b = sides(a, b);
    if Sign::are_strictly_equal(&sides_b) {
        return Relation::Disjoint;
    }
    if Sign::are_mixed(&sides_a) && Sign::are_mixed(&sides_b) {
        along_common_line(a, sides_a, b, sides_b)
    } else {
        through_edges(a, b)
    }
}

/// On which side of the plane of `triangle` each corner of `other` lies.
#[inline]
fn sides(triangle: &[Vec3; 3], other: &[Vec3; 3]) -> [Sign; 3] {
    let [a, b, c] = triangle;
    [0, 1, 2].map(|i| orient_3d(a, b, c, &other[i]))
}

/// The contact of two triangles that each have corners on both sides of the other's plane.
///
/// Let p be the corner of A alone on its side of the plane of B, and q, r the others, ordered such that p
/// lies above B as B turns counter-clockwise; likewise for B. A meets the common line from α_q on pq to α_r
/// on pr, B from β_r to β_q in the same direction. The intervals overlap if α_q < β_q and β_r < α_r, and each
/// of these conditions is the side on which an edge of one triangle passes an edge of the other.
fn along_common_line(a: &[Vec3; 3], sides_a: [Sign; 3], b: &[Vec3; 3], sides_b: [Sign; 3]) -> Relation {
    let (mut a, side_a) = lone_corner_first(a, sides_a);
    let (mut b, side_b) = lone_corner_first(b, sides_b);
    if side_a == Sign::Negative {
        b.swap(1, 2);
    }
    if side_b == Sign::Negative {
        a.swap(1, 2);
    }
    let overlaps = [orient_3d(&a[0], &a[1], &b[0], &b[1]).opposite(), orient_3d(&a[0], &a[2], &b[0], &b[2])];
    // Signs are ordered: the smaller one decides.
    match overlaps[0].min(overlaps[1]) {
        Sign::Negative => Relation::Disjoint,
        Sign::Zero => Relation::Touching,
        Sign::Positive => Relation::Crossing,
    }
}

/// The triangle rotated so that its first corner is the only one on its side, and that side.
fn lone_corner_first(t: &[Vec3; 3], sides: [Sign; 3]) -> ([Vec3; 3], Sign) {
    let is_lone = |i: &usize| {
        sides[*i] != Sign::Zero && sides[(i + 1) % 3] != sides[*i] && sides[(i + 2) % 3] != sides[*i]
    };
    let i =
        (0..3).find(is_lone).expect("of three corners on both sides of a plane, one is alone on its side");
    ([t[i], t[(i + 1) % 3], t[(i + 2) % 3]], sides[i])
}

/// The contact of triangles in all other cases: the strongest between an edge of one and the other triangle.
fn through_edges(a: &[Vec3; 3], b: &[Vec3; 3]) -> Relation {
    let most = |t: &[Vec3; 3], other: &[Vec3; 3]| {
        edges(t).iter().map(|edge| edge_triangle::contact(edge, other)).max().unwrap_or(Relation::Disjoint)
    };
    most(a, b).max(most(b, a))
}
