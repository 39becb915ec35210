//! The smoothing kernel.

use std::f64::consts::PI;

/// The kernel C² of Wendland in three dimensions, with the smoothing length h (m) and the support 2 h.
///
/// W(r) = 21/(16 π h³) (1 − q/2)⁴ (1 + 2 q) with q = r/h. Source: \[Wendland1995\].
///
/// ```
/// use rigor_particles::Kernel;
/// let kernel = Kernel::new(0.5);
/// assert_eq!(kernel.value(1.0), 0.0);
/// assert!((kernel.value(0.0) - 21.0 / (16.0 * std::f64::consts::PI * 0.125)).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Kernel {
    /// Radius (m) beyond which it is zero.
    pub support: f64,
    /// The square of it.
    pub support_sq: f64,
    per_h: f64,
    scale: f64,
    slope: f64,
}

impl Kernel {
    /// The kernel with the smoothing length `h` (m > 0).
    pub fn new(h: f64) -> Self {
        let scale = 21.0 / (16.0 * PI * h * h * h);
        let support = 2.0 * h;
        Self { support, support_sq: support * support, per_h: 1.0 / h, scale, slope: -5.0 * scale / (h * h) }
    }

    /// W (1/m³) at the squared distance `r_sq` (m²).
    pub fn value(&self, r_sq: f64) -> f64 {
        if r_sq >= self.support_sq {
            return 0.0;
        }
        let q = r_sq.sqrt() * self.per_h;
        let rest = 1.0 - 0.5 * q;
        let square = rest * rest;
        self.scale * square * square * (1.0 + 2.0 * q)
    }

    /// F = W′(r)/r (1/m⁵, at most 0) at the squared distance `r_sq` (m²): ∇W = F r.
    ///
    /// W′ = −5 · 21/(16 π h⁴) q (1 − q/2)³.
    pub fn factor(&self, r_sq: f64) -> f64 {
        // Without a branch, which would often be predicted wrong.
        let rest = (1.0 - 0.5 * r_sq.sqrt() * self.per_h).max(0.0);
        self.slope * rest * rest * rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_integrates_to_one_and_its_factor_is_its_slope() {
        let kernel = Kernel::new(0.3);
        let (n, mut sum) = (2000, 0.0);
        let step = kernel.support / f64::from(n);
        for i in 0..n {
            let r = (f64::from(i) + 0.5) * step;
            sum += 4.0 * PI * r * r * kernel.value(r * r) * step;
            let slope = (kernel.value((r + 1e-6).powi(2)) - kernel.value((r - 1e-6).powi(2))) / 2e-6;
            assert!((slope - kernel.factor(r * r) * r).abs() < 1e-6 * kernel.value(0.0) / 0.3, "{r}");
        }
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        assert_eq!((kernel.value(0.36), kernel.factor(0.37)), (0.0, 0.0));
    }
}
