//! Contact between two bodies: exact for the vertices as placed in the world, and up to rounding for round parts.

use rigor_geometry::intersection::Relation;

use crate::effort::Effort;
use crate::surface::Surface;
use crate::{depth, gap};

/// The kind of contact between two surfaces, in order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meeting {
    /// No common point.
    Apart,
    /// Common points, but no primitives that cross, and nothing found inside.
    Touching,
    /// A component of one lies entirely inside the other, or volumes overlap while primitives merely touch,
    /// as when equal boxes are pushed into each other along a common axis.
    Inside,
    /// Primitives cross, or a round part overlaps another part by more than rounding: no small motion separates them.
    Crossing,
}

impl Meeting {
    /// Returns whether the bodies share more than touching points.
    pub fn is_intersection(self) -> bool {
        self >= Self::Inside
    }
}

/// Determines how `a` and `b` meet.
///
/// Crossing, touching ([`rigor_geometry::intersection`]) and a component entirely inside are exact. Overlap
/// of volumes whose surfaces only touch is sought at the points of [`depth::deepest`] and accepted if it is
/// deeper than rounding errors. So each reported overlap is real, but an overlap that shows at none of these
/// points is missed.
///
/// A round part, which is all points within ρ of its centre or axis, crosses another part if the distance d of their skeletons is less
/// than ρ_a + ρ_b, and touches it if d = ρ_a + ρ_b. A difference within the rounding error of d, a few hundred ε of
/// the coordinates, counts as none. It is inside a solid if its centre or axis is, and d is more than ρ_a + ρ_b everywhere.
pub fn meeting(a: &Surface, b: &Surface) -> Meeting {
    examine(a, b).0
}

/// Returns whether primitives of `a` and `b`, grown by ρ, cross; false if the effort is spent before.
pub(crate) fn cross(a: &Surface, b: &Surface, effort: &mut Effort) -> bool {
    let mut is_crossing = false;
    if a.bounds().overlaps(b.bounds()) {
        a.pairs(b, 0.0, &mut |i, j| {
            effort.spend(1);
            is_crossing = a.contact(i, b, j) == Relation::Crossing;
            if is_crossing || effort.is_spent() { f64::NEG_INFINITY } else { 0.0 }
        });
    }
    is_crossing
}

/// Returns how `a` and `b` meet and, if they are apart, a lower bound on their distance (m), which may be 0.
pub(crate) fn examine(a: &Surface, b: &Surface) -> (Meeting, f64) {
    if !a.bounds().overlaps(b.bounds()) {
        return (Meeting::Apart, gap::of_boxes(a.bounds(), b.bounds()) - a.noise_with(b));
    }
    let mut worst = Relation::Disjoint;
    let mut is_near = false;
    let at_least = a.pairs(b, 0.0, &mut |i, j| {
        is_near = true;
        worst = worst.max(a.contact(i, b, j));
        if worst == Relation::Crossing { f64::NEG_INFINITY } else { 0.0 }
    });
    let inside = |inner: &Surface, outer: &Surface| inner.representatives().any(|p| outer.contains(&p));
    let meeting = match worst {
        Relation::Crossing => Meeting::Crossing,
        _ if inside(a, b) || inside(b, a) => Meeting::Inside,
        Relation::Touching if overlaps(a, b) => Meeting::Inside,
        Relation::Touching => Meeting::Touching,
        Relation::Disjoint => Meeting::Apart,
    };
    (meeting, if is_near { 0.0 } else { at_least })
}

/// Returns whether parts that are not round overlap.
fn overlaps(a: &Surface, b: &Surface) -> bool {
    let size = [a, b].iter().flat_map(|s| [s.bounds().min.amax(), s.bounds().max.amax()]).fold(0.0, f64::max);
    // The points and the depth are off by a few roundings of a coordinate.
    depth::enclosed_above(64.0 * f64::EPSILON * size, a, b).is_some()
}
