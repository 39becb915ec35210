//! Distances depend neither on the frame nor on the order of the points.

use proptest::prelude::*;
use rigor_math::{UnitQuaternion, Vec3};

use super::generators::{extent, point, point_and_triangle, two_edges};
use crate::distance::{edge_edge, line_line, point_point, point_triangle};

const EPSILON: f64 = f64::EPSILON / 2.0;

fn rotation() -> impl Strategy<Value = UnitQuaternion> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0f64]
        .prop_map(|[x, y, z, w]| UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z)))
}

/// Whether two distances agree to 24 ε of the extent: twice the error of one value, plus the rounding of
/// coordinates by the motion.
fn agree(d_sq: f64, other_sq: f64, extent: f64) -> bool {
    (d_sq.sqrt() - other_sq.sqrt()).abs() <= 24.0 * EPSILON * extent
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn rigid_motion_keeps_the_distance(
        x in two_edges(0.0), y in point_and_triangle(0.0), rotation in rotation(), shift in point()
    ) {
        let distance_sq = |[a0, a1, b0, b1]: &[Vec3; 4]| edge_edge::distance_sq(a0, a1, b0, b1);
        let shift = shift * extent(&x);
        let moved = x.map(|p| rotation * p + shift);
        let size = x.iter().chain(&moved).map(Vec3::norm).fold(0.0, f64::max);
        prop_assert!(agree(distance_sq(&x), distance_sq(&moved), 2.0 * size));
        let distance_sq = |[p, a, b, c]: &[Vec3; 4]| point_triangle::distance_sq(p, a, b, c);
        let moved = y.map(|p| rotation * p);
        let size = y.iter().chain(&moved).map(Vec3::norm).fold(0.0, f64::max);
        prop_assert!(agree(distance_sq(&y), distance_sq(&moved), 2.0 * size));
    }

    #[test]
    fn a_power_of_two_scales_exactly(x in two_edges(0.0), y in point_and_triangle(0.0), power in -40..40i32) {
        let factor = f64::from(power).exp2();
        let [a0, a1, b0, b1] = &x;
        let scaled = x.map(|p| p * factor);
        prop_assert_eq!(
            edge_edge::distance_sq(a0, a1, b0, b1) * factor * factor,
            edge_edge::distance_sq(&scaled[0], &scaled[1], &scaled[2], &scaled[3])
        );
        let [p, a, b, c] = &y;
        let scaled = y.map(|p| p * factor);
        prop_assert_eq!(
            point_triangle::distance_sq(p, a, b, c) * factor * factor,
            point_triangle::distance_sq(&scaled[0], &scaled[1], &scaled[2], &scaled[3])
        );
    }

    #[test]
    fn swapping_keeps_points_and_lines_to_the_bit_and_edges_to_rounding(x in two_edges(0.0)) {
        let [a0, a1, b0, b1] = &x;
        prop_assert_eq!(point_point::distance_sq(a0, b0), point_point::distance_sq(b0, a0));
        let (lines, swapped) = (line_line::distance_sq(a0, a1, b0, b1), line_line::distance_sq(b0, b1, a0, a1));
        prop_assert!(lines == swapped || lines.is_nan() && swapped.is_nan());
        let (edges, swapped) = (edge_edge::distance_sq(a0, a1, b0, b1), edge_edge::distance_sq(b0, b1, a0, a1));
        prop_assert!(agree(edges, swapped, extent(&x)));
        let region = (edge_edge::region(a0, a1, b0, b1), edge_edge::region(b0, b1, a0, a1));
        if region == (edge_edge::Region::EdgeAEdgeB, edge_edge::Region::EdgeAEdgeB) {
            prop_assert_eq!(edges, swapped);
        }
    }

    #[test]
    fn naming_the_corners_otherwise_keeps_the_distance([p, a, b, c] in point_and_triangle(0.0)) {
        let d_sq = point_triangle::distance_sq(&p, &a, &b, &c);
        for [a, b, c] in [[a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
            prop_assert!(agree(d_sq, point_triangle::distance_sq(&p, &a, &b, &c), extent(&[p, a, b, c])));
        }
    }
}
