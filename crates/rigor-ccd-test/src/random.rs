//! Reproducible pseudorandom numbers: a hash of a key and a counter.

use rigor_math::Vec3;

/// The n-th number of a stream is a hash of (`key`, n): streams are independent, and any query of a set can
/// be generated without its predecessors.
pub(super) struct Random {
    key: u64,
    counter: u64,
}

/// 2⁶⁴/φ, odd: the increment of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64: every bit of the result depends on every bit of `x`.
fn hash(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Random {
    pub fn new(words: [u64; 4]) -> Self {
        let key = words.iter().fold(0, |key, word| hash(key ^ word.wrapping_add(GOLDEN)));
        Self { key, counter: 0 }
    }

    fn bits(&mut self) -> u64 {
        self.counter += 1;
        hash(self.key.wrapping_add(self.counter.wrapping_mul(GOLDEN)))
    }

    /// Returns a multiple of 2⁻⁵³ in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (0.5 * f64::EPSILON)
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub fn within(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// Returns a number of any magnitude in [2^`lo`, 2^`hi`), with all powers of two equally likely.
    pub fn magnitude(&mut self, lo: i32, hi: i32) -> f64 {
        power_of_two(lo + self.below((hi - lo) as usize) as i32) * (1.0 + self.unit())
    }

    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    /// Returns a vector in the cube [−1, 1]³.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::from_fn(|_, _| self.within(-1.0, 1.0))
    }

    /// Returns a unit vector.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vector();
            let length_sq = v.norm_squared();
            if (0.01..=1.0).contains(&length_sq) {
                return v / length_sq.sqrt();
            }
        }
    }
}

/// Returns 2^`exponent`, exactly, for −1022 ≤ `exponent` ≤ 1023.
pub(super) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_exact() {
        assert_eq!([power_of_two(-3), power_of_two(0), power_of_two(10)], [0.125, 1.0, 1024.0]);
    }

    /// Mean ½ and variance 1/12, each within five standard deviations for 10⁵ numbers.
    #[test]
    fn units_are_uniform() {
        let mut random = Random::new([1, 2, 3, 4]);
        let n = 100_000;
        let (mut sum, mut sum_sq) = (0.0, 0.0);
        for _ in 0..n {
            let x = random.unit() - 0.5;
            (sum, sum_sq) = (sum + x, sum_sq + x * x);
        }
        let n = f64::from(n);
        assert!((sum / n).abs() < 5.0 * (1.0 / (12.0 * n)).sqrt());
        assert!((sum_sq / n - 1.0 / 12.0).abs() < 5.0 * (1.0 / (180.0 * n)).sqrt());
    }

    #[test]
    fn streams_differ_in_every_word() {
        let first = |words| Random::new(words).bits();
        let base = first([1, 2, 3, 4]);
        for words in [[0, 2, 3, 4], [1, 0, 3, 4], [1, 2, 0, 4], [1, 2, 3, 0]] {
            assert_ne!(first(words), base);
        }
    }
}
