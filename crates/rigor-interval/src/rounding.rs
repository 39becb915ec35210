//! Sums, products, quotients and roots with directed rounding, in the processor's default rounding mode.
//!
//! Each function returns the smallest `f64` that is at least the exact result (`…_up`) or the largest that is
//! at most it (`…_down`): IEEE 754 rounding towards +∞ and −∞. The result r is first rounded to nearest. The
//! sign of its error is then found exactly, and r is moved to its neighbour if the error points the wrong
//! way:
//!
//! | operation | error | exact because |
//! | --- | --- | --- |
//! | r = a + b | TwoSum(a, b) | the error of a sum is a `f64`, underflow included |
//! | r = a b | fma(a, b, −r) | one rounding of the exact ab − r, which keeps its sign unless it underflows |
//! | r = a / b | fma(−r, b, a) · sign b | the same for a − rb |
//! | r = √a | fma(−r, r, a) | the same for a − r² |
//!
//! ab − r is a multiple of ulp(a) ulp(b) ≥ 2⁻¹⁰⁶ |ab|, so it cannot underflow while |ab| ≥ 2⁻⁹⁰⁰. Below that,
//! both terms are first multiplied by 2²⁰⁰, which is exact and sufficient while r ≠ 0; if r = 0, the signs of
//! a and b decide. A result that overflows is known to lie beyond the largest `f64`: the direction decides
//! between ±∞ and ±[`f64::MAX`]. So every result is correctly rounded everywhere, with the same bits as the
//! processor's own directed rounding.
//!
//! Source of TwoSum: Knuth, The Art of Computer Programming 2, §4.2.2, theorem C; Boldo, Graillat, Muller
//! 2017 show that intermediate overflow is impossible unless |a| is the largest `f64`; then a and b are
//! exchanged.
//!
//! Operands must not be NaN. `…_up` and `…_down` take ±∞ as the limit that an interval's end stands for: 0 ·
//! ∞ = 0.

/// Results below this have their error computed at a larger scale.
const SMALL: f64 = f64::from_bits((1023 - 900) << 52);
/// 2²⁰⁰.
const SCALE: f64 = f64::from_bits((1023 + 200) << 52);
/// 2¹⁰⁰.
const SQRT_SCALE: f64 = f64::from_bits((1023 + 100) << 52);

/// Rounds upwards an infinite `r` that was rounded to nearest, given whether the operands are finite.
fn overflow_up(r: f64, are_finite: bool) -> f64 {
    if are_finite && r == f64::NEG_INFINITY { f64::MIN } else { r }
}

/// The number after the finite `r` if `is_low`, else `r`, where −0 counts as 0. Branch-free, because a branch
/// would be unpredictable.
#[inline]
fn up_if(is_low: bool, r: f64) -> f64 {
    let bits = (r + 0.0).to_bits().cast_signed();
    let outward = 1 | (bits >> 63);
    f64::from_bits((bits + i64::from(is_low) * outward).cast_unsigned())
}

/// a + b − r, for r = a + b rounded to nearest; finite unless |a| is [`f64::MAX`] and |b| is not.
#[inline]
fn sum_error(a: f64, b: f64, r: f64) -> f64 {
    let b_seen = r - a;
    (a - (r - b_seen)) + (b - b_seen)
}

/// a + b, rounded upwards.
///
/// ```
/// use rigor_interval::rounding::add_up;
/// assert_eq!(add_up(1.0, 1e-300), 1.0 + f64::EPSILON);
/// assert_eq!(add_up(1.0, -1e-300), 1.0);
/// ```
#[inline]
pub fn add_up(a: f64, b: f64) -> f64 {
    let r = a + b;
    if r.is_infinite() {
        return overflow_up(r, a.is_finite() && b.is_finite());
    }
    let error = sum_error(a, b, r);
    up_if(if error.is_finite() { error > 0.0 } else { sum_error(b, a, r) > 0.0 }, r)
}

/// a + b, rounded downwards.
#[inline]
pub fn add_down(a: f64, b: f64) -> f64 {
    -add_up(-a, -b)
}

