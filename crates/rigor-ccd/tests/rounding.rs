//! Queries in which rounding decides, judged by the exact oracle.

use proptest::prelude::*;
use rigor_ccd::broad_phase::{Shape, candidates, proximity};
use rigor_ccd::{Ccd, Kind, LinearMethod, LinearQuery, RigidMethod, RigidMotion, RigidQuery, StraightMotion};
use rigor_ccd_test::oracle;
use rigor_geometry::Mesh;
use rigor_math::{Pose, UnitQuaternion, Vec3, rotation_vector};

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

fn point(x: Vec3) -> Shape {
    Shape::new(Mesh::new(vec![x], vec![], vec![]).expect("one point is a mesh"))
}

/// The distance (m) of two points of two bodies at `t`, rounded up.
fn distance(motions: [RigidMotion; 2], [a, b]: [Vec3; 2], t: f64) -> f64 {
    oracle::rigid_distance_at(&RigidQuery::point_point(motions, a, b, 0.0), t).upper
}

fn rigid_query(kind: Kind, motions: [RigidMotion; 2], [a, b, c, d]: [Vec3; 4]) -> RigidQuery {
    match kind {
        Kind::PointPoint => RigidQuery::point_point(motions, a, b, 0.0),
        Kind::PointEdge => RigidQuery::point_edge(motions, a, [b, c], 0.0),
        Kind::PointTriangle => RigidQuery::point_triangle(motions, a, [b, c, d], 0.0),
        Kind::EdgeEdge => RigidQuery::edge_edge(motions, [a, b], [c, d], 0.0),
    }
}

fn linear_query(kind: Kind, [a, b, c, d]: [StraightMotion; 4]) -> LinearQuery {
    match kind {
        Kind::PointPoint => LinearQuery::point_point(a, b, 0.0),
        Kind::PointEdge => LinearQuery::point_edge(a, [b, c], 0.0),
        Kind::PointTriangle => LinearQuery::point_triangle(a, [b, c, d], 0.0),
        Kind::EdgeEdge => LinearQuery::edge_edge([a, b], [c, d], 0.0),
    }
}

