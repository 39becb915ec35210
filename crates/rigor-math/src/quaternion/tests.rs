use super::*;
use crate::{angular_velocity, rotation_vector};
use proptest::prelude::*;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

const EPS: f64 = f64::EPSILON;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

fn orientation() -> impl Strategy<Value = UnitQuaternion> {
    vector(4.0).prop_map(|theta| exp(&theta))
}

fn gap(a: &UnitQuaternion, b: &UnitQuaternion) -> f64 {
    difference(a, b).norm()
}

#[test]
fn axis_angle_has_the_components_of_half_the_angle() {
    let q = from_axis_angle(&Vec3::y_axis(), PI / 3.0);
    let expected = [0.75f64.sqrt(), 0.0, 0.5, 0.0];
    assert!(to_wxyz(&q).iter().zip(expected).all(|(a, b)| (a - b).abs() <= EPS));
}

#[test]
fn extrinsic_degrees_multiply_z_y_x() {
    let degrees = Vec3::new(20.0, -130.0, 250.0);
    let [x, y, z] = [0, 1, 2].map(|i| rotation_vector::matrix(&(Vec3::ith(i, degrees[i].to_radians()))));
    let q = from_extrinsic_xyz_degrees(&degrees);
    assert!((q.to_rotation_matrix().into_inner() - z * y * x).amax() < 8.0 * EPS);
}

#[test]
fn degrees_of_whole_turns_and_half_turns_are_exact() {
    let half = from_extrinsic_xyz_degrees(&Vec3::new(0.0, 180.0, 0.0));
    assert_eq!(to_wxyz(&half), [0.0, 0.0, 1.0, 0.0]);
    let none = from_extrinsic_xyz_degrees(&Vec3::new(720.0, -720.0, 0.0));
    assert_eq!(to_wxyz(&none), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn numbers_are_normalised_at_every_scale() {
    for scale in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
        let q = from_wxyz([3.0, 0.0, -4.0, 0.0].map(|c| c * scale)).unwrap();
        assert!((q.w - 0.6).abs() <= EPS && (q.j + 0.8).abs() <= EPS);
    }
}

#[test]
fn numbers_that_name_no_rotation_are_refused() {
    assert_eq!(from_wxyz([0.0, -0.0, 0.0, 0.0]), Err(QuaternionError::Zero));
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(from_wxyz([1.0, bad, 0.0, 0.0]), Err(QuaternionError::NotFinite { .. })));
    }
}

#[test]
fn matrices_that_are_no_rotation_are_refused() {
    let mut nan = Mat3::identity();
    nan[(1, 2)] = f64::NAN;
    let sheared = Mat3::identity() + Mat3::from_fn(|i, j| if (i, j) == (0, 1) { 1e-5 } else { 0.0 });
    for bad in [nan, sheared, -Mat3::identity(), Mat3::zeros(), Mat3::identity() * 1.01] {
        assert!(matches!(from_matrix(&bad, 1e-6), Err(QuaternionError::NotARotation { .. })));
    }
    assert!(from_matrix(&sheared, 1e-4).is_ok());
}

#[test]
fn slerp_is_stable_for_near_identical_and_near_opposite_ends() {
    let a = exp(&Vec3::new(0.4, 0.5, -0.6));
    for tiny in [0.0, 1e-300, 1e-16, 1e-12, 1e-8] {
        let b = rotate(&a, &Vec3::new(0.0, tiny, 0.0));
        for b in [b, UnitQuaternion::new_unchecked(-b.into_inner())] {
            let middle = slerp(&a, &b, 0.5);
            assert!((difference(&a, &middle) - Vec3::new(0.0, 0.5 * tiny, 0.0)).norm() < 2.0 * EPS);
        }
    }
}

