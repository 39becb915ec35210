//! The polar decomposition of a matrix: a rotation after a symmetric strain.

use nalgebra::Rotation3;

use crate::{Mat3, UnitQuaternion};

/// More steps than Newton's method needs for any matrix of numbers: a singular value far from 1 is halved or doubled by each.
const MAX_STEPS: usize = 64;

/// Returns R and E with A = R (1 + E), E symmetric and 1 + E positive definite; `None` unless det A > 0 and A is finite.
///
/// X₀ = A, X ← ½ (X + X⁻ᵀ) converges to R quadratically, at once for an A that is nearly a rotation. E = sym(RᵀA) − 1 with
/// the R that is returned, which differs from a rotation by a few ε.
///
/// Source: \[Higham1986\] eq. (3.1). Deviation: unscaled.
///
/// ```
/// use rigor_math::{Mat3, UnitQuaternion, polar};
/// let (r, e) = polar::decompose(&(Mat3::identity() * 1.5)).unwrap();
/// assert_eq!((r, e), (UnitQuaternion::identity(), Mat3::identity() * 0.5));
/// assert!(polar::decompose(&-Mat3::identity()).is_none());
/// ```
pub fn decompose(a: &Mat3) -> Option<(UnitQuaternion, Mat3)> {
    let is_positive = a.iter().all(|c| c.is_finite()) && a.determinant() > 0.0;
    if !is_positive {
        return None;
    }
    let mut x = *a;
    for _ in 0..MAX_STEPS {
        let next = (x + x.try_inverse()?.transpose()) * 0.5;
        let change = (next - x).norm();
        x = next;
        if change <= 1e-9 {
            // The next step would change it by less than a rounding.
            break;
        }
    }
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(x));
    let stretch = rotation.to_rotation_matrix().matrix().transpose() * a;
    let strain = (stretch + stretch.transpose()) * 0.5 - Mat3::identity();
    let is_finite = rotation.coords.iter().chain(strain.iter()).all(|c| c.is_finite());
    is_finite.then_some((rotation, strain))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Vec3, rotation_vector};

    proptest! {
        #[test]
        fn the_factors_are_those_that_were_multiplied(
            theta in prop::array::uniform3(-2.0..2.0f64), e in prop::array::uniform6(-0.2..0.2f64), small in 0..40i32,
        ) {
            let rotation = rotation_vector::exp(&Vec3::from(theta));
            let [xx, xy, xz, yy, yz, zz] = e.map(|c| c * 0.5f64.powi(small));
            let strain = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            let a = rotation.to_rotation_matrix().matrix() * (Mat3::identity() + strain);
            let (r, found) = decompose(&a).unwrap();
            prop_assert!(r.angle_to(&rotation) < 1e-14 && (found - strain).norm() < 4e-15);
            prop_assert_eq!(found, found.transpose());
        }
    }

    #[test]
    fn what_is_no_strained_rotation_has_no_factors() {
        assert!(decompose(&Mat3::zeros()).is_none() && decompose(&Mat3::from_element(f64::NAN)).is_none());
        let (r, e) = decompose(&Mat3::from_diagonal(&Vec3::new(1e6, 1.0, 1e-6))).unwrap();
        assert!(r.angle() < 1e-14 && (e[(0, 0)] + 1.0 - 1e6).abs() < 1e-8);
    }
}