/// a b, rounded upwards; 0 if a factor is 0.
///
/// ```
/// use rigor_interval::rounding::{mul_down, mul_up};
/// assert_eq!((mul_down(1e-200, 1e-200), mul_up(1e-200, 1e-200)), (0.0, 5e-324));
/// assert_eq!((mul_down(3.0, 0.5), mul_up(3.0, 0.5)), (1.5, 1.5));
/// ```
#[inline]
pub fn mul_up(a: f64, b: f64) -> f64 {
    let r = a * b;
    if r.abs() >= SMALL && r.abs() < f64::INFINITY {
        return up_if(a.mul_add(b, -r) > 0.0, r);
    }
    mul_up_at_the_edge(a, b, r)
}

/// [`mul_up`] where the product is small, infinite or 0 · ∞.
#[cold]
fn mul_up_at_the_edge(a: f64, b: f64, r: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    if r.is_infinite() {
        return overflow_up(r, a.is_finite() && b.is_finite());
    }
    if r == 0.0 {
        return up_if((a > 0.0) == (b > 0.0), r);
    }
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    up_if((small * SCALE).mul_add(large, -r * SCALE) > 0.0, r)
}

/// a b, rounded downwards; 0 if a factor is 0.
#[inline]
pub fn mul_down(a: f64, b: f64) -> f64 {
    -mul_up(-a, b)
}

/// a / b, rounded upwards, for b ≠ 0 and not both infinite.
///
/// ```
/// use rigor_interval::rounding::{div_down, div_up};
/// assert_eq!(div_up(1.0, 3.0), div_down(1.0, 3.0).next_up());
/// assert_eq!(div_up(1.0, 4.0), 0.25);
/// ```
#[inline]
pub fn div_up(a: f64, b: f64) -> f64 {
    let r = a / b;
    if a.abs() >= SMALL && r.abs() < f64::INFINITY && b.abs() < f64::INFINITY {
        return up_if(turned_by((-r).mul_add(b, a), b) > 0.0, r);
    }
    div_up_at_the_edge(a, b, r)
}

/// x · sign b.
#[inline]
fn turned_by(x: f64, b: f64) -> f64 {
    f64::from_bits(x.to_bits() ^ (b.to_bits() & (1 << 63)))
}

/// [`div_up`] where the dividend is small, or an operand or the quotient is infinite.
#[cold]
fn div_up_at_the_edge(a: f64, b: f64, r: f64) -> f64 {
    if a == 0.0 || b.is_infinite() {
        return 0.0;
    }
    if r.is_infinite() {
        return overflow_up(r, a.is_finite());
    }
    // The product r b is small. A factor below 1 can be scaled: b if |b| < 1, otherwise r.
    let error =
        if b.abs() < 1.0 { (-r).mul_add(b * SCALE, a * SCALE) } else { (-r * SCALE).mul_add(b, a * SCALE) };
    up_if(turned_by(error, b) > 0.0, r)
}

/// a / b, rounded downwards, for b ≠ 0 and not both infinite.
#[inline]
pub fn div_down(a: f64, b: f64) -> f64 {
    -div_up(-a, b)
}

/// A number with the sign of a − r², for r = √a rounded to nearest.
fn sqrt_error(a: f64, r: f64) -> f64 {
    if a >= SMALL {
        return (-r).mul_add(r, a);
    }
    let r = r * SQRT_SCALE;
    (-r).mul_add(r, a * SCALE)
}

/// √a, rounded upwards, for a ≥ 0.
///
/// ```
/// use rigor_interval::rounding::{sqrt_down, sqrt_up};
/// assert_eq!((sqrt_down(4.0), sqrt_up(4.0)), (2.0, 2.0));
/// assert_eq!(sqrt_up(2.0), sqrt_down(2.0).next_up());
/// ```
#[inline]
pub fn sqrt_up(a: f64) -> f64 {
    let r = a.sqrt();
    if a < f64::INFINITY { up_if(sqrt_error(a, r) > 0.0, r) } else { r }
}