#[test]
fn slerp_across_nearly_half_a_turn_keeps_the_axis() {
    let a = exp(&Vec3::new(0.4, 0.5, -0.6));
    for short_of in [1e-3, 1e-9, 1e-14] {
        let b = rotate(&a, &(Vec3::z() * (PI - short_of)));
        let quarter = difference(&a, &slerp(&a, &b, 0.5));
        assert!((quarter - Vec3::z() * (0.5 * (PI - short_of))).norm() < 8.0 * EPS);
    }
}

#[test]
fn linearised_rotation_is_that_of_the_source() {
    // q + ½ h [ω, 0] q by hand for q = 1: (1, ½ h ω), normalised.
    let q = integrate_linearised(&UnitQuaternion::identity(), &Vec3::new(0.0, 4.0, 0.0), 0.5);
    let expected = [FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2, 0.0];
    assert!(to_wxyz(&q).iter().zip(expected).all(|(a, b)| (a - b).abs() <= EPS));
}

#[test]
fn many_small_turns_do_not_leave_the_sphere() {
    let (q0, omega, n) = (exp(&Vec3::new(1.0, 0.5, 0.0)), Vec3::new(1.0, 2.0, 2.0), 100_000);
    let q = (0..n).fold(q0, |q, _| integrate(&q, &omega, 1e-4));
    assert!((q.coords.norm() - 1.0).abs() < 2.0 * EPS);
    // 10⁵ roundings of about ε each, in the worst case all in one direction.
    assert!(gap(&q, &integrate(&q0, &omega, 10.0)) < 1e5 * EPS);
}

proptest! {
    #[test]
    fn components_survive_a_round_trip(q in orientation()) {
        let back = from_wxyz(to_wxyz(&q)).unwrap();
        prop_assert!((back.coords - q.coords).norm() < 2.0 * EPS);
    }

    #[test]
    fn matrices_survive_a_round_trip(theta in vector(4.0)) {
        let r = rotation_vector::matrix(&theta);
        let q = from_matrix(&r, 1e-14).unwrap();
        prop_assert!((q.to_rotation_matrix().into_inner() - r).amax() < 8.0 * EPS);
    }

    #[test]
    fn rotate_and_difference_undo_each_other(q in orientation(), delta in vector(1.8)) {
        // ‖δ‖ < 1.8 √3 < π.
        prop_assert!((difference(&q, &rotate(&q, &delta)) - delta).norm() < 8.0 * EPS);
        let inverse = (delta.norm() * 0.5).atan() * 2.0;
        let turned = difference(&q, &rotate_linearised(&q, &delta));
        prop_assert!((turned - delta.normalize() * inverse).norm() < 8.0 * EPS);
    }

    #[test]
    fn slerp_divides_the_turn_evenly(a in orientation(), b in orientation(), t in 0.0..1.0f64) {
        let whole = difference(&a, &b);
        prop_assume!(whole.norm() < PI - 1e-6);
        prop_assert!((difference(&a, &slerp(&a, &b, t)) - whole * t).norm() < 8.0 * EPS);
        prop_assert!(gap(&slerp(&a, &b, t), &slerp(&b, &a, 1.0 - t)) < 2e-15);
        prop_assert!(gap(&slerp(&a, &b, 1.0), &b) < 8.0 * EPS);
        prop_assert_eq!(slerp(&a, &b, 0.0), a);
    }

    #[test]
    fn linearised_step_is_third_order_accurate(q in orientation(), omega in vector(3.0)) {
        prop_assume!(omega.norm() > 0.5);
        let error = |h: f64| gap(&integrate(&q, &omega, h), &integrate_linearised(&q, &omega, h));
        let expected = |h: f64| (h * omega.norm()).powi(3) / 12.0;
        prop_assert!((error(1e-2) / expected(1e-2) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn linearised_velocity_agrees_to_second_order(q in orientation(), omega in vector(3.0), h in 1e-4..1e-2) {
        let next = integrate(&q, &omega, h);
        let linear = angular_velocity::between_linearised(&q, &next, h);
        let loss = omega.norm().powi(3) * h * h / 24.0;
        prop_assert!((linear - omega).norm() < 1.01 * loss + 8.0 * EPS / h);
    }
}
