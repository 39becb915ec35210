//! How two surfaces meet: exact, for the vertices in the world as they stand.

use rigor_geometry::intersection::{
    Contact, edge_edge, edge_triangle, point_edge, point_point, point_triangle, triangle_triangle,
};

use crate::depth;
use crate::surface::{Primitive, Surface};

/// How two surfaces meet, from nothing to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meeting {
    /// No common point.
    Apart,
    /// Common points, but no primitives that cross and nothing found inside.
    Touching,
    /// A component of one lies wholly inside the other, or volumes overlap while every two primitives merely touch, as
    /// when equal boxes are pushed into each other along a common axis.
    Inside,
    /// Primitives cross: no small motion takes them apart.
    Crossing,
}

impl Meeting {
    /// Whether the bodies share more than touching points.
    pub fn is_intersection(self) -> bool {
        self >= Self::Inside
    }
}

/// How `a` and `b` meet.
///
/// Crossing and touching are exact ([`rigor_geometry::intersection`]), and so is a component wholly inside. Overlap of
/// volumes whose surfaces only touch is looked for at the places of [`depth::deepest`], and believed when it is deeper
/// than rounding can make it: what is reported is an overlap, but one that shows at none of these places is missed.
pub fn meeting(a: &Surface, b: &Surface) -> Meeting {
    if !a.bounds().overlaps(b.bounds()) {
        return Meeting::Apart;
    }
    let mut meeting = Meeting::Apart;
    for [i, j] in a.primitives().overlapping_pairs_with(b.primitives()) {
        match contact(&a.primitive(i), &b.primitive(j)) {
            Contact::Crossing => return Meeting::Crossing,
            Contact::Touching => meeting = Meeting::Touching,
            Contact::Disjoint => {}
        }
    }
    let inside = |inner: &Surface, outer: &Surface| inner.representatives().any(|p| outer.contains(p));
    if inside(a, b) || inside(b, a) {
        return Meeting::Inside;
    }
    if meeting == Meeting::Touching && overlaps(a, b) {
        return Meeting::Inside;
    }
    meeting
}

fn overlaps(a: &Surface, b: &Surface) -> bool {
    let size = [a, b].iter().flat_map(|s| [s.bounds().min.amax(), s.bounds().max.amax()]).fold(0.0, f64::max);
    // The places are off the surface by, and the depth is wrong by, a few roundings of a coordinate.
    depth::between(a, b) > 64.0 * f64::EPSILON * size
}

/// How two primitives meet.
pub fn contact(a: &Primitive, b: &Primitive) -> Contact {
    use Primitive::{Point, Triangle, Wire};
    match (a, b) {
        (Point(p), Point(q)) => point_point::contact(p, q),
        (Point(p), Wire(e)) | (Wire(e), Point(p)) => point_edge::contact(p, e),
        (Point(p), Triangle(t)) | (Triangle(t), Point(p)) => point_triangle::contact(p, t),
        (Wire(e), Wire(f)) => edge_edge::contact(e, f),
        (Wire(e), Triangle(t)) | (Triangle(t), Wire(e)) => edge_triangle::contact(e, t),
        (Triangle(t), Triangle(u)) => triangle_triangle::contact(t, u),
    }
}
