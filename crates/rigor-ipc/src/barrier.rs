//! The barrier: a potential that is 0 beyond d̂ and grows without bound as surfaces approach contact.

/// The barrier b(d²) and its first two derivatives with respect to the squared distance d² (m²).
///
/// b = −(s − ŝ)² ln(s/ŝ) for 0 < s < ŝ, and 0 beyond, with s = d² − d_min² and ŝ = d̂² + 2 d_min d̂ (m²): b is
/// infinite at d_min and vanishes from d_min + d̂ on. Its unit is m⁴.
///
/// Source: \[Ferguson2021\] eq. (3), \[Li2020\] eq. (6). Deviations: the square missing in eq. (3) is
/// restored, and the barrier takes squared distances, as in the reference program.
///
/// ```text
/// b′ = (ŝ − s)(2 ln(s/ŝ) − ŝ/s + 1), b″ = (ŝ/s + 2) ŝ/s − 2 ln(s/ŝ) − 3
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Barrier {
    d_min_sq: f64,
    s_hat: f64,
    /// By what b is multiplied: 1 but for a narrowed barrier.
    scale: f64,
}

impl Barrier {
    pub fn new(d_hat: f64, d_min: f64) -> Self {
        Self { d_min_sq: d_min * d_min, s_hat: d_hat * d_hat + 2.0 * d_min * d_hat, scale: 1.0 }
    }

    /// Returns the barrier that acts from `width` w in place of d̂ (m) on. With d_min = 0 its force at θ w is that of this one at θ d̂.
    pub fn narrowed(&self, d_hat: f64, width: f64, d_min: f64) -> Self {
        let part = d_hat / width;
        let narrow = Self::new(width, d_min);
        // ∂b/∂d = 2 d b′, and b′ is in proportion to ŝ.
        Self { scale: part * self.s_hat / narrow.s_hat, ..narrow }
    }

    /// Squared distance (m²) from which b is 0.
    pub fn reach_sq(&self) -> f64 {
        self.d_min_sq + self.s_hat
    }

    /// b (m⁴).
    pub fn value(&self, d_sq: f64) -> f64 {
        let s = d_sq - self.d_min_sq;
        if s >= self.s_hat {
            0.0
        } else if s <= 0.0 {
            f64::INFINITY
        } else {
            let gap = s - self.s_hat;
            -self.scale * gap * gap * rigor_math::elementary::ln(s / self.s_hat)
        }
    }

    /// b′ (m²), b″ (1).
    pub fn derivatives(&self, d_sq: f64) -> (f64, f64) {
        let s = d_sq - self.d_min_sq;
        if s >= self.s_hat {
            return (0.0, 0.0);
        }
        let ratio = self.s_hat / s;
        let ln = -rigor_math::elementary::ln(ratio);
        let (first, second) =
            ((self.s_hat - s) * (2.0 * ln - ratio + 1.0), (ratio + 2.0) * ratio - 2.0 * ln - 3.0);
        (self.scale * first, self.scale * second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_value() {
        for (d_hat, d_min) in [(1e-3, 0.0), (0.5, 0.1)] {
            let b = Barrier::new(d_hat, d_min);
            for share in [0.01, 0.1, 0.5, 0.9] {
                let d_sq = d_min * d_min + share * (b.reach_sq() - d_min * d_min);
                let step = 1e-4 * (d_sq - d_min * d_min);
                let slope = (b.value(d_sq + step) - b.value(d_sq - step)) / (2.0 * step);
                let bend = (b.derivatives(d_sq + step).0 - b.derivatives(d_sq - step).0) / (2.0 * step);
                let (first, second) = b.derivatives(d_sq);
                // Central differences with a relative step of 10⁻⁴ have a relative error of order (10⁻⁴)².
                assert!((slope - first).abs() <= 1e-5 * first.abs(), "{share}: {slope} {first}");
                assert!((bend - second).abs() <= 1e-5 * second.abs(), "{share}: {bend} {second}");
            }
        }
    }

    #[test]
    fn it_vanishes_beyond_its_reach_and_is_infinite_at_the_minimum() {
        let b = Barrier::new(0.1, 0.05);
        assert_eq!(b.value(b.reach_sq()), 0.0);
        assert!((b.reach_sq() - 0.0225).abs() < 1e-17);
        assert!(b.value(0.15 * 0.15 * 1.0001) == 0.0 && b.value(0.149 * 0.149) > 0.0);
        assert_eq!(b.value(0.0025), f64::INFINITY);
    }
}
