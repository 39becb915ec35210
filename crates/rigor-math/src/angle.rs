//! Angles between rotations and between directions.

use crate::{UnitQuaternion, Vec3, elementary};

/// Returns the angle (rad, in [0, π]) of the rotation from `a` to `b`: 2 atan2(‖v‖, |w|), (w, v) = b a⁻¹.
///
/// Accurate near 0 and near π, and independent of the norms of both.
///
/// ```
/// use rigor_math::{Vec3, angle, rotation_vector};
/// let a = rotation_vector::exp(&Vec3::x());
/// let b = rotation_vector::exp(&(Vec3::x() * 1.25));
/// assert!((angle::between_rotations(&a, &b) - 0.25).abs() < 1e-15);
/// ```
pub fn between_rotations(a: &UnitQuaternion, b: &UnitQuaternion) -> f64 {
    let turn = b.into_inner() * a.into_inner().conjugate();
    2.0 * elementary::atan2(turn.vector().norm(), turn.w.abs())
}

/// Returns the angle (rad, in [0, π]) between two directions: atan2(‖a × b‖, a·b).
///
/// ```
/// use rigor_math::{Vec3, angle};
/// assert_eq!(angle::between_directions(&Vec3::x(), &(Vec3::y() * 3.0)), std::f64::consts::FRAC_PI_2);
/// ```
pub fn between_directions(a: &Vec3, b: &Vec3) -> f64 {
    elementary::atan2(a.cross(b).norm(), a.dot(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation_vector;

    #[test]
    fn tiny_and_nearly_half_turns_keep_their_digits() {
        let start = rotation_vector::exp(&Vec3::new(0.3, -1.0, 2.0));
        for angle in [1e-12, 1e-3, 1.0, 3.0, std::f64::consts::PI - 1e-9] {
            let turned = rotation_vector::exp(&(Vec3::new(2.0, -1.0, 2.0) / 3.0 * angle)) * start;
            // The product of two quaternions rounds by a few ε in each component.
            assert!((between_rotations(&start, &turned) - angle).abs() < 1e-15 * 4.0, "{angle}");
            let minus = UnitQuaternion::new_unchecked(-turned.into_inner());
            assert_eq!(between_rotations(&start, &turned), between_rotations(&start, &minus));
        }
        assert_eq!(between_directions(&Vec3::x(), &Vec3::new(0.0, 3.0, 0.0)), std::f64::consts::FRAC_PI_2);
        assert_eq!(between_directions(&Vec3::x(), &-Vec3::x()), std::f64::consts::PI);
    }
}
