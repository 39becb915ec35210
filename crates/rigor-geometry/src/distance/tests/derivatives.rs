//! Checks gradients against differences of values, and Hessians against differences of gradients.

use nalgebra::SVector;
use proptest::prelude::*;
use rigor_math::Vec3;
use rigor_math::finite_difference::{Differences, Report};

use super::generators::{extent, point, point_and_triangle, two_edges};
use crate::distance::{
    edge_edge, line_line, point_edge, point_line, point_plane, point_point, point_triangle,
};

/// Resolution of the differences, times extent/feature: ten times the largest errors of 20 000 cases.
const TOLERANCE: f64 = 2e-11;

fn nth<const D: usize>(x: &SVector<f64, D>, i: usize) -> Vec3 {
    x.fixed_rows::<3>(3 * i).into_owned()
}

fn stack<const D: usize>(points: &[Vec3]) -> SVector<f64, D> {
    SVector::from_iterator(points.iter().flat_map(|p| p.iter().copied()))
}

/// Checks `$module::distance_sq{,_gradient,_hessian}$suffix($region, …points)` with differences over `$feature` (m).
macro_rules! check {
    ($points:expr, $feature:expr, $d:literal, [$($i:literal),*], $value:path, $gradient:path, $hessian:path $(, $region:expr)?) => {{
        let x: SVector<f64, $d> = stack(&$points[..]);
        let value = |x: &SVector<f64, $d>| $value($($region,)? $(&nth(x, $i)),*);
        let gradient = |x: &SVector<f64, $d>| $gradient($($region,)? $(&nth(x, $i)),*);
        let hessian = $hessian($($region,)? $(&nth(&x, $i)),*);
        let (extent, differences) = (extent(&$points[..]), Differences::with_step($feature / 8.0));
        // Scaled by the size of the gradient's terms, and by the largest second derivative.
        let noise = TOLERANCE * extent * (extent / $feature);
        let first = Report::compare(&gradient(&x), &differences.gradient(value, &x), noise);
        prop_assert!(first.within(0.0).is_ok(), "gradient: {:?}", first);
        let noise = TOLERANCE * hessian.amax() * (extent / $feature);
        let second = Report::compare(&hessian, &differences.jacobian(gradient, &x), noise);
        prop_assert!(second.within(0.0).is_ok(), "hessian: {:?}", second);
        prop_assert_eq!(hessian, hessian.transpose());
    }};
}

/// Smallest height of a triangle.
fn height([a, b, c]: &[Vec3; 3]) -> f64 {
    (b - a).cross(&(c - a)).norm() / (b - a).norm().max((c - b).norm()).max((a - c).norm())
}

/// How far an end must move to make the edges parallel.
fn tilt([a0, a1, b0, b1]: &[Vec3; 4]) -> f64 {
    let (u, v) = (a1 - a0, b1 - b0);
    u.cross(&v).norm() / u.norm().max(v.norm())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn points(p in point(), q in point()) {
        check!([p, q], 1.0, 6, [0, 1], point_point::distance_sq, point_point::distance_sq_gradient,
            point_point::distance_sq_hessian);
    }

    #[test]
    fn points_and_lines([p, a, b, _] in point_and_triangle(1e-3)) {
        let feature = (b - a).norm();
        prop_assume!(feature > 1e-2 * extent(&[p, a, b]));
        check!([p, a, b], feature, 9, [0, 1, 2], point_line::distance_sq, point_line::distance_sq_gradient,
            point_line::distance_sq_hessian);
    }

    #[test]
    fn points_and_edges([p, a, b, _] in point_and_triangle(1e-3)) {
        let (feature, region) = ((b - a).norm(), point_edge::region(&p, &a, &b));
        prop_assume!(feature > 1e-2 * extent(&[p, a, b]));
        check!([p, a, b], feature, 9, [0, 1, 2], point_edge::distance_sq_in,
            point_edge::distance_sq_gradient_in, point_edge::distance_sq_hessian_in, region);
    }

    #[test]
    fn points_and_planes(x in point_and_triangle(1e-3)) {
        let feature = height(&[x[1], x[2], x[3]]);
        prop_assume!(feature > 1e-3 * extent(&x));
        check!(x, feature, 12, [0, 1, 2, 3], point_plane::distance_sq, point_plane::distance_sq_gradient,
            point_plane::distance_sq_hessian);
    }

    #[test]
    fn points_and_triangles(x in point_and_triangle(1e-3)) {
        let feature = height(&[x[1], x[2], x[3]]);
        prop_assume!(feature > 1e-3 * extent(&x));
        let region = point_triangle::region(&x[0], &x[1], &x[2], &x[3]);
        check!(x, feature, 12, [0, 1, 2, 3], point_triangle::distance_sq_in,
            point_triangle::distance_sq_gradient_in, point_triangle::distance_sq_hessian_in, region);
    }

    #[test]
    fn lines(x in two_edges(1e-3)) {
        let feature = tilt(&x);
        prop_assume!(feature > 1e-3 * extent(&x));
        check!(x, feature, 12, [0, 1, 2, 3], line_line::distance_sq, line_line::distance_sq_gradient,
            line_line::distance_sq_hessian);
    }

    #[test]
    fn edges(x in two_edges(1e-3)) {
        let [a0, a1, b0, b1] = &x;
        let region = edge_edge::region(a0, a1, b0, b1);
        let is_interior = region == edge_edge::Region::EdgeAEdgeB;
        let feature = if is_interior { tilt(&x) } else { (a1 - a0).norm().min((b1 - b0).norm()) };
        prop_assume!(feature > 1e-3 * extent(&x));
        check!(x, feature, 12, [0, 1, 2, 3], edge_edge::distance_sq_in,
            edge_edge::distance_sq_gradient_in, edge_edge::distance_sq_hessian_in, region);
    }
}
