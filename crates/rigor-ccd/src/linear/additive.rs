//! Additive conservative advancement: the remaining distance divided by a bound on the speed is time without
//! impact.
//!
//! Source: \[Li2021\]. Deviations: positions at t are evaluated from the start instead of accumulated, so
//! rounding errors do not grow; the distance is the width of the gap between two planes whose normal the
//! nearest points give, a lower bound however that normal is rounded; and the search answers with what is
//! left at the end instead of stepping over it.
//!
//! # Theorem
//! For a valid query, A and B are farther apart than d_min on all of [0, t_safe] if t_safe > 0.
//!
//! # Proof
//! A translation p̄ t common to all points changes no distance. Relative to it no point of A moves faster
//! than l_a = max ‖ẋᵢ − p̄‖ and none of B faster than l_b. This holds for every vector p̄, including a
//! rounded mean. For a unit vector n, all points a and b of the convex hulls A and B satisfy
//! n·(a − b) ≥ g = min n·(xᵢ − xⱼ), so their distance is at least g, and after a time τ at least
//! g − (l_a + l_b) τ. A step of τ < (g − d_min)/(l_a + l_b) keeps it above d_min.
//!
//! *Rounding.* `Straight::error` E bounds the error of g for a rounded position and n; ‖n‖ ≤ 1 + 4 u. With
//! T = (d_min + E)(1 + 16 u) the true distance exceeds d_min by at least (g − T)(1 − 8 u). The error of a
//! velocity is at most E, and the relative error of l is 8 u: l = (l_a + l_b)(1 + 16 u) + 2 E. The step
//! leaves a tenth of the margin, which is more than the rounding error of the quotient, and t + τ is rounded
//! down. 10⁻¹⁵⁰ is added to T and l to cover squares that underflow.

use rigor_math::Vec3;

use crate::relative::{Relative, Straight, U};
use crate::separating_plane::{Gaps, direction};
use crate::{Answer, Impact, Kind, Limits, LinearQuery, MarginShare, invalid};

/// The tolerance is s: an impact is reported when the margin to d_min is less than s times its initial value.
/// A step covers 0.9 of the proven time, whatever s is. Near misses that leave less than s of the initial
/// margin are therefore reported, too.
///
/// Source: \[Li2021\], s = 0.1.
pub const LIMITS: Limits<MarginShare> = Limits { tolerance: MarginShare(0.1), max_boxes: 10_000 };

/// Fraction of the proven time that a step covers.
const STEP: f64 = 0.9;

/// A length (m) above what is lost when squares underflow.
const TINY: f64 = 1e-150;

/// Returns whether and when the primitives of `query` come within d_min of each other on [0, `horizon`].
///
/// Evaluates at most `limits.max_boxes` distances.
///
/// ```
/// use rigor_ccd::{LinearQuery, StraightMotion, linear::additive};
/// use rigor_math::Vec3;
/// // Two points 1 m apart approach at 2 m per step: a tenth of the metre is left after 0.45.
/// let [a, b] = [StraightMotion::between(Vec3::zeros(), Vec3::x()), StraightMotion::between(Vec3::x(), Vec3::zeros())];
/// let query = LinearQuery::point_point(a, b, 0.0);
/// let t_safe = additive::impact(&query, 1.0, &additive::LIMITS)?.t_safe(1.0);
/// assert!(0.45 <= t_safe && t_safe < 0.5);
/// # Ok::<(), rigor_ccd::InvalidQuery>(())
/// ```
///
/// # Errors
/// [`InvalidQuery`](crate::InvalidQuery) for an invalid query or horizon.
pub fn impact(query: &LinearQuery, horizon: f64, limits: &Limits<MarginShare>) -> Answer {
    query.check()?;
    invalid::horizon(horizon)?;
    let motion = Straight::new(query);
    let floor = (query.d_min + motion.error()) * (1.0 + 16.0 * U) + TINY;
    let speed = speed(&motion, query.kind);
    let (mut t, mut enough) = (0.0, 0.0);
    for _ in 0..limits.max_boxes {
        let margin = gap(query.kind, &motion.at(t)) - floor;
        let t_hit = t + (margin / speed).max(0.0);
        // A NaN margin counts as no margin.
        let is_apart = margin > enough;
        if !is_apart {
            return Ok(Impact::At { t_safe: t, t_hit: t_hit.min(horizon).max(t) });
        }
        let next = (t + STEP * (margin / speed)).next_down();
        if next >= horizon {
            return Ok(Impact::Free);
        }
        if next <= t {
            return Ok(Impact::At { t_safe: t, t_hit });
        }
        enough = if t == 0.0 { limits.tolerance.0 * margin } else { enough };
        t = next;
    }
    Ok(Impact::Undecided { t_safe: t, boxes: limits.max_boxes })
}

/// Returns l, an upper bound, rounded up, on the relative speed of any point of A and any point of B.
fn speed(motion: &Straight, kind: Kind) -> f64 {
    let (n_a, n) = (kind.sizes().0, kind.n_points());
    let velocities = &motion.velocities(&motion.at(0.0))[..n];
    let mean = velocities.iter().sum::<Vec3>() * (1.0 / n as f64);
    let fastest = |part: &[Vec3]| part.iter().map(|v| (v - mean).norm()).fold(0.0, f64::max);
    (fastest(&velocities[..n_a]) + fastest(&velocities[n_a..])) * (1.0 + 16.0 * U)
        + 2.0 * motion.error()
        + TINY
}

/// Returns a lower bound on the distance, up to rounding: min n·(xᵢ − xⱼ) for the direction n of the nearest
/// points. NaN if they coincide.
pub(crate) fn gap(kind: Kind, x: &[Vec3; 4]) -> f64 {
    direction(kind, x).map_or(f64::NAN, |normal| Gaps::new(kind, &normal, x).smallest())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wide::WideVec3;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    /// ‖vᵢ − vⱼ‖² (m²) to twice the digits.
    fn relative_speed_sq(query: &LinearQuery, i: usize, j: usize) -> f64 {
        let velocity = |i: usize| WideVec3::difference(&query.end[i], &query.start[i]);
        let relative = velocity(i).sub(&velocity(j));
        relative.dot(&relative).high
    }

    proptest! {
        /// Points that hardly move relative to each other: rounding takes a large part of their velocities.
        #[test]
        fn speed_is_at_least_the_exact_one(
            start in prop::array::uniform4(vector(1.0)), displacement in vector(1.0),
            own in prop::array::uniform4(vector(1.0)), exponent in -18..1i32,
        ) {
            let end = std::array::from_fn(|i| start[i] + displacement + own[i] * 10f64.powi(exponent));
            for kind in Kind::ALL {
                let query = LinearQuery { kind, start, end, d_min: 0.0 };
                let speed = speed(&Straight::new(&query), kind);
                let (n_a, n) = (kind.sizes().0, kind.n_points());
                for (i, j) in (0..n_a).flat_map(|i| (n_a..n).map(move |j| (i, j))) {
                    prop_assert!(speed * speed >= relative_speed_sq(&query, i, j), "{kind:?}");
                }
            }
        }
    }
}
