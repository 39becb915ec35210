//! Intervals that contain the results of exact arithmetic.
//!
//! Each end is rounded to nearest and then moved outwards to the neighbouring float: the exact value lies
//! within half a unit in the last place of the rounded one, so never beyond that neighbour. This is up to one
//! unit wider than necessary, and correct on every target, also for underflow and overflow. The certificate
//! has its own arithmetic, so that the judge shares none with the judged.

use std::ops::{Add, Mul, Neg, Sub};

/// The real numbers from `lo` to `hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub lo: f64,
    pub hi: f64,
}

/// Three components (m, rad or 1).
pub(crate) type Vector = [Interval; 3];
/// Three rows of three.
pub(crate) type Matrix = [Vector; 3];

impl Interval {
    pub const ENTIRE: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };
    pub const ZERO: Self = Self::point(0.0);
    pub const ONE: Self = Self::point(1.0);

    pub const fn point(x: f64) -> Self {
        Self { lo: x, hi: x }
    }

    /// The interval from −`r` to `r`.
    pub fn symmetric(r: f64) -> Self {
        Self { lo: -r, hi: r }
    }

    /// Moves both ends, rounded to nearest, outwards; the entire line if either is NaN.
    fn outward(lo: f64, hi: f64) -> Self {
        if lo.is_nan() || hi.is_nan() {
            return Self::ENTIRE;
        }
        Self { lo: lo.next_down(), hi: hi.next_up() }
    }

    /// Returns the largest magnitude.
    pub fn mag(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    pub fn sq(self) -> Self {
        let square = self * self;
        Self { lo: square.lo.max(0.0), hi: square.hi }
    }

    /// √x over the nonnegative part of the interval.
    pub fn sqrt(self) -> Self {
        let root = Self::outward(self.lo.max(0.0).sqrt(), self.hi.sqrt());
        Self { lo: root.lo.max(0.0), hi: root.hi }
    }

    /// x/y for y > 0; the entire line unless `divisor` is positive throughout.
    pub fn over(self, divisor: Self) -> Self {
        if divisor.lo.is_nan() || divisor.lo <= 0.0 {
            return Self::ENTIRE;
        }
        let ends = [self.lo / divisor.lo, self.lo / divisor.hi, self.hi / divisor.lo, self.hi / divisor.hi];
        Self::around(ends)
    }

    /// sin and cos, for intervals hardly wider than rounding errors.
    ///
    /// Both functions have slopes of at most 1, so the values at one end, with errors of at most one unit in
    /// the last place, are widened by the width of the interval.
    pub fn sine_and_cosine(self) -> (Self, Self) {
        let (sin, cos) = rigor_math::elementary::sin_cos(self.lo);
        let width = Self::symmetric((self - Self::point(self.lo)).hi);
        (Self::outward(sin, sin) + width, Self::outward(cos, cos) + width)
    }

    fn around(ends: [f64; 4]) -> Self {
        if ends.iter().any(|end| end.is_nan()) {
            return Self::ENTIRE;
        }
        let (lo, hi) = ends[1..].iter().fold((ends[0], ends[0]), |(lo, hi), e| (lo.min(*e), hi.max(*e)));
        Self::outward(lo, hi)
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::outward(self.lo + other.lo, self.hi + other.hi)
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::outward(self.lo - other.hi, self.hi - other.lo)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        // Exact, and avoids slow arithmetic with subnormal numbers.
        if self == Self::ZERO || other == Self::ZERO {
            return Self::ZERO;
        }
        Self::around([self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi])
    }
}

/// The point intervals of these coordinates.
pub(crate) fn points(x: &rigor_math::Vec3) -> Vector {
    [x.x, x.y, x.z].map(Interval::point)
}

pub(crate) fn plus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k] + b[k])
}

