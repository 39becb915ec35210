use super::*;
use crate::finite_difference::{Differences, check_jacobian};
use nalgebra::{SVector, Vector3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const EPS: f64 = f64::EPSILON;

fn direction() -> impl Strategy<Value = Vec3> {
    let any = prop::array::uniform3(-1.0..1.0f64).prop_map(Vec3::from);
    any.prop_filter("a direction", |v| v.norm() > 0.1).prop_map(|v| v.normalize())
}

/// Angles from 10⁻³⁰⁰ to 10⁶, with weight on 0, π and 2π.
fn angle() -> impl Strategy<Value = f64> {
    let near = |centre: f64| (-16i32..0).prop_map(move |e| centre + 10f64.powi(e));
    prop_oneof![
        4 => 0.0..7.0f64,
        1 => (-300i32..6).prop_map(|e| 10f64.powi(e)),
        1 => near(0.0),
        1 => near(PI),
        1 => near(TAU),
        1 => near(-PI),
    ]
}

fn theta() -> impl Strategy<Value = Vec3> {
    (direction(), angle()).prop_map(|(n, angle)| n * angle)
}

/// 0, tiny, generic, the seam of the series, π, in between, 2π, beyond.
fn landmarks() -> Vec<Vec3> {
    let n = Vec3::new(2.0, -3.0, 6.0) / 7.0;
    [0.0, 1e-200, 1e-9, 1e-3, 0.5, 2.0, 6f64.sqrt(), PI, 4.0, 6f64.sqrt() * 2.0, TAU, TAU + 1e-7, 20.0]
        .map(|angle| n * angle)
        .into()
}

fn flat(m: &Mat3) -> SVector<f64, 9> {
    SVector::from_column_slice(m.as_slice())
}

#[test]
fn corrected_equation_14_turns_by_a_right_angle() {
    let r = matrix(&Vec3::new(FRAC_PI_2, 0.0, 0.0));
    let expected = Mat3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
    assert!((r - expected).amax() < 2.0 * EPS);
}

#[test]
fn matrix_agrees_with_equation_13() {
    let theta = Vec3::new(0.3, -1.1, 0.7);
    let (x, n) = (theta.norm(), skew(&theta.normalize()));
    let expected = Mat3::identity() + n * x.sin() + n * n * (1.0 - x.cos());
    assert!((matrix(&theta) - expected).amax() < 4.0 * EPS);
}

#[test]
fn log_of_half_turns_is_canonical() {
    for wxyz in [[0.0, 0.0, -0.6, 0.8], [-0.0, 0.0, 0.6, -0.8]] {
        let q = crate::quaternion::from_wxyz(wxyz).unwrap();
        assert!((log(&q) - Vec3::new(0.0, 0.6, -0.8) * PI).norm() < 4.0 * EPS);
    }
    assert_eq!(log(&UnitQuaternion::identity()), Vec3::zeros());
}

#[test]
fn log_of_exp_keeps_tiny_vectors_to_the_bit_of_their_scale() {
    for e in -300..0 {
        let theta = Vec3::new(0.6, -0.48, 0.64) * 10f64.powi(e);
        assert!((log(&exp(&theta)) - theta).norm() <= 2.0 * EPS * theta.norm());
    }
}

#[test]
fn gradient_matches_differences_everywhere() {
    for theta in landmarks() {
        let analytic = matrix_gradient(&theta);
        let columns = nalgebra::SMatrix::<f64, 9, 3>::from_columns(&analytic.map(|m| flat(&m)));
        check_jacobian(|t: &Vector3<f64>| flat(&matrix(t)), &columns, &theta).assert_within(1e-11);
    }
}

#[test]
fn hessian_matches_differences_of_the_gradient_everywhere() {
    for theta in landmarks() {
        for (i, row) in matrix_hessian(&theta).iter().enumerate() {
            let columns = nalgebra::SMatrix::<f64, 9, 3>::from_columns(&row.map(|m| flat(&m)));
            let f = |t: &Vector3<f64>| flat(&matrix_gradient(t)[i]);
            check_jacobian(f, &columns, &theta).assert_within(1e-11);
        }
    }
}

#[test]
fn jacobian_is_the_rate_of_the_rotation() {
    for theta in landmarks() {
        // ω = J eᵢ belongs to Ṙ = ∂ᵢR.
        let (r, j) = (matrix(&theta), left_jacobian(&theta));
        for (i, rate) in matrix_gradient(&theta).iter().enumerate() {
            assert!((skew(&j.column(i).into_owned()) * r - rate).amax() < 1e-14, "{theta}");
            assert!((unskew(&(rate * r.transpose())) - j.column(i)).amax() < 1e-14);
        }
    }
}

#[test]
fn jacobian_inverse_degrades_only_towards_the_full_turn() {
    let n = Vec3::new(2.0, -3.0, 6.0) / 7.0;
    for gap in [3.0, 1.0, 1e-2, 1e-4, -1e-4, -1.0] {
        let theta = n * (TAU - gap);
        let (j, inverse) = (left_jacobian(&theta), left_jacobian_inverse(&theta));
        // ‖J⁻¹‖ grows like 2π/|gap|, and with it the error.
        assert!((j * inverse - Mat3::identity()).amax() < 2e-14 / gap.abs().min(1.0));
        assert!((inverse.norm() - 2.0f64.sqrt() * TAU / gap.abs()).abs() < 5.0);
    }
}

#[test]
fn derivatives_are_continuous_across_the_seam_of_the_series() {
    let n = Vec3::new(2.0, -3.0, 6.0) / 7.0;
    for seam in [6f64.sqrt(), 2.0 * 6f64.sqrt()] {
        let (below, above) = (n * (seam * (1.0 - EPS)), n * (seam * (1.0 + EPS)));
        for i in 0..9 {
            let (a, b) = (matrix_hessian(&below)[i / 3][i % 3], matrix_hessian(&above)[i / 3][i % 3]);
            assert!((a - b).amax() < 1e-14);
        }
    }
}

proptest! {
    #[test]
    fn exp_undoes_log_and_signs_do_not_matter(theta in theta()) {
        let q = exp(&theta);
        let negated = UnitQuaternion::new_unchecked(-q.into_inner());
        prop_assert_eq!(log(&q), log(&negated));
        prop_assert!(log(&q).norm() <= PI * (1.0 + 2.0 * EPS));
        let back = exp(&log(&q)).coords;
        prop_assert!((back - q.coords).norm().min((back + q.coords).norm()) < 4.0 * EPS);
    }

    #[test]
    fn log_undoes_exp_up_to_half_a_turn(n in direction(), angle in angle()) {
        let angle = if angle.abs() < PI { angle } else { angle % PI };
        let theta = n * angle;
        // Near π a rounding of the vector part moves the axis by ε and the angle by 2 ε.
        prop_assert!((log(&exp(&theta)) - theta).norm() <= 4.0 * EPS * angle.abs());
    }

    #[test]
    fn wrapped_vectors_turn_alike(theta in theta()) {
        let tolerance = 8.0 * EPS * (1.0 + theta.norm());
        prop_assert!((matrix(&wrap(&theta)) - matrix(&theta)).amax() < tolerance);
    }

    #[test]
    fn exp_has_length_one_and_agrees_with_the_matrix(theta in theta()) {
        let (q, r) = (exp(&theta), matrix(&theta));
        prop_assert!((q.coords.norm() - 1.0).abs() < 2.0 * EPS);
        prop_assert!((q.to_rotation_matrix().into_inner() - r).amax() < 16.0 * EPS);
    }

    #[test]
    fn matrix_is_a_rotation_to_a_few_roundings(theta in theta()) {
        // Maximum over 6 million random vectors: 2.7·10⁻¹⁵ near half a turn, 7·10⁻¹⁶ up to 1 rad.
        let (r, tolerance) = (matrix(&theta), if theta.norm() <= 1.0 { 1e-15 } else { 3.5e-15 });
        prop_assert!((r.transpose() * r - Mat3::identity()).amax() < tolerance);
        prop_assert!((r.determinant() - 1.0).abs() < tolerance);
        prop_assert!((r * theta - theta).norm() <= 16.0 * EPS * theta.norm());
        prop_assert!((matrix(&-theta) - r.transpose()).amax() == 0.0);
    }

    #[test]
    fn derivatives_match_differences(theta in theta().prop_filter("moderate", |t| t.norm() < 50.0), d in direction()) {
        let along = |t: f64| theta + d * t;
        let (gradient, hessian) = (matrix_gradient(&theta), matrix_hessian(&theta));
        let first = gradient[0] * d[0] + gradient[1] * d[1] + gradient[2] * d[2];
        let second = (0..9).fold(Mat3::zeros(), |m, k| m + hessian[k / 3][k % 3] * (d[k / 3] * d[k % 3]));
        let rate = |t: f64| {
            let g = matrix_gradient(&along(t));
            g[0] * d[0] + g[1] * d[1] + g[2] * d[2]
        };
        let fd = Differences::default();
        for k in 0..9 {
            prop_assert!((fd.derivative(|t| matrix(&along(t))[k], 0.0) - first[k]).abs() < 1e-11);
            prop_assert!((fd.derivative(|t| rate(t)[k], 0.0) - second[k]).abs() < 1e-11);
        }
    }

    #[test]
    fn points_on_a_line_in_theta_are_bounded_in_speed_and_acceleration(theta in theta(), d in direction()) {
        let (gradient, hessian) = (matrix_gradient(&theta), matrix_hessian(&theta));
        let rate = gradient[0] * d[0] + gradient[1] * d[1] + gradient[2] * d[2];
        let second = (0..9).fold(Mat3::zeros(), |m, k| m + hessian[k / 3][k % 3] * (d[k / 3] * d[k % 3]));
        // ‖dR/dt‖ ≤ ‖δ‖ and ‖d²R/dt²‖ ≤ ‖δ‖² with ‖δ‖ = 1, up to rounding.
        prop_assert!(rate.singular_values().max() < 1.0 + 1e-14);
        prop_assert!(second.singular_values().max() < 1.0 + 1e-14);
    }

    #[test]
    fn jacobian_inverse_is_the_inverse(n in direction(), angle in 0.0..6.0f64) {
        let theta = n * angle;
        let product = left_jacobian(&theta) * left_jacobian_inverse(&theta);
        // ‖J⁻¹‖ grows like 2π/(2π − ‖θ‖), and with it the error.
        prop_assert!((product - Mat3::identity()).amax() < 2e-14 / (TAU - angle).min(1.0));
        prop_assert!((left_jacobian(&-theta) - left_jacobian(&theta).transpose()).amax() < 2.0 * EPS);
    }
}
