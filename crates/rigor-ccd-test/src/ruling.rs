//! The ruling on an answer from outside: how late it is, and how deep the primitives are by then.
//!
//! A single answer that is late by an ulp tells nothing about tunnelling. A ruling therefore measures a late answer in three ways:
//!
//! - **delay**: t_safe − t_hi, where t_hi is a proven time of contact (fraction of the step);
//! - **overrun**: the length of way that points of A and B may have moved relative to each other in that time, v (t_safe − t_hi)
//!   with a bound v of their relative speed (m);
//! - **depth**: the largest d_min − d(t) up to t_safe, d the distance (m); it is proven at the time where it is found, and 0
//!   for d_min = 0, where it is not defined.
//!
//! A late answer is late *by rounding* if its overrun, or, for d_min > 0, its depth, is at most [`ROUNDING`] times the largest
//! distance of a point from the origin: coordinates of that size have an ulp of 10⁻¹⁶ times it. Otherwise it is late *beyond
//! rounding*.

use rigor_ccd::{Kind, Truth};

use super::gap;
use super::query::{Bounds, Query, U};

/// The bound of what counts as rounding, relative to the largest distance of a point from the origin: about 4500 ulp.
pub const ROUNDING: f64 = 1e-12;

/// Number of times at which the distance is computed to find the depth.
const SAMPLES: usize = 256;

/// Steps of a golden-section search around the nearest sample.
const REFINEMENTS: usize = 60;

/// Maximum relative width of a bracket of the time of contact from which a ratio is computed.
const NARROW: f64 = 1e-3;

/// An answer from outside, not trusted.
#[derive(Debug, Clone, PartialEq)]
pub enum OutsideAnswer {
    /// The primitives stay apart during the whole step.
    Free,
    /// They stay apart on [0, `t_safe`], and meet, or may meet, after it.
    Hit {
        /// The time up to which they stay apart.
        t_safe: f64,
        /// The estimated time of the impact.
        t_hit: Option<f64>,
    },
    /// The search ended without a result; they stay apart on [0, `t_safe`].
    Undecided {
        /// The time up to which they stay apart.
        t_safe: f64,
    },
    /// There was no answer within the limit.
    TimedOut,
    /// The implementation failed, in its own words.
    Failed {
        /// Its words.
        why: String,
    },
    /// The implementation says that it cannot answer such queries.
    Skipped,
}

impl OutsideAnswer {
    /// The time up to which the primitives are claimed to stay apart; `None` if nothing is claimed.
    pub fn t_safe(&self) -> Option<f64> {
        match self {
            Self::Free => Some(1.0),
            Self::Hit { t_safe, .. } | Self::Undecided { t_safe } => Some(*t_safe),
            Self::TimedOut | Self::Failed { .. } | Self::Skipped => None,
        }
    }

    /// Whether all times lie in the step, in their order.
    fn is_well_formed(&self) -> bool {
        let is_time = self.t_safe().is_none_or(|t| (0.0..=1.0).contains(&t));
        match self {
            Self::Hit { t_safe, t_hit: Some(t_hit) } => is_time && t_hit.is_finite() && t_hit >= t_safe,
            _ => is_time,
        }
    }
}

/// What an answer is, in view of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// It agrees with the truth.
    Right,
    /// The primitives meet, and the answer is that they do not.
    Miss,
    /// The primitives have met by t_safe, beyond rounding.
    Late,
    /// The primitives have met by t_safe, within rounding.
    LateByRounding,
    /// The primitives stay apart, and the answer is a hit.
    FalseHit,
    /// A time is NaN, outside of [0, 1], or after the time of impact.
    Malformed,
    /// The search ended without a result.
    Undecided,
    /// There was no answer within the limit.
    TimedOut,
    /// The implementation failed.
    Failed,
    /// The implementation says that it cannot answer such queries.
    Skipped,
    /// The truth is not known well enough.
    Unknown,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 11] = [
        Self::Right,
        Self::Miss,
        Self::Late,
        Self::LateByRounding,
        Self::FalseHit,
        Self::Malformed,
        Self::Undecided,
        Self::TimedOut,
        Self::Failed,
        Self::Skipped,
        Self::Unknown,
    ];

    /// The name used in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Miss => "miss",
            Self::Late => "late",
            Self::LateByRounding => "late by rounding",
            Self::FalseHit => "false hit",
            Self::Malformed => "malformed",
            Self::Undecided => "undecided",
            Self::TimedOut => "timed out",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the answer is wrong: what no implementation may give, whatever its aim.
    pub const fn is_fault(self) -> bool {
        match self {
            Self::Miss | Self::Late | Self::Malformed | Self::TimedOut | Self::Failed => true,
            Self::Right
            | Self::LateByRounding
            | Self::FalseHit
            | Self::Undecided
            | Self::Skipped
            | Self::Unknown => false,
        }
    }

    /// Whether the answer calls a time safe by which the primitives have met, beyond rounding.
    pub const fn is_late(self) -> bool {
        matches!(self, Self::Miss | Self::Late)
    }
}

