//! Queries about rigid bodies that exact arithmetic decides.

use dashu_int::IBig;
use rigor_math::{UnitQuaternion, Vec3};

use super::body::{orient, quaternion};
use super::integer::{common_shift, scaled};
use super::straight::{Point, first_meeting, is_meeting};
use rigor_ccd::{RigidMotion, RigidQuery, Truth};

/// Returns θ at the start and the end, for A and B.
pub(super) fn thetas(query: &RigidQuery) -> [[Vec3; 2]; 2] {
    [query.motion_a, query.motion_b].map(|m| [m.theta_t0, m.theta_t1])
}

/// Returns the truth if exact arithmetic decides it.
pub(super) fn decided(query: &RigidQuery) -> Option<Truth> {
    if query.motion_a == query.motion_b {
        let at_rest = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
        let query = RigidQuery::new(query.kind, [at_rest; 2], query.points_local, query.d_min);
        return Some(if meets_at(&query, 0) { Truth::First { lo: 0.0, hi: 0.0 } } else { Truth::Free });
    }
    if thetas(query).iter().flatten().all(|theta| *theta == Vec3::zeros()) {
        let ((start, d_min), (end, _)) = (exact_points(query, 0), exact_points(query, 1));
        return Some(first_meeting(query.kind, &start, &end, &d_min));
    }
    meets_at(query, 0).then_some(Truth::First { lo: 0.0, hi: 0.0 })
}

/// Whether they are known to meet at time 0 or 1; decidable only if θ = 0 for both then.
pub(super) fn meets_at(query: &RigidQuery, end: usize) -> bool {
    let (points, d_min) = exact_points(query, end);
    thetas(query).iter().all(|theta| theta[end] == Vec3::zeros()) && is_meeting(query.kind, &points, &d_min)
}

/// Returns the points at time 0 or 1 as if θ were 0, and d_min, scaled by a common factor: Q x̂ + q is a
/// fraction with the denominator ‖Q‖².
fn exact_points(query: &RigidQuery, end: usize) -> (Vec<Point>, IBig) {
    let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
    let motions = [&query.motion_a, &query.motion_b];
    let positions = motions.map(|m| [m.position_t0, m.position_t1]);
    let lengths = positions.iter().flatten().chain(&query.points_local[..n]).flat_map(|x| x.iter());
    let shift = common_shift(lengths.chain([&query.d_min]));
    let point = |x: &Vec3| -> Point { std::array::from_fn(|i| scaled(x[i], shift).0) };
    let q = motions.map(|m| quaternion(&m.orientation));
    let norm_sq = q.each_ref().map(|q| q.iter().fold(IBig::ZERO, |sum, c| sum + c * c));
    let place = |i: usize| -> Point {
        let body = usize::from(i >= n_a);
        let (turned, norm_here) = orient(&q[body], &point(&query.points_local[i]));
        let position = point(&positions[body][end]);
        std::array::from_fn(|k| (&turned[k] + &position[k] * &norm_here) * &norm_sq[1 - body])
    };
    ((0..n).map(place).collect(), scaled(query.d_min, shift).0 * &norm_sq[0] * &norm_sq[1])
}

/// Whether all points stay in one plane perpendicular to a coordinate axis; all rotations are about that
/// axis.
pub(super) fn stays_in_plane(query: &RigidQuery, axis: usize) -> bool {
    let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
    let motions = [&query.motion_a, &query.motion_b];
    let is_along = |v: &Vec3| (0..3).all(|i| i == axis || v[i] == 0.0);
    let turns_about = |m: &RigidMotion| [m.theta_t0, m.theta_t1, m.orientation.imag()].iter().all(is_along);
    let is_level = |positions: [&Vec3; 2]| {
        let numbers =
            positions.iter().map(|p| &p[axis]).chain(query.points_local[..n].iter().map(|x| &x[axis]));
        let shift = common_shift(numbers);
        let height = |i: usize| {
            scaled(query.points_local[i][axis], shift).0
                + scaled(positions[usize::from(i >= n_a)][axis], shift).0
        };
        (1..n).all(|i| height(i) == height(0))
    };
    motions.into_iter().all(turns_about)
        && is_level(motions.map(|m| &m.position_t0))
        && is_level(motions.map(|m| &m.position_t1))
}
