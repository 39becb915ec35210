//! The first contact of primitives with straight motions, decided exactly.

use dashu_int::IBig;

use super::feature::{Feature, features, turning_points};
use super::integer::{common_shift, scaled};
use super::polynomial::{Polynomial, Vector};
use super::root::Root;
use rigor_ccd::{Kind, LinearQuery, Truth};

/// A point with integer coordinates.
pub(super) type Point = [IBig; 3];

/// Returns the first contact of primitives whose points move straight from `start` to `end`.
pub(super) fn first_meeting(kind: Kind, start: &[Point], end: &[Point], d_min: &IBig) -> Truth {
    let displacement =
        |(a, b): (&Point, &Point)| -> Vector { std::array::from_fn(|i| Polynomial::between(&a[i], &b[i])) };
    let points: Vec<Vector> = start.iter().zip(end).map(displacement).collect();
    let features = features(kind, &points, &Polynomial::constant(d_min * d_min));
    let meets = |at: &mut Root| features.iter().any(|feature: &Feature| feature.holds(at));
    if meets(&mut Root::zero()) {
        return Truth::First { lo: 0.0, hi: 0.0 };
    }
    let roots = turning_points(&features).into_iter().flat_map(Root::all);
    let mut roots: Vec<_> = roots.map(|mut root| (root.lower(), root)).collect();
    roots.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut first: Option<(f64, f64)> = None;
    for (lower, mut root) in roots {
        if first.is_some_and(|(_, hi)| lower >= hi) {
            break;
        }
        if meets(&mut root) {
            let (lo, hi) = root.bracket();
            first = Some(first.map_or((lo, hi), |old| (old.0.min(lo), old.1.min(hi))));
        }
    }
    first.map_or(Truth::Free, |(lo, hi)| Truth::First { lo, hi })
}

/// Whether primitives at rest are at most `d_min` apart.
pub(super) fn is_meeting(kind: Kind, points: &[Point], d_min: &IBig) -> bool {
    matches!(first_meeting(kind, points, points, d_min), Truth::First { .. })
}

/// Returns the truth about a query with finite numbers.
pub(super) fn linear(query: &LinearQuery) -> Truth {
    let n = query.kind.n_points();
    let (start, end) = (&query.start[..n], &query.end[..n]);
    let numbers = start.iter().chain(end).flat_map(|x| x.iter()).chain([&query.d_min]);
    let shift = common_shift(numbers);
    let point = |x: &rigor_math::Vec3| -> Point { std::array::from_fn(|i| scaled(x[i], shift).0) };
    let points = |x: &[rigor_math::Vec3]| x.iter().map(point).collect::<Vec<_>>();
    first_meeting(query.kind, &points(start), &points(end), &scaled(query.d_min, shift).0)
}
