//! Sine and cosine.

use std::f64::consts::{PI, TAU};

use super::around;
use crate::Interval;

/// Enclosures of {sin x} and {cos x}.
///
/// Let f be one of them and X = [a, b] bounded. The extrema of f lie π apart, its slope changes its sign at each, and the
/// sign of the slope at a and b is known, as it is no worse than a unit in the last place of a number other than 0.
/// - Equal signs, b − a < π: an even number of extrema lies between, and at most one: none. f is monotone.
/// - Unequal signs, b − a < 2π: an odd number, and at most two: one, a maximum if f rises at a, else a minimum.
/// - Otherwise [−1, 1].
///
/// The widths are compared with π and 2π rounded downwards. Nothing here takes x modulo 2π, so that it holds up to the
/// greatest `f64`. At 0, where the slope of cos vanishes, whatever sign it is given adds at most the value 1, which cos has
/// there.
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
