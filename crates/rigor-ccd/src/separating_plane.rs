//! The default method, for straight and curved motions: advance as long as a plane between the primitives
//! provably separates them.
//!
//! At a time t₀ at which the primitives are apart, the nearest points give a direction n. For every point i
//! of A and j of B the gap g(t) = n·(xᵢ(t) − xⱼ(t)) is a smooth function of one variable with |g″| ≤ A. Both
//! primitives are the convex hulls of their points, so they are farther apart than d_min as long as every gap
//! exceeds d_min. The gap is extrapolated by its tangent minus ½ A τ² to a time t₁ at which d_min plus a
//! small part of the margin is left. The points are evaluated at t₁, and the piece [t₀, t₁] is accepted if
//! the chord of the gap minus A s (τ − s)/2 proves it (`docs/methods/ccd.md`, theorems 1 and 2). For straight
//! motions A = 0 and a step is exact; for curved ones it is Newton's method from the safe side. Both converge
//! superlinearly towards a transversal impact.
//!
//! Primitives that stay close to each other while they turn get planes that turn along (`turning.rs`), or, on straight
//! ways, follow their features (`bernstein.rs`); many turns are skipped beside what they sweep (`ring.rs`).
//!
//! Source: the chord bound is that of \[Ferguson2021\] §4.3, in closed form; conservative advancement along
//! the nearest direction is that of \[Mirtich1996\]. Deviation: both ends of a piece are evaluated, so no
//! bound on the speed is needed.

mod bernstein;
mod last_bits;
mod ring;
mod turning;
mod unit;

use rigor_geometry::distance::{edge_edge, point_edge, point_triangle};
use rigor_math::Vec3;

use crate::relative::{Relative, Rigid, Straight, U};
use crate::{Answer, Impact, Kind, Limits, LinearQuery, MarginShare, RigidQuery, invalid};

/// An impact is reported when the margin to d_min falls to 10⁻¹⁰ of its initial value.
///
/// Such a small tolerance costs little, because the method converges superlinearly; a larger one would report
/// more near misses. 1000 pieces suffice for straight motions and for a few turns; more are needed only by
/// bodies that spin close to each other, one inside the rings of the other.
pub const LIMITS: Limits<MarginShare> = Limits { tolerance: MarginShare(1e-10), max_boxes: 1000 };

/// Number of pieces with fixed planes, after which planes turn with the bodies: pairs that are still
/// undecided slide or graze.
const PLAIN: usize = 24;

/// Fraction of the margin that a step leaves.
const LEFT: f64 = 1.0 / 1024.0;

/// Returns whether and when the primitives of `query` come within d_min of each other on [0, `horizon`].
///
/// ```
/// use rigor_ccd::{Impact, LinearQuery, StraightMotion, separating_plane};
/// use rigor_math::Vec3;
/// // A point falls through a triangle, from 1 m above to 1 m below.
/// let point = StraightMotion::between(Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 1.0, -1.0));
/// let triangle = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 3.0].map(StraightMotion::at_rest);
/// let query = LinearQuery::point_triangle(point, triangle, 0.0);
/// let answer = separating_plane::linear(&query, 1.0, &separating_plane::LIMITS)?;
/// let Impact::At { t_safe, t_hit } = answer else { panic!() };
/// assert!(0.499999 < t_safe && t_safe < 0.5 && (t_hit - 0.5).abs() < 1e-12);
/// # Ok::<(), rigor_ccd::InvalidQuery>(())
/// ```
///
/// # Errors
/// [`InvalidQuery`](crate::InvalidQuery) for an invalid query or horizon.
pub fn linear(query: &LinearQuery, horizon: f64, limits: &Limits<MarginShare>) -> Answer {
    query.check()?;
    invalid::horizon(horizon)?;
    let answer = straight(query, horizon, limits);
    let scaled = if answer.is_free() { None } else { unit::linear(query) };
    Ok(scaled.map_or(answer, |query| straight(&query, horizon, limits)))
}

fn straight(query: &LinearQuery, horizon: f64, limits: &Limits<MarginShare>) -> Impact {
    let motion = Straight::new(query);
    let plain = Limits { max_boxes: limits.max_boxes.min(PLAIN), ..*limits };
    let answer = match advance(&motion, query.d_min, horizon, &plain) {
        Impact::Undecided { t_safe, boxes } if boxes < limits.max_boxes => {
            let enough = limits.tolerance.0 * margin_at_start(&motion, query.d_min);
            let progress = Progress { t: t_safe, enough: Some(enough), spent: boxes };
            bernstein::advance(query, &motion, progress, horizon, limits)
        }
        answer => answer,
    };
    match answer {
        Impact::At { t_safe, t_hit } if query.d_min == 0.0 => {
            last_bits::advance(query, t_safe, t_hit, horizon)
        }
        answer => answer,
    }
}

