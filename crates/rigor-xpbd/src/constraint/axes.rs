//! Up to three constraints along the axes of one frame, solved together.

use rigor_math::{Mat3, Vec3};

/// Constraint values to be driven to zero along the axes of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes {
    /// The axes, as columns (world).
    pub frame: Mat3,
    /// C along each axis (m or rad).
    pub c: Vec3,
    /// Which axes are constrained.
    pub active: [bool; 3],
    /// α̃ = α/h² along each axis.
    pub alpha_tilde: Vec3,
    /// One-sided axes: their accumulated λ never has the sign of C.
    pub one_sided: [bool; 3],
}

impl Axes {
    /// Constrains all three axes of `frame` with the same compliance.
    pub fn all(frame: Mat3, c: Vec3, alpha_tilde: f64) -> Self {
        Self { frame, c, active: [true; 3], alpha_tilde: Vec3::repeat(alpha_tilde), one_sided: [false; 3] }
    }

    /// Adds to the multipliers `lambda` (along the axes) the change that satisfies the constraints under the
    /// mobility `k` (world); returns the added impulse (world).
    ///
    /// Source: \[Mueller2020\] §3.2 and §3.3.2, Δλ = (−c − α̃ λ)/(w + α̃). Deviation: the source combines the
    /// axes into one correction Δx and projects along n = Δx/‖Δx‖, whose impulse also moves the bodies across
    /// n; here Δλ = (K + α̃)⁻¹(−c − α̃ λ) over the active axes.
    pub fn solve(&self, k: &Mat3, lambda: &mut Vec3) -> Vec3 {
        if self.active == [false; 3] {
            return Vec3::zeros();
        }
        let mut step = self.response(k) * (-self.c - self.alpha_tilde.component_mul(lambda));
        for i in 0..3 {
            if self.one_sided[i] && (lambda[i] + step[i]) * self.c[i] > 0.0 {
                step[i] = -lambda[i];
            }
        }
        *lambda += step;
        self.frame * step
    }

    /// Returns (K + α̃)⁻¹ along the active axes, 0 along the others.
    pub fn response(&self, k: &Mat3) -> Mat3 {
        let mut stiffness = self.frame.tr_mul(k) * self.frame + Mat3::from_diagonal(&self.alpha_tilde);
        let scale = (0..3).filter(|&i| self.active[i]).map(|i| stiffness[(i, i)]).fold(0.0, f64::max);
        for i in (0..3).filter(|&i| !self.active[i]) {
            stiffness.row_mut(i).fill(0.0);
            stiffness.column_mut(i).fill(0.0);
            stiffness[(i, i)] = scale;
        }
        let mut response = inverse(&stiffness).unwrap_or_else(|| pseudo_inverse(&stiffness));
        for i in (0..3).filter(|&i| !self.active[i]) {
            response[(i, i)] = 0.0;
        }
        response
    }
}

/// Relative threshold for singularity: eigenvalues below this fraction of the largest count as 0.
const SINGULAR: f64 = 1e-9;

/// Returns K⁻¹ if K is far enough from singular that rounding does not destroy any multiplier.
pub(crate) fn inverse(k: &Mat3) -> Option<Mat3> {
    let scale = 3.0 / k.trace();
    if scale <= 0.0 || scale.is_nan() {
        return None;
    }
    // Normalise the scale first, so that the determinant neither overflows nor underflows.
    let k = k * scale;
    let (x, y, z) = (k.column(0), k.column(1), k.column(2));
    let (yz, zx, xy) = (y.cross(&z), z.cross(&x), x.cross(&y));
    let determinant = x.dot(&yz);
    let cofactors = Mat3::from_columns(&[yz, zx, xy]);
    (cofactors.amax() * SINGULAR < determinant.abs()).then(|| cofactors.transpose() * (scale / determinant))
}

/// Returns the pseudo-inverse: 0 along directions that cannot move, as for bodies with fixed axes.
fn pseudo_inverse(k: &Mat3) -> Mat3 {
    let eigen = (0.5 * (k + k.transpose())).symmetric_eigen();
    let least = SINGULAR * eigen.eigenvalues.amax();
    let inverse = eigen.eigenvalues.map(|value| if value > least { 1.0 / value } else { 0.0 });
    eigen.eigenvectors * Mat3::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
}

#[cfg(test)]
mod tests {
    use rigor_math::rotation_vector;

    use super::*;

    fn mobility() -> Mat3 {
        Mat3::new(3.0, 0.5, 0.2, 0.5, 2.0, -0.3, 0.2, -0.3, 1.0)
    }

    fn frame() -> Mat3 {
        rotation_vector::matrix(&Vec3::new(0.4, -0.3, 1.0))
    }

    #[test]
    fn the_impulse_removes_what_is_active_and_nothing_pulls_along_the_rest() {
        let c = Vec3::new(0.1, -0.2, 0.3);
        for active in [[true; 3], [false, true, true], [true, false, false]] {
            let axes = Axes { active, ..Axes::all(frame(), c, 0.0) };
            let mut lambda = Vec3::zeros();
            let p = axes.solve(&mobility(), &mut lambda);
            let left = c + frame().tr_mul(&(mobility() * p));
            for i in 0..3 {
                let rest = if active[i] { left[i] } else { lambda[i] };
                assert!(rest.abs() < 1e-15, "{active:?} {i}: {rest}");
            }
        }
    }

    #[test]
    fn a_compliant_axis_is_left_with_the_stretch_of_its_force() {
        let axes = Axes::all(frame(), Vec3::new(0.1, -0.2, 0.3), 0.7);
        let mut lambda = Vec3::zeros();
        let mut moved = Vec3::zeros();
        for _ in 0..3 {
            let again = Axes { c: axes.c + moved, ..axes };
            moved += frame().tr_mul(&(mobility() * again.solve(&mobility(), &mut lambda)));
            assert!((axes.c + moved + 0.7 * lambda).norm() < 1e-15);
        }
    }

    #[test]
    fn what_cannot_move_is_left_alone() {
        let fixed = Mat3::from_diagonal(&Vec3::new(0.0, 2.0, 0.0));
        let mut lambda = Vec3::zeros();
        let p = Axes::all(Mat3::identity(), Vec3::new(1.0, 1.0, 1.0), 0.0).solve(&fixed, &mut lambda);
        assert!((p - Vec3::new(0.0, -0.5, 0.0)).norm() < 1e-15, "{p}");
        let nothing = Axes::all(frame(), Vec3::x(), 0.0).solve(&Mat3::zeros(), &mut Vec3::zeros());
        assert_eq!(nothing, Vec3::zeros());
    }

    #[test]
    fn a_bound_does_not_pull() {
        let mut axes = Axes::all(Mat3::identity(), Vec3::new(1.0, -10.0, 0.0), 0.0);
        axes.one_sided[0] = true;
        let k = Mat3::new(1.0, 0.9, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0, 1.0);
        let mut lambda = Vec3::zeros();
        axes.solve(&k, &mut lambda);
        assert!(lambda.x <= 0.0, "{lambda}");
    }
}
