//! The depth of balls and capsules, and of what is in them.

use rigor_math::Vec3;

use super::{depth_of, segment};
use crate::separation::distance;
use crate::surface::{Primitive, Surface};

/// Returns how deep (m) round parts overlap parts of the other body, as [`super::between`], if that is more than `floor` (m).
pub(super) fn above(floor: f64, a: &Surface, b: &Surface) -> Option<f64> {
    let are_plain = a.rounds().is_empty() && b.rounds().is_empty();
    if are_plain || !a.bounds().overlaps(b.bounds()) {
        return None;
    }
    let mut deepest = floor;
    a.pairs(b, 0.0, &mut |i, j| {
        let rho = a.offset(i) + b.offset(j);
        if rho > deepest {
            deepest = deepest.max(rho - distance(&a.primitive(i), &b.primitive(j)));
        }
        0.0
    });
    for (inner, outer) in [(a, b), (b, a)] {
        deepest = enclosed(inner, outer).fold(deepest, f64::max);
    }
    (deepest > floor).then_some(deepest)
}

/// Returns ρ (m) and the depth of the deepest point of each centre or axis of `inner` that comes into the solid that the triangles of
/// `outer` bound, summed.
fn enclosed(inner: &Surface, outer: &Surface) -> impl Iterator<Item = f64> {
    let rounds = if outer.is_solid() { inner.rounds() } else { &[] };
    rounds.iter().filter_map(|i| {
        let depth = match inner.primitive(*i) {
            Primitive::Point(center) => depth_of(&center, outer),
            Primitive::Wire(ends) => {
                let deepest: Option<Vec3> = segment::farthest(&ends, outer, |p| outer.encloses(p));
                deepest.map_or(0.0, |p| depth_of(&p, outer))
            }
            // No triangle has an offset.
            Primitive::Triangle(_) => 0.0,
        };
        (depth > 0.0).then(|| inner.offset(*i) + depth)
    })
}