pub(crate) fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(crate) fn dot(a: &Vector, b: &Vector) -> Interval {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// ‖a‖.
pub(crate) fn norm(a: &Vector) -> Interval {
    (a[0].sq() + a[1].sq() + a[2].sq()).sqrt()
}

/// M a.
pub(crate) fn times(m: &Matrix, a: &Vector) -> Vector {
    std::array::from_fn(|k| dot(&m[k], a))
}

/// Mᵀ a.
pub(crate) fn transposed_times(m: &Matrix, a: &Vector) -> Vector {
    std::array::from_fn(|k| m[0][k] * a[0] + m[1][k] * a[1] + m[2][k] * a[2])
}

/// A B.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| {
        std::array::from_fn(|k| a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k])
    })
}

#[cfg(test)]
mod tests {
    use dashu::rational::RBig;
    use proptest::prelude::*;

    use super::*;

    fn exact(x: f64) -> RBig {
        RBig::try_from(x).unwrap()
    }

    fn holds(interval: Interval, value: &RBig) -> bool {
        (interval.lo == f64::NEG_INFINITY || exact(interval.lo) <= *value)
            && (interval.hi == f64::INFINITY || *value <= exact(interval.hi))
    }

    /// All magnitudes, including the smallest and the largest.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            -2.0..2.0,
            any::<f64>().prop_filter("a number", |x| x.is_finite()),
            Just(f64::MAX),
            Just(f64::MIN_POSITIVE),
            Just(5e-324),
            Just(0.0),
        ]
    }

    fn interval() -> impl Strategy<Value = (Interval, f64)> {
        (number(), number(), 0usize..3).prop_map(|(a, b, which)| {
            let (lo, hi) = (a.min(b), a.max(b));
            (Interval { lo, hi }, [lo, hi, (0.5 * lo + 0.5 * hi).clamp(lo, hi)][which])
        })
    }

    proptest! {
        #[test]
        fn results_hold_what_exact_arithmetic_gives((a, x) in interval(), (b, y) in interval()) {
            let (p, q) = (exact(x), exact(y));
            prop_assert!(holds(a + b, &(&p + &q)));
            prop_assert!(holds(a - b, &(&p - &q)));
            prop_assert!(holds(a * b, &(&p * &q)));
            prop_assert!(holds(a.sq(), &(&p * &p)));
            if b.lo > 0.0 {
                prop_assert!(holds(a.over(b), &(&p / &q)));
            }
        }

        #[test]
        fn roots_hold_the_exact_one((a, x) in interval()) {
            if a.lo >= 0.0 {
                let (root, p) = (a.sqrt(), exact(x));
                prop_assert!(exact(root.lo) * exact(root.lo) <= p);
                prop_assert!(root.hi == f64::INFINITY || p <= exact(root.hi) * exact(root.hi));
            }
        }

        #[test]
        fn sine_and_cosine_hold_taylor_series(x in -3.2..3.2f64, width in 0.0..1e-9f64, t in 0.0..=1.0f64) {
            let thin = Interval { lo: x, hi: x + width };
            let (sin, cos) = thin.sine_and_cosine();
            let at = exact((x + t * width).clamp(thin.lo, thin.hi));
            // After 40 terms of at most 3.2ᵏ/k! the remainder is below 10⁻²⁶.
            let (mut s, mut c, mut term) = (RBig::ZERO, RBig::ZERO, RBig::ONE);
            for k in 0..40u32 {
                let signed = if k % 4 < 2 { term.clone() } else { -term.clone() };
                if k % 2 == 0 { c += signed } else { s += signed }
                term = term * &at / RBig::from(k + 1);
            }
            let tail = exact(1e-26);
            for (interval, value) in [(sin, s), (cos, c)] {
                prop_assert!(exact(interval.lo) - &tail <= value && value <= exact(interval.hi) + &tail);
                prop_assert!(interval.hi - interval.lo <= 2.0 * width + 1e-15);
            }
        }
    }

    #[test]
    fn what_is_no_number_proves_nothing() {
        let nan = Interval::point(f64::NAN);
        for result in [nan + Interval::ONE, nan * Interval::ONE, nan.over(Interval::ONE), nan - nan] {
            assert_eq!(result, Interval::ENTIRE);
        }
        let endless = Interval::point(f64::INFINITY);
        assert_eq!(endless - endless, Interval::ENTIRE);
        assert_eq!(Interval::ONE.over(Interval::ENTIRE), Interval::ENTIRE);
    }
}
