//! Planes that turn with the bodies, for primitives that stay close to each other while they turn.
//!
//! A turning face soon crosses a fixed plane: a margin m lasts for a time of m/(rω). Here the normal n(t)
//! turns with the body of the face, or stays perpendicular to both edges, so that the gap between the nearest
//! features changes no faster than their distance. On a piece of time the gaps are interpolated by parabolas
//! through three times, and bounds on the third derivatives cover the remainder (`docs/methods/ccd.md`,
//! theorem 3).

use rigor_geometry::distance::edge_edge::{self, Region};
use rigor_math::Vec3;

use super::{Gaps, direction, least, ring};

use crate::motion::orient;
use crate::relative::{Place, Relative, Rigid, TINY, U};
use crate::{Impact, Kind, RigidMotion, RigidQuery};

/// max |s (s − ½)(s − 1)|/3! for s ∈ [0, 1] is √3/216 = 0.00802; the rest covers the rounding of the middle.
const REMAINDER: f64 = 0.0081;

/// Pieces are shortened until the remainder takes at most this fraction of the margin.
const SPENT: f64 = 0.5;

/// Minimum length of a piece.
const MIN_PIECE: f64 = 1.0 / (1u64 << 40) as f64;

/// Edges with a greater cosine between them are nearly parallel: a plane across both turns too fast.
const STEEP: f64 = 0.995;

/// Number of pieces after which the length of a normal across is followed, too: pairs that are still undecided keep d_min
/// while the angle between their edges changes.
const PATIENT: usize = 64;

/// Least sine between edges for which the length of their normal is followed.
const MIN_SINE: f64 = 1e-3;

/// How the normal of a plane turns.
#[derive(Debug, Clone, Copy)]
enum Normal {
    /// n(t) = R_a(t) n, for a unit vector n.
    WithA(Vec3),
    /// n(t) = R_b(t) n.
    WithB(Vec3),
    /// n(t) = R_a(t) a × R_b(t) b, for unit vectors along the edges.
    Across(Vec3, Vec3),
}

/// Continues from `t`, up to which the primitives stay farther apart than d_min, until the margin is at most
/// `enough`. `spent` of the `max_boxes` pieces have been used.
pub(super) fn advance(
    query: &RigidQuery,
    motion: &Rigid,
    mut t: f64,
    enough: f64,
    horizon: f64,
    spent: usize,
    max_boxes: usize,
) -> Impact {
    let mut left = max_boxes - spent;
    let mut longest = horizon;
    while left > 0 {
        let place = motion.at(t);
        if let Some(end) = ring::end(motion, query.d_min, t, &place, horizon) {
            if end >= horizon {
                return Impact::Free;
            }
            left -= 1;
            t = end;
            continue;
        }
        let normals = Normal::candidates(query, motion, &place);
        let ends = normals.into_iter().flatten().map(|normal| {
            let mut piece = Piece::new(query.d_min, motion, normal, t, &place);
            piece.follows_length = max_boxes - left >= PATIENT;
            // A NaN margin counts as no margin.
            if piece.margin() > enough { piece.end(longest, horizon, &mut left) } else { t }
        });
        let end = ends.fold(t, f64::max);
        if end >= horizon {
            return Impact::Free;
        }
        if end <= t && left > 0 {
            return Impact::At { t_safe: t, t_hit: t };
        }
        (longest, t) = (2.0 * (end - t), end);
    }
    Impact::Undecided { t_safe: t, boxes: max_boxes }
}

/// A plane that separates the primitives at `t` and turns from there on.
struct Piece<'a> {
    motion: &'a Rigid,
    normal: Normal,
    d_min: f64,
    t: f64,
    start: Sample,
    /// An upper bound on the third derivative of every gap.
    third: f64,
    /// Whether d_min ‖n‖ is compared as it changes, not with its largest value.
    follows_length: bool,
}

/// Values at one time: the gaps n·(xᵢ − xⱼ), and the cosine between the edges that n is perpendicular to, 0
/// for other normals.
struct Sample {
    gaps: Gaps,
    cosine: f64,
}

impl<'a> Piece<'a> {
    fn new(d_min: f64, motion: &'a Rigid, normal: Normal, t: f64, place: &Place) -> Self {
        let (start, third) = (normal.sample(motion, place), normal.third_derivative(motion));
        Self { motion, normal, d_min, t, start, third, follows_length: false }
    }

