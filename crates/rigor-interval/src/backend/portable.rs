//! Intervals as two ends, each rounded by [`crate::rounding`]; works on every target.

use super::Backend;
use crate::rounding::{add_down, add_up, div_up, mul_down, mul_up, sqrt_down, sqrt_up};

/// [inf, sup] ⊂ R; empty if inf > sup, which holds for (∞, −∞) alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable {
    inf: f64,
    sup: f64,
}

impl Portable {
    fn is_empty(self) -> bool {
        self.inf > self.sup
    }
}

impl Backend for Portable {
    const EMPTY: Self = Self { inf: f64::INFINITY, sup: f64::NEG_INFINITY };
    const ENTIRE: Self = Self { inf: f64::NEG_INFINITY, sup: f64::INFINITY };
    const PI: Self = Self { inf: std::f64::consts::PI, sup: std::f64::consts::PI.next_up() };

    #[inline]
    fn from_ends(inf: f64, sup: f64) -> Self {
        Self { inf, sup }
    }

    #[inline]
    fn inf(self) -> f64 {
        self.inf
    }

    #[inline]
    fn sup(self) -> f64 {
        self.sup
    }

    #[inline]
    fn neg(self) -> Self {
        Self { inf: -self.sup, sup: -self.inf }
    }

    #[inline]
    fn add(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self { inf: add_down(self.inf, other.inf), sup: add_up(self.sup, other.sup) }
    }

    #[inline]
    fn sub(self, other: Self) -> Self {
        self.add(other.neg())
    }

    /// The signs of the ends select two products; four are needed if both intervals reach to both sides of 0.
    #[inline]
    fn mul(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        let (a, b, c, d) = (self.inf, self.sup, other.inf, other.sup);
        let (low, high) = if a >= 0.0 {
            (if c >= 0.0 { (a, c) } else { (b, c) }, if d >= 0.0 { (b, d) } else { (a, d) })
        } else if b <= 0.0 {
            (if d <= 0.0 { (b, d) } else { (a, d) }, if c <= 0.0 { (a, c) } else { (b, c) })
        } else if c >= 0.0 {
            ((a, d), (b, d))
        } else if d <= 0.0 {
            ((b, c), (a, c))
        } else {
            let (inf, sup) = (mul_down(a, d).min(mul_down(b, c)), mul_up(a, c).max(mul_up(b, d)));
            return Self { inf, sup };
        };
        Self { inf: mul_down(low.0, low.1), sup: mul_up(high.0, high.1) }
    }

    /// A divisor with 0 as an end makes the quotient unbounded; one with 0 inside makes it all of R, unless
    /// the dividend is {0}.
    #[inline]
    fn div(self, other: Self) -> Self {
        let (a, b, c, d) = (self.inf, self.sup, other.inf, other.sup);
        if self.is_empty() || other.is_empty() || (c == 0.0 && d == 0.0) {
            return Self::EMPTY;
        }
        if a == 0.0 && b == 0.0 {
            return Self { inf: 0.0, sup: 0.0 };
        }
        if c < 0.0 && d > 0.0 {
            return Self::ENTIRE;
        }
        let (a, b, c, d) = if d <= 0.0 { (-b, -a, -d, -c) } else { (a, b, c, d) };
        Self { inf: -quotient_up(-a, c, d), sup: quotient_up(b, c, d) }
    }

    #[inline]
    fn sqr(self) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let (p, q) = (self.inf.abs(), self.sup.abs());
        let has_zero = self.inf <= 0.0 && self.sup >= 0.0;
        let (low, high) = (if has_zero { 0.0 } else { p.min(q) }, p.max(q));
        Self { inf: mul_down(low, low), sup: mul_up(high, high) }
    }

    #[inline]
    fn sqrt(self) -> Self {
        if self.sup < 0.0 {
            return Self::EMPTY;
        }
        Self { inf: sqrt_down(self.inf.max(0.0)), sup: sqrt_up(self.sup.max(0.0)) }
    }
}

/// The maximum of x′/y, rounded upwards, over x′ ≤ `x` and non-zero y in [c, d], for 0 ≤ c ≤ d ≠ 0.
#[inline]
fn quotient_up(x: f64, c: f64, d: f64) -> f64 {
    if x < 0.0 {
        div_up(x, d)
    } else if x == 0.0 {
        0.0
    } else if c == 0.0 {
        f64::INFINITY
    } else {
        div_up(x, c)
    }
}
