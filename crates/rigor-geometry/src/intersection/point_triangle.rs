//! Whether a point and a triangle meet.

use rigor_math::Vec3;

use super::{Relation, boxes_are_disjoint, edges, point_edge};
use crate::predicates::{Sign, are_coplanar, normal_axis, orient_2d};

/// `Touching` if p lies in the triangle, its boundary included.
///
/// That is, p lies in its plane and, projected along an axis not parallel to that plane, is not strictly left
/// of one edge and right of another. A triangle without area is the union of its edges.
///
/// ```
/// use rigor_geometry::intersection::{Relation, point_triangle};
/// use rigor_math::Vec3;
/// let triangle = [Vec3::zeros(), Vec3::x(), Vec3::y()];
/// assert_eq!(point_triangle::contact(&Vec3::new(0.25, 0.75, 0.0), &triangle), Relation::Touching);
/// assert_eq!(point_triangle::contact(&Vec3::new(0.25, 0.25, 1e-80), &triangle), Relation::Disjoint);
/// ```
pub fn contact(p: &Vec3, triangle: &[Vec3; 3]) -> Relation {
    let [a, b, c] = triangle;
    if boxes_are_disjoint(&[*p], triangle) {
        return Relation::Disjoint;
    }
    let Some(axis) = normal_axis(a, b, c) else {
        let on_edge = |edge: &[Vec3; 2]| point_edge::contact(p, edge).is_contact();
        return Relation::touching_if(edges(triangle).iter().any(on_edge));
    };
    let sides = || [(a, b), (b, c), (c, a)].map(|(from, to)| orient_2d(axis, from, to, p));
    Relation::touching_if(are_coplanar(a, b, c, p) && !Sign::are_mixed(&sides()))
}
