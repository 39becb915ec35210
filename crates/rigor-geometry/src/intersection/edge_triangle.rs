//! Whether a segment and a triangle meet.

use rigor_math::Vec3;

use super::{Relation, boxes_are_disjoint, edge_edge, edges, point_triangle};
use crate::predicates::{Sign, are_collinear, orient_3d};

/// `Crossing` if the inside of the segment passes through the inside of the triangle from one side to the
/// other, `Touching` if they meet in any other way.
///
/// With the ends strictly on opposite sides, the line through them meets the triangle unless it passes
/// strictly left of one edge and right of another; it meets the inside if it passes strictly on the same side
/// of all three.
///
/// ```
/// use rigor_geometry::intersection::{Relation, edge_triangle};
/// use rigor_math::Vec3;
/// let triangle = [Vec3::zeros(), Vec3::x(), Vec3::y()];
/// let through = |x: f64| [Vec3::new(x, 0.5, -1.0), Vec3::new(x, 0.5, 1.0)];
/// assert_eq!(edge_triangle::contact(&through(0.25), &triangle), Relation::Crossing);
/// assert_eq!(edge_triangle::contact(&through(0.5), &triangle), Relation::Touching);
/// assert_eq!(edge_triangle::contact(&through(0.75), &triangle), Relation::Disjoint);
/// ```
pub fn contact(edge: &[Vec3; 2], triangle: &[Vec3; 3]) -> Relation {
    let ([p, q], [a, b, c]) = (edge, triangle);
    if boxes_are_disjoint(edge, triangle) {
        return Relation::Disjoint;
    }
    let sides = [p, q].map(|end| orient_3d(a, b, c, end));
    if Sign::are_strictly_equal(&sides) {
        return Relation::Disjoint;
    }
    if !Sign::are_mixed(&sides) {
        return Relation::touching_if(touches_in_plane(edge, triangle));
    }
    let turns = [(a, b), (b, c), (c, a)].map(|(from, to)| orient_3d(p, q, from, to));
    if Sign::are_mixed(&turns) {
        Relation::Disjoint
    } else if turns.contains(&Sign::Zero) {
        Relation::Touching
    } else {
        Relation::Crossing
    }
}

/// Whether the segment meets the triangle, given that only an end of it, or all of it, can lie in the
/// triangle's plane, or that the triangle has no area.
fn touches_in_plane(edge: &[Vec3; 2], triangle: &[Vec3; 3]) -> bool {
    let meets_boundary = || edges(triangle).iter().any(|side| edge_edge::contact(edge, side).is_contact());
    let [a, b, c] = triangle;
    if are_collinear(a, b, c) {
        return meets_boundary();
    }
    edge.iter().any(|end| point_triangle::contact(end, triangle).is_contact()) || meets_boundary()
}
