//! Certain lower and upper bounds on the distance between two primitives at one time.

use rigor_geometry::distance::{edge_edge, point_edge, point_triangle};
use rigor_math::Vec3;

use super::query::{Bounds, Query, TINY, U, length};
use rigor_ccd::Kind;

/// `lower` ≤ distance ≤ `upper` (m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gap {
    pub lower: f64,
    pub upper: f64,
}

/// Returns bounds on the distance between the primitives at `t`.
///
/// They do not depend on the closest points being closest: the vector between *any* point of A and one of B
/// is at least as long as the distance, and the distance is at least the gap between the projections onto
/// *any* direction.
pub(super) fn at<Q: Query>(query: &Q, bounds: &Bounds, t: f64) -> Gap {
    let points = query.place(t);
    between(query.kind(), &points, bounds.error + 32.0 * U * bounds.reach)
}

/// `error`: a bound on the error of a point and of what is computed from it.
fn between(kind: Kind, points: &[Vec3; 4], error: f64) -> Gap {
    let (n_a, n) = (kind.sizes().0, kind.n_points());
    let separation = across(kind, points);
    let length = length(&separation);
    let upper = length + 2.0 * error;
    if !(length > 4.0 * error && length.is_finite()) {
        return Gap { lower: 0.0, upper };
    }
    let direction = separation / length;
    let along = |x: &Vec3| direction.dot(&(x - points[n_a]));
    let nearest_a = points[..n_a].iter().map(along).fold(f64::INFINITY, f64::min);
    let nearest_b = points[n_a..n].iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    Gap { lower: ((nearest_a - nearest_b) * (1.0 - 16.0 * U) - 2.0 * error).max(0.0), upper }
}

/// Returns a vector from a point of B to a point of A, both within the primitives.
fn across(kind: Kind, points: &[Vec3; 4]) -> Vec3 {
    let [a, b, c, d] = points;
    match kind {
        Kind::PointPoint => a - b,
        Kind::PointEdge => {
            let weights = point_edge::closest(a, b, c).weights;
            join(&weights, &[*a, *b, *c])
        }
        Kind::PointTriangle => join(&point_triangle::closest(a, b, c, d).weights, points),
        Kind::EdgeEdge => join(&edge_edge::closest(a, b, c, d).weights, points),
    }
}

/// Returns Σ wᵢ xᵢ, or NaN if the weights do not describe a point of A minus one of B.
fn join<const N: usize>(weights: &[f64; N], points: &[Vec3; N]) -> Vec3 {
    let total: f64 = weights.iter().sum();
    let positive: f64 = weights.iter().filter(|w| **w > 0.0).sum();
    if total.abs() > 8.0 * U || (positive - 1.0).abs() > 8.0 * U {
        return Vec3::repeat(f64::NAN);
    }
    weights.iter().zip(points).map(|(w, x)| *w * x).sum()
}

/// Returns a time up to which the primitives certainly stay farther apart than d_min, found in at most
/// `max_steps` steps.
///
/// If they are farther apart than d_min by ε at t, they are still farther apart before t + ε/v, where v
/// bounds the speed.
pub(super) fn free_until<Q: Query>(query: &Q, bounds: &Bounds, max_steps: usize) -> f64 {
    let mut t = 0.0;
    for _ in 0..max_steps {
        let room = (at(query, bounds, t).lower - query.d_min()) * (1.0 - 16.0 * U) - TINY;
        let step = room / bounds.speed * (1.0 - 16.0 * U);
        // Written so that NaN ends the search.
        if !(room > 0.0 && step > 1e-9) {
            return t;
        }
        t += step;
        if t > 1.0 {
            return 1.0;
        }
        // The sum may have been rounded up.
        t *= 1.0 - 2.0 * U;
    }
    t
}
