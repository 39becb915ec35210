//! Sine and cosine.

use std::f64::consts::{PI, TAU};

use super::around;
use crate::Interval;

/// Enclosures of {sin x} and {cos x}.
///
/// Let f be one of them and X = [a, b] bounded. The extrema of f lie π apart and its slope changes sign at
/// each. The sign of the slope at a and b is known, because the computed slope is within a unit in the last
/// place of a number other than 0.
/// - Equal signs, b − a < π: the number of extrema between is even and at most one, so none: f is monotone.
/// - Unequal signs, b − a < 2π: the number is odd and at most two, so one: a maximum if f rises at a, else a
///   minimum.
/// - Otherwise [−1, 1].
///
/// The widths are compared with π and 2π rounded downwards. x is never reduced modulo 2π here, so the
/// argument holds up to the largest `f64`. At 0, where the slope of cos vanishes, either sign adds at most
/// the value 1, which cos takes there.
///
/// ```
/// use rigor_interval::{Interval, elementary};
/// let (sin, cos) = elementary::sin_cos(Interval::new(-0.5, 2.0));
/// assert_eq!((sin.sup(), cos.sup()), (1.0, 1.0));
/// assert!(sin.contains(-0.479) && !sin.contains(-0.48));
/// assert_eq!(elementary::sin(Interval::ENTIRE), Interval::new(-1.0, 1.0));
/// ```
pub fn sin_cos(x: Interval) -> (Interval, Interval) {
    if x.is_empty() {
        return (x, x);
    }
    if !x.is_bounded() {
        return (full(), full());
    }
    let (s0, c0) = at(x.inf());
    if x.is_point() {
        return (s0, c0);
    }
    let (s1, c1) = at(x.sup());
    let width = x.width();
    (wave([s0, s1], [c0, c1], width), wave([c0, c1], [-s0, -s1], width))
}

/// An enclosure of {sin x}, see [`sin_cos`].
pub fn sin(x: Interval) -> Interval {
    sin_cos(x).0
}

/// An enclosure of {cos x}, see [`sin_cos`].
pub fn cos(x: Interval) -> Interval {
    sin_cos(x).1
}

/// Enclosures of sin and cos at `x`.
fn at(x: f64) -> (Interval, Interval) {
    let (s, c) = rigor_math::elementary::sin_cos(x);
    if x == 0.0 {
        return (Interval::point(s), Interval::point(c));
    }
    (around(s).intersection(full()), around(c).intersection(full()))
}

fn full() -> Interval {
    Interval::symmetric(1.0)
}

/// The range of a wave over `width`, from enclosures of its values and slopes at both ends.
fn wave(values: [Interval; 2], slopes: [Interval; 2], width: f64) -> Interval {
    let ends = values[0].hull(values[1]);
    let [rises_first, rises_last] = slopes.map(|slope| slope.inf() >= 0.0 && slope.sup() > 0.0);
    if rises_first == rises_last {
        if width < PI { ends } else { full() }
    } else if width < TAU {
        ends.hull(Interval::point(if rises_first { 1.0 } else { -1.0 }))
    } else {
        full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{self, Big, exact, holds, number, steps};
    use proptest::prelude::*;

    /// Angles whose bounds are hard to get right: multiples of π/2, even very large, and their neighbours.
    fn angle() -> impl Strategy<Value = f64> {
        let near_extremum = (-1000..1000i32, -2..=2i32, 0..50i32)
            .prop_map(|(k, n, e)| {
                (f64::from(k) * PI / 2.0 * 2f64.powi(e)).to_bits().wrapping_add_signed(i64::from(n))
            })
            .prop_map(f64::from_bits)
            .prop_filter("a number", |x| x.is_finite());
        prop_oneof![number(), near_extremum, -20.0..20.0f64]
    }

    /// Number of maxima at or before `x` of a sine that starts `phase` half turns late.
    fn maxima_up_to(x: f64, phase: f64) -> Big {
        (((exact(x) / oracle::pi()) - exact(phase)) / exact(2.0)).floor()
    }

    /// Asserts that `range` reaches 1 if a maximum lies in [a, b], and otherwise no farther than the ends do.
    fn assert_top(range: Interval, [a, b]: [f64; 2], phase: f64, ends: Interval) {
        let has_maximum = maxima_up_to(a, phase) != maxima_up_to(b, phase);
        assert_eq!(range.sup(), if has_maximum { 1.0 } else { ends.sup() }, "[{a:e}, {b:e}]");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn a_point_has_the_neighbours_of_its_sine(x in angle()) {
            let (s, c) = sin_cos(Interval::point(x));
            let (exact_s, exact_c) = oracle::sin_cos(&exact(x));
            prop_assert!(holds(s, &exact_s) && holds(c, &exact_c), "{} {} at {:e}", s, c, x);
            prop_assert!(steps(s) <= 3 && steps(c) <= 3);
        }

        #[test]
        fn an_interval_has_its_range_and_no_more(a in angle(), width in prop_oneof![0.0..8.0f64, PI - 1e-4..PI + 1e-4, TAU - 1e-4..TAU + 1e-4]) {
            let b = (a + width).min(f64::MAX);
            let (s, c) = sin_cos(Interval::new(a, b));
            for i in 0..=8 {
                let x = (a + width * f64::from(i) / 8.0).clamp(a, b);
                let (exact_s, exact_c) = oracle::sin_cos(&exact(x));
                prop_assert!(holds(s, &exact_s) && holds(c, &exact_c));
            }
            let (s_ends, c_ends) = (sin(Interval::point(a)).hull(sin(Interval::point(b))), cos(Interval::point(a)).hull(cos(Interval::point(b))));
            // For widths between π rounded down and up, and likewise for 2π, the answer may be [−1, 1].
            let decided = [PI, TAU].iter().all(|gap| (b - a - gap).abs() > 1e-9);
            if !decided || b - a > TAU {
                return Ok(());
            }
            assert_top(s, [a, b], 0.5, s_ends);
            assert_top(-s, [a, b], 1.5, -s_ends);
            assert_top(c, [a, b], 0.0, c_ends);
            assert_top(-c, [a, b], 1.0, -c_ends);
        }
    }

    #[test]
    fn zero_is_exact_and_ends_at_zero_are_monotone() {
        assert_eq!(sin_cos(Interval::point(0.0)), (Interval::point(0.0), Interval::point(1.0)));
        let (s, c) = sin_cos(Interval::new(0.0, 3.0));
        assert_eq!((s.inf(), s.sup(), c.sup()), (0.0, 1.0, 1.0));
        assert!(c.inf() > -0.99);
        assert_eq!(cos(Interval::new(-3.0, 0.0)), c);
        assert_eq!(cos(Interval::new(-4.0, 0.0)), full());
    }

    #[test]
    fn what_is_wide_or_unbounded_has_every_value() {
        for x in [
            Interval::ENTIRE,
            Interval::new(0.0, 7.0),
            Interval::new(1e300, f64::MAX),
            Interval::new(f64::NEG_INFINITY, 0.0),
        ] {
            assert_eq!(sin_cos(x), (full(), full()));
        }
        assert!(sin(Interval::EMPTY).is_empty() && cos(Interval::EMPTY).is_empty());
    }
}
