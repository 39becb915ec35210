//! The rotation that best aligns one set of points with another.

use nalgebra::{Matrix4, Quaternion};
use rigor_math::{Mat3, UnitQuaternion};

/// Maximum sweeps of the eigenvalue solver, which usually takes about five.
const MAX_SWEEPS: usize = 200;

/// Returns the R that maximises tr(R S) for S = Σ μᵢ x̄ᵢ xᵢᵀ: the polar rotation of Sᵀ if det S > 0.
///
/// R comes from the eigenvector of the largest eigenvalue of a symmetric 4 × 4 matrix built from S. It is
/// therefore always a rotation, never a reflection, even for flat or inverted point sets. If several
/// rotations are optimal, it is one of them.
///
/// Source: \[Horn1987\] §4. Returns `None` if S is not finite.
pub(crate) fn best_rotation(s: &Mat3) -> Option<UnitQuaternion> {
    let scale = s.amax();
    if !scale.is_finite() {
        return None;
    }
    if scale == 0.0 {
        return Some(UnitQuaternion::identity());
    }
    let s = s / scale;
    let (x, y, z) = (s[(1, 2)] - s[(2, 1)], s[(2, 0)] - s[(0, 2)], s[(0, 1)] - s[(1, 0)]);
    let off = |a: usize, b: usize| s[(a, b)] + s[(b, a)];
    let trace = s.trace();
    let diagonal = |a: usize| 2.0 * s[(a, a)] - trace;
    #[rustfmt::skip]
    let n = Matrix4::new(
        trace, x,           y,           z,
        x,     diagonal(0), off(0, 1),   off(0, 2),
        y,     off(0, 1),   diagonal(1), off(1, 2),
        z,     off(0, 2),   off(1, 2),   diagonal(2),
    );
    let eigen = n.try_symmetric_eigen(f64::EPSILON, MAX_SWEEPS)?;
    let q = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    Some(UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigor_math::{Vec3, quaternion, rotation_vector};

    fn sum(points: &[Vec3], r: &UnitQuaternion) -> Mat3 {
        points.iter().map(|p| p * (r * p).transpose()).sum()
    }

    #[test]
    fn rotation_of_a_solid_and_of_a_sheet_is_found() {
        let solid = [Vec3::x(), Vec3::y() * 2.0, Vec3::z(), Vec3::new(-1.0, 0.3, 0.2)];
        let sheet = [Vec3::x(), Vec3::y() * 2.0, Vec3::new(-1.0, 0.3, 0.0)];
        for theta in [[0.0; 3], [0.1, 0.2, 0.3], [3.0, 0.5, -0.2], [0.0, std::f64::consts::PI, 0.0]] {
            let r = rotation_vector::exp(&Vec3::from(theta));
            for points in [&solid[..], &sheet[..]] {
                let found = best_rotation(&sum(points, &r)).unwrap();
                assert!(quaternion::difference(&r, &found).norm() < 1e-13, "{theta:?}");
            }
        }
    }

    #[test]
    fn points_in_a_line_or_in_one_place_have_some_rotation() {
        let r = rotation_vector::exp(&Vec3::new(0.3, 1.0, -0.5));
        let line = [Vec3::x(), -Vec3::x()];
        let found = best_rotation(&sum(&line, &r)).unwrap();
        assert!((found * Vec3::x() - r * Vec3::x()).norm() < 1e-14);
        assert_eq!(best_rotation(&Mat3::zeros()), Some(UnitQuaternion::identity()));
    }

    #[test]
    fn points_inside_out_are_not_reflected() {
        let s = Mat3::from_diagonal(&Vec3::new(-1.0, 2.0, 3.0));
        let found = best_rotation(&s).unwrap().to_rotation_matrix();
        assert!((found.matrix().determinant() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn nonsense_has_none() {
        assert!(best_rotation(&Mat3::from_element(f64::NAN)).is_none());
        assert!(best_rotation(&Mat3::from_element(f64::INFINITY)).is_none());
    }
}
