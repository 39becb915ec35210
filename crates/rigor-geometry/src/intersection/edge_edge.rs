//! Whether two segments meet.

use rigor_math::Vec3;

use super::{Relation, boxes_are_disjoint, point_edge};
use crate::predicates::{Sign, are_coplanar, normal_axis, orient_2d};

/// `Touching` if the segments have a common point; two segments in space never cross.
///
/// They meet if an end of one lies on the other, or if, in their common plane, the ends of each lie strictly
/// on opposite sides of the other's line.
///
/// ```
/// use rigor_geometry::intersection::{Relation, edge_edge};
/// use rigor_math::Vec3;
/// let a = [Vec3::zeros(), Vec3::new(1.0, 1.0, 0.0)];
/// let b = [Vec3::x(), Vec3::y()];
/// assert_eq!(edge_edge::contact(&a, &b), Relation::Touching);
/// ```
pub fn contact(a: &[Vec3; 2], b: &[Vec3; 2]) -> Relation {
    if boxes_are_disjoint(a, b) || !are_coplanar(&a[0], &a[1], &b[0], &b[1]) {
        return Relation::Disjoint;
    }
    let end_meets = a.iter().any(|p| point_edge::contact(p, b).is_contact())
        || b.iter().any(|p| point_edge::contact(p, a).is_contact());
    Relation::touching_if(end_meets || have_ends_on_both_sides(a, b))
}

/// Whether, in the common plane, the ends of each segment are strictly on opposite sides of the other's line.
fn have_ends_on_both_sides(a: &[Vec3; 2], b: &[Vec3; 2]) -> bool {
    // If the first end of b lies on the line of a, it is not strictly on one side.
    let Some(axis) = normal_axis(&a[0], &a[1], &b[0]) else { return false };
    let splits = |line: &[Vec3; 2], ends: &[Vec3; 2]| {
        Sign::are_mixed(&[0, 1].map(|i| orient_2d(axis, &line[0], &line[1], &ends[i])))
    };
    splits(a, b) && splits(b, a)
}
