//! Curves as straight pieces: linear continuous collision detection on each, with the minimum separation
//! enlarged by the deviation of the curves from their chords.
//!
//! Source: \[Ferguson2021\] §4.3, algorithm 1, with N_max = 1000 and δ = 0.5. Deviations: positions are
//! relative to the centre of B's body, and their rounding enlarges the separation, too; d_min is subtracted
//! from the distance at t₀; while t₀ = 0 the published loop is unbounded, here no piece is shorter than 2⁻⁵⁰
//! of the horizon; and where the linear method reaches its limit of boxes, the answer is what it proved.
//!
//! An impact on a piece is reported as the linear method finds it, with the enlarged separation, hence too
//! early by the time in which the distance falls from d_min + b to d_min, where b may be half the distance at
//! the start of the piece. The closed form accepts longer pieces than interval evaluation, and so answers
//! earlier. Both report a miss as an impact if it is closer than b.
//!
//! # Theorem
//! For a valid query, A and B are farther apart than d_min on all of [0, t_safe] if t_safe > 0.
//!
//! # Proof
//! On a piece [t₀, t₁] let p(t) be the chord from xᵢ(t₀) to xᵢ(t₁), at constant speed. Points of A deviate
//! from theirs by at most b_a and points of B by at most b_b; b = b_a + b_b. A point a of the convex hull of
//! A is a convex combination of the xᵢ. The same combination of the p is a point a′ of the hull of the chords
//! with ‖a − a′‖ ≤ b_a, and likewise for B: ‖a − b‖ ≥ ‖a′ − b′‖ − b. The ends are rounded; the difference of
//! any two has an error of at most E (`Rigid::error`), hence so has that of any two points of rounded chords.
//! So if the rounded chords stay farther apart than d_min + b + E, the bodies stay farther apart than d_min.
//! That sum is rounded up. The linear method proves it up to a fraction s of the piece; t₀ + s (t₁ − t₀) is
//! rounded down. The pieces are contiguous and start at 0.
//!
//! *Chords.* [`ChordBound::ClosedForm`]: R(θ(t)) x̂ accelerates by at most r ‖δ‖² (lemma 2 of
//! `docs/methods/ccd.md`), so that b = A (t₁ − t₀)²/8, with A of `Rigid::acceleration`.
//! [`ChordBound::Interval`]: eq. (20) on intervals, for each point; the largest of A plus the largest of B.
//!
//! *Termination.* Pieces are halved at most N_max times in total, and beyond that only while t₀ = 0 and the
//! piece is longer than 2⁻⁵⁰. Each piece costs at most one linear query, so there are at most N_max + 50 of
//! them.

use rigor_interval::Interval;

use super::enclosure::Enclosure;
use crate::linear::{additive, tight_inclusion};
use crate::relative::{Relative, Rigid, U};
use crate::{Answer, Impact, Kind, Length, Limits, LinearQuery, RigidQuery, invalid};

/// The tolerance is that of the linear method (m), see [`tight_inclusion::LIMITS`]; the work limit is N_max,
/// the maximum number of halvings.
///
/// Source: \[Ferguson2021\], N_max = 1000.
pub const LIMITS: Limits<Length> = Limits { tolerance: tight_inclusion::LIMITS.tolerance, max_boxes: 1000 };

/// δ: a piece is halved if its bound exceeds this fraction of the distance.
///
/// Source: \[Ferguson2021\] §4.3.
const DELTA: f64 = 0.5;

/// Minimum length of a piece, as a fraction of the horizon.
const MIN_PIECE: f64 = 4.0 * f64::EPSILON;

/// More than the number of piece lengths 1, ½, …, 2⁻⁵⁰.
const DEPTH: usize = 64;

/// How the deviation of a point from its chord is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChordBound {
    /// Eq. (20) of \[Ferguson2021\] evaluated on intervals: proportional to the length of the piece.
    Interval,
    /// r ‖δ‖² Δt²/8: proportional to the square of the length.
    ClosedForm,
}