/// How late an answer is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lateness {
    /// t_safe − t_hi (fraction of the step).
    pub delay: f64,
    /// A bound of the relative way of points in that time (m).
    pub overrun: f64,
    /// The overrun divided by the [size](size_of) of the primitives.
    pub overrun_relative: f64,
    /// The largest d_min − distance up to t_safe (m), proven; 0 if d_min is 0.
    pub depth: f64,
    /// The depth divided by d_min: 1 if they touch; 0 if d_min is 0.
    pub depth_relative: f64,
}

/// The ruling on an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ruling {
    /// What the answer is.
    pub verdict: Verdict,
    /// How late it is, if it is late.
    pub lateness: Option<Lateness>,
    /// t_safe/t_true, if the answer is not late and t_true is positive and known to 1e-3.
    pub ratio: Option<f64>,
}

/// Rules on `answer` in view of the `truth`.
///
/// ```
/// use rigor_ccd::{LinearQuery, StraightMotion, Truth};
/// use rigor_ccd_test::ruling::{OutsideAnswer, Verdict, rule};
/// use rigor_math::Vec3;
/// // A point comes from x = 1 to x = −1; at t = 0.25 it is at 0.5 = d_min.
/// let motion = StraightMotion::between(Vec3::x(), -Vec3::x());
/// let query = LinearQuery::point_point(motion, StraightMotion::at_rest(Vec3::zeros()), 0.5);
/// let truth = Truth::First { lo: 0.25, hi: 0.25 };
/// let hit = |t_safe| rule(&query, &truth, &OutsideAnswer::Hit { t_safe, t_hit: None });
/// assert_eq!(hit(0.2).verdict, Verdict::Right);
/// assert_eq!(hit(0.25_f64.next_up()).verdict, Verdict::LateByRounding);
/// let late = hit(0.375).lateness.unwrap();
/// // It has moved on by a quarter, half of d_min.
/// assert!((late.overrun - 0.25).abs() < 1e-12 && (late.depth_relative - 0.5).abs() < 1e-12);
/// assert_eq!(rule(&query, &truth, &OutsideAnswer::Free).verdict, Verdict::Miss);
/// ```
pub fn rule<Q: Query>(query: &Q, truth: &Truth, answer: &OutsideAnswer) -> Ruling {
    let is = |verdict| Ruling { verdict, lateness: None, ratio: None };
    if !answer.is_well_formed() {
        return is(Verdict::Malformed);
    }
    let t_safe = match answer {
        OutsideAnswer::TimedOut => return is(Verdict::TimedOut),
        OutsideAnswer::Failed { .. } => return is(Verdict::Failed),
        OutsideAnswer::Skipped => return is(Verdict::Skipped),
        OutsideAnswer::Free => 1.0,
        OutsideAnswer::Hit { t_safe, .. } | OutsideAnswer::Undecided { t_safe } => *t_safe,
    };
    let is_free = matches!(answer, OutsideAnswer::Free);
    if let Some(t_met) = met_by(truth).filter(|t_met| t_safe >= *t_met && (t_safe > 0.0 || is_free)) {
        // The time of a contact that is only known to be one is not known: nothing bounds the overrun.
        let is_timed = matches!(truth, Truth::First { .. });
        let lateness = lateness(query, t_met, t_safe);
        let is_rounding = is_timed && is_within_rounding(query, &lateness);
        let verdict = match (is_rounding, is_free) {
            (true, _) => Verdict::LateByRounding,
            (false, true) => Verdict::Miss,
            (false, false) => Verdict::Late,
        };
        return Ruling { verdict, lateness: Some(lateness), ratio: None };
    }
    let verdict = match (answer, truth) {
        (OutsideAnswer::Undecided { .. }, _) => Verdict::Undecided,
        (_, Truth::Unknown { .. }) => Verdict::Unknown,
        (OutsideAnswer::Hit { .. }, Truth::Free) => Verdict::FalseHit,
        _ => Verdict::Right,
    };
    Ruling { verdict, lateness: None, ratio: ratio(t_safe, truth) }
}

