//! Rotations by a rotation vector, enclosed.

use super::ball::{Ball, Vector, cross, dot, one, plus, times};
use super::integer::longest;

/// The rotation by θ as a quaternion (c, w): c = cos(‖θ‖/2), w = sin(‖θ‖/2) θ/‖θ‖.
pub(super) struct Turn {
    c: Ball,
    w: Vector,
    /// sin(‖θ‖/2)/(‖θ‖/2).
    sinc: Ball,
}

impl Turn {
    pub fn new(theta: &Vector) -> Self {
        let (c, sinc) = cos_sinc(&dot(theta, theta).shifted_down(2));
        let half = sinc.shifted_down(1);
        Self { c, w: times(&half, theta), sinc }
    }

    /// Returns R x = x + 2 w × (c x + w × x).
    pub fn apply(&self, x: &Vector) -> Vector {
        let inner = plus(&times(&self.c, x), &cross(&self.w, x));
        plus(x, &cross(&self.w, &inner).map(|c| c.shifted_up(1)))
    }

    /// Returns approximations of (1 − cos φ)/φ² and (φ − sin φ)/φ³ for φ² = `angle_sq`, the coefficients of
    /// the left Jacobian.
    pub fn guess_jacobian(&self, angle_sq: f64) -> [f64; 2] {
        let (c, sinc) = (self.c.guess(), self.sinc.guess());
        let series = 1.0 / 6.0 - angle_sq / 120.0 * (1.0 - angle_sq / 42.0 * (1.0 - angle_sq / 72.0));
        let third = if angle_sq < 1e-3 { series } else { (1.0 - sinc * c) / angle_sq };
        [0.5 * sinc * sinc, third]
    }
}

/// Number of terms of the series beyond the first.
const TERMS: u32 = 13;

/// Encloses cos √s and sin √s/√s for s ≥ 0.
///
/// s is divided by 4ᵏ to be below 2⁻¹⁴. Then the sums of (−s)ⁱ/(2i)! and (−s)ⁱ/(2i + 1)! up to i = 13 have a
/// truncation error below s¹⁴/28! < 2⁻¹⁹⁶ 2⁻⁹⁷ < 2⁻²⁵⁶, because the terms alternate and decrease. The angle
/// is then doubled k times: cos 2x = 2 cos² x − 1, sinc 2x = sinc x cos x.
fn cos_sinc(s: &Ball) -> (Ball, Ball) {
    let len = longest([&s.magnitude()]) + 14;
    let k = len.saturating_sub(super::ball::BITS).div_ceil(2);
    let s = s.shifted_down(2 * k);
    let (mut cos, mut sinc) = (Ball::exact(one()), Ball::exact(one()));
    let one = Ball::exact(one());
    for i in (1..=TERMS).rev() {
        cos = &one - &(&s * &cos).divided((2 * i - 1) * 2 * i);
        sinc = &one - &(&s * &sinc).divided(2 * i * (2 * i + 1));
    }
    let remainder = 1.into();
    (cos, sinc) = (cos.widened(&remainder), sinc.widened(&remainder));
    for _ in 0..k {
        sinc = &sinc * &cos;
        cos = &(&cos * &cos).shifted_up(1) - &one;
    }
    (cos, sinc)
}

#[cfg(test)]
mod tests {
    use super::super::ball::{BITS, PLACES, minus};
    use super::super::integer::round_up;
    use super::*;
    use proptest::prelude::*;

    /// π to 77 digits.
    const PI: &str = "31415926535897932384626433832795028841971693993751058209749445923078164062862";

    fn pi() -> Ball {
        let digits: dashu_int::IBig = PI.parse().unwrap();
        let power = dashu_int::IBig::from(10).pow(PI.len() - 1);
        // Truncated after 77 digits: 2⁻²⁵², and 1 for the division.
        Ball { mid: (digits << BITS) / &power, rad: (dashu_int::IBig::ONE << BITS) / power + 1 }
    }

    #[test]
    fn half_and_whole_turns_are_met() {
        for (halves, expected) in [(1, 0), (2, -1), (4, 1), (2000, 1), (2002, -1)] {
            let angle = &pi().shifted_down(1) * &Ball::exact(one() * halves);
            let (cos, sinc) = cos_sinc(&(&angle * &angle));
            let sin = &sinc * &angle;
            let exact_sin = one() * dashu_int::IBig::from(if halves % 2 == 0 { 0 } else { 1 });
            for (ball, exact) in [(&cos, one() * expected), (&sin, exact_sin)] {
                assert!(ball.lower() <= exact && exact <= ball.upper(), "{halves}");
                assert!(round_up(&ball.rad, -PLACES) < 1e-65, "{halves}");
            }
        }
    }

    proptest! {
        #[test]
        fn turning_there_and_back_is_nothing(
            theta in prop::array::uniform3(-1e3..1e3_f64), scale in -60_i32..1, x in prop::array::uniform3(-1.0..1.0_f64)
        ) {
            let theta = theta.map(|c| Ball::new(c * 2.0_f64.powi(scale), 0));
            let x = x.map(|c| Ball::new(c, 0));
            let there = Turn::new(&theta).apply(&x);
            let back = Turn::new(&theta.map(|c| -&c)).apply(&there);
            for c in minus(&back, &x) {
                prop_assert_eq!(c.certain_sign(), 0);
                prop_assert!(round_up(&c.magnitude(), -PLACES) < 1e-60);
            }
        }

        #[test]
        fn functions_are_those_of_f64(angle in 0.0..50.0_f64) {
            let s = Ball::new(angle, 0);
            let (cos, sinc) = cos_sinc(&(&s * &s));
            let (sin_f64, cos_f64) = rigor_math::elementary::sin_cos(angle);
            prop_assert!((cos.guess() - cos_f64).abs() < 3e-16);
            prop_assert!((sinc.guess() * angle - sin_f64).abs() < 1e-15);
        }
    }
}