proptest! {
    /// Two points as far apart as the margin, along an axis of the frame in which boxes are compared.
    #[test]
    fn points_at_the_margin_are_candidates(
        x in vector(1.0), displacement in vector(1.0), turn in vector(3.0), margin in 1e-6..1e-3, axis in 0..3usize,
    ) {
        let pose = Pose::new(displacement + Vec3::repeat(4.0), rotation_vector::exp(&turn));
        let y = pose.point(&x) + margin * Vec3::ith(axis, 1.0);
        let motions =
            [RigidMotion::at_rest(pose.position, pose.rotation), RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity())];
        let margin = distance(motions, [x, y], 0.0);
        let shapes = [point(x), point(y)];
        let found = proximity(&[(&shapes[0], pose), (&shapes[1], Pose::identity())], margin, |_, _| true).unwrap();
        prop_assert_eq!(found.len(), 1);
        let bodies = [(&shapes[0], motions[0]), (&shapes[1], motions[1])];
        prop_assert_eq!(candidates(&bodies, 1.0, margin, |_, _| true).unwrap().len(), 1);
    }

    /// The same at any size, after any number of turns, at rest and turning on, for a point on the side of its body
    /// that faces the other.
    #[test]
    fn points_at_the_margin_after_many_turns_are_candidates(
        x in vector(1.0), place in vector(1.0), theta in prop::array::uniform2(vector(1.0)), turns in 0..7i32, size in -3..4i32,
        axis in 0..3usize, moves in 0..4usize, margin in 1e-6..1e-3,
    ) {
        let size = 10f64.powi(size);
        let body = |k: usize, position: Vec3| {
            let theta = theta[k] * 10f64.powi(turns);
            // By little on: the impact is at the start.
            let step = if moves & (1 << k) == 0 { Vec3::zeros() } else { theta * 1e-3 };
            let body = RigidMotion::at_rest(position, UnitQuaternion::identity());
            RigidMotion { theta_t0: theta, theta_t1: theta + step, ..body }
        };
        let motions = [body(0, (place + Vec3::repeat(4.0)) * size), body(1, Vec3::zeros())];
        let local = |k: usize, y: Vec3| {
            let turn = rotation_vector::exp(&motions[k].theta_t0);
            turn.inverse() * (y - motions[k].position_t0)
        };
        let x = if moves == 0 { local(0, motions[0].position_t0 + Vec3::ith(axis, x.x * size)) } else { x * size };
        // Along an axis of the frame of B, in which boxes are compared.
        let along = rotation_vector::exp(&motions[1].theta_t0) * Vec3::ith(axis, 1.0);
        let y = local(1, motions[0].point(0.0, &x) + along * (margin * size));
        let margin = distance(motions, [x, y], 0.0);
        let shapes = [point(x), point(y)];
        let bodies = [(&shapes[0], motions[0]), (&shapes[1], motions[1])];
        prop_assert_eq!(candidates(&bodies, 1.0, margin, |_, _| true).unwrap().len(), 1);
    }

    /// Two points that face each other along an axis of the world, while both bodies turn: the balls about them touch.
    #[test]
    fn balls_at_the_margin_are_candidates(
        radii in prop::array::uniform2(0.1..1.0f64), turns in prop::array::uniform2(vector(3.0)),
        rates in prop::array::uniform2(vector(20.0)), place in vector(1.0), axis in 0..3usize, margin in 1e-6..1e-3,
    ) {
        let along = Vec3::ith(axis, 1.0);
        let body = |k: usize, position| RigidMotion::about_axis([position; 2], rotation_vector::exp(&turns[k]), rates[k]);
        let motions = [body(0, place), body(1, place + (radii[0] + radii[1] + margin) * along)];
        let x = [0, 1].map(|k| motions[k].orientation.inverse() * (along * if k == 0 { radii[0] } else { -radii[1] }));
        let margin = distance(motions, x, 0.0);
        let shapes = x.map(point);
        let bodies = [(&shapes[0], motions[0]), (&shapes[1], motions[1])];
        prop_assert_eq!(candidates(&bodies, 1.0, margin, |_, _| true).unwrap().len(), 1);
    }

    /// A point on a ring of many turns passes another at the margin.
    #[test]
    fn a_ring_at_the_margin_is_a_candidate(x in vector(1.0), margin in 1e-6..1e-3, rate in 100.0..1000.0) {
        let spin = RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), Vec3::z() * rate);
        let still = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
        let radius = x.xy().norm();
        let y = Vec3::new(radius + margin, 0.0, x.z);
        // It crosses the half plane of y once in the first turn.
        let t = (-x.y.atan2(x.x)).rem_euclid(std::f64::consts::TAU) / rate;
        let margin = distance([spin, still], [x, y], t);
        let shapes = [point(x), point(y)];
        let bodies = [(&shapes[0], spin), (&shapes[1], still)];
        prop_assert_eq!(candidates(&bodies, 1.0, margin, |_, _| true).unwrap().len(), 1);
    }

    /// Four points in one plane, with coordinates of 50 digits: the rounded volume has any sign.
    #[test]
    fn a_point_in_a_plane_across_the_axes_touches(
        corners in prop::array::uniform3(prop::array::uniform3(-(1i64 << 48)..1 << 48)), edges in prop::bool::ANY,
    ) {
        // Multiples of 4, so that the weighted means are exact.
        let [a, b, c] = corners.map(|x| Vec3::from(x.map(|c| 4.0 * c as f64)));
        let middle = 0.25 * (a + b) + 0.5 * c;
        let [p, q, r] = [a, b, c].map(StraightMotion::at_rest);
        let query = if edges {
            // The middle of a and b is that of c and d.
            LinearQuery::edge_edge([p, q], [r, StraightMotion::at_rest(a + b - c)], 0.0)
        } else {
            LinearQuery::point_triangle(StraightMotion::at_rest(middle), [p, q, r], 0.0)
        };
        for method in LinearMethod::ALL {
            prop_assert_eq!(method.impact(&query, 1.0).unwrap().t_safe(1.0), 0.0, "{:?}", method);
        }
    }

    /// The start is exactly d_min away, up to the rounding up of d_min; rounded positions have any distance.
    #[test]
    fn what_starts_at_d_min_has_no_safe_time(
        kind in prop::sample::select(&Kind::ALL[..]), points in prop::array::uniform4(vector(1.0)),
        turns in prop::array::uniform2(vector(3.0)), between in vector(4.0), speed in vector(1.0), rate in vector(1.0),
    ) {
        let body = |theta: Vec3, positions: [Vec3; 2]| RigidMotion::about_axis(positions, rotation_vector::exp(&theta), rate);
        let motion_a = body(turns[0], [between, between + speed]);
        let motion_b = body(turns[1], [Vec3::zeros(), -speed]);
        let mut query = rigid_query(kind, [motion_a, motion_b], points);
        query.d_min = oracle::rigid_distance_at(&query, 0.0).upper;
        for method in RigidMethod::ALL.iter().filter(|method| method.is_conservative()) {
            prop_assert_eq!(method.impact(&query, 1.0).unwrap().t_safe(1.0), 0.0, "{:?}", method);
        }
        let far = |x: Vec3| x + between;
        let mut query = linear_query(kind, points.map(|x| StraightMotion::between(far(x), 1.5 * far(x) + speed)));
        query.d_min = oracle::linear_distance_at(&query, 0.0).upper;
        for method in LinearMethod::ALL {
            prop_assert_eq!(method.impact(&query, 1.0).unwrap().t_safe(1.0), 0.0, "{:?}", method);
        }
    }

    /// Large primitives that start exactly d_min apart, which is so small that its own rounding is nothing beside theirs.
    #[test]
    fn what_starts_at_a_small_d_min_has_no_safe_time(
        points in prop::array::uniform4(vector(1.0)), weights in prop::array::uniform2(0.2..0.8f64), exponent in -8..-2i32,
        is_edges in prop::bool::ANY, speed in vector(1.0), at in vector(1.0),
    ) {
        let [a, b, c, d] = points;
        let [u, v] = weights;
        let gap = 10f64.powi(exponent);
        let (kind, points) = if is_edges {
            let n = (b - a).cross(&(d - c)).try_normalize(1e-3).unwrap_or_else(Vec3::x);
            let shift = c + (d - c) * v - (a + (b - a) * u) + n * gap;
            (Kind::EdgeEdge, [a + shift, b + shift, c, d])
        } else {
            let n = (c - b).cross(&(d - b)).try_normalize(1e-3).unwrap_or_else(Vec3::x);
            let inside = b + (c - b) * (u * v) + (d - b) * (u * (1.0 - v));
            (Kind::PointTriangle, [inside + n * gap, b, c, d])
        };
        let mut query = linear_query(kind, points.map(|x| StraightMotion::between(x + at, x + at + speed)));
        query.d_min = oracle::linear_distance_at(&query, 0.0).upper;
        for method in LinearMethod::ALL {
            prop_assert_eq!(method.impact(&query, 1.0).unwrap().t_safe(1.0), 0.0, "{:?}", method);
        }
    }
}
