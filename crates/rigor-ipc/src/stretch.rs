//! The energy that keeps an affine body nearly rigid.
//!
//! Source: \[Lan2022\] eq. (7): V = κ v ‖A Aᵀ − 1‖²_F.

use nalgebra::SMatrix;
use rigor_geometry::mass::MassModel;
use rigor_math::{Mat3, UnitQuaternion, Vec3, polar, skew, unskew};
use rigor_scene::Body;

use crate::second_moment::{j_of, scaled_columns};

/// Density (kg/m³) that gives a body without volume, such as a sheet, the volume of its stiffness.
const DENSITY: f64 = 1000.0;
/// Maximum iterations for the stretch of a body that turns.
const MAX_ITERATIONS: usize = 60;

/// Norm of E up to which the stretch of a flight is computed.
pub(crate) const MAX_STRAIN: f64 = 0.5;

/// A matrix of the rows of A, one after the other.
pub(crate) type Mat9 = SMatrix<f64, 9, 9>;

/// h² V of one body, V = κ v ‖A Aᵀ − 1‖²_F (J).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    /// h² κ v (J s²).
    stiffness: f64,
}

impl Stretch {
    /// The energy of a body of this `volume` (m³) and the stiffness κ (Pa) in a step of `h` (s).
    pub fn new(volume: f64, kappa: f64, h: f64) -> Self {
        Self { stiffness: h * h * kappa * volume }
    }

    pub fn energy(&self, matrix: &Mat3) -> f64 {
        self.stiffness * excess(matrix).norm_squared()
    }

    /// ∂/∂A = 4 κ v h² (A Aᵀ − 1) A.
    pub fn gradient(&self, matrix: &Mat3) -> Mat3 {
        excess(matrix) * matrix * (4.0 * self.stiffness)
    }

    /// Returns the stiffness (J s²) against a small strain: the energy of a symmetric E is half of it times ‖E‖²_F.
    pub fn of_strain(&self) -> f64 {
        8.0 * self.stiffness
    }

    /// Returns ∂²/∂A², by the rows a_i of A: 4 κ v h² times 2 a_i a_iᵀ + (a_i·a_i − 1) 1 + Σ_{j≠i} a_j a_jᵀ on the diagonal and
    /// (a_i·a_j) 1 + a_j a_iᵀ beside it.
    pub fn hessian(&self, matrix: &Mat3) -> Mat9 {
        let mut hessian = Mat9::zeros();
        let (gram, squares) = (matrix * matrix.transpose(), matrix.transpose() * matrix);
        let row = |i: usize| -> Vec3 { matrix.row(i).transpose() };
        for i in 0..3 {
            for j in 0..3 {
                let own = row(j) * row(i).transpose();
                let block = if i == j {
                    squares + own + Mat3::identity() * (gram[(i, i)] - 1.0)
                } else {
                    own + Mat3::identity() * gram[(i, j)]
                };
                hessian.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(&(block * (4.0 * self.stiffness)));
            }
        }
        hessian
    }

    /// Returns A at the end of the flight, and Ã, of a body that turns at ω (rad/s, world) and ends with the rotation `rotation`, over h_b (s) in a
    /// step of `h` (s); `strain` is its E before.
    ///
    /// A = Q S, with the stretch S that follows what its points are flung out by, as implicit Euler does from a strain without velocity:
    ///
    /// ```text
    /// h² ∂V/∂S + s (S − 1 − E) J + h² (\[α\] + \[ω\]²) S J = 0,  s = (h/h_b)²  (frame of the body)
    /// ```
    ///
    /// with the α for which nothing has a torque. With Ã = Q (1 + E − h_b² (\[α\] + \[ω\]²) S) this A is the minimum of E + h² V where nothing
    /// touches the body. What holds the strain does not depend on the step, and no energy is made where it is let go. The equation is
    /// solved by fixed points, which contract by the strain.
    pub fn flown(
        &self,
        body: &Body,
        (rotation, omega): (&UnitQuaternion, &Vec3),
        strain: &Mat3,
        h_b: f64,
        h: f64,
    ) -> (Mat3, Mat3) {
        let q = rotation.to_rotation_matrix().into_inner();
        // A body with fixed axes is stretched by contact alone.
        if body.fixed.rotation != [false; 3] {
            return (q, q);
        }
        let (j, omega) = (j_of(&body.inertia), q.tr_mul(omega));
        let (swing, s_b) = (skew(&omega) * skew(&omega), 1.0 / (h_b * h_b));
        let stiffness = |k: usize, l: usize| self.of_strain() + h * h * s_b * 0.5 * (j[k] + j[l]);
        let accelerated = |now: &Mat3| {
            let s = Mat3::identity() + now;
            let moved = scaled_columns(&s, &j);
            let pulled = swing * moved + scaled_columns(&((now - strain) * s_b), &j);
            let resisting = Mat3::identity() * moved.trace() - moved;
            let alpha =
                resisting.try_inverse().map_or(Vec3::zeros(), |inverse| inverse * unskew(&pulled) * -2.0);
            (skew(&alpha) + swing) * s
        };
        let mut now = *strain;
        for _ in 0..MAX_ITERATIONS {
            let gathered = accelerated(&now) + (now - strain) * s_b;
            let left = scaled_columns(&gathered, &j) * (-h * h) - self.gradient(&(Mat3::identity() + now));
            let more = Mat3::from_fn(|k, l| 0.5 * (left[(k, l)] + left[(l, k)]) / stiffness(k, l));
            now += more;
            if more.norm() <= f64::EPSILON * (1.0 + now.norm()) || now.norm() > MAX_STRAIN {
                break;
            }
        }
        // Beyond what such a body can bear its stretch is left to the minimization.
        if now.norm() > MAX_STRAIN || !now.norm().is_finite() {
            now = *strain;
        }
        let flung = accelerated(&now) * (h_b * h_b);
        (q * (Mat3::identity() + now), q * (Mat3::identity() + strain - flung))
    }
}