/// Same as [`linear`], for points of two rigid bodies.
///
/// # Errors
/// [`InvalidQuery`](crate::InvalidQuery) for an invalid query or horizon.
pub fn rigid(query: &RigidQuery, horizon: f64, limits: &Limits<MarginShare>) -> Answer {
    query.check()?;
    invalid::horizon(horizon)?;
    let answer = curved(query, horizon, limits);
    let scaled = if answer.is_free() { None } else { unit::rigid(query) };
    Ok(scaled.map_or(answer, |query| curved(&query, horizon, limits)))
}

fn curved(query: &RigidQuery, horizon: f64, limits: &Limits<MarginShare>) -> Impact {
    let motion = Rigid::new(query);
    let plain = Limits { max_boxes: limits.max_boxes.min(PLAIN), ..*limits };
    match advance(&motion, query.d_min, horizon, &plain) {
        Impact::Undecided { t_safe, boxes } if boxes < limits.max_boxes => {
            let enough = limits.tolerance.0 * margin_at_start(&motion, query.d_min);
            turning::advance(query, &motion, t_safe, enough, horizon, boxes, limits.max_boxes)
        }
        answer => answer,
    }
}

/// Returns the initial distance minus d_min.
fn margin_at_start(motion: &impl Relative, d_min: f64) -> f64 {
    let place = motion.at(0.0);
    let n = direction(motion.kind(), motion.points(&place));
    n.map_or(0.0, |n| Gaps::new(motion.kind(), &n, motion.points(&place)).smallest() - d_min)
}

fn advance(motion: &impl Relative, d_min: f64, horizon: f64, limits: &Limits<MarginShare>) -> Impact {
    advance_from(motion, d_min, Progress { t: 0.0, enough: None, spent: 0 }, horizon, limits)
}

/// What a search has found so far.
struct Progress {
    /// The primitives are free up to this time.
    t: f64,
    /// The margin at which an impact is reported, once it is known.
    enough: Option<f64>,
    /// Number of pieces.
    spent: usize,
}

/// Advances from where a search is, with fixed planes.
fn advance_from(
    motion: &impl Relative,
    d_min: f64,
    progress: Progress,
    horizon: f64,
    limits: &Limits<MarginShare>,
) -> Impact {
    let kind = motion.kind();
    // n is rounded: its length is 1 to within 4 u.
    let floor = (d_min + motion.error()) * (1.0 + 16.0 * U);
    let Progress { mut t, mut enough, spent } = progress;
    let mut place = motion.at(t);
    for _ in spent..limits.max_boxes {
        let Some(normal) = direction(kind, motion.points(&place)) else {
            return Impact::At { t_safe: t, t_hit: t };
        };
        let gaps = Gaps::new(kind, &normal, motion.points(&place));
        let piece = Piece { motion, normal, gaps: &gaps, floor, t };
        // Most queried primitives stay far apart.
        if t == 0.0 && piece.accepted(horizon).is_some() {
            return Impact::Free;
        }
        let margin = gaps.smallest() - floor;
        // A NaN margin counts as no margin.
        let is_apart = margin > *enough.get_or_insert(margin * limits.tolerance.0);
        let rates = Gaps::new(kind, &normal, &motion.velocities(&place));
        let t_hit = (t + gaps.time_down_to(floor, &rates, 0.0)).min(horizon).max(t);
        let tau = gaps.time_down_to(floor + LEFT * margin, &rates, motion.acceleration());
        let ahead = if is_apart { piece.longest(tau.min(horizon - t)) } else { None };
        match ahead {
            None => return Impact::At { t_safe: t, t_hit },
            Some((next, _)) if next >= horizon => return Impact::Free,
            Some(next) => (t, place) = next,
        }
    }
    Impact::Undecided { t_safe: t, boxes: limits.max_boxes }
}

/// A plane with the given normal that separates the primitives at `t`.
struct Piece<'a, W> {
    motion: &'a W,
    normal: Vec3,
    gaps: &'a Gaps,
    floor: f64,
    t: f64,
}