/// Returns whether and when the primitives of `query` come within d_min of each other on [0, `horizon`].
///
/// ```
/// use rigor_ccd::curved::{ChordBound, piecewise_linear};
/// use rigor_ccd::{RigidMotion, RigidQuery};
/// use rigor_math::{UnitQuaternion, Vec3};
/// // A hand of length 1 makes half a turn from +x to −x: halfway its tip meets a point on +y.
/// let still = UnitQuaternion::identity();
/// let hand = RigidMotion::about_axis([Vec3::zeros(); 2], still, Vec3::z() * std::f64::consts::PI);
/// let target = RigidMotion::at_rest(Vec3::y(), still);
/// let query = RigidQuery::point_point([hand, target], Vec3::x(), Vec3::zeros(), 0.01);
/// let answer = piecewise_linear::impact(&query, 1.0, &piecewise_linear::LIMITS, ChordBound::Interval)?;
/// let t_safe = answer.t_safe(1.0);
/// assert!(0.49 < t_safe && t_safe < 0.5 - 0.01 / std::f64::consts::PI);
/// # Ok::<(), rigor_ccd::InvalidQuery>(())
/// ```
///
/// # Errors
/// [`InvalidQuery`](crate::InvalidQuery) for an invalid query or horizon.
pub fn impact(query: &RigidQuery, horizon: f64, limits: &Limits<Length>, bound: ChordBound) -> Answer {
    query.check()?;
    invalid::horizon(horizon)?;
    let pieces = Pieces::new(query, limits, bound);
    let (mut t_0, mut n) = (0.0, 1);
    let (mut ends, mut n_ends) = ([horizon; DEPTH], 1);
    while n_ends > 0 {
        let t_1 = ends[n_ends - 1];
        let may_halve = (n < limits.max_boxes || t_0 == 0.0) && t_1 - t_0 > MIN_PIECE * horizon;
        let b = pieces.deviation(t_0, t_1);
        let is_fine = b < DELTA * pieces.distance(t_0);
        let answer = (is_fine || !may_halve).then(|| pieces.linear(t_0, t_1, b));
        match answer {
            Some(Impact::Free) => {
                t_0 = t_1;
                n_ends -= 1;
            }
            Some(found) if t_0 > 0.0 || found.t_safe(1.0) > 0.0 || !may_halve => {
                return Ok(within_piece(found, t_0, t_1, n));
            }
            _ => {
                ends[n_ends] = 0.5 * (t_0 + t_1);
                n_ends += 1;
                n += 1;
            }
        }
    }
    Ok(Impact::Free)
}

/// Converts the answer for a piece to one for the whole step.
fn within_piece(answer: Impact, t_0: f64, t_1: f64, boxes: usize) -> Impact {
    let at = |s: f64| t_0 + s * (t_1 - t_0);
    let t_safe = at(answer.t_safe(1.0) * (1.0 - 4.0 * U)).next_down().max(t_0);
    match answer {
        Impact::At { t_hit, .. } => Impact::At { t_safe, t_hit: at(t_hit).max(t_safe) },
        _ => Impact::Undecided { t_safe, boxes },
    }
}

struct Pieces {
    motion: Rigid,
    kind: Kind,
    d_min: f64,
    /// Only for the interval bound.
    enclosure: Option<Enclosure>,
    limits: Limits<Length>,
}

impl Pieces {
    fn new(query: &RigidQuery, limits: &Limits<Length>, bound: ChordBound) -> Self {
        let enclosure = (bound == ChordBound::Interval).then(|| Enclosure::new(query));
        let limits = Limits { tolerance: limits.tolerance, ..tight_inclusion::LIMITS };
        Self { motion: Rigid::new(query), kind: query.kind, d_min: query.d_min, enclosure, limits }
    }

    /// Returns b (m), rounded up.
    fn deviation(&self, t_0: f64, t_1: f64) -> f64 {
        let tau = t_1 - t_0;
        match &self.enclosure {
            Some(enclosure) => enclosure.deviation(Interval::new(t_0, t_1)),
            None => self.motion.acceleration() * (tau * tau) * (0.125 * (1.0 + 8.0 * U)),
        }
    }

    /// Returns an approximation of d(t) − d_min (m); no proof depends on it.
    fn distance(&self, t: f64) -> f64 {
        additive::gap(self.kind, self.motion.points(&self.motion.at(t))) - self.d_min
    }

    /// Returns whether the chords come within d_min + b plus the rounding error of their ends.
    fn linear(&self, t_0: f64, t_1: f64, b: f64) -> Impact {
        let [start, end] = [t_0, t_1].map(|t| *self.motion.points(&self.motion.at(t)));
        let d_min = (self.d_min + b + self.motion.error()) * (1.0 + 4.0 * U);
        let query = LinearQuery { kind: self.kind, start, end, d_min };
        // Ends or a separation that overflowed prove nothing.
        tight_inclusion::impact(&query, 1.0, &self.limits).unwrap_or(Impact::NOTHING)
    }
}

#[cfg(test)]
mod tests;
