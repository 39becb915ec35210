//! Every region is found where it should be, and value and gradient are continuous across regions.

use proptest::prelude::*;
use rigor_math::Vec3;

use super::generators::{extent, point, point_and_triangle, two_edges};
use crate::distance::{edge_edge, point_edge, point_triangle};

#[test]
fn a_point_around_a_triangle_meets_all_seven_regions() {
    use point_triangle::Region::*;
    let (a, b, c) = (Vec3::zeros(), Vec3::x(), Vec3::y());
    let cases = [
        ((-1.0, -1.0), VertexA, 2.0),
        ((2.0, -0.5), VertexB, 1.25),
        ((-0.5, 2.0), VertexC, 1.25),
        ((0.5, -1.0), EdgeAB, 1.0),
        ((1.0, 1.0), EdgeBC, 0.5),
        ((-1.0, 0.5), EdgeCA, 1.0),
        ((0.25, 0.25), Face, 0.0),
    ];
    for ((x, y), region, in_plane_sq) in cases {
        let p = Vec3::new(x, y, 3.0);
        assert_eq!(point_triangle::region(&p, &a, &b, &c), region);
        let d_sq = point_triangle::distance_sq(&p, &a, &b, &c);
        assert!((d_sq - (in_plane_sq + 9.0)).abs() < 1e-14, "{region:?}: {d_sq}");
    }
}

#[test]
fn an_edge_around_an_edge_meets_all_nine_regions() {
    use edge_edge::Region::*;
    // A runs from (−1, 0, 0) to (1, 0, 0); B runs along y, 1 long on each side of its middle (x, y, 1).
    let cases = [
        ((0.0, 0.0), EdgeAEdgeB, 1.0),
        ((-2.0, 0.0), VertexA0EdgeB, 2.0),
        ((2.0, 0.0), VertexA1EdgeB, 2.0),
        ((0.0, 2.0), EdgeAVertexB0, 2.0),
        ((0.0, -2.0), EdgeAVertexB1, 2.0),
        ((-2.0, 2.0), VertexA0VertexB0, 3.0),
        ((-2.0, -2.0), VertexA0VertexB1, 3.0),
        ((2.0, 2.0), VertexA1VertexB0, 3.0),
        ((2.0, -2.0), VertexA1VertexB1, 3.0),
    ];
    for ((x, y), region, d_sq) in cases {
        let (b0, b1) = (Vec3::new(x, y - 1.0, 1.0), Vec3::new(x, y + 1.0, 1.0));
        assert_eq!(edge_edge::region(&-Vec3::x(), &Vec3::x(), &b0, &b1), region);
        assert_eq!(edge_edge::distance_sq(&-Vec3::x(), &Vec3::x(), &b0, &b1), d_sq);
    }
}

#[test]
fn a_point_along_an_edge_meets_all_three_regions() {
    let region = |x: f64| point_edge::region(&Vec3::new(x, 1.0, 0.0), &Vec3::zeros(), &Vec3::x());
    use point_edge::Region::*;
    assert_eq!([-1.0, 0.0, 0.5, 1.0, 2.0].map(region), [VertexA, VertexA, Edge, VertexB, VertexB]);
}

/// From a visible motion down to a few units in the last place.
fn step() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![1e-1, 1e-4, 1e-8, 1e-12, 1e-15])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// A distance is a 1-Lipschitz function of the motion of either feature.
    #[test]
    fn values_pass_continuously_between_regions(
        x in two_edges(0.0), y in point_and_triangle(0.0), by in [point(), point()], step in step()
    ) {
        let [a0, a1, b0, b1] = x;
        let by = by.map(|v| v * step * extent(&x));
        let d = edge_edge::distance_sq(&a0, &a1, &b0, &b1).sqrt();
        let moved = edge_edge::distance_sq(&(a0 + by[0]), &(a1 + by[1]), &b0, &b1).sqrt();
        let most = by[0].norm().max(by[1].norm());
        prop_assert!((d - moved).abs() <= most + 2e-15 * extent(&x));
        let [p, a, b, c] = y;
        let by = by[0] * (extent(&y) / extent(&x).max(f64::MIN_POSITIVE));
        let d = point_triangle::distance_sq(&p, &a, &b, &c).sqrt();
        let moved = point_triangle::distance_sq(&(p + by), &a, &b, &c).sqrt();
        prop_assert!((d - moved).abs() <= by.norm() + 4e-15 * extent(&y));
    }

    /// ½ ∂d²/∂p is p minus its projection onto a convex set, which is a 1-Lipschitz function of p.
    #[test]
    fn gradients_pass_continuously_between_regions(
        [p, a, b, c] in point_and_triangle(1e-3), by in point(), step in step()
    ) {
        let by = by * step * extent(&[a, b, c]);
        let half = |p: &Vec3| point_triangle::distance_sq_gradient(p, &a, &b, &c).fixed_rows::<3>(0) / 2.0;
        let change = (half(&(p + by)) - half(&p)).norm();
        prop_assert!(change <= by.norm() + 4e-15 * extent(&[p, a, b, c]), "{change:e} {:e}", by.norm());
    }
}
