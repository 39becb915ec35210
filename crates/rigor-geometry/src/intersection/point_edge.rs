//! Whether a point and a segment meet.

use rigor_math::Vec3;

use super::{Relation, boxes_are_disjoint};
use crate::predicates::are_collinear;

/// `Touching` if p lies on the segment, its ends included: on its line and inside its bounding box.
///
/// ```
/// use rigor_geometry::intersection::{Relation, point_edge};
/// use rigor_math::Vec3;
/// let edge = [Vec3::zeros(), Vec3::new(2.0, 2.0, 4.0)];
/// assert_eq!(point_edge::contact(&Vec3::new(1.0, 1.0, 2.0), &edge), Relation::Touching);
/// assert_eq!(point_edge::contact(&Vec3::new(3.0, 3.0, 6.0), &edge), Relation::Disjoint);
/// ```
#[inline]
pub fn contact(p: &Vec3, edge: &[Vec3; 2]) -> Relation {
    Relation::touching_if(!boxes_are_disjoint(&[*p], edge) && are_collinear(p, &edge[0], &edge[1]))
}
