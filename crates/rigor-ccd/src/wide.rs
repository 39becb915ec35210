//! Numbers with twice the digits: unevaluated sums of two `f64`.
//!
//! As long as nothing overflows or underflows, the relative error of sums is at most 3 u² and that of
//! products at most 5 u², u = 2⁻⁵³ \[Joldes2017\].

use std::ops::{Add, Mul, Neg, Sub};

use rigor_math::Vec3;

/// high + low, |low| ≤ u |high|.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wide {
    pub high: f64,
    pub low: f64,
}

impl Wide {
    pub const ZERO: Self = Self { high: 0.0, low: 0.0 };

    /// Returns a + b, exactly.
    pub fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let b_part = high - a;
        Self { high, low: (a - (high - b_part)) + (b - b_part) }
    }

    /// Returns a b, exactly.
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self { high, low: a.mul_add(b, -high) }
    }

    /// Normalizes a sum with |high| ≥ |low|.
    fn normalized(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }
}

impl From<f64> for Wide {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for Wide {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let first = Self::normalized(high.high, high.low + low.high);
        Self::normalized(first.high, first.low + low.low)
    }
}

impl Neg for Wide {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Wide {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = Self::product(self.high, other.high);
        let low = self.low * other.low;
        let cross = self.low.mul_add(other.high, self.high.mul_add(other.low, low));
        Self::normalized(high.high, high.low + cross)
    }
}

/// A vector of three such numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WideVec3(pub [Wide; 3]);

impl WideVec3 {
    fn zip(&self, other: &Self, f: impl Fn(Wide, Wide) -> Wide) -> Self {
        Self(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    /// Returns b − a, exactly.
    pub fn difference(b: &Vec3, a: &Vec3) -> Self {
        Self(std::array::from_fn(|k| Wide::sum(b[k], -a[k])))
    }

    pub fn sub(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    pub fn add(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    pub fn scale(&self, factor: f64) -> Self {
        Self(self.0.map(|x| x * Wide::from(factor)))
    }

    pub fn dot(&self, other: &Self) -> Wide {
        (0..3).fold(Wide::ZERO, |sum, k| sum + self.0[k] * other.0[k])
    }

    pub fn cross(&self, other: &Self) -> Self {
        let (a, b) = (&self.0, &other.0);
        Self(std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            a[i] * b[j] - a[j] * b[i]
        }))
    }

    /// Rounds to the nearest `f64`.
    pub fn rounded(&self) -> Vec3 {
        Vec3::from(self.0.map(|x| x.high))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The exact value, of a sum of integers.
    fn exact(x: Wide) -> i128 {
        x.high as i128 + x.low as i128
    }

    /// An integer of up to `bits` bits and a sign.
    fn integer(bits: u32) -> impl Strategy<Value = i64> {
        (-(1i64 << 53)..1i64 << 53, 0..bits).prop_map(move |(x, less)| x >> (53 - bits + less))
    }

    proptest! {
        #[test]
        fn sums_and_products_of_two_are_exact(a in integer(53), b in integer(53)) {
            let [x, y] = [a as f64, b as f64];
            prop_assert_eq!((Wide::sum(x, y).high, exact(Wide::sum(x, y))), (x + y, i128::from(a) + i128::from(b)));
            prop_assert_eq!((Wide::product(x, y).high, exact(Wide::product(x, y))), (x * y, i128::from(a) * i128::from(b)));
        }

        /// Errors relative to the result: 3 u² of sums of one sign and 5 u² of products, u² = 2⁻¹⁰⁶.
        #[test]
        fn numbers_have_twice_the_digits(a in prop::array::uniform2(integer(53)), b in prop::array::uniform2(integer(53)), c in integer(20)) {
            let product = |x: [i64; 2]| (Wide::product(x[0] as f64, x[1] as f64), i128::from(x[0]) * i128::from(x[1]));
            let ((x, x_exact), (y, y_exact)) = (product(a), product(b));
            let size = x_exact.abs() + y_exact.abs();
            // Of numbers of opposite signs, the error is relative to the larger.
            prop_assert!((exact(x + y) - (x_exact + y_exact)).abs() <= 1 + (size >> 104));
            prop_assert!((exact(x - y) - (x_exact - y_exact)).abs() <= 1 + (size >> 104));
            prop_assert_eq!(exact(-x), -x_exact);
            let z = x * Wide::from(c as f64);
            prop_assert!((exact(z) - x_exact * i128::from(c)).abs() <= 1 + ((x_exact * i128::from(c)).abs() >> 103));
            // Divided exactly by a power of two, the second factor has a low part, too.
            let (half, small) = (Wide { high: x.high * 2f64.powi(-53), low: x.low * 2f64.powi(-53) }, c as f64);
            let w = half * Wide::sum(small, small * 2f64.powi(-60));
            let scaled = Wide { high: w.high * 2f64.powi(53), low: w.low * 2f64.powi(53) };
            let expected = x_exact * i128::from(c);
            let tail = expected >> 60;
            prop_assert!((exact(scaled) - expected - tail).abs() <= 2 + (expected.abs() >> 103));
        }

        #[test]
        fn high_is_the_rounded_sum(a in integer(53), b in integer(53), c in integer(53)) {
            let x = Wide::product(a as f64, b as f64) + Wide::from(c as f64);
            prop_assert_eq!(x.high, x.high + x.low);
            prop_assert_eq!(x.high, (i128::from(a) * i128::from(b) + i128::from(c)) as f64);
        }
    }
}
