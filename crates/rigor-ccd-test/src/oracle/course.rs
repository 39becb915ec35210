//! Brackets the first contact between primitives of two rigid bodies.

use dashu_int::IBig;
use rigor_math::Vec3;

use super::ball::{BITS, Ball, PLACES, Vector, one};
use super::body::{Body, Reach};
use super::bracket::Bracket;
use super::bundle::{self, NODES};
use super::crossing::Crossing;
use super::exact;
use super::integer::{common_exponent, round_down, round_up};
use super::nearest::{Plane, nearest};
use rigor_ccd::{Kind, RigidQuery, Truth};

/// Maximum number of evaluated times.
const MAX_LOOKS: usize = 20_000;

/// Number of evaluated times after which turning planes are tried, too.
const PATIENCE: usize = 64;

/// Steps below 2⁻⁵⁸ of the current time no longer improve lo: try to prove a contact instead.
const NEAR: usize = 58;

/// The search ends when hi − lo is below 2⁻⁴⁴ lo.
const NARROW: usize = 44;

/// Minimum step: 2⁻¹¹⁰ of the time step.
const MIN_STEP: usize = 110;

/// Two moving primitives.
pub(super) struct Course {
    kind: Kind,
    bodies: [Body; 2],
    reaches: Vec<Reach>,
    d_min: Ball,
    exponent: i32,
    /// All points stay in a plane perpendicular to this coordinate axis, exactly.
    axis: Option<usize>,
}

/// The primitives at one time.
pub(super) struct PrimitivesAt {
    t: IBig,
    pub points: Vec<Vector>,
    velocities: Vec<Vec3>,
}

/// Progress of the search.
struct SearchProgress {
    looks: usize,
    /// Next trial length of a piece with a turning plane.
    width: IBig,
}

/// Returns ⌈a w²/8⌉ or slightly more: a bound on the deviation of a trajectory from its chord within w.
fn bend(acceleration: &IBig, width: &IBig) -> IBig {
    ((acceleration * width * width) >> (2 * BITS + 3)) + 1
}

impl Course {
    pub fn new(query: &RigidQuery) -> Self {
        let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
        let (a, b) = (&query.motion_a, &query.motion_b);
        let places = [a.position_t0, a.position_t1, b.position_t0, b.position_t1];
        let lengths = places.iter().chain(&query.points_local[..n]).flat_map(|x| x.iter());
        let exponent = common_exponent(lengths.chain([&query.d_min])).unwrap_or(0);
        let bodies = [
            Body::new(a, &query.points_local[..n_a], exponent),
            Body::new(b, &query.points_local[n_a..n], exponent),
        ];
        Self {
            kind: query.kind,
            reaches: bodies.iter().flat_map(|body| &body.reaches).cloned().collect(),
            d_min: Ball::new(query.d_min, exponent),
            exponent,
            axis: (0..3).find(|&axis| exact::stays_in_plane(query, axis)),
            bodies,
        }
    }

    /// Lengths are in units of 2ᵉ m.
    pub fn exponent(&self) -> i32 {
        self.exponent
    }

    pub fn at(&self, t: &IBig) -> PrimitivesAt {
        let [mut a, b] = self.bodies.each_ref().map(|body| body.at(t));
        a.points.extend(b.points);
        a.velocities.extend(b.velocities);
        PrimitivesAt { t: t.clone(), points: a.points, velocities: a.velocities }
    }

    /// Returns the distance (m) at a time.
    pub fn distance(&self, look: &PrimitivesAt) -> Bracket {
        distance(self.kind, &look.points, self.exponent)
    }

    fn is_meeting(&self, look: &PrimitivesAt) -> bool {
        nearest(self.kind, &look.points).0 <= self.d_min.lower()
    }

    /// Whether the plane separates them at all times between two looks: along its normal each pair has a gap
    /// at both ends, which deviates from its chord by at most a w²/8.
    fn is_free_between(&self, plane: &Plane, before: &PrimitivesAt, after: &PrimitivesAt) -> bool {
        let width = &after.t - &before.t;
        let (start, end) = (plane.heights(&before.points), plane.heights(&after.points));
        plane.pairs(self.kind.n_points()).all(|pair| {
            let needed = self.d_min.upper() + bend(&self.bending(pair), &width);
            plane.is_apart(&start, pair, &needed) && plane.is_apart(&end, pair, &needed)
        })
    }

    fn bending(&self, (i, j): (usize, usize)) -> IBig {
        &self.reaches[i].acceleration + &self.reaches[j].acceleration
    }

    /// Estimates how long the plane separates them from here on: for each pair, w with g − c w − ¾ a w² = 0,
    /// where g is the gap and c its closing speed; the proof needs less than ⅝ of a w². `None` if a gap is
    /// not positive.
    fn guess_step(&self, plane: &Plane, here: &PrimitivesAt) -> Option<IBig> {
        let heights = plane.heights(&here.points);
        let normal = plane.guess_normal();
        let mut step = 1.0_f64;
        for pair @ (i, j) in plane.pairs(self.kind.n_points()) {
            let gap = plane.guess_gap(&heights, pair, &self.d_min.upper());
            let closing = normal.dot(&(here.velocities[j] - here.velocities[i]));
            let bending = super::ball::guess(&self.bending(pair));
            let root = (closing * closing + 3.0 * bending * gap).sqrt();
            let longest =
                if closing > 0.0 { 2.0 * gap / (closing + root) } else { (root - closing) / (1.5 * bending) };
            if gap <= 0.0 || longest.is_nan() {
                return None;
            }
            step = step.min(longest);
        }
        Some(Ball::new(step * (1.0 - 1e-9), 0).mid)
    }

