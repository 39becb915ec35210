//! Arithmetic on real numbers with error bounds, in fixed point with 256 fractional bits.

use std::ops::{Add, Mul, Neg, Sub};

use dashu_base::Abs;
use dashu_int::IBig;

use super::integer::{root_up, scaled};

/// Number of fractional bits.
pub(super) const BITS: usize = 256;

/// Same as [`BITS`], for exponents.
pub(super) const PLACES: i32 = 256;

/// The interval from (mid − rad) 2⁻²⁵⁶ to (mid + rad) 2⁻²⁵⁶. The result of an operation contains the results
/// for all numbers of the operands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ball {
    pub mid: IBig,
    /// Never negative.
    pub rad: IBig,
}

/// A vector of balls.
pub(super) type Vector = [Ball; 3];

/// The number 1.
pub(super) fn one() -> IBig {
    IBig::ONE << BITS
}

impl Ball {
    pub fn exact(mid: IBig) -> Self {
        Self { mid, rad: IBig::ZERO }
    }

    /// Encloses x 2⁻ᵉ.
    pub fn new(x: f64, e: i32) -> Self {
        let (mid, is_exact) = scaled(x, PLACES - e);
        Self { mid, rad: IBig::from(u8::from(!is_exact)) }
    }

    pub fn lower(&self) -> IBig {
        &self.mid - &self.rad
    }

    pub fn upper(&self) -> IBig {
        &self.mid + &self.rad
    }

    /// Returns an upper bound on the absolute value, as an integer in units of 2⁻²⁵⁶.
    pub fn magnitude(&self) -> IBig {
        (&self.mid).abs() + &self.rad
    }

    /// Enlarges the error bound by `more` 2⁻²⁵⁶.
    pub fn widened(&self, more: &IBig) -> Self {
        Self { mid: self.mid.clone(), rad: &self.rad + more }
    }

    /// Multiplies by 2ⁿ.
    pub fn shifted_up(&self, n: usize) -> Self {
        Self { mid: &self.mid << n, rad: &self.rad << n }
    }

    /// Multiplies by 2⁻ⁿ.
    pub fn shifted_down(&self, n: usize) -> Self {
        Self { mid: &self.mid >> n, rad: (&self.rad >> n) + 2 }
    }

    /// Divides by a small n > 0.
    pub fn divided(&self, n: u32) -> Self {
        Self { mid: &self.mid / n, rad: &self.rad / n + 2_u8 }
    }

    /// Returns 1 if the number is certainly positive, −1 if certainly negative, 0 otherwise.
    pub fn certain_sign(&self) -> i8 {
        i8::from(self.mid > self.rad) - i8::from(self.mid < -&self.rad)
    }

    /// Returns an approximation, for guesses.
    pub fn guess(&self) -> f64 {
        guess(&self.mid)
    }
}

/// Returns an approximation of n 2⁻²⁵⁶.
pub(super) fn guess(n: &IBig) -> f64 {
    const UNIT: f64 = 1.0 / (4_294_967_296.0 * 4_294_967_296.0);
    n.to_f64().value() * UNIT * UNIT * UNIT * UNIT
}

impl Neg for &Ball {
    type Output = Ball;
    fn neg(self) -> Ball {
        Ball { mid: -&self.mid, rad: self.rad.clone() }
    }
}

impl Add for &Ball {
    type Output = Ball;
    fn add(self, other: Self) -> Ball {
        Ball { mid: &self.mid + &other.mid, rad: &self.rad + &other.rad }
    }
}

impl Sub for &Ball {
    type Output = Ball;
    fn sub(self, other: Self) -> Ball {
        Ball { mid: &self.mid - &other.mid, rad: &self.rad + &other.rad }
    }
}

impl Mul for &Ball {
    type Output = Ball;
    /// |a b − a′ b′| ≤ |a| r_b + |b| r_a + r_a r_b, plus 1 for each of two roundings down.
    fn mul(self, other: Self) -> Ball {
        let mut rad = IBig::ZERO;
        if !other.rad.is_zero() {
            rad += (&self.mid).abs() * &other.rad;
        }
        if !self.rad.is_zero() {
            rad += other.magnitude() * &self.rad;
        }
        Ball { mid: (&self.mid * &other.mid) >> BITS, rad: (rad >> BITS) + 2 }
    }
}

pub(super) fn plus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| &a[i] + &b[i])
}

pub(super) fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| &a[i] - &b[i])
}

pub(super) fn times(s: &Ball, a: &Vector) -> Vector {
    std::array::from_fn(|i| s * &a[i])
}

pub(super) fn dot(a: &Vector, b: &Vector) -> Ball {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

pub(super) fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &(&a[j] * &b[k]) - &(&a[k] * &b[j])
    })
}

/// Returns an upper bound on ‖a‖, as an integer in units of 2⁻²⁵⁶.
pub(super) fn norm_up(a: &Vector) -> IBig {
    let squares = a.iter().map(Ball::magnitude).map(|c| &c * &c);
    root_up(&squares.fold(IBig::ZERO, |sum, c| sum + c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A ball about `mid` and one of its members, both scaled so that rounding matters.
    fn member() -> impl Strategy<Value = (Ball, IBig)> {
        (any::<i128>(), 0_u64..1 << 40, -1.0..1.0_f64).prop_map(|(mid, rad, at)| {
            let member = IBig::from(mid) + IBig::from((at * rad as f64) as i64);
            let up = |n: IBig| n << 130;
            (Ball { mid: up(mid.into()), rad: up(rad.into()) }, up(member))
        })
    }

    proptest! {
        #[test]
        fn operations_hold_the_results_for_all_members((a, x) in member(), (b, y) in member(), n in 1_u32..900) {
            // All in units of 2⁻⁵¹², in which every product is exact.
            let holds = |ball: &Ball, exact: &IBig| {
                let fine = |n: IBig| n << BITS;
                fine(ball.lower()) <= *exact && *exact <= fine(ball.upper())
            };
            let fine = |n: &IBig| n << BITS;
            prop_assert!(holds(&(&a + &b), &fine(&(&x + &y))));
            prop_assert!(holds(&(&a - &b), &fine(&(&x - &y))));
            prop_assert!(holds(&(&a * &b), &(&x * &y)));
            prop_assert!(holds(&a.shifted_down(7), &(fine(&x) >> 7)));
            prop_assert!(holds(&a.divided(n), &(fine(&x) / n)));
        }
    }
}
