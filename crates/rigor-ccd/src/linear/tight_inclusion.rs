//! Inclusion-based root finding: excludes boxes of time and of the primitives' parameters, the earliest time
//! first.
//!
//! The difference between a point of A and a point of B is F(t, u, v) = P(t) + u Q(t) + v R(t), where P, Q, R
//! are affine in t and (u, v) selects the points: unused for two points, u along the edge for a point and an
//! edge, u + v ≤ 1 in the triangle, and one parameter for each of two edges. They come within d_min if
//! ‖F‖ ≤ d_min somewhere in [0, 1]³.
//!
//! Source: \[Wang2021\], for eqs. (18)–(19) of \[Ferguson2021\]. Deviations: the codomain box is compared
//! with the ball of radius d_min instead of the cube; the eight corners are also compared in the direction of
//! the cell's centre, so that faces and parallel edges need no small cells; a cell not proven apart at its
//! start is never halved in time; and the boxes are stored as one cell of (u, v) with the time up to which it
//! is proven.
//!
//! # Theorem
//! For a valid query, A and B are farther apart than d_min on all of [0, t_safe] if t_safe > 0.
//!
//! # Proof
//! *Inclusion.* On a cell |u − ū| ≤ r, |v − v̄| ≤ s each coordinate of F(t, ·) takes exactly the values
//! between c(t) ± w(t), with c = P + ū Q + v̄ R and w = r |Q| + s |R|. F is affine in t, so on [t₀, t₁] it
//! takes no values outside the hull of those at t₀ and t₁: the hull of the eight corners. Likewise n·F is at
//! least the lesser of n·c − r |n·Q| − s |n·R| at t₀ and at t₁. The cell is excluded if the distance of the
//! hull from 0 exceeds d_min, or if that bound does for a unit vector n. The cells cover the domain; each is
//! excluded on contiguous pieces of time starting at 0; t_safe is the earliest time that any cell has
//! reached.
//!
//! *Rounding.* With u = 2⁻⁵³ and m = max |P| + max |Q| + max |R| (largest coordinate at both ends): P, Q and
//! R at the ends are differences of given numbers, with relative error u. Their displacements have an error
//! of 4 u |P|, and their values at t one of 8 u |P|. So the error of c is less than 11 u m, that of w ≤ ½ m
//! is 5 u m, and that of c ± w, with its own rounding, 18 u m. E = 32 u m + 10⁻¹⁵⁰ bounds that together with
//! the rounding of m and underflow. The error of the distance of a box from 0 is then √3 E < 2 E plus a
//! relative 4 u, so it is compared as g² > T², T = (d_min + 2 E)(1 + 16 u). The errors of the values in
//! direction n, ‖n‖ ≤ 1 + 4 u, are √3 · 18 u m and 16 u m for the products, together less than 2 E.
//! T ≥ 10⁻¹⁵⁰, so that T² does not underflow and no centre passes that is too short to be normalized. For
//! m + d_min ≥ 10¹⁵⁰, where squares overflow, nothing is claimed: t_safe = 0.
//!
//! ū, r, … are dyadic and exact, because cells are not cut below 2⁻⁵².

use rigor_math::Vec3;

use super::search::{Cell, CellResult, Inclusion, Search};
use crate::relative::U;
use crate::{Answer, Impact, Kind, Length, Limits, LinearQuery, invalid};

/// The tolerance is δ (m): an impact is reported when a cell that spans less than δ in each coordinate cannot
/// be excluded from a piece of time in which it moves by less than δ. A near miss by less than about 3 δ may
/// be reported, too.
///
/// Source: \[Wang2021\], δ = 10⁻⁶. Deviation: 10⁵ boxes instead of 10⁶.
pub const LIMITS: Limits<Length> = Limits { tolerance: Length(1e-6), max_boxes: 100_000 };

/// Returns whether and when the primitives of `query` come within d_min of each other on [0, `horizon`].
///
/// Evaluates at most `limits.max_boxes` inclusions, using a fixed array on the stack.
///
/// ```
/// use rigor_ccd::{LinearQuery, StraightMotion, linear::tight_inclusion};
/// use rigor_math::Vec3;
/// // A point falls through a triangle, from 1 m above to 1 m below.
/// let point = StraightMotion::between(Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 1.0, -1.0));
/// let triangle = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 3.0].map(StraightMotion::at_rest);
/// let query = LinearQuery::point_triangle(point, triangle, 0.0);
/// let t_safe = tight_inclusion::impact(&query, 1.0, &tight_inclusion::LIMITS)?.t_safe(1.0);
/// assert!(0.499999 < t_safe && t_safe < 0.5);
/// # Ok::<(), rigor_ccd::InvalidQuery>(())
/// ```
///
/// # Errors
/// [`InvalidQuery`](crate::InvalidQuery) for an invalid query or horizon.
pub fn impact(query: &LinearQuery, horizon: f64, limits: &Limits<Length>) -> Answer {
    query.check()?;
    invalid::horizon(horizon)?;
    let difference = Difference::new(query);
    let is_bounded = difference.reach + query.d_min < 1e150;
    if !is_bounded {
        return Ok(Impact::NOTHING);
    }
    let inclusion = CornerInclusion::new(difference, query.d_min, limits.tolerance.0);
    Ok(Search::new(&inclusion, query.kind, horizon, limits.max_boxes).run())
}

