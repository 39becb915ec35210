//! Edges without length and triangles without area: values are finite and correct, derivatives are finite.

use proptest::prelude::*;
use rigor_math::Vec3;

use super::generators::extent;
use crate::distance::{edge_edge, point_edge, point_triangle};
use crate::oracle;

/// A few grid places, so that points often coincide, or are collinear or coplanar.
fn place() -> impl Strategy<Value = Vec3> {
    [0..2i32, 0..2i32, 0..3i32].prop_map(|p| Vec3::from(p.map(f64::from)))
}

fn size() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![1e-70, 1e-8, 1.0, 1.1, 1e8, 1e70])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn points_on_a_grid(x in [place(), place(), place(), place()], size in size()) {
        let x = x.map(|p| p * size);
        let [p, a, b, c] = &x;
        let tolerance = 8.0 * f64::EPSILON * extent(&x) / size;
        let is_right = |d_sq: f64, n: usize, m: usize| {
            // The exact distance at size 1, so that it fits a float.
            let exact = oracle::distance_sq(&x[..n], &x[n..m]);
            let unit = oracle::rational(size);
            let exact = (exact / (&unit * &unit)).to_f64().value().sqrt();
            (d_sq.sqrt() / size - exact).abs() <= tolerance
        };
        prop_assert!(is_right(point_edge::distance_sq(p, a, b), 1, 3));
        prop_assert!(is_right(point_triangle::distance_sq(p, a, b, c), 1, 4));
        prop_assert!(is_right(edge_edge::distance_sq(p, a, b, c), 2, 4));
        let is_finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        prop_assert!(is_finite(point_edge::distance_sq_gradient(p, a, b).as_slice()));
        prop_assert!(is_finite(point_edge::distance_sq_hessian(p, a, b).as_slice()));
        prop_assert!(is_finite(point_triangle::distance_sq_gradient(p, a, b, c).as_slice()));
        prop_assert!(is_finite(point_triangle::distance_sq_hessian(p, a, b, c).as_slice()));
        prop_assert!(is_finite(edge_edge::distance_sq_gradient(p, a, b, c).as_slice()));
        prop_assert!(is_finite(edge_edge::distance_sq_hessian(p, a, b, c).as_slice()));
        prop_assert!(is_finite(&point_triangle::closest(p, a, b, c).weights));
        prop_assert!(is_finite(&edge_edge::closest(p, a, b, c).weights));
    }
}

#[test]
fn features_below_the_range_keep_finite_values() {
    for size in [1e-100, 1e-155, 1e-200, 1e-300, 5e-324] {
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.25, 0.25, 1.0]]
            .map(|p| Vec3::from(p) * size);
        assert!(point_triangle::distance_sq(&x[3], &x[0], &x[1], &x[2]).is_finite());
        assert!(edge_edge::distance_sq(&x[0], &x[1], &x[2], &x[3]).is_finite());
        assert!(point_triangle::distance_sq(&Vec3::new(1.0, 2.0, 2.0), &x[0], &x[1], &x[2]) == 9.0);
    }
}

#[test]
fn a_collapsed_triangle_is_its_point() {
    let (p, a) = (Vec3::new(1.0, 2.0, 2.0), Vec3::zeros());
    assert_eq!(point_triangle::region(&p, &a, &a, &a), point_triangle::Region::VertexA);
    assert_eq!(point_triangle::distance_sq(&p, &a, &a, &a), 9.0);
    assert_eq!(edge_edge::region(&p, &p, &a, &a), edge_edge::Region::VertexA0VertexB0);
}

#[test]
fn overlapping_parallel_edges_are_nearest_at_an_end() {
    let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    let region = edge_edge::region(&at(0.0, 0.0), &at(2.0, 0.0), &at(-1.0, 1.0), &at(1.0, 1.0));
    assert_eq!(region, edge_edge::Region::VertexA0EdgeB);
    let region = edge_edge::region(&at(0.0, 0.0), &at(2.0, 0.0), &at(1.0, 1.0), &at(3.0, 1.0));
    assert_eq!(region, edge_edge::Region::EdgeAVertexB0);
}

/// Coordinates whose squares overflow, mixed with some whose squares do not.
fn enormous() -> impl Strategy<Value = Vec3> {
    let coordinate = || prop::sample::select(vec![0.0, 1.0, -0.3, 1e80, -3e80, 1e160, -2e160, f64::MAX]);
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Results may be NaN there; nothing panics.
    #[test]
    fn squares_that_overflow_do_not_panic(x in [enormous(), enormous(), enormous(), enormous()]) {
        point_edge::closest(&x[0], &x[1], &x[2]);
        point_triangle::closest(&x[0], &x[1], &x[2], &x[3]);
        edge_edge::closest(&x[0], &x[1], &x[2], &x[3]);
    }
}
