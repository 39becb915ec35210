//! Conversion of finite f64 numbers to integers times powers of two, and back with directed rounding.

use dashu_base::{BitTest, SquareRoot, UnsignedAbs};
use dashu_int::IBig;

/// Returns m and e with x = m 2ᵉ, exactly.
fn decode(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let biased = i32::try_from((bits >> 52) & 0x7ff).expect("eleven bits");
    let fraction = i64::try_from(bits & ((1 << 52) - 1)).expect("52 bits");
    let (m, e) = if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) };
    (if x < 0.0 { -m } else { m }, e)
}

/// Returns the smallest s ≥ 0 such that 2ˢ x is an integer for all numbers.
pub(super) fn common_shift<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> i32 {
    let shift = |x: &f64| {
        let (m, e) = decode(*x);
        if m == 0 { 0 } else { -(e + m.trailing_zeros().cast_signed()) }
    };
    numbers.into_iter().map(shift).fold(0, i32::max)
}

/// Returns the smallest e with |x| < 2ᵉ for all numbers; `None` if all are 0.
pub(super) fn common_exponent<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Option<i32> {
    let exponent = |x: &f64| {
        let (m, e) = decode(*x);
        (m != 0).then(|| e + i32::try_from(m.bit_len()).expect("53 at most"))
    };
    numbers.into_iter().filter_map(exponent).max()
}

/// Returns ⌊2ˢ x⌋, and whether it is exact.
pub(super) fn scaled(x: f64, shift: i32) -> (IBig, bool) {
    let (m, e) = decode(x);
    let (m, e) = (IBig::from(m), e + shift);
    let places = usize::try_from(e.unsigned_abs()).expect("small");
    if e >= 0 {
        return (m << places, true);
    }
    let floor = m.clone() >> places;
    let is_exact = floor.clone() << places == m;
    (floor, is_exact)
}

/// Returns 2ᵉ for −1074 ≤ e ≤ 1023.
fn power_of_two(e: i32) -> f64 {
    let bits = if e >= -1022 { i64::from(e + 1023) << 52 } else { 1 << (e + 1074) };
    f64::from_bits(bits.cast_unsigned())
}

/// Returns the largest f64 that is not above n 2ᵉ.
pub(super) fn round_down(n: &IBig, e: i32) -> f64 {
    let len = i32::try_from(n.bit_len()).expect("small");
    if n.is_zero() {
        return 0.0;
    }
    if len + e > 1024 {
        return if *n > IBig::ZERO { f64::MAX } else { f64::NEG_INFINITY };
    }
    let drop = (len - 53).max(-1074 - e).max(0);
    let m = n >> usize::try_from(drop).expect("not negative");
    // At most 53 bits, or a power of two: exact.
    i64::try_from(m).expect("54 bits at most") as f64 * power_of_two(e + drop)
}

/// Returns the smallest f64 that is not below n 2ᵉ.
pub(super) fn round_up(n: &IBig, e: i32) -> f64 {
    -round_down(&-n, e)
}

/// Returns an integer not below √n, for n ≥ 0.
pub(super) fn root_up(n: &IBig) -> IBig {
    IBig::from(n.unsigned_abs().sqrt()) + 1
}

/// Returns the number of bits of the longest number.
pub(super) fn longest<'a>(numbers: impl IntoIterator<Item = &'a IBig>) -> usize {
    numbers.into_iter().map(BitTest::bit_len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_come_back_from_their_integers() {
        for x in [1.0, -0.1, 5e-324, -2.5e-310, f64::MAX, 1e-300, 3.0, 0.0] {
            let shift = common_shift([&x]);
            let (n, is_exact) = scaled(x, shift);
            assert!(is_exact);
            assert_eq!(round_down(&n, -shift).to_bits(), (x + 0.0).to_bits());
            assert_eq!(round_up(&n, -shift), x);
        }
    }

    proptest! {
        #[test]
        fn rounding_encloses_by_neighbours(m in any::<i128>(), e in -1200_i32..800) {
            let n = IBig::from(m);
            let (down, up) = (round_down(&n, e), round_up(&n, e));
            prop_assert!(down == up || down.next_up() == up);
            let shift = (-e).max(0).max(common_shift([&down, &up]));
            let exact = n << usize::try_from(e + shift).unwrap();
            prop_assert!(scaled(down, shift).0 <= exact && exact <= scaled(up, shift).0);
        }
    }
}