/// The difference F(t, u, v).
struct Difference {
    /// P, Q, R at t = 0.
    start: [Vec3; 3],
    /// Their displacements until t = 1.
    displacement: [Vec3; 3],
    /// The largest coordinate of each, at either end.
    sizes: [f64; 3],
    /// m, their sum: an upper bound on every coordinate of F.
    reach: f64,
}

impl Difference {
    fn new(query: &LinearQuery) -> Self {
        let (start, end) = (parts(query.kind, &query.start), parts(query.kind, &query.end));
        let displacement = std::array::from_fn(|i| end[i] - start[i]);
        let sizes: [f64; 3] = std::array::from_fn(|i| start[i].amax().max(end[i].amax()));
        Self { start, displacement, sizes, reach: sizes.iter().sum() }
    }

    /// Returns the values at `t` on a cell.
    fn at(&self, t: f64, cell: &Cell) -> Values {
        let [p, q, r] = std::array::from_fn(|i| self.start[i] + t * self.displacement[i]);
        Values { centre: p + cell.u * q + cell.v * r, along_u: cell.r_u * q, along_v: cell.r_v * r }
    }
}

/// A parallelogram: centre ± along_u ± along_v.
struct Values {
    centre: Vec3,
    along_u: Vec3,
    along_v: Vec3,
}

impl Values {
    /// Returns the lower and upper bounds of each coordinate.
    fn bounds(&self) -> (Vec3, Vec3) {
        let width = self.along_u.abs() + self.along_v.abs();
        (self.centre - width, self.centre + width)
    }

    /// Returns the minimum in direction `n`.
    fn least(&self, n: &Vec3) -> f64 {
        n.dot(&self.centre) - (n.dot(&self.along_u).abs() + n.dot(&self.along_v).abs())
    }
}

/// Returns P, Q, R for the points at one time.
fn parts(kind: Kind, x: &[Vec3; 4]) -> [Vec3; 3] {
    let none = Vec3::zeros();
    match kind {
        Kind::PointPoint => [x[0] - x[1], none, none],
        Kind::PointEdge => [x[0] - x[1], x[1] - x[2], none],
        Kind::PointTriangle => [x[0] - x[1], x[1] - x[2], x[1] - x[3]],
        Kind::EdgeEdge => [x[0] - x[2], x[1] - x[0], x[2] - x[3]],
    }
}

/// Compares the hull of the eight corners with the ball of radius T.
struct CornerInclusion {
    difference: Difference,
    /// T.
    apart: f64,
    tolerance: f64,
}

impl CornerInclusion {
    fn new(difference: Difference, d_min: f64, tolerance: f64) -> Self {
        let error = 32.0 * U * difference.reach + 1e-150;
        let apart = (d_min + 2.0 * error) * (1.0 + 16.0 * U);
        Self { difference, apart, tolerance: tolerance.max(4.0 * error) }
    }
}

impl Inclusion for CornerInclusion {
    fn look(&self, cell: &Cell) -> CellResult {
        let start = self.difference.at(cell.t, cell);
        let end = self.difference.at(cell.t + cell.step, cell);
        let ((lo_0, hi_0), (lo_1, hi_1)) = (start.bounds(), end.bounds());
        let apart_sq = self.apart * self.apart;
        let normal = start.centre / start.centre.norm();
        let is_in_front = |values: &Values| values.least(&normal) > self.apart;
        let begins_in_front = is_in_front(&start);
        if gap_sq(&lo_0.inf(&lo_1), &hi_0.sup(&hi_1)) > apart_sq || (begins_in_front && is_in_front(&end)) {
            return CellResult::Apart;
        }
        let [_, size_q, size_r] = self.difference.sizes;
        let (side_u, side_v) = (2.0 * cell.r_u * size_q, 2.0 * cell.r_v * size_r);
        let side = side_u.max(side_v);
        let begins_apart = begins_in_front || gap_sq(&lo_0, &hi_0) > apart_sq;
        let passage = (lo_1 - lo_0).amax().max((hi_1 - hi_0).amax());
        if begins_apart && passage > side && passage > self.tolerance {
            CellResult::Later
        } else if side > self.tolerance {
            CellResult::Cut { along_u: side_u >= side_v }
        } else {
            CellResult::Close
        }
    }
}

/// Returns the squared distance of a box from 0; a NaN counts as distance 0.
fn gap_sq(lo: &Vec3, hi: &Vec3) -> f64 {
    (0..3).map(|k| lo[k].max(-hi[k]).max(0.0)).map(|gap| gap * gap).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reach, of which the rounding is a share, is that of the larger end.
    #[test]
    fn the_reach_holds_both_ends() {
        let places = |size: f64| [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::repeat(0.5)].map(|x| x * size);
        for (from, to) in [(1e-6, 1e6), (1e6, 1e-6)] {
            let query =
                LinearQuery { kind: Kind::EdgeEdge, start: places(from), end: places(to), d_min: 0.0 };
            let largest = parts(query.kind, &places(1e6)).map(|x| x.amax()).iter().sum::<f64>();
            assert!(Difference::new(&query).reach >= largest);
        }
    }
}
