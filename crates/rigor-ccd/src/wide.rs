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
