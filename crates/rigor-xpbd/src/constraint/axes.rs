//! Up to three constraints, along the axes of one frame, solved together.

use rigor_math::{Mat3, Vec3};

/// What is to vanish along the axes of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes {
    /// The axes, as columns (world).
    pub frame: Mat3,
    /// C along each (m or rad).
    pub c: Vec3,
    /// Which axes are constrained.
    pub active: [bool; 3],
    /// α̃ = α/h² along each.
    pub alpha_tilde: Vec3,
    /// Which axes only push back: their total λ never has the sign of C.
    pub one_sided: [bool; 3],
}

impl Axes {
    /// All three axes of `frame`, with one compliance.
    pub fn all(frame: Mat3, c: Vec3, alpha_tilde: f64) -> Self {
        Self { frame, c, active: [true; 3], alpha_tilde: Vec3::repeat(alpha_tilde), one_sided: [false; 3] }
    }

    /// Adds to the multipliers `lambda` (along the axes) what meets the constraints under the mobility `k` (world), and
    /// returns the impulse that was added (world).
    ///
    /// Source: [Mueller2020] §3.2 and §3.3.2, Δλ = (−c − α̃ λ)/(w + α̃). Deviation: the source gathers the axes into one
    /// correction Δx and projects along n = Δx/‖Δx‖, whose impulse also moves the bodies across n; here
    /// Δλ = (K + α̃)⁻¹(−c − α̃ λ) over the active axes. The source's form is used where K cannot be inverted, as for a body
    /// with fixed axes.
    pub fn solve(&self, k: &Mat3, lambda: &mut Vec3) -> Vec3 {
        if self.active == [false; 3] {
            return Vec3::zeros();
        }
        let rhs = -self.c - self.alpha_tilde.component_mul(lambda);
        let rhs = Vec3::from_fn(|i, _| if self.active[i] { rhs[i] } else { 0.0 });
        let stiffness = self.restricted(&(self.frame.tr_mul(k) * self.frame));
        let mut step = inverse(&stiffness).map_or_else(|| along(&stiffness, &rhs), |inverse| inverse * rhs);
        for i in 0..3 {
            if self.one_sided[i] && (lambda[i] + step[i]) * self.c[i] > 0.0 {
                step[i] = -lambda[i];
            }
        }
        *lambda += step;
        self.frame * step
    }

    /// K + α̃ over the active axes, with the rows and columns of the others replaced by those of a multiple of the identity.
    fn restricted(&self, k: &Mat3) -> Mat3 {
        let mut k = k + Mat3::from_diagonal(&self.alpha_tilde);
        let active = (0..3).filter(|&i| self.active[i]);
        let scale = active.map(|i| k[(i, i)]).fold(0.0, f64::max);
        for i in (0..3).filter(|&i| !self.active[i]) {
            k.row_mut(i).fill(0.0);
            k.column_mut(i).fill(0.0);
            k[(i, i)] = scale;
        }
        k
    }
}

/// K⁻¹, if K is far enough from singular that no multiplier gets lost in rounding.
pub(crate) fn inverse(k: &Mat3) -> Option<Mat3> {
    let mean = k.trace() / 3.0;
    // The scale is taken out first, so that no determinant leaves the range of numbers.
    let inverse = if mean > 0.0 { (k / mean).try_inverse()? } else { return None };
    let is_regular = inverse.amax() < 1e9;
    is_regular.then(|| inverse / mean)
}

/// The source's projection along the one direction n of the correction.
fn along(stiffness: &Mat3, rhs: &Vec3) -> Vec3 {
    let w = rhs.dot(&(stiffness * rhs));
    if w > 0.0 { rhs * (rhs.norm_squared() / w) } else { Vec3::zeros() }
}
