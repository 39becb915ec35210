//! Moments of a uniform distribution over points, segments, triangles and tetrahedra.

use std::ops::{AddAssign, Mul};

use rigor_math::{Mat3, Vec3};

/// ∫ dμ, ∫ x dμ and ∫ x xᵀ dμ, with x from a common origin.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// ∫ dμ.
    pub zeroth: f64,
    /// ∫ x dμ (m).
    pub first: Vec3,
    /// ∫ x xᵀ dμ (m²).
    pub second: Mat3,
}

impl Moments {
    /// The moments of `measure`, spread evenly over the simplex with N `corners` (m).
    ///
    /// With s = Σ vᵢ: ∫ x dμ = μ s / N and ∫ x xᵀ dμ = μ (Σ vᵢ vᵢᵀ + s sᵀ) / (N (N + 1)). This follows from
    /// x = Σ λᵢ vᵢ and the barycentric averages ⟨λᵢ⟩ = 1/N, ⟨λᵢ λⱼ⟩ = (1 + δᵢⱼ)/(N (N + 1)). The volume
    /// integrals of a closed surface are sums over the tetrahedra between the origin and each triangle, with
    /// their signed volumes as `measure`: the divergence theorem for polynomials of degree up to two, exact up
    /// to rounding.
    ///
    /// ```
    /// use rigor_geometry::mass::Moments;
    /// use rigor_math::Vec3;
    /// // A rod of 2 kg from x = 0 to x = 3 m: ∫ x² dm = 2 · 3² / 3.
    /// let rod = Moments::of_simplex(2.0, [Vec3::zeros(), Vec3::x() * 3.0]);
    /// assert_eq!((rod.first.x, rod.second.m11), (3.0, 6.0));
    /// ```
    pub fn of_simplex<const N: usize>(measure: f64, corners: [Vec3; N]) -> Self {
        let n = N as f64;
        let sum: Vec3 = corners.iter().sum();
        let squares: Mat3 = corners.iter().map(|v| v * v.transpose()).sum();
        Self {
            zeroth: measure,
            first: sum * (measure / n),
            second: (squares + sum * sum.transpose()) * (measure / (n * (n + 1.0))),
        }
    }
}

impl AddAssign for Moments {
    fn add_assign(&mut self, other: Self) {
        self.zeroth += other.zeroth;
        self.first += other.first;
        self.second += other.second;
    }
}

impl Mul<f64> for Moments {
    type Output = Self;

    /// The same distribution with `factor` times the measure.
    fn mul(self, factor: f64) -> Self {
        Self { zeroth: self.zeroth * factor, first: self.first * factor, second: self.second * factor }
    }
}