/// A time by which they have met.
fn met_by(truth: &Truth) -> Option<f64> {
    match *truth {
        Truth::First { hi, .. } => Some(hi),
        Truth::Hit => Some(1.0),
        Truth::Free | Truth::Unknown { .. } => None,
    }
}

fn ratio(t_safe: f64, truth: &Truth) -> Option<f64> {
    match *truth {
        Truth::First { lo, hi } if hi > 0.0 && hi - lo <= NARROW * hi => Some(t_safe / hi),
        _ => None,
    }
}

fn lateness<Q: Query>(query: &Q, t_met: f64, t_safe: f64) -> Lateness {
    let bounds = query.bounds();
    let delay = t_safe - t_met;
    let overrun = bounds.speed * delay;
    let depth = if query.d_min() > 0.0 { depth(query, &bounds, t_met, t_safe) } else { 0.0 };
    let relative = |x: f64, unit: f64| if unit > 0.0 { x / unit } else { 0.0 };
    Lateness {
        delay,
        overrun,
        overrun_relative: relative(overrun, size_of(query)),
        depth,
        depth_relative: relative(depth, query.d_min()),
    }
}

fn is_within_rounding<Q: Query>(query: &Q, lateness: &Lateness) -> bool {
    let enough = ROUNDING * query.bounds().reach;
    lateness.overrun <= enough || query.d_min() > 0.0 && lateness.depth <= enough
}

/// Returns the size of the primitives at the start (m): the longest edge of either, or the distance of two points.
pub fn size_of<Q: Query>(query: &Q) -> f64 {
    let points = query.place(0.0);
    let longest = |pairs: &[(usize, usize)]| {
        pairs.iter().map(|&(i, j)| (points[i] - points[j]).norm()).fold(0.0, f64::max)
    };
    match query.kind() {
        Kind::PointPoint => longest(&[(0, 1)]),
        Kind::PointEdge => longest(&[(1, 2)]),
        Kind::PointTriangle => longest(&[(1, 2), (2, 3), (3, 1)]),
        Kind::EdgeEdge => longest(&[(0, 1), (2, 3)]),
    }
}

