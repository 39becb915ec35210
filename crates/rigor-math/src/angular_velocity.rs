//! World angular velocity ω (rad/s) from two orientations and from the rate of a rotation matrix, and back.

use crate::{Mat3, UnitQuaternion, Vec3, quaternion, skew, unskew};

/// The constant angular velocity that turns `q_prev` into `q` within `h` (s): log(q q_prev⁻¹)/h.
///
/// Undoes [`quaternion::integrate`] while h‖ω‖ < π.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, angular_velocity, quaternion};
/// let (q, omega) = (UnitQuaternion::identity(), Vec3::new(0.0, 3.0, 4.0));
/// let q_next = quaternion::integrate(&q, &omega, 0.1);
/// assert!((angular_velocity::between(&q, &q_next, 0.1) - omega).norm() < 1e-14);
/// ```
pub fn between(q_prev: &UnitQuaternion, q: &UnitQuaternion, h: f64) -> Vec3 {
    quaternion::difference(q_prev, q) / h
}

/// The angular velocity of position-based dynamics: ω = ±2 vec(q q_prev⁻¹)/h, negated if the scalar part is negative.
///
/// Source: \[Mueller2020\] Procedure 1 and Procedure 3.
///
/// Its length is 2 sin(φ/2)/h for the angle φ turned. After [`quaternion::integrate_linearised`] at ω it is
/// ω/√(1 + (h‖ω‖/2)²): the pair slows a free body, by a fraction of h²‖ω‖²/8 per step.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, angular_velocity, quaternion};
/// let q = UnitQuaternion::identity();
/// let q_next = quaternion::integrate_linearised(&q, &Vec3::new(0.0, 0.0, 1.5), 1.0);
/// let omega = angular_velocity::between_linearised(&q, &q_next, 1.0);
/// assert!((omega.z - 1.5 / 1.25).abs() < 1e-15); // √(1 + 0.75²) = 1.25
/// ```
pub fn between_linearised(q_prev: &UnitQuaternion, q: &UnitQuaternion, h: f64) -> Vec3 {
    quaternion::difference_linearised(q_prev, q) / h
}

/// The rate of the rotation matrix `q` of a body turning at `omega`: Q̇ = \[ω\] Q (1/s).
///
/// ```
/// use rigor_math::{Mat3, Vec3, angular_velocity, skew};
/// let omega = Vec3::new(1.0, 2.0, 3.0);
/// assert_eq!(angular_velocity::to_matrix_rate(&omega, &Mat3::identity()), skew(&omega));
/// ```
pub fn to_matrix_rate(omega: &Vec3, q: &Mat3) -> Mat3 {
    skew(omega) * q
}

/// The angular velocity of a body with the rotation matrix `q` and its rate `q_dot` (1/s).
///
/// \[ω\] is the skew part of Q̇ Qᵀ. A difference quotient such as \[Ferguson2021\] eq. (7), Q̇ = (Q −
/// Q_prev)/h, also has a symmetric part of order h, which is dropped. For that Q̇, ‖ω‖ = sin(φ)/h with φ the
/// angle turned.
///
/// ```
/// use rigor_math::{Mat3, Vec3, angular_velocity};
/// let omega = Vec3::new(1.0, 2.0, 3.0);
/// let rate = angular_velocity::to_matrix_rate(&omega, &Mat3::identity());
/// assert_eq!(angular_velocity::from_matrix_rate(&rate, &Mat3::identity()), omega);
/// ```
pub fn from_matrix_rate(q_dot: &Mat3, q: &Mat3) -> Vec3 {
    unskew(&(q_dot * q.transpose()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finite_difference::Differences;
    use crate::rotation_vector;

    fn samples() -> [(Vec3, Vec3); 3] {
        [
            (Vec3::new(0.1, -0.2, 0.3), Vec3::new(1.0, 2.0, -3.0)),
            (Vec3::new(2.0, 1.0, -2.0), Vec3::new(-5.0, 0.5, 0.1)),
            (Vec3::zeros(), Vec3::new(1e-9, 0.0, 0.0)),
        ]
    }

    #[test]
    fn between_undoes_integrate_whatever_the_signs() {
        for (theta, omega) in samples() {
            let q_prev = rotation_vector::exp(&theta);
            let q = quaternion::integrate(&q_prev, &omega, 0.5);
            let negated = UnitQuaternion::new_unchecked(-q.into_inner());
            // One rounding of q (ε) divided by h.
            assert!((between(&q_prev, &q, 0.5) - omega).norm() < 8.0 * f64::EPSILON);
            assert_eq!(between(&q_prev, &q, 0.5), between(&q_prev, &negated, 0.5));
            let linear = between_linearised(&q_prev, &q, 0.5);
            assert_eq!(linear, between_linearised(&q_prev, &negated, 0.5));
        }
    }

    #[test]
    fn linearised_length_is_twice_the_sine_of_half_the_angle() {
        for (theta, omega) in samples() {
            let (q_prev, h) = (rotation_vector::exp(&theta), 0.25);
            let q = quaternion::integrate(&q_prev, &omega, h);
            let expected = 2.0 * (0.5 * h * omega.norm()).sin() / h;
            assert!((between_linearised(&q_prev, &q, h).norm() - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn linearised_pair_slows_a_free_body_as_documented() {
        let (q, omega, h) = (rotation_vector::exp(&Vec3::new(1.0, 1.0, 0.0)), Vec3::new(0.0, 8.0, 6.0), 0.1);
        let after = between_linearised(&q, &quaternion::integrate_linearised(&q, &omega, h), h);
        assert!((after - omega / 1.25f64.sqrt()).norm() < 1e-14);
    }

    #[test]
    fn matrix_rate_is_the_time_derivative_of_the_matrix() {
        for (theta, omega) in samples() {
            let q = rotation_vector::exp(&theta);
            let matrix = |t: f64| quaternion::integrate(&q, &omega, t).to_rotation_matrix().into_inner();
            let numeric = Mat3::from_fn(|i, j| Differences::default().derivative(|t| matrix(t)[(i, j)], 0.0));
            let analytic = to_matrix_rate(&omega, &matrix(0.0));
            assert!((numeric - analytic).amax() < 1e-11 * omega.norm().max(1.0));
            assert!((from_matrix_rate(&analytic, &matrix(0.0)) - omega).norm() < 4e-15 * omega.norm());
        }
    }
}
