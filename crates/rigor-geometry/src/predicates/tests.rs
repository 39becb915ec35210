//! Checks every sign against rational arithmetic.

use dashu::rational::RBig;
use proptest::prelude::*;
use rigor_math::Vec3;

use super::{Sign, are_collinear, are_coplanar, is_in_range, normal_axis, orient_2d, orient_3d};
use crate::oracle;

fn sign(x: &RBig) -> Sign {
    match x.cmp(&RBig::ZERO) {
        std::cmp::Ordering::Less => Sign::Negative,
        std::cmp::Ordering::Equal => Sign::Zero,
        std::cmp::Ordering::Greater => Sign::Positive,
    }
}

/// Four points that are coplanar or collinear up to rounding, of any magnitude within the range, also mixed.
fn nearly_flat() -> impl Strategy<Value = [Vec3; 4]> {
    let any = || proptest::array::uniform3(-1.0..1.0f64).prop_map(Vec3::from);
    let multiple = || prop_oneof![Just(0.0), Just(0.5), Just(1.0), -1.0..1.0f64];
    let exponents = proptest::array::uniform3(-80..90i32);
    let uniform = prop::sample::select(vec![true, true, false]);
    ([any(), any(), any()], [multiple(), multiple(), multiple()], exponents, uniform).prop_map(
        |([a, b, c], [r, s, t], exponents, uniform)| {
            let c = if r == 0.5 { a + (b - a) * s } else { c };
            let d = a + (b - a) * s + (c - a) * t;
            let exponents = if uniform { [exponents[0]; 3] } else { exponents };
            let scale = Vec3::from(exponents.map(|e| 10f64.powi(e)));
            [a, b, c, d].map(|p| p.component_mul(&scale))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn signs_are_those_of_rational_arithmetic([a, b, c, d] in nearly_flat()) {
        prop_assert!([a, b, c, d].iter().all(is_in_range));
        prop_assert_eq!(orient_3d(&a, &b, &c, &d), sign(&oracle::volume(&a, &b, &c, &d)));
        let normal = oracle::normal(&a, &b, &c);
        for axis in 0..3 {
            prop_assert_eq!(orient_2d(axis, &a, &b, &c), sign(&normal[axis]));
        }
        prop_assert_eq!(are_collinear(&a, &b, &c), normal.iter().all(|x| *x == RBig::ZERO));
        if let Some(axis) = normal_axis(&a, &b, &c) {
            prop_assert_ne!(sign(&normal[axis]), Sign::Zero);
        }
    }
}

#[test]
fn collinear_and_coplanar_are_exact() {
    let at = |t: f64| Vec3::new(t, 3.0 * t, -5.0 * t);
    assert!(are_collinear(&at(2f64.powi(-130)), &at(2f64.powi(130)), &at(0.0)));
    assert!(!are_collinear(&at(0.1), &at(0.2), &(at(0.3) + Vec3::new(0.0, 0.0, f64::EPSILON))));
    let (a, b, c) = (Vec3::zeros(), Vec3::new(1e90, 0.0, 0.0), Vec3::new(0.0, 1e-90, 0.0));
    assert!(are_coplanar(&a, &b, &c, &Vec3::new(0.7, 0.1, 0.0)));
    assert!(!are_coplanar(&a, &b, &c, &Vec3::new(0.7, 0.1, 1e-90)));
}

#[test]
fn the_range_is_as_stated() {
    assert!(is_in_range(&Vec3::new(0.0, -1e-90, 1e100)));
    assert!(!is_in_range(&Vec3::new(0.0, 1e-91, 0.0)));
    assert!(!is_in_range(&Vec3::new(0.0, f64::NAN, 0.0)));
}