    /// Returns the farthest look ahead of `here` up to which they are proven to stay apart; `None` if that is
    /// not far enough.
    fn advance(&self, here: &PrimitivesAt, pace: &mut SearchProgress) -> Option<PrimitivesAt> {
        let (_, plane) = nearest(self.kind, &here.points);
        let mut step = self.guess_step(&plane, here)?;
        let least = one() >> MIN_STEP;
        let is_long = one() - &here.t > least;
        while is_long && pace.looks > PATIENCE && pace.width > step && pace.width > least {
            if let Some(there) = self.advance_along(here, pace) {
                return Some(there);
            }
        }
        while step > least {
            pace.looks += 1;
            let there = self.at(&(&here.t + &step).min(one()));
            if self.is_free_between(&plane, here, &there) {
                pace.width = pace.width.clone().max(step << 2);
                return Some(there);
            }
            step >>= 1;
        }
        None
    }

    /// Same as [`Course::advance`] with a turning plane, over a trial length that grows with success and
    /// shrinks with failure.
    fn advance_along(&self, here: &PrimitivesAt, pace: &mut SearchProgress) -> Option<PrimitivesAt> {
        let part = pace.width.clone().min(one() - &here.t) / (NODES - 1);
        pace.looks += NODES;
        let looks: Vec<PrimitivesAt> = (0..NODES).map(|k| self.at(&(&here.t + &part * k))).collect();
        let width = part * (NODES - 1);
        let planes: Vec<Plane> = looks.iter().map(|look| nearest(self.kind, &look.points).1).collect();
        let points: Vec<&[Vector]> = looks.iter().map(|look| look.points.as_slice()).collect();
        let remainder = |reach: &Reach| bundle::remainder(&reach.radius, &reach.rate, &width);
        let remainders: Vec<IBig> = self.reaches.iter().map(remainder).collect();
        let is_free = bundle::is_free(&planes, &points, &remainders, &self.d_min.upper());
        pace.width = if is_free { width << 1 } else { width >> 2 };
        looks.into_iter().next_back().filter(|_| is_free)
    }

    /// Whether they have certainly passed through each other between two looks.
    fn is_crossing(&self, before: &PrimitivesAt, after: &PrimitivesAt) -> bool {
        let width = &after.t - &before.t;
        let travel = |speed: &IBig| ((speed * &width) >> BITS) + 1;
        let widened = |(x, reach): (&Vector, &Reach)| x.each_ref().map(|c| c.widened(&travel(&reach.speed)));
        let all: Vec<Vector> = before.points.iter().zip(&self.reaches).map(widened).collect();
        let crossing = Crossing::new(self.kind, &before.points, &after.points, &all);
        crossing.is_certain() || self.axis.is_some_and(|axis| crossing.is_certain_in_plane(axis))
    }

    /// Returns the first of increasingly distant times ahead of `here` by which a contact is certain.
    fn meeting(&self, here: &PrimitivesAt, step: &IBig) -> Option<IBig> {
        let mut step = step.clone();
        loop {
            let there = self.at(&(&here.t + &step).min(one()));
            let is_certain = self.is_meeting(&there) || self.is_crossing(here, &there);
            if is_certain {
                return Some(there.t);
            }
            if there.t == one() {
                return None;
            }
            step <<= 2;
        }
    }

    /// Advances while they are proven to stay apart, then proves a contact.
    pub fn first_meeting(&self) -> Truth {
        let mut here = self.at(&IBig::ZERO);
        if self.is_meeting(&here) {
            return Truth::First { lo: 0.0, hi: 0.0 };
        }
        let mut pace = SearchProgress { looks: 0, width: one() >> 6 };
        let (mut hi, mut short) = (None, None);
        while pace.looks < MAX_LOOKS {
            let Some(there) = self.advance(&here, &mut pace) else { break };
            let step = &there.t - &here.t;
            here = there;
            if here.t == one() {
                return Truth::Free;
            }
            if step < short.clone().unwrap_or_else(|| &here.t >> NEAR) {
                hi = self.meeting(&here, &step).or(hi);
                if hi.as_ref().is_some_and(|hi| hi - &here.t < &here.t >> NARROW) {
                    break;
                }
                short = Some(step >> 8);
            }
        }
        let lo = round_down(&here.t, -PLACES);
        match hi.or_else(|| self.meeting(&here, &(one() >> MIN_STEP))) {
            Some(hi) => Truth::First { lo, hi: round_up(&hi, -PLACES) },
            None => Truth::Unknown { lo },
        }
    }
}

/// Returns the distance (m); lengths are in units of 2ᵉ m.
pub(super) fn distance(kind: Kind, x: &[Vector], e: i32) -> Bracket {
    let (upper, plane) = nearest(kind, x);
    let lower = plane.distance(&plane.heights(x));
    Bracket { lower: round_down(&lower, e - PLACES), upper: round_up(&upper, e - PLACES) }
}