    /// Returns the approximate distance of the primitives in excess of d_min.
    fn margin(&self) -> f64 {
        let cosine = self.start.cosine.abs();
        (self.start.gaps.smallest() - self.floor(cosine)) / sine(cosine)
    }

    /// Returns the lower bound that gaps must exceed where the cosine is at least `cosine` ≥ 0: d_min ‖n‖
    /// plus rounding.
    fn floor(&self, cosine: f64) -> f64 {
        let cosine = (cosine - self.motion.turning_rounding()).max(0.0);
        (self.d_min * sine(cosine) + self.motion.reach() * self.motion.turning_rounding() + TINY)
            * (1.0 + 32.0 * U)
    }

    /// Returns a time up to which the plane provably separates the primitives, or `t` if there is none. The
    /// first trial length is at most `longest`, and so short that the remainder takes only part of the
    /// margin; it is halved until the proof succeeds.
    fn end(&self, longest: f64, horizon: f64, left: &mut usize) -> f64 {
        let margin = self.start.gaps.smallest() - self.floor(self.start.cosine.abs());
        let mut tau = longest;
        while REMAINDER * self.third * tau * tau * tau > SPENT * margin && tau > MIN_PIECE {
            tau *= 0.8;
        }
        let mut end = (self.t + tau).min(horizon);
        let mut last = self.at(end);
        while *left > 0 && end - self.t >= MIN_PIECE {
            let middle = self.t + 0.5 * (end - self.t);
            let between = self.at(middle);
            *left -= 1;
            if self.is_free(&between, &last, end - self.t) {
                return end;
            }
            (end, last) = (middle, between);
        }
        self.t
    }

    fn at(&self, t: f64) -> Sample {
        self.normal.sample(self.motion, &self.motion.at(t))
    }

    /// Whether the plane separates the primitives on a piece of length `tau`: theorem 3.
    fn is_free(&self, middle: &Sample, end: &Sample, tau: f64) -> bool {
        self.exceeds_largest_floor(middle, end, tau)
            || (self.follows_length && self.exceeds_every_floor(middle, end, tau))
    }

    /// Compares the gaps with d_min times the largest length of the normal.
    fn exceeds_largest_floor(&self, middle: &Sample, end: &Sample, tau: f64) -> bool {
        let nodes = self.start.gaps.pairs(&end.gaps).zip(&middle.gaps.values);
        let lowest =
            nodes.map(|((g_0, g_1), g_m)| least_on_parabola(g_0, *g_m, g_1)).fold(f64::INFINITY, least);
        lowest - cubed(tau) * self.third > self.floor(self.least_cosine(middle, end, tau))
    }

    /// Compares the gaps with d_min times a bound of the length as it changes: √(1 − c²) ≤ (1 − c² + σ²)/(2σ) for every σ > 0,
    /// and |(c²)‴| ≤ 8ω³.
    fn exceeds_every_floor(&self, middle: &Sample, end: &Sample, tau: f64) -> bool {
        let sigma = sine(self.start.cosine.abs());
        let is_across = matches!(self.normal, Normal::Across(..)) && sigma > MIN_SINE;
        if !is_across {
            return false;
        }
        let floor = |sample: &Sample| {
            let cosine = sample.cosine;
            self.d_min * ((1.0 - cosine * cosine + sigma * sigma) / (2.0 * sigma))
        };
        let floors = [floor(&self.start), floor(middle), floor(end)];
        let nodes = self.start.gaps.pairs(&end.gaps).zip(&middle.gaps.values);
        let excess = |((g_0, g_1), g_m): ((f64, f64), &f64)| {
            least_on_parabola(g_0 - floors[0], *g_m - floors[1], g_1 - floors[2])
        };
        let lowest = nodes.map(excess).fold(f64::INFINITY, least);
        let third = self.third_of_excess(sigma);
        let rounding = self.motion.turning_rounding();
        let error = (self.motion.reach() + 2.0 * self.d_min / sigma) * rounding + TINY;
        lowest - cubed(tau) * third > error * (1.0 + 32.0 * U)
    }

    /// Returns an upper bound on the third derivative of a gap minus d_min (1 − c² + σ²)/(2σ).
    fn third_of_excess(&self, sigma: f64) -> f64 {
        let omega = self.motion.rates().iter().sum::<f64>();
        self.third + 4.0 * self.d_min * omega * omega * omega / sigma
    }

