//! The proof that two bodies stay apart during one piece of the path.
//!
//! Let n be any direction and let a, b be two bodies, or parts of them, each the convex hull of its vertices.
//! On the chord from t₀ to t₁, where each vertex moves uniformly along the line between its places at both
//! ends, n · (x_i − x_j) is linear in t for each i of a and j of b. So it is at least the smaller of its
//! values at t₀ and t₁. No vertex deviates from its chord by more than [`Course::bow`], nor from its stored
//! places by more than [`Course::joint`]. So the distance between the hulls is at least
//!
//! min over both ends of (min_i n · x_i − max_j n · x_j)/‖n‖ − the bows and joints of both.
//!
//! Where this is positive it is a proof, for any n. An affine body has no bow: its vertices move along their chords.
//! The ball of radius ρ about a vertex moves with it, whatever turns: with offsets, n · x_i is
//! less by ρ_i ‖n‖, and n · x_j more by ρ_j ‖n‖. Otherwise the time interval is halved, which divides the
//! bow by four. A direction that has separated some primitives is tried on the others first.

use rigor_math::Vec3;

use super::course::{Course, UNIT_TOLERANCE};
use super::interval::{Interval, Vector, norm, points};
use super::placement::{Placement, along};
use super::shape::PrimitiveTree;
use super::spot::Spot;
use super::support::Support;
use crate::effort::Effort;
use crate::separation::separation;

/// Maximum number of times that an interval of time is halved.
const MAX_HALVINGS: u32 = 40;
/// A bound that lowers `nearest` must be at least this fraction of the distance at the middle.
const TIGHT: f64 = 0.9;
/// After this many halvings any positive bound is accepted.
const TIGHT_HALVINGS: u32 = 12;
/// Bodies with at most this many vertices, both together, are first tried as a whole.
const WHOLE: usize = 1024;
/// Comparisons that the places of bodies in a part of a piece take.
const SPAN: usize = 16;
/// So many vertices take the time of a comparison.
const VERTICES: usize = 4;
/// Comparisons that the separation of two primitives takes.
const SEPARATION: usize = 8;
/// Up to this many pairs of primitives the separations of all are computed at once.
const FEW: usize = 24;
/// A plane is first tried on so many other pairs.
const NEXT: usize = 32;
/// More pairs of primitives than this are many.
const MANY: usize = 1 << 12;
/// A span in which the bodies move farther relative to each other than this fraction of their size is halved
/// before primitives are examined.
const LONG: f64 = 0.25;

/// Two bodies during a piece, and what is known about them.
pub(crate) struct Encounter<'a> {
    pub shapes: [&'a PrimitiveTree; 2],
    pub courses: [&'a Course; 2],
    /// Pairs of primitives farther apart than this (m) are skipped.
    pub reach: f64,
    /// A lower bound on the distance (m) of everything examined so far.
    pub nearest: f64,
    /// The last direction (world) that separated them.
    pub direction: Vec3,
    /// The last direction (world) that separated some of their primitives.
    pub hint: Vec3,
    /// Number of separating planes proven.
    pub planes: u64,
    /// Number of time intervals examined.
    pub spans: u64,
    /// The maximum of `spans`, after which the proof fails.
    pub max_spans: u64,
    /// What is left to be spent, after which the proof fails.
    pub effort: Effort,
    /// Spans in which the bodies move farther than a fraction of the smaller one are halved so often, even if that one does not
    /// move, before pairs of primitives are sought that may be very many.
    pub halvings: u32,
}

/// Describes the part of the piece that could not be proven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UnprovenSpan {
    /// The time interval, as fractions of the piece.
    pub span: [f64; 2],
    /// The best lower bound on the distance (m).
    pub bound: f64,
    /// Whether the rounded surfaces have a common point at the middle of the interval.
    pub touches: bool,
}

/// Pairs of primitives to examine, by their index in each body.
type Pairs = Vec<[u32; 2]>;

/// An interval of time, with the placements of the bodies at both ends.
struct Span {
    t: [f64; 2],
    places: [[Placement; 2]; 2],
}

/// A direction n, as each body sees it at one end of a span.
struct End {
    /// n for the first body, −n for the second.
    supports: [Support; 2],
    /// n · (x_a − x_b) for the centres of mass.
    centres: Interval,
}

/// A direction n of any length, at both ends of a span.
struct SpanDirection {
    ends: [End; 2],
    length: Interval,
    /// The bows and joints of both bodies (m).
    strays: [f64; 4],
}