/// A Aᵀ − 1.
fn excess(matrix: &Mat3) -> Mat3 {
    matrix * matrix.transpose() - Mat3::identity()
}

/// Returns v (m³) of a body: that which its surfaces enclose, or that of its mass at 1000 kg/m³ if its mass is not that of a volume.
pub(crate) fn volume(body: &Body) -> f64 {
    match body.mass_model {
        MassModel::Volume => body.mesh.signed_volume().abs(),
        MassModel::Shell | MassModel::Wire | MassModel::Points | MassModel::Mixed | MassModel::Given => {
            body.mass / DENSITY
        }
    }
}

/// Returns an upper bound of the largest singular value of `m`, by at most 9 % too large.
#[inline]
pub(crate) fn spectral_bound(m: &Mat3) -> f64 {
    let square = m.tr_mul(m);
    // Σ σ⁸ ≥ σ_max⁸, and rounding is far below the bound's slack.
    (square * square).norm().sqrt().sqrt() * (1.0 + 1e-14)
}

/// Returns the rotation nearest to `matrix`, as the quaternion nearer to `near`; `near` if there is none, as det A ≤ 0.
pub(crate) fn nearest_rotation(matrix: &Mat3, near: &UnitQuaternion) -> UnitQuaternion {
    let Some((mut rotation, _)) = polar::decompose(matrix) else { return *near };
    // Of a matrix without a third dimension it is none yet.
    rotation.renormalize();
    if rotation.coords.dot(&near.coords) < 0.0 {
        UnitQuaternion::new_unchecked(-rotation.into_inner())
    } else {
        rotation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretched() -> Mat3 {
        let q = UnitQuaternion::from_scaled_axis(Vec3::new(0.3, -1.1, 0.4)).to_rotation_matrix().into_inner();
        q * Mat3::new(1.1, 0.02, -0.05, 0.02, 0.9, 0.03, -0.05, 0.03, 1.02)
    }

    #[test]
    fn derivatives_are_those_of_the_energy() {
        let (stretch, a, h) = (Stretch::new(2.0, 3.0, 0.5), stretched(), 1e-5);
        let unit = |n: usize| Mat3::from_fn(|r, c| if 3 * r + c == n { h } else { 0.0 });
        let hessian = stretch.hessian(&a);
        for n in 0..9 {
            let slope = (stretch.energy(&(a + unit(n))) - stretch.energy(&(a - unit(n)))) / (2.0 * h);
            assert!((slope - stretch.gradient(&a)[(n / 3, n % 3)]).abs() < 1e-8);
            let bend = (stretch.gradient(&(a + unit(n))) - stretch.gradient(&(a - unit(n)))) / (2.0 * h);
            for m in 0..9 {
                assert!((bend[(m / 3, m % 3)] - hessian[(m, n)]).abs() < 1e-8, "{m} {n}");
            }
        }
    }

    #[test]
    fn rotations_cost_nothing_and_the_nearest_one_is_found() {
        let a = stretched();
        let q = nearest_rotation(&a, &UnitQuaternion::identity());
        let s = q.to_rotation_matrix().into_inner().tr_mul(&a);
        assert!((s - s.transpose()).norm() < 1e-14, "{s}");
        let stretch = Stretch::new(2.0, 3.0, 0.5);
        assert!(stretch.energy(&q.to_rotation_matrix().into_inner()) < 1e-28);
    }

    #[test]
    fn the_bound_of_the_norm_holds() {
        for m in [
            stretched(),
            skew(&Vec3::new(1.0, 2.0, -3.0)),
            Mat3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
        ] {
            let norm = m.singular_values().max();
            let bound = spectral_bound(&m);
            assert!(norm <= bound && bound <= 3.0_f64.powf(0.125) * norm * 1.0001, "{norm} {bound}");
        }
    }
}