    /// Returns a lower bound on |cosine| on a piece of length `tau`, apart from rounding: lemma 4 for c.
    fn least_cosine(&self, middle: &Sample, end: &Sample, tau: f64) -> f64 {
        let [c_0, c_m, c_1] = [self.start.cosine, middle.cosine, end.cosine];
        let cosine = least_on_parabola(c_0, c_m, c_1).max(least_on_parabola(-c_0, -c_m, -c_1));
        (cosine - cubed(tau) * self.motion.parting()).max(0.0)
    }
}

/// Returns the largest deviation of a function from its parabola on a piece of length `tau`, per third
/// derivative.
fn cubed(tau: f64) -> f64 {
    REMAINDER * tau * tau * tau * (1.0 + 32.0 * U)
}

impl Normal {
    /// Returns the normals suggested by the nearest features; none where the features coincide.
    fn candidates(query: &RigidQuery, motion: &Rigid, place: &Place) -> [Option<Self>; 2] {
        let x = motion.points(place);
        let Some(n) = direction(query.kind, x) else { return [None; 2] };
        let [turn_a, turn_b] = place.turns();
        let with_b = Self::WithB(turn_b.undo(&n));
        if query.kind != Kind::EdgeEdge {
            return [Some(with_b), None];
        }
        match edge_edge::region(&x[0], &x[1], &x[2], &x[3]) {
            Region::EdgeAEdgeB => {
                let across = Self::across(query, place, &n);
                let is_steep = across.is_some_and(|across| across.sample(motion, place).cosine.abs() < STEEP);
                [across, (!is_steep).then_some(with_b)]
            }
            Region::EdgeAVertexB0 | Region::EdgeAVertexB1 => [Some(Self::WithA(turn_a.undo(&n))), None],
            _ => [Some(with_b), None],
        }
    }

    /// Returns the normal perpendicular to both edges, oriented from B to A like `n`; `None` for an edge of
    /// zero length.
    fn across(query: &RigidQuery, place: &Place, n: &Vec3) -> Option<Self> {
        let along = |from: usize, body: &RigidMotion| {
            let edge = query.points_local[from + 1] - query.points_local[from];
            orient(&body.orientation, &edge).try_normalize(0.0)
        };
        let (a, b) = (along(0, &query.motion_a)?, along(2, &query.motion_b)?);
        let [turn_a, turn_b] = place.turns();
        let is_facing = turn_a.apply(&a).cross(&turn_b.apply(&b)).dot(n) >= 0.0;
        Some(Self::Across(if is_facing { a } else { -a }, b))
    }

    fn sample(&self, motion: &Rigid, place: &Place) -> Sample {
        let [turn_a, turn_b] = place.turns();
        let (n, cosine) = match self {
            Self::WithA(n) => (turn_a.apply(n), 0.0),
            Self::WithB(n) => (turn_b.apply(n), 0.0),
            Self::Across(a, b) => {
                let (a, b) = (turn_a.apply(a), turn_b.apply(b));
                (a.cross(&b), a.dot(&b))
            }
        };
        Sample { gaps: Gaps::new(motion.kind(), &n, motion.points(place)), cosine }
    }

    /// A bound on the third derivative of every gap: lemma 4.
    fn third_derivative(&self, motion: &Rigid) -> f64 {
        let ([r_a, r_b], [rate_a, rate_b]) = (motion.radii(), motion.rates());
        let omega = rate_a + rate_b;
        let (own, rate) = match self {
            Self::WithA(_) => (r_b, rate_a),
            Self::WithB(_) => (r_a, rate_b),
            Self::Across(..) => (r_a + r_b, omega),
        };
        let [place, speed] = motion.between();
        (own * motion.parting() + rate * rate * (place * rate + 3.0 * speed)) * (1.0 + 64.0 * U)
    }
}

/// √(1 − cos²).
fn sine(cosine: f64) -> f64 {
    ((1.0 - cosine) * (1.0 + cosine)).max(0.0).sqrt()
}

/// Returns the minimum on [0, 1] of the parabola with these values at 0, ½ and 1.
fn least_on_parabola(g_0: f64, g_m: f64, g_1: f64) -> f64 {
    let (bend, slope) = (2.0 * (g_0 - 2.0 * g_m + g_1), 4.0 * g_m - 3.0 * g_0 - g_1);
    let has_valley = slope < 0.0 && -slope < 2.0 * bend;
    if has_valley { g_0 - slope * slope / (4.0 * bend) } else { least(g_0, g_1) }
}

#[cfg(test)]
mod tests;
