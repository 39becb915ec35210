//! Enclosures of sin, cos, sinc and versinc, with derivatives: {f(x) : x ∈ X} ⊂ F(X).
//!
//! If f is monotone on X, its values at the ends suffice; otherwise the extrema between them are added. So
//! F(X) is the hull of f(X) up to rounding of the ends and, where noted, of the extrema; for a point X it is
//! a few units in the last place wide. An empty X gives the empty set, an unbounded one the bounds that hold
//! everywhere.
//!
//! # Assumptions
//! [`rigor_math::elementary`] is assumed to be within one unit in the last place of the exact value f. Let
//! f > 0 lie in [2ᵏ, 2ᵏ⁺¹), where the unit is w = 2ᵏ⁻⁵², and let y be the computed value, |y − f| ≤ w. Then
//! [y₋, y₊] encloses f, where y₋ is the `f64` before y, and y₊ the one after it, or the second after it if
//! the first is a power of 2:
//! - If y ≥ 2ᵏ, both neighbours towards f are w away, since y = 2ᵏ needs none below and y = 2ᵏ⁺¹ has its
//!   lower one at w.
//! - If y < 2ᵏ ≤ f, then y = 2ᵏ − w/2 or y = 2ᵏ − w. The first has y₊ = 2ᵏ + w > f. The second means f = 2ᵏ;
//!   but sin, cos and atan of an `f64` other than 0 are transcendental, so it does not occur.
//!
//! The case f < 0 is the mirror image, and at 0 the values are exact.

mod sinc;
mod sine;

pub use sinc::{sinc, sinc_derivatives, versinc, versinc_derivatives};
pub use sine::{cos, sin, sin_cos};

use crate::Interval;

/// The bits that are all 0 in a power of 2.
const SIGNIFICAND: u64 = (1 << 52) - 1;

/// The number after `y` ≥ 0, or the one after that if the first is a power of 2.
#[inline]
fn beyond(y: f64) -> f64 {
    let next = y.next_up();
    if next.to_bits() & SIGNIFICAND == 0 { next.next_up() } else { next }
}

/// The ends y₋ and y₊ around an exact value that is within one of its units in the last place of `y`.
#[inline]
fn ends_around(y: f64) -> (f64, f64) {
    if y > 0.0 {
        (y.next_down(), beyond(y))
    } else if y < 0.0 {
        (-beyond(-y), y.next_up())
    } else {
        (y.next_down(), y.next_up())
    }
}

/// The result of [`ends_around`] as an interval.
#[inline]
fn around(y: f64) -> Interval {
    let (inf, sup) = ends_around(y);
    Interval::new(inf, sup)
}
