//! Additive conservative advancement: what is left of the distance, over a bound on the speed, is time without impact.
//!
//! Source: [Li2021]. Deviations: positions at t are evaluated from the start rather than added up, so that
//! rounding does not grow; the distance is the width of the gap between two planes whose normal the nearest points give, a
//! lower bound however that normal is rounded; and what is left at the end is answered, never passed by.
//!
//! # Theorem
//! For a valid query, A and B are farther apart than d_min on all of [0, t_safe], if t_safe > 0.
//!
//! # Proof
//! A translation p̄ t common to all points changes no distance. Against it no point of A moves faster than
//! l_a = max ‖ẋᵢ − p̄‖, none of B faster than l_b; this holds for every vector p̄, so also for a mean that is rounded. For a
//! unit vector n, every point of the convex hulls A and B has n·(a − b) ≥ g = min n·(xᵢ − xⱼ), so that their distance is at
//! least g, and after a time τ at least g − (l_a + l_b) τ. A step of τ < (g − d_min)/(l_a + l_b) keeps it above d_min.
//!
//! *Rounding.* `Straight::error` E bounds that of g for a rounded position and n; ‖n‖ ≤ 1 + 4 u. With
//! T = (d_min + E)(1 + 16 u) the true distance exceeds d_min by (g − T)(1 − 8 u) at least. A velocity is off by no more
//! than E, and l by 8 u of itself: l = (l_a + l_b)(1 + 16 u) + 2 E. The step leaves a tenth of the margin, which is more than the
//! rounding of the quotient, and t + τ is rounded downwards. 10⁻¹⁵⁰ is added to T and l against squares that underflow.

use rigor_math::Vec3;

use crate::relative::{Relative, Straight, U};
use crate::separating_plane::{Gaps, direction, is_horizon};
use crate::{Impact, Kind, Limits, LinearQuery};

/// The tolerance is s: an impact is answered where the margin to d_min is less than s of that at the start. A step goes
/// 0.9 of the way, whatever s is. So a near miss that leaves less than s of the first margin is reported, too.
///
/// Source: [Li2021], s = 0.1.
pub const LIMITS: Limits = Limits { tolerance: 0.1, max_boxes: 10_000 };

/// What part of the proven way a step goes.
const STEP: f64 = 0.9;

/// More (m) than is lost where squares underflow.
const TINY: f64 = 1e-150;

/// Whether and when the primitives of `query` come as near as d_min, on [0, `horizon`].
///
/// Work is bounded by `limits.max_boxes` distances.
///
/// ```
/// use rigor_ccd::{Impact, Kind, LinearQuery, linear::additive};
/// use rigor_math::Vec3;
/// // Two points 1 m apart approach at 2 m per step: a tenth of the metre is left after 0.45.
/// let (zero, x) = (Vec3::zeros(), Vec3::x());
/// let query =
///     LinearQuery { kind: Kind::PointPoint, start: [zero, x, zero, zero], end: [x, zero, zero, zero], d_min: 0.0 };
/// let t_safe = additive::impact(&query, 1.0, &additive::LIMITS).t_safe(1.0);
/// assert!(0.45 <= t_safe && t_safe < 0.5);
/// ```
pub fn impact(query: &LinearQuery, horizon: f64, limits: &Limits) -> Impact {
    if !query.is_valid() || !is_horizon(horizon) {
        return Impact::NO_QUESTION;
    }
    let way = Straight::new(query);
    let floor = (query.d_min + way.error()) * (1.0 + 16.0 * U) + TINY;
    let speed = speed(&way, query.kind);
    let (mut t, mut enough) = (0.0, 0.0);
    for _ in 0..limits.max_boxes {
        let margin = gap(query.kind, &way.at(t)) - floor;
        let t_hit = t + (margin / speed).max(0.0);
        // What is not a number is no margin.
        let is_apart = margin > enough;
        if !is_apart {
            return Impact::At { t_safe: t, t_hit: t_hit.min(horizon).max(t) };
        }
        let next = (t + STEP * (margin / speed)).next_down();
        if next >= horizon {
            return Impact::Free;
        }
        if next <= t {
            return Impact::At { t_safe: t, t_hit };
        }
        enough = if t == 0.0 { limits.tolerance * margin } else { enough };
        t = next;
    }
    Impact::Undecided { t_safe: t, boxes: limits.max_boxes }
}

/// l: no point of A moves faster against one of B, rounded upwards.
fn speed(way: &Straight, kind: Kind) -> f64 {
    let (n_a, n) = (kind.sizes().0, kind.n_points());
    let velocities = &way.velocities(&way.at(0.0))[..n];
    let mean = velocities.iter().sum::<Vec3>() * (1.0 / n as f64);
    let fastest = |part: &[Vec3]| part.iter().map(|v| (v - mean).norm()).fold(0.0, f64::max);
    (fastest(&velocities[..n_a]) + fastest(&velocities[n_a..])) * (1.0 + 16.0 * U) + 2.0 * way.error() + TINY
}

/// A lower bound of the distance but for rounding: min n·(xᵢ − xⱼ) for the direction n of the nearest points; not a number
/// where they coincide.
pub(crate) fn gap(kind: Kind, x: &[Vec3; 4]) -> f64 {
    direction(kind, x).map_or(f64::NAN, |normal| Gaps::new(kind, &normal, x).smallest())
}
