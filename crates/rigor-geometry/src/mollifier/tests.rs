use nalgebra::SVector;
use proptest::prelude::*;
use rigor_math::Vec3;
use rigor_math::finite_difference::{Differences, Report};

use super::{gradient, hessian, threshold, value};

type Vec12 = SVector<f64, 12>;

fn split(x: &Vec12) -> [Vec3; 4] {
    [0, 3, 6, 9].map(|i| x.fixed_rows::<3>(i).into_owned())
}

/// Two edges, mostly below the threshold of their own lengths (sin α up to 0.03), of any size.
fn nearly_parallel() -> impl Strategy<Value = ([Vec3; 4], f64)> {
    let point = || proptest::array::uniform3(-1.0..1.0f64).prop_map(Vec3::from);
    let numbers = (0.5..2.0f64, prop::sample::select(vec![0.0, 1e-8, 1e-3, 1e-2]));
    ([point(), point(), point(), point()], numbers, prop::sample::select(vec![1e-8, 1.0, 1e8])).prop_map(
        |([a0, a1, b0, d], (length, tilt), size)| {
            let b1 = b0 + (a1 - a0) * length + d * tilt;
            ([a0, a1, b0, b1].map(|p| p * size), size)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn derivatives_match_differences((points, size) in nearly_parallel()) {
        let [a0, a1, b0, b1] = &points;
        let length = (a1 - a0).norm().min((b1 - b0).norm());
        prop_assume!(length > 0.1 * size);
        // Far enough below the threshold for the differences to stay there.
        let e_x = 20.0 * threshold(a0, a1, b0, b1);
        let x = Vec12::from_iterator(points.iter().flat_map(|p| p.iter().copied()));
        let of = |f: fn(&Vec3, &Vec3, &Vec3, &Vec3, f64) -> f64, x: &Vec12| {
            let [a0, a1, b0, b1] = split(x);
            f(&a0, &a1, &b0, &b1, e_x)
        };
        let gradient_at = |x: &Vec12| {
            let [a0, a1, b0, b1] = split(x);
            gradient(&a0, &a1, &b0, &b1, e_x)
        };
        let differences = Differences::with_step(length / 64.0);
        let first = Report::compare(&gradient_at(&x), &differences.gradient(|x| of(value, x), &x), 1e-10 / length);
        prop_assert!(first.within(0.0).is_ok(), "gradient: {:?}", first);
        let exact = hessian(a0, a1, b0, b1, e_x);
        let second = Report::compare(&exact, &differences.jacobian(gradient_at, &x), 1e-11 * exact.amax());
        prop_assert!(second.within(0.0).is_ok(), "hessian: {:?}", second);
        prop_assert_eq!(exact, exact.transpose());
    }

    #[test]
    fn the_size_does_not_matter((points, _) in nearly_parallel(), power in -100..100i32) {
        let at = |[a0, a1, b0, b1]: &[Vec3; 4]| value(a0, a1, b0, b1, threshold(a0, a1, b0, b1));
        let scaled = points.map(|p| p * f64::from(power).exp2());
        prop_assert_eq!(at(&points), at(&scaled));
        let [a0, a1, b0, b1] = points;
        prop_assert!((at(&points) - at(&[b0, b1, a0, a1])).abs() <= 4.0 * f64::EPSILON);
        prop_assert!((0.0..=1.0).contains(&at(&points)));
    }
}

#[test]
fn value_and_gradient_join_at_the_threshold() {
    let (a0, a1, b0) = (Vec3::zeros(), Vec3::x(), Vec3::z());
    let at = |angle: f64| b0 + Vec3::new(1.0, angle, 0.0);
    // c = angle² for edges of lengths 1 and √(1 + angle²).
    let (below, above) = (at(0.1 - 1e-9), at(0.1 + 1e-9));
    assert!((value(&a0, &a1, &b0, &below, 0.01) - 1.0).abs() < 1e-14);
    assert_eq!(value(&a0, &a1, &b0, &above, 0.01), 1.0);
    assert!(gradient(&a0, &a1, &b0, &below, 0.01).amax() < 1e-5);
    assert_eq!(gradient(&a0, &a1, &b0, &above, 0.01), Vec12::zeros());
}

#[test]
fn parallel_edges_and_their_slope_vanish() {
    let (a0, a1, b0, b1) = (Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(3.0, 1.0, 0.0));
    let e_x = threshold(&a0, &a1, &b0, &b1);
    assert_eq!(value(&a0, &a1, &b0, &b1, e_x), 0.0);
    assert_eq!(gradient(&a0, &a1, &b0, &b1, e_x), Vec12::zeros());
}

#[test]
fn a_rest_edge_without_length_mollifies_nothing() {
    let a = Vec3::zeros();
    let e_x = threshold(&a, &a, &Vec3::x(), &Vec3::y());
    assert_eq!(value(&a, &a, &Vec3::x(), &Vec3::y(), e_x), 1.0);
    assert_eq!(hessian(&a, &a, &Vec3::x(), &Vec3::y(), e_x).amax(), 0.0);
}
