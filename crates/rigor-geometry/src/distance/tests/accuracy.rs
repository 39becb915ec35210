//! Checks values against exact rational ones and against dense sampling.

use proptest::prelude::*;
use rigor_math::Vec3;

use super::generators::{extent, point, point_and_triangle, two_edges};
use crate::distance::{edge_edge, point_edge, point_triangle};
use crate::oracle;

/// 8 ε of the extent, with ε = 2⁻⁵³; none of 50 000 cases exceeded 4 ε.
const TOLERANCE: f64 = 8.0 * f64::EPSILON / 2.0;

fn exact_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    oracle::distance_sq(a, b).to_f64().value().sqrt()
}

/// Asserts that the weights have the right signs and sum to 1 over A and to −1 over B.
fn check_weights(weights: &[f64], n_a: usize) {
    let (a, b) = weights.split_at(n_a);
    assert!(
        a.iter().all(|w| (0.0..=1.0).contains(w)) && b.iter().all(|w| (-1.0..=0.0).contains(w)),
        "{weights:?}"
    );
    let sums = (a.iter().sum::<f64>(), b.iter().sum::<f64>());
    assert!((sums.0 - 1.0).abs() < 1e-15 && (sums.1 + 1.0).abs() < 1e-15, "{weights:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn points_and_edges([p, a, b, _] in point_and_triangle(0.0)) {
        let error = point_edge::distance_sq(&p, &a, &b).sqrt() - exact_distance(&[p], &[a, b]);
        prop_assert!(error.abs() <= TOLERANCE * extent(&[p, a, b]), "{error:e}");
        check_weights(&point_edge::closest(&p, &a, &b).weights, 1);
    }

    #[test]
    fn points_and_triangles([p, a, b, c] in point_and_triangle(0.0)) {
        let exact = exact_distance(&[p], &[a, b, c]);
        let tolerance = TOLERANCE * extent(&[p, a, b, c]);
        let error = point_triangle::distance_sq(&p, &a, &b, &c).sqrt() - exact;
        prop_assert!(error.abs() <= tolerance, "{error:e}");
        let closest = point_triangle::closest(&p, &a, &b, &c);
        prop_assert!((closest.separation.norm() - exact).abs() <= tolerance);
        let off = exact_distance(&[closest.point_b], &[a, b, c]);
        prop_assert!(off <= tolerance + 2.0 * f64::EPSILON * p.norm(), "{off:e}");
        check_weights(&closest.weights, 1);
    }

    #[test]
    fn edges([a0, a1, b0, b1] in two_edges(0.0)) {
        let exact = exact_distance(&[a0, a1], &[b0, b1]);
        let tolerance = TOLERANCE * extent(&[a0, a1, b0, b1]);
        let error = edge_edge::distance_sq(&a0, &a1, &b0, &b1).sqrt() - exact;
        prop_assert!(error.abs() <= tolerance, "{error:e}");
        let closest = edge_edge::closest(&a0, &a1, &b0, &b1);
        prop_assert!((closest.separation.norm() - exact).abs() <= tolerance);
        check_weights(&closest.weights, 2);
    }

    #[test]
    fn closest_points_of_well_shaped_features_realise_the_distance(
        p in point(), x in two_edges(1e-1), y in point_and_triangle(1e-1)
    ) {
        let [a0, a1, b0, b1] = &x;
        let found = edge_edge::closest(a0, a1, b0, b1);
        let by_weights = found.weights.iter().zip(&x).map(|(w, x)| x * *w).sum::<Vec3>();
        let tilt = (a1 - a0).cross(&(b1 - b0)).norm() / extent(&x).powi(2);
        prop_assume!(tilt > 1e-2);
        prop_assert!((by_weights - found.separation).norm() <= 1e-13 / tilt * extent(&x));
        prop_assert!((found.point_a - found.point_b - found.separation).norm() <= 1e-13 / tilt * extent(&x));
        let [_, a, b, c] = &y;
        let p = p * extent(&y);
        let found = point_triangle::closest(&p, a, b, c);
        let by_weights = p + a * found.weights[1] + b * found.weights[2] + c * found.weights[3];
        let height = (b - a).cross(&(c - a)).norm() / extent(&y).powi(2);
        prop_assume!(height > 1e-2);
        prop_assert!((by_weights - found.separation).norm() <= 1e-13 / height * extent(&y));
    }

    #[test]
    fn no_sample_is_nearer_and_some_sample_almost_as_near(
        x in two_edges(0.0), [p, a, b, c] in point_and_triangle(0.0)
    ) {
        const N: u32 = 64;
        let at = |i: u32| f64::from(i) / f64::from(N);
        let [a0, a1, b0, b1] = x;
        let pairs = (0..=N).flat_map(|i| (0..=N).map(move |j| (at(i), at(j))));
        let gap = |(s, t): (f64, f64)| (a0 + (a1 - a0) * s - b0 - (b1 - b0) * t).norm();
        let sampled = pairs.clone().map(gap).fold(f64::INFINITY, f64::min);
        let spacing = ((a1 - a0).norm() + (b1 - b0).norm()) / f64::from(N);
        let d = edge_edge::distance_sq(&a0, &a1, &b0, &b1).sqrt();
        prop_assert!(d <= sampled + 4e-15 * extent(&x) && sampled <= d + spacing, "{d} {sampled}");
        let gap = |(s, t): (f64, f64)| (a + (b - a) * s + (c - a) * (t * (1.0 - s)) - p).norm();
        let sampled = pairs.map(gap).fold(f64::INFINITY, f64::min);
        let spacing = 2.0 * extent(&[a, b, c]) / f64::from(N);
        let d = point_triangle::distance_sq(&p, &a, &b, &c).sqrt();
        prop_assert!(d <= sampled + 4e-15 * extent(&[p, a, b, c]) && sampled <= d + spacing, "{d} {sampled}");
    }
}