/// √a, rounded downwards, for a ≥ 0.
#[inline]
pub fn sqrt_down(a: f64) -> f64 {
    let r = a.sqrt();
    if a < f64::INFINITY { -up_if(sqrt_error(a, r) < 0.0, -r) } else { r }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Big, SPECIAL, exact, number};
    use proptest::prelude::*;

    /// Asserts that [`low`, `high`] are the neighbours of a number x, where `above` and `below` say whether x
    /// is greater or less than their argument.
    fn assert_tight(low: f64, high: f64, above: impl Fn(&Big) -> bool, below: impl Fn(&Big) -> bool) {
        assert!(low <= high && (high == low || high == low.next_up()), "[{low:e}, {high:e}]");
        if low.is_finite() {
            assert!(!below(&exact(low)), "{low:e} is too high");
            assert!(low != high || !above(&exact(low)), "{low:e} is not all");
        }
        if high.is_finite() {
            assert!(!above(&exact(high)), "{high:e} is too low");
        }
        assert!(low < f64::INFINITY && high > f64::NEG_INFINITY);
    }

    fn assert_number(low: f64, high: f64, x: &Big) {
        assert_tight(low, high, |y| x > y, |y| x < y);
        assert!(
            low == high || (low.is_infinite() || high.is_infinite()) || (*x > exact(low) && *x < exact(high))
        );
    }

    fn assert_all(a: f64, b: f64) {
        assert_number(add_down(a, b), add_up(a, b), &(exact(a) + exact(b)));
        assert_number(mul_down(a, b), mul_up(a, b), &(exact(a) * exact(b)));
        if b != 0.0 {
            let (x, y) = if b > 0.0 { (exact(a), exact(b)) } else { (-exact(a), -exact(b)) };
            assert_tight(div_down(a, b), div_up(a, b), |q| x > q * &y, |q| x < q * &y);
        }
        let square = exact(a.abs());
        assert_tight(sqrt_down(a.abs()), sqrt_up(a.abs()), |r| square > r * r, |r| square < r * r);
    }

    #[test]
    fn special_numbers_are_rounded_to_the_chosen_neighbour() {
        for a in SPECIAL {
            for b in SPECIAL {
                assert_all(a, b);
            }
        }
    }

    #[test]
    fn overflow_goes_to_the_last_number_or_beyond_it() {
        assert_eq!((add_down(f64::MAX, f64::MAX), add_up(f64::MAX, f64::MAX)), (f64::MAX, f64::INFINITY));
        assert_eq!((mul_down(-1e200, 1e200), mul_up(-1e200, 1e200)), (f64::NEG_INFINITY, f64::MIN));
        assert_eq!((div_down(1.0, 5e-324), div_up(1.0, 5e-324)), (f64::MAX, f64::INFINITY));
        assert_eq!((add_up(f64::MAX, 1.0), add_down(f64::MIN, -1.0)), (f64::INFINITY, f64::NEG_INFINITY));
    }

    #[test]
    fn infinite_operands_stand_for_ends() {
        assert_eq!(
            (add_up(f64::INFINITY, 1.0), add_down(f64::NEG_INFINITY, 1.0)),
            (f64::INFINITY, f64::NEG_INFINITY)
        );
        assert_eq!((mul_up(f64::INFINITY, 0.0), mul_down(0.0, f64::NEG_INFINITY)), (0.0, 0.0));
        assert_eq!((div_up(3.0, f64::INFINITY), div_up(f64::INFINITY, 3.0)), (0.0, f64::INFINITY));
        assert_eq!((sqrt_up(f64::INFINITY), sqrt_down(f64::INFINITY)), (f64::INFINITY, f64::INFINITY));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn numbers_are_rounded_to_the_chosen_neighbour(a in number(), b in number(), x in -1.0..1.0f64) {
            assert_all(a, b);
            assert_all(f64::MAX, x * f64::MAX);
            assert_all(x * f64::MAX, f64::MIN);
        }

        #[test]
        fn nearly_exact_results_are_rounded_to_the_chosen_neighbour(a in number(), n in 1..9i32, e in -1074..1023i32) {
            // Products and quotients that are exact or nearly so: by small integers and powers of two.
            let b = f64::from(n) * 2f64.powi(e / 2) * 2f64.powi(e - e / 2);
            prop_assume!(b.is_finite());
            for a in [a, a.next_up(), f64::from(n), 1.0 / b].into_iter().filter(|a| a.is_finite()) {
                assert_all(a, b);
                assert_all(b, a);
                assert_all(a, -a);
                assert_all(a, f64::MAX);
                assert_all(f64::MIN, a * 0.9);
            }
        }
    }
}
