use super::*;
use nalgebra::{DMatrix, DVector, Matrix2, Matrix2x3, SVector, Vector1, Vector2, Vector3};

#[test]
fn derivatives_of_known_functions_are_accurate_as_documented() {
    type Case = (&'static str, fn(f64) -> f64, fn(f64) -> f64, &'static [f64]);
    let cases: [Case; 6] = [
        ("exp", f64::exp, f64::exp, &[-3.0, 0.0, 1.0, 3.0]),
        ("sin", f64::sin, f64::cos, &[0.0, 1.0, 1.57, 30.0]),
        ("sqrt", f64::sqrt, |x| 0.5 / x.sqrt(), &[0.3, 1.0, 20.0]),
        ("atan", f64::atan, |x| 1.0 / (1.0 + x * x), &[-5.0, 0.0, 0.7]),
        ("x⁵", |x| x.powi(5), |x| 5.0 * x.powi(4), &[-2.0, 0.0, 0.5, 3.0]),
        ("gauss", |x| (-x * x).exp(), |x| -2.0 * x * (-x * x).exp(), &[-1.0, 0.0, 2.0]),
    ];
    for (name, f, derivative, points) in cases {
        for &x in points {
            let error = (Differences::default().derivative(f, x) - derivative(x)).abs();
            assert!(error <= 1e-12 * (f(x).abs() + derivative(x).abs()).max(0.1), "{name} at {x}: {error:e}");
        }
    }
}

#[test]
fn steps_that_leave_the_domain_do_no_harm() {
    // ln is NaN for the widest two differences at 0.05.
    let numeric = Differences::default().derivative(f64::ln, 0.05);
    assert!((numeric / 20.0 - 1.0).abs() < 1e-10);
    assert!(Differences::default().derivative(f64::ln, -1.0).is_nan());
}

#[test]
fn step_scales_with_the_feature() {
    let tiny = 1e-6;
    let numeric = Differences::with_step(tiny / 8.0).derivative(|x| (x / tiny).exp(), 0.0);
    assert!((numeric * tiny - 1.0).abs() < 1e-12);
}

#[test]
fn hessian_from_values_has_ten_digits() {
    let f = |x: &Vector2<f64>| (x[0] * x[1]).sin() + x[1].powi(3);
    let x = Vector2::new(0.8f64, 1.2);
    let (s, c) = (x[0] * x[1]).sin_cos();
    let mixed = c - x[0] * x[1] * s;
    let exact = Matrix2::new(-x[1] * x[1] * s, mixed, mixed, -x[0] * x[0] * s + 6.0 * x[1]);
    assert!((hessian(f, &x) - exact).amax() < 1e-10);
}

#[test]
fn jacobian_has_the_shape_of_its_function() {
    let f = |x: &Vector3<f64>| Vector2::new(x[0] * x[1], x[2] * x[2]);
    let x = Vector3::new(2.0, 3.0, 4.0);
    let exact = Matrix2x3::new(3.0, 2.0, 0.0, 0.0, 0.0, 8.0);
    assert!((jacobian(f, &x) - exact).amax() < 1e-12);
}

#[test]
fn sizes_known_at_run_time_work_alike() {
    let f = |x: &DVector<f64>| x.norm_squared();
    let x = DVector::from_vec(vec![1.0, -2.0, 3.0, 0.5]);
    check_gradient(f, &(&x * 2.0), &x).assert_within(1e-12);
    check_jacobian(|x: &DVector<f64>| x * 2.0, &(DMatrix::identity(4, 4) * 2.0), &x).assert_within(1e-12);
    assert!((hessian(f, &x) - DMatrix::identity(4, 4) * 2.0).amax() < 1e-10);
}

#[test]
fn wrong_entry_is_named_with_its_numbers() {
    let f = |x: &SVector<f64, 4>| x.dot(&SVector::from([1.0, 2.0, 3.0, 4.0]));
    let wrong = SVector::from([1.0, 2.0, 3.3, 4.0]);
    let report = check_gradient(f, &wrong, &SVector::from([0.1, 0.2, 0.3, 0.4]));
    assert_eq!(report.index, (2, 0));
    assert!((report.relative_error - 0.3 / 4.0).abs() < 1e-12 && (report.numeric - 3.0).abs() < 1e-12);
    let mismatch = report.within(1e-9).unwrap_err();
    assert_eq!(mismatch, Mismatch { report, tolerance: 1e-9 });
    assert!(mismatch.to_string().contains("(2, 0)"));
}

#[test]
fn small_mistakes_are_seen() {
    let f = |x: &Vector2<f64>| x[0].sin() * x[1].exp();
    let x = Vector2::new(0.4f64, -0.3);
    let exact = Vector2::new(x[0].cos() * x[1].exp(), f(&x));
    check_gradient(f, &exact, &x).assert_within(1e-12);
    for factor in [1.0 + 1e-10, -1.0, 0.0] {
        let wrong = exact.component_mul(&Vector2::new(factor, 1.0));
        assert!(check_gradient(f, &wrong, &x).within(1e-11).is_err());
    }
}

#[test]
fn vanishing_gradient_of_a_large_value_is_no_mismatch_but_nan_is() {
    let f = |x: &Vector1<f64>| 1e3 + x[0] * x[0];
    check_gradient(f, &Vector1::new(0.0), &Vector1::new(0.0)).assert_within(0.0);
    let report = check_gradient(f, &Vector1::new(f64::NAN), &Vector1::new(0.0));
    assert_eq!(report.relative_error, f64::INFINITY);
}

#[test]
#[should_panic(expected = "the derivative is wrong")]
fn assertion_panics_on_a_mismatch() {
    check_gradient(|x: &Vector1<f64>| x[0], &Vector1::new(2.0), &Vector1::new(1.0)).assert_within(1e-3);
}