impl<W: Relative> Piece<'_, W> {
    /// Returns the state at `next` if the plane provably separates the primitives on all of [t, next]:
    /// theorem 1.
    fn accepted(&self, next: f64) -> Option<W::Place> {
        let place = self.motion.at(next);
        let ends = Gaps::new(self.motion.kind(), &self.normal, self.motion.points(&place));
        let acceleration = self.motion.acceleration() * (1.0 + 8.0 * U);
        (self.gaps.least_on_chord(&ends, acceleration, next - self.t) > self.floor).then_some(place)
    }

    /// Returns the end and final state of the longest accepted piece among lengths `tau`/2ᵏ, k < 8.
    fn longest(&self, tau: f64) -> Option<(f64, W::Place)> {
        let ends = (0..8).map(|halvings| self.t + tau / f64::from(1 << halvings));
        ends.take_while(|next| *next > self.t).find_map(|next| self.accepted(next).map(|place| (next, place)))
    }
}

/// The gaps n·(xᵢ − xⱼ) for every point i of A and j of B.
pub(crate) struct Gaps {
    values: [f64; 4],
    n: usize,
}

impl Gaps {
    pub fn new(kind: Kind, normal: &Vec3, points: &[Vec3; 4]) -> Self {
        Self::of(kind, |i, j| normal.dot(&(points[i] - points[j])))
    }

    /// Evaluates `gap`(i, j) for the indices of every point of A and of B.
    fn of(kind: Kind, gap: impl Fn(usize, usize) -> f64) -> Self {
        let (n_a, n_b) = kind.sizes();
        let mut values = [f64::INFINITY; 4];
        for i in 0..n_a {
            for j in 0..n_b {
                values[i * n_b + j] = gap(i, n_a + j);
            }
        }
        Self { values, n: n_a * n_b }
    }

    pub fn smallest(&self) -> f64 {
        self.values[..self.n].iter().copied().fold(f64::INFINITY, least)
    }

    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (f64, f64)> + 'a {
        self.values[..self.n].iter().copied().zip(other.values[..self.n].iter().copied())
    }

    /// Returns the first τ ≥ 0 at which g + ġ τ − ½ A τ² falls to `floor` for some pair:
    /// 2 m / (−ġ + √(ġ² + 2 A m)), m = g − floor.
    fn time_down_to(&self, floor: f64, rates: &Self, acceleration: f64) -> f64 {
        let time = |(g, rate): (f64, f64)| {
            let m = g - floor;
            let speed = (rate * rate + 2.0 * acceleration * m).sqrt() - rate;
            if speed > 0.0 { 2.0 * m / speed } else { f64::INFINITY }
        };
        self.pairs(rates).map(time).fold(f64::INFINITY, f64::min)
    }

    /// Returns a lower bound on every gap over a piece of length τ, from these gaps g₀ to the gaps g₁ at its
    /// end: the minimum over s ∈ [0, τ] of g₀ + (g₁ − g₀) s/τ − ½ A s (τ − s).
    ///
    /// With b = ½ A τ² and D = g₁ − g₀ it is min(g₀, g₁) if b ≤ |D|, where the parabola is monotone, else
    /// ½ (g₀ + g₁) − ¼ b − ¼ D²/b.
    fn least_on_chord(&self, ends: &Self, acceleration: f64, tau: f64) -> f64 {
        let bend = 0.5 * acceleration * tau * tau;
        let least_of = |(g_0, g_1): (f64, f64)| {
            let rise = g_1 - g_0;
            if bend <= rise.abs() {
                g_0.min(g_1)
            } else {
                0.5 * (g_0 + g_1) - 0.25 * (bend + rise * rise / bend)
            }
        };
        self.pairs(ends).map(least_of).fold(f64::INFINITY, least)
    }
}

/// Returns the smaller number, or NaN if either is NaN, unlike [`f64::min`].
fn least(a: f64, b: f64) -> f64 {
    if a <= b || a.is_nan() { a } else { b }
}

/// Returns the unit vector from the nearest point of B to that of A, or `None` if they coincide or are not
/// finite.
pub(crate) fn direction(kind: Kind, x: &[Vec3; 4]) -> Option<Vec3> {
    let separation = match kind {
        Kind::PointPoint => x[0] - x[1],
        Kind::PointEdge => point_edge::closest(&x[0], &x[1], &x[2]).separation,
        Kind::PointTriangle => point_triangle::closest(&x[0], &x[1], &x[2], &x[3]).separation,
        Kind::EdgeEdge => edge_edge::closest(&x[0], &x[1], &x[2], &x[3]).separation,
    };
    // Scaled so that the squares of very small and very large numbers neither underflow nor overflow.
    let largest = separation.amax();
    let scaled = separation / largest;
    (largest > 0.0 && largest.is_finite()).then(|| scaled / scaled.norm())
}

#[cfg(test)]
mod tests;
