//! A smooth piece of a squared distance, from which value, gradient and Hessian follow.

use nalgebra::{SMatrix, SVector};
use rigor_math::{Mat3, Vec3};

/// A smooth piece over N points, as in the derivation in [`super`]: value, gradient and Hessian for any
/// motion of the points follow from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothPiece<const N: usize> {
    /// wᵢ: r = Σ wᵢ xᵢ.
    pub weights: [f64; N],
    /// gᵢ: the slopes of the weights (1/m).
    pub slopes: [Vec3; N],
    /// r: from the closest point of B to that of A (m).
    pub separation: Vec3,
    /// P: onto the space normal to both features.
    pub normal_projection: Mat3,
}

impl<const N: usize> SmoothPiece<N> {
    /// The same piece over M points, with its own points placed at `slots`.
    #[inline]
    pub fn scatter<const M: usize>(&self, slots: [usize; N]) -> SmoothPiece<M> {
        let mut out = SmoothPiece {
            weights: [0.0; M],
            slopes: [Vec3::zeros(); M],
            separation: self.separation,
            normal_projection: self.normal_projection,
        };
        for (i, slot) in slots.into_iter().enumerate() {
            out.weights[slot] = self.weights[i];
            out.slopes[slot] = self.slopes[i];
        }
        out
    }

    /// The same piece with A and B exchanged: r and w change sign, as do both J and ∂w/∂y, so g stays.
    #[inline]
    pub fn swap(&self) -> Self {
        Self { weights: self.weights.map(|w| -w), separation: -self.separation, ..*self }
    }

    /// ‖r‖² (m²).
    #[inline]
    pub fn distance_sq(&self) -> f64 {
        self.separation.norm_squared()
    }

    /// 2 wᵢ r, stacked (m); D = 3N.
    #[inline]
    pub fn gradient<const D: usize>(&self) -> SVector<f64, D> {
        const { assert!(D == 3 * N) };
        let mut out = SVector::<f64, D>::zeros();
        for i in 0..N {
            out.fixed_rows_mut::<3>(3 * i).copy_from(&(self.separation * (2.0 * self.weights[i])));
        }
        out
    }

    /// 2 (wᵢwⱼ P − (wᵢ gⱼ + (gᵢ·gⱼ) r) rᵀ − wⱼ r gᵢᵀ) as block (i, j); exactly symmetric; D = 3N.
    #[inline]
    pub fn hessian<const D: usize>(&self) -> SMatrix<f64, D, D> {
        const { assert!(D == 3 * N) };
        let Self { weights: w, slopes: g, separation: r, normal_projection: p } = self;
        let mut out = SMatrix::<f64, D, D>::zeros();
        for j in 0..N {
            for i in 0..=j {
                let ww = 2.0 * w[i] * w[j];
                let left = (g[j] * w[i] + r * g[i].dot(&g[j])) * 2.0;
                let right = g[i] * (2.0 * w[j]);
                for l in 0..3 {
                    let rows = if i == j { l + 1 } else { 3 };
                    for k in 0..rows {
                        let entry = ww * p[(k, l)] - left[k] * r[l] - r[k] * right[l];
                        out[(3 * i + k, 3 * j + l)] = entry;
                        out[(3 * j + l, 3 * i + k)] = entry;
                    }
                }
            }
        }
        out
    }
}