/// Returns the largest d_min − d(t) found in [`from`, `to`] (m), less what rounding may add; at least 0.
fn depth<Q: Query>(query: &Q, bounds: &Bounds, from: f64, to: f64) -> f64 {
    let above = |t: f64| gap::at(query, bounds, t.clamp(from, to)).upper;
    let time = |i: usize| from + (to - from) * (i as f64 / SAMPLES as f64);
    let nearest = (0..=SAMPLES).map(|i| (i, above(time(i)))).min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((i, mut smallest)) = nearest else { return 0.0 };
    let (mut lo, mut hi) = (time(i.saturating_sub(1)), time((i + 1).min(SAMPLES)));
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    for _ in 0..REFINEMENTS {
        let (a, b) = (hi - GOLDEN * (hi - lo), lo + GOLDEN * (hi - lo));
        let (at_a, at_b) = (above(a), above(b));
        smallest = smallest.min(at_a).min(at_b);
        if at_a < at_b { hi = b } else { lo = a }
    }
    ((query.d_min() - smallest) * (1.0 - 4.0 * U)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, Generate, generate};
    use rigor_ccd::{LinearQuery, RigidQuery, StraightMotion};
    use rigor_math::Vec3;

    fn hit(t_safe: f64) -> OutsideAnswer {
        OutsideAnswer::Hit { t_safe, t_hit: None }
    }

    /// Two points in a head-on approach that meet at t = ½.
    fn head_on(d_min: f64) -> LinearQuery {
        let motion = StraightMotion::between(Vec3::x(), -Vec3::x());
        LinearQuery::point_point(motion, StraightMotion::at_rest(Vec3::zeros()), d_min)
    }

    #[test]
    fn verdicts_follow_truth_and_answer() {
        let query = head_on(0.0);
        let first = Truth::First { lo: 0.5, hi: 0.5 };
        for (answer, truth, expected) in [
            (hit(0.4), first, Verdict::Right),
            (hit(0.6), first, Verdict::Late),
            (hit(0.5 + 1e-13), first, Verdict::LateByRounding),
            (OutsideAnswer::Free, first, Verdict::Miss),
            (OutsideAnswer::Free, Truth::First { lo: 1.0, hi: 1.0 }, Verdict::LateByRounding),
            (OutsideAnswer::Free, Truth::Hit, Verdict::Miss),
            (OutsideAnswer::Free, Truth::Free, Verdict::Right),
            (hit(0.4), Truth::Free, Verdict::FalseHit),
            (hit(0.0), Truth::First { lo: 0.0, hi: 0.0 }, Verdict::Right),
            (OutsideAnswer::Free, Truth::First { lo: 0.0, hi: 0.0 }, Verdict::Miss),
            (hit(f64::NAN), first, Verdict::Malformed),
            (hit(-0.1), first, Verdict::Malformed),
            (hit(1.5), Truth::Free, Verdict::Malformed),
            (OutsideAnswer::Hit { t_safe: 0.4, t_hit: Some(0.3) }, first, Verdict::Malformed),
            (OutsideAnswer::Undecided { t_safe: 0.3 }, first, Verdict::Undecided),
            (OutsideAnswer::Undecided { t_safe: 0.7 }, first, Verdict::Late),
            (hit(0.3), Truth::Unknown { lo: 0.0 }, Verdict::Unknown),
            (OutsideAnswer::TimedOut, first, Verdict::TimedOut),
            (OutsideAnswer::Failed { why: String::new() }, first, Verdict::Failed),
            (OutsideAnswer::Skipped, first, Verdict::Skipped),
        ] {
            assert_eq!(rule(&query, &truth, &answer).verdict, expected, "{answer:?} {truth:?}");
        }
        assert_eq!(rule(&query, &first, &hit(0.4)).ratio, Some(0.8));
    }

    #[test]
    fn the_depth_is_that_of_the_nearest_time_and_not_of_the_last() {
        // At t = ½ they coincide; at t = 1 they are apart again.
        let query = head_on(0.25);
        let truth = Truth::First { lo: 0.375, hi: 0.375 };
        let Some(lateness) = rule(&query, &truth, &OutsideAnswer::Free).lateness else {
            panic!("it is a miss")
        };
        assert!((lateness.depth_relative - 1.0).abs() < 1e-12, "{lateness:?}");
        assert!((lateness.overrun - 1.25).abs() < 1e-12 && (lateness.overrun_relative - 1.25).abs() < 1e-12);
    }

    #[test]
    fn a_miss_of_what_dips_below_d_min_by_rounding_is_rounding() {
        // A point passes at a distance that is an ulp below d_min.
        let below = 0.25_f64.next_down();
        let motion = StraightMotion::between(Vec3::new(-1.0, below, 0.0), Vec3::new(1.0, below, 0.0));
        let query = LinearQuery::point_point(motion, StraightMotion::at_rest(Vec3::zeros()), 0.25);
        let truth = query.truth();
        assert!(matches!(truth, Truth::First { .. }), "{truth:?}");
        assert_eq!(rule(&query, &truth, &OutsideAnswer::Free).verdict, Verdict::LateByRounding);
    }

    fn every_depth_is_proven<Q: Generate>() {
        for family in Family::ALL {
            for index in 0..40 {
                let case = Q::generate(family, 3, index);
                let Some(witness) = case.witness else { continue };
                let truth = Truth::First { lo: 0.0, hi: witness.t };
                let ruling = rule(&case.query, &truth, &OutsideAnswer::Free);
                assert!(matches!(ruling.verdict, Verdict::Miss | Verdict::LateByRounding), "{}", case.label);
                let Some(lateness) = ruling.lateness else { panic!("{}", case.label) };
                assert!(lateness.depth_relative <= 1.0 && lateness.depth >= 0.0, "{lateness:?}");
            }
        }
    }

    #[test]
    fn no_depth_is_beyond_touching() {
        every_depth_is_proven::<LinearQuery>();
        every_depth_is_proven::<RigidQuery>();
    }

    #[test]
    fn a_touch_has_a_size() {
        let case = generate::linear(Family::Transversal, 1, 2);
        assert!(size_of(&case.query) > 0.0);
    }
}