/// The separation of two primitives, without their offsets, at the middle of a span.
#[derive(Clone, Copy)]
struct Apart {
    /// From the second to the first (m, world).
    n: Vec3,
    /// The sum of their offsets (m).
    rho: f64,
}

impl Apart {
    /// Their distance (m).
    fn distance(&self) -> f64 {
        self.n.norm() - self.rho
    }
}

impl Span {
    fn middle(&self) -> f64 {
        0.5 * (self.t[0] + self.t[1])
    }

    /// Exact, because times are multiples of a power of two.
    fn length(&self) -> f64 {
        self.t[1] - self.t[0]
    }

    fn is_halved(&self, times: u32) -> bool {
        self.length() * (1u64 << times) as f64 <= 1.0
    }
}

impl Encounter<'_> {
    /// Proves that the bodies stay apart during the whole piece; `nearest` is then a lower bound on their
    /// distance.
    ///
    /// # Errors
    /// [`UnprovenSpan`] about the first part of the piece for which the proof fails.
    pub fn prove(&mut self) -> Result<(), UnprovenSpan> {
        let t = [0.0, 1.0];
        self.part(Span { t, places: t.map(|t| self.places(t)) }, None)
    }

    fn places(&self, t: f64) -> [Placement; 2] {
        self.courses.map(|course| course.at(t))
    }

    fn part(&mut self, span: Span, pairs: Option<&Pairs>) -> Result<(), UnprovenSpan> {
        let t = span.t;
        self.spans += 1;
        self.effort.spend(SPAN);
        if self.spans > self.max_spans || self.effort.is_spent() {
            return Err(UnprovenSpan { span: t, bound: f64::NEG_INFINITY, touches: false });
        }
        if self.is_apart_as_a_whole(&span) {
            return Ok(());
        }
        if pairs.is_none() && self.is_long(&span) && !span.is_halved(MAX_HALVINGS) {
            return self.halves(&span, None);
        }
        let spots = self.courses.map(|course| course.spot(span.middle()));
        let pairs = pairs.cloned().unwrap_or_else(|| self.within_reach(&span, &spots));
        let left = self.unproven(&span, &spots, pairs);
        if left.is_empty() {
            return Ok(());
        }
        let touches = self.touches(&spots, &left);
        if touches || span.is_halved(MAX_HALVINGS) {
            return Err(UnprovenSpan { span: t, bound: self.best_bound(&span, &spots, &left), touches });
        }
        self.halves(&span, Some(&left))
    }

    fn halves(&mut self, span: &Span, pairs: Option<&Pairs>) -> Result<(), UnprovenSpan> {
        let (middle, [start, end]) = (span.middle(), span.places);
        let there = self.places(middle);
        self.part(Span { t: [span.t[0], middle], places: [start, there] }, pairs)?;
        self.part(Span { t: [middle, span.t[1]], places: [there, end] }, pairs)
    }

    /// Tries the direction that last separated the bodies.
    fn is_apart_as_a_whole(&mut self, span: &Span) -> bool {
        let [a, b] = self.shapes;
        if a.all.len() + b.all.len() > WHOLE || self.direction == Vec3::zeros() {
            return false;
        }
        self.effort.spend((a.all.len() + b.all.len()) / VERTICES);
        let bound = self.bound(span, &self.direction, [&a.all, &b.all]);
        let is_apart = bound >= self.nearest;
        self.planes += u64::from(is_apart);
        is_apart
    }

    /// Returns the maximum distance (m) that a point moves during half of `span`, relative to the centre of
    /// mass of the first body.
    fn motion(&self, span: &Span) -> f64 {
        let by = |course: &Course| points(&course.by());
        let [p, q] = self.courses.map(by);
        let apart: Vector = std::array::from_fn(|k| p[k] - q[k]);
        let sweeps = self.courses.map(|course| Interval::point(course.sweep));
        ((norm(&apart) + sweeps[0] + sweeps[1]) * Interval::point(0.5 * span.length())).hi
    }

    fn is_long(&self, span: &Span) -> bool {
        let is_many = self.shapes[0].tree.len() * self.shapes[1].tree.len() > MANY;
        let counts_all = is_many && !span.is_halved(self.halvings);
        let all = self.shapes.iter().zip(self.courses);
        let counted = all.filter(|(_, course)| counts_all || course.is_moving());
        let size = counted.map(|(shape, _)| shape.radius).filter(|r| *r > 0.0).fold(f64::INFINITY, f64::min);
        self.motion(span) > LONG * size.max(self.reach)
    }

    /// Returns a superset of the pairs of primitives that come within `reach` of each other during `span`.
    ///
    /// In the frame of a at the middle of the span, with positions relative to the centre of mass of a,
    /// points of either body stay within [`Encounter::motion`] of their places at the middle. The poses at
    /// the middle are rounded: fewer than a hundred roundings of numbers no larger than `size`. A body that is strained there is off by
    /// [`Spot::off`].
    fn within_reach(&self, span: &Span, [spot_a, spot_b]: &[Spot; 2]) -> Pairs {
        let [a, b] = self.shapes;
        let (pose_a, pose_b) = (&spot_a.pose, &spot_b.pose);
        let size = a.radius + b.radius + pose_a.position.amax() + pose_b.position.amax();
        let joints = self.courses[0].joint + self.courses[1].joint;
        let off = spot_a.off(a.arm) + spot_b.off(b.arm);
        let margin =
            (self.motion(span) + joints + self.reach + off) * (1.0 + 1e-12) + UNIT_TOLERANCE * 10.0 * size;
        a.tree.overlapping_pairs_posed(&b.tree, &pose_b.relative_to(pose_a), margin)
    }

    /// Returns those of `pairs` for which no separating plane is found.
    fn unproven(&mut self, span: &Span, spots: &[Spot; 2], pairs: Pairs) -> Pairs {
        let pairs = self.unproven_by_hint(span, pairs);
        if pairs.len() > FEW {
            self.unproven_of_many(span, spots, pairs)
        } else {
            self.unproven_of_few(span, spots, pairs)
        }
    }

    /// Tries one plane for all of `pairs`, that of the nearest, then one for each.
    fn unproven_of_few(&mut self, span: &Span, spots: &[Spot; 2], pairs: Pairs) -> Pairs {
        let [a, b] = self.shapes;
        self.effort.spend(SEPARATION * pairs.len());
        let separations: Vec<Apart> = pairs.iter().map(|pair| self.separation(spots, pair)).collect();
        let is_plain = a.is_plain() && b.is_plain();
        let far = |apart: &Apart| if is_plain { apart.n.norm_squared() } else { apart.distance() };
        let nearest = separations.iter().min_by(|u, v| far(u).total_cmp(&far(v)));
        let Some(nearest) = nearest.copied() else { return pairs };
        self.hint = nearest.n;
        if pairs.len() > 1 {
            let hulls =
                [a.vertices_of(pairs.iter().map(|p| p[0])), b.vertices_of(pairs.iter().map(|p| p[1]))];
            if self.separates(span, &nearest, [&hulls[0], &hulls[1]]) {
                self.direction = nearest.n;
                return Vec::new();
            }
        }
        let tried = pairs.into_iter().zip(separations);
        tried
            .filter(|([i, j], n)| !self.separates(span, n, [a.corners(*i), b.corners(*j)]))
            .map(|(pair, _)| pair)
            .collect()
    }

    /// Tries a plane that is found for one of `pairs` on those near it that are left, before their separations are computed.
    fn unproven_of_many(&mut self, span: &Span, spots: &[Spot; 2], mut waiting: Pairs) -> Pairs {
        let [a, b] = self.shapes;
        let (mut left, mut n_planes) = (Pairs::new(), 0);
        while let Some([i, j]) = waiting.pop() {
            self.effort.spend(SEPARATION);
            let apart = self.separation(spots, &[i, j]);
            if self.separates(span, &apart, [a.corners(i), b.corners(j)]) {
                n_planes += 1;
                self.hint = apart.n;
                self.drop_by_hint(span, &mut waiting);
            } else {
                left.push([i, j]);
            }
        }
        if left.is_empty() && n_planes == 1 {
            self.direction = self.hint;
        }
        left
    }

    /// Takes pairs that the hint separates from the end of `waiting`: neighbours come next to each other there, so that a plane which does
    /// not separate half of the nearest ones is not tried on all others.
    fn drop_by_hint(&mut self, span: &Span, waiting: &mut Pairs) {
        let (mut end, mut n) = (waiting.len(), NEXT);
        let mut kept = Pairs::new();
        while end > 0 {
            let start = end.saturating_sub(n);
            let tried = waiting.drain(start..).collect::<Pairs>();
            let left = self.unproven_by_hint(span, tried);
            let is_good = 2 * left.len() <= end - start;
            kept.splice(0..0, left);
            if !is_good {
                break;
            }
            (end, n) = (start, 4 * n);
        }
        waiting.append(&mut kept);
    }

    /// Returns those of `pairs` that the hint does not separate.
    fn unproven_by_hint(&mut self, span: &Span, mut pairs: Pairs) -> Pairs {
        if self.hint == Vec3::zeros() || pairs.is_empty() {
            return pairs;
        }
        let [a, b] = self.shapes;
        let (facing, n_pairs) = (self.facing(span, &self.hint), pairs.len());
        self.effort.spend(n_pairs);
        pairs.retain(|[i, j]| self.bound_of(&facing, [a.corners(*i), b.corners(*j)]) < self.nearest);
        self.planes += (n_pairs - pairs.len()) as u64;
        pairs
    }

    fn separation(&self, [a, b]: &[Spot; 2], [i, j]: &[u32; 2]) -> Apart {
        let [first, second] = self.shapes;
        Apart {
            n: separation(&first.primitive_at(*i, a), &second.primitive_at(*j, b)),
            rho: first.offset_of(*i) + second.offset_of(*j),
        }
    }

    /// Returns whether the separation at the middle proves these hulls apart with a sufficiently tight bound.
    fn separates(&mut self, span: &Span, apart: &Apart, hulls: [&[u32]; 2]) -> bool {
        let bound = self.bound(span, &apart.n, hulls);
        let is_tight =
            bound >= self.nearest || bound >= TIGHT * apart.distance() || span.is_halved(TIGHT_HALVINGS);
        let is_proof = bound > 0.0 && is_tight;
        if is_proof {
            self.nearest = self.nearest.min(bound);
            self.planes += 1;
        }
        is_proof
    }

    /// Returns a lower bound on the distance (m) between the hulls of these vertices during `span`, from
    /// planes normal to `n`.
    fn bound(&self, span: &Span, n: &Vec3, hulls: [&[u32]; 2]) -> f64 {
        self.bound_of(&self.facing(span, n), hulls)
    }

    fn facing(&self, span: &Span, n: &Vec3) -> SpanDirection {
        // Scaled to a length of about 1, so that nothing underflows.
        let n = points(&(n / n.amax()));
        let signed = [n, n.map(|x| -x)];
        let end = |places: &[Placement; 2]| End {
            supports: std::array::from_fn(|k| {
                Support::new(&places[k].direction_local(&signed[k]), self.shapes[k].arm)
            }),
            centres: along(&n, &places[0].position, &places[1].position),
        };
        let [a, b] = self.courses;
        let h = span.length();
        SpanDirection {
            ends: [end(&span.places[0]), end(&span.places[1])],
            length: norm(&n),
            strays: [a.bow(h), a.joint, b.bow(h), b.joint],
        }
    }

    /// As [`Encounter::bound`].
    fn bound_of(&self, facing: &SpanDirection, hulls: [&[u32]; 2]) -> f64 {
        let gap = |end: &End| {
            let [a, b] = [0, 1].map(|k| {
                let shape = self.shapes[k];
                let vertices = hulls[k].iter().map(|v| shape.vertex(*v));
                if shape.is_plain() {
                    return Interval::point(end.supports[k].least(vertices));
                }
                let grown = vertices.zip(hulls[k].iter().map(|v| shape.offset(*v)));
                let length = facing.length.hi;
                Interval::point(end.supports[k].least_grown(grown, shape.max_offset, length))
            });
            (end.centres + a + b).over(facing.length).lo
        };
        let gaps = Interval::point(gap(&facing.ends[0]).min(gap(&facing.ends[1])));
        facing.strays.iter().fold(gaps, |left, stray| left - Interval::point(*stray)).lo
    }

    fn touches(&self, [a, b]: &[Spot; 2], pairs: &Pairs) -> bool {
        pairs.iter().any(|pair| self.shapes[0].touches(*pair, self.shapes[1], [a, b]))
    }

    fn best_bound(&self, span: &Span, spots: &[Spot; 2], pairs: &Pairs) -> f64 {
        let [a, b] = self.shapes;
        let of = |pair: &[u32; 2]| {
            self.bound(span, &self.separation(spots, pair).n, [a.corners(pair[0]), b.corners(pair[1])])
        };
        pairs.iter().map(of).fold(f64::INFINITY, f64::min)
    }
}
