use std::f64::consts::PI;

use proptest::prelude::*;
use rigor_math::UnitQuaternion;

use super::*;
use Kind::{EdgeEdge, PointEdge, PointPoint, PointTriangle};
use rigor_ccd::{Kind, RigidMotion};

fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

fn query(kind: Kind, start: &[Vec3], end: &[Vec3], d_min: f64) -> LinearQuery {
    let four = |x: &[Vec3]| std::array::from_fn(|i| x.get(i).copied().unwrap_or(v(f64::NAN, 0.0, 0.0)));
    LinearQuery::new(kind, four(start), four(end), d_min)
}

/// The first point, or the first edge, moves by `displacement`; the others rest.
fn moving_first(kind: Kind, points: &[Vec3], displacement: Vec3, d_min: f64) -> LinearQuery {
    let mut end = points.to_vec();
    end[0] += displacement;
    if kind == EdgeEdge {
        end[1] += displacement;
    }
    query(kind, points, &end, d_min)
}

/// Asserts that the first contact is exactly at `t`, an f64.
fn assert_first(query: &LinearQuery, t: f64) {
    let lo = if t == 0.0 { 0.0 } else { t.next_down() };
    assert_eq!(linear(query), Truth::First { lo, hi: t }, "{query:?}");
}

fn assert_free(query: &LinearQuery) {
    assert_eq!(linear(query), Truth::Free, "{query:?}");
}

const TRIANGLE: [Vec3; 3] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0)];

fn with_triangle(p: Vec3) -> [Vec3; 4] {
    [p, TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]]
}

#[test]
fn a_point_meets_a_triangle_inside_and_on_its_border() {
    for (x, y) in [(0.5, 0.5), (1.0, 0.0), (1.0, 1.0), (0.0, 0.0), (2.0, 0.0)] {
        let points = with_triangle(v(x, y, 1.0));
        assert_first(&moving_first(PointTriangle, &points, v(0.0, 0.0, -2.0), 0.0), 0.5);
        assert_first(&moving_first(PointTriangle, &points, v(0.0, 0.0, -1.0), 0.0), 1.0);
        assert_first(&moving_first(PointTriangle, &points, v(0.0, 0.0, -1.5), 0.25), 0.5);
        assert_free(&moving_first(PointTriangle, &points, v(0.0, 0.0, -1.0_f64.next_down()), 0.0));
    }
    for (x, y) in [(1.0, -5e-324), (1.0, 1.0_f64.next_up()), (-1e-300, 0.0)] {
        assert_free(&moving_first(PointTriangle, &with_triangle(v(x, y, 1.0)), v(0.0, 0.0, -2.0), 0.0));
    }
}

#[test]
fn a_point_slides_in_the_plane_of_a_triangle() {
    let from = |x, y| with_triangle(v(x, y, 0.0));
    assert_first(&moving_first(PointTriangle, &from(-1.0, 0.5), v(2.0, 0.0, 0.0), 0.0), 0.5);
    // Along an edge's line to a vertex, and past a vertex, touching only that.
    assert_first(&moving_first(PointTriangle, &from(-1.0, 0.0), v(4.0, 0.0, 0.0), 0.0), 0.25);
    assert_first(&moving_first(PointTriangle, &from(1.0, -1.0), v(2.0, 2.0, 0.0), 0.0), 0.5);
    assert_free(&moving_first(PointTriangle, &from(1.0, -1.0_f64.next_up()), v(2.0, 2.0, 0.0), 0.0));
    assert_first(&moving_first(PointTriangle, &from(0.5, 0.5), v(1.0, 1.0, 0.0), 0.0), 0.0);
}

#[test]
fn a_triangle_without_area_is_met_as_an_edge_or_point() {
    let edge = [v(0.0, 0.0, 0.0), v(2.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
    let points = |p, t: [Vec3; 3]| [p, t[0], t[1], t[2]];
    assert_first(&moving_first(PointTriangle, &points(v(1.5, 1.0, 0.0), edge), v(0.0, -2.0, 0.0), 0.0), 0.5);
    assert_free(&moving_first(PointTriangle, &points(v(2.5, 1.0, 0.0), edge), v(0.0, -2.0, 0.0), 0.0));
    assert_first(&moving_first(PointTriangle, &points(v(1.5, 1.0, 0.0), edge), v(0.0, -1.0, 0.0), 0.5), 0.5);
    let point = [v(1.0, 0.0, 0.0); 3];
    assert_first(
        &moving_first(PointTriangle, &points(v(1.0, 1.0, 0.0), point), v(0.0, -4.0, 0.0), 0.0),
        0.25,
    );
    assert_free(&moving_first(PointTriangle, &points(v(1.25, 1.0, 0.0), point), v(0.0, -4.0, 0.0), 0.0));
    // The triangle has zero area exactly when the point passes.
    let start = points(v(0.5, -1.0, 0.0), [v(0.0, 0.0, -1.0), v(1.0, 0.0, -1.0), v(0.5, 0.0, 1.0)]);
    let end = points(v(0.5, 1.0, 0.0), [v(0.0, 0.0, 1.0), v(1.0, 0.0, 1.0), v(0.5, 0.0, -1.0)]);
    assert_first(&query(PointTriangle, &start, &end, 0.0), 0.5);
}

#[test]
fn edges_meet_crossing_at_their_ends_and_along_each_other() {
    let edges = |y: f64| [v(-1.0, y, 1.0), v(1.0, y, 1.0), v(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0)];
    for y in [0.0, 0.3, 1.0, -1.0] {
        assert_first(&moving_first(EdgeEdge, &edges(y), v(0.0, 0.0, -2.0), 0.0), 0.5);
        assert_first(&moving_first(EdgeEdge, &edges(y), v(0.0, 0.0, -1.0), 0.75), 0.25);
    }
    assert_free(&moving_first(EdgeEdge, &edges(1.0_f64.next_up()), v(0.0, 0.0, -2.0), 0.0));
    let parallel = |x: f64| [v(x, 1.0, 0.0), v(x + 1.0, 1.0, 0.0), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
    for x in [-1.0, -0.5, 0.0, 1.0] {
        assert_first(&moving_first(EdgeEdge, &parallel(x), v(0.0, -4.0, 0.0), 0.0), 0.25);
        assert_first(&moving_first(EdgeEdge, &parallel(x), v(0.0, -1.0, 0.0), 0.5), 0.5);
    }
    assert_free(&moving_first(EdgeEdge, &parallel(1.0_f64.next_up()), v(0.0, -4.0, 0.0), 0.0));
    let collinear = [v(-3.0, 0.0, 0.0), v(-2.0, 0.0, 0.0), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
    assert_first(&moving_first(EdgeEdge, &collinear, v(8.0, 0.0, 0.0), 0.0), 0.25);
    assert_free(&moving_first(EdgeEdge, &collinear, v(1.5, 0.0, 0.0), 0.0));
    // One edge of zero length, then both.
    let point = [v(0.5, 1.0, 0.0), v(0.5, 1.0, 0.0), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
    assert_first(&moving_first(EdgeEdge, &point, v(0.0, -2.0, 0.0), 0.0), 0.5);
    assert_first(
        &moving_first(
            EdgeEdge,
            &[point[0], point[1], v(0.5, 0.0, 0.0), v(0.5, 0.0, 0.0)],
            v(0.0, -2.0, 0.0),
            0.0,
        ),
        0.5,
    );
}

#[test]
fn points_meet_points_and_edges() {
    let two = [v(1.0, 0.0, 0.0), v(0.0, 0.0, 0.0)];
    assert_first(&moving_first(PointPoint, &two, v(-4.0, 0.0, 0.0), 0.0), 0.25);
    assert_first(&moving_first(PointPoint, &two, v(-4.0, 0.0, 0.0), 0.5), 0.125);
    assert_free(&moving_first(PointPoint, &two, v(-4.0, 5e-324, 0.0), 0.0));
    // Grazing at exactly d_min, and at slightly more.
    let passing = [v(-1.0, 0.5, 0.0), v(0.0, 0.0, 0.0)];
    assert_first(&moving_first(PointPoint, &passing, v(2.0, 0.0, 0.0), 0.5), 0.5);
    assert_free(&moving_first(PointPoint, &passing, v(2.0, 0.0, 0.0), 0.5_f64.next_down()));
    let edge = [v(0.5, 1.0, 0.0), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
    assert_first(&moving_first(PointEdge, &edge, v(0.0, -2.0, 0.0), 0.0), 0.5);
    assert_first(&moving_first(PointEdge, &edge, v(0.5, -2.0, 0.0), 0.25), 0.375);
    assert_first(&moving_first(PointEdge, &edge, v(1.0, -2.0, 0.0), 0.0), 0.5);
    assert_free(&moving_first(PointEdge, &edge, v(1.0_f64.next_up(), -2.0, 0.0), 0.0));
}

#[test]
fn identical_and_touching_primitives_meet_at_the_start() {
    let x = [v(0.1, 0.2, 0.3), v(1.0, 0.5, -0.25), v(0.1, 0.2, 0.3), v(1.0, 0.5, -0.25)];
    assert_first(&moving_first(EdgeEdge, &x, v(0.0, 0.0, 1.0), 0.0), 0.0);
    assert_first(&moving_first(PointPoint, &[x[0], x[0]], v(1.0, 0.0, 0.0), 0.0), 0.0);
    assert_first(&moving_first(PointTriangle, &[x[0]; 4], v(1.0, 0.0, 0.0), 0.0), 0.0);
    assert_first(&moving_first(PointEdge, &[x[0], x[1], x[0]], v(1.0, 0.0, 0.0), 0.0), 0.0);
    assert_first(
        &moving_first(PointPoint, &[v(1.0, 0.0, 0.0), v(0.0, 0.0, 0.0)], v(1.0, 0.0, 0.0), 1.0),
        0.0,
    );
    assert_eq!(
        linear(&query(PointPoint, &[v(f64::NAN, 0.0, 0.0); 2], &[x[0]; 2], 0.0)),
        Truth::Unknown { lo: 0.0 }
    );
    assert_eq!(linear(&query(PointPoint, &[x[0]; 2], &[x[0]; 2], -1.0)), Truth::Unknown { lo: 0.0 });
}

#[test]
fn the_widest_range_of_numbers_is_decided() {
    let query =
        moving_first(PointPoint, &[v(1e300, 0.0, 0.0), v(5e-324, 0.0, 0.0)], v(-1e300, 0.0, 0.0), 0.0);
    // They meet just before the end: the difference is below the resolution of f64.
    assert_eq!(linear(&query), Truth::First { lo: 1.0_f64.next_down(), hi: 1.0 });
}

// ---- curved ----

fn still() -> RigidMotion {
    RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity())
}

fn turning(angle: f64) -> RigidMotion {
    RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), Vec3::z() * angle)
}

fn rigid_query(kind: Kind, a: RigidMotion, b: RigidMotion, points: &[Vec3], d_min: f64) -> RigidQuery {
    let points_local = std::array::from_fn(|i| points.get(i).copied().unwrap_or(v(f64::NAN, 0.0, 0.0)));
    RigidQuery::new(kind, [a, b], points_local, d_min)
}

/// Asserts a bracket of at most 1e-15 around `t`.
fn assert_first_near(query: &RigidQuery, t: f64) {
    let Truth::First { lo, hi } = rigid(query) else { panic!("{:?} for {query:?}", rigid(query)) };
    assert!(lo <= t + 1e-15 && hi >= t - 1e-15 && hi - lo <= 1e-15, "{t} not in [{lo}, {hi}]");
}

#[test]
fn an_arm_sweeps_into_a_wall_at_a_quarter_turn() {
    // An edge along x turns about z towards an upright edge on the y axis, which it meets at 90°.
    let points = [v(0.5, 0.0, 0.0), v(2.0, 0.0, 0.0), v(0.0, 1.0, -1.0), v(0.0, 1.0, 1.0)];
    for turns in [1.0, 3.0, 40.0] {
        let angle = 2.0 * PI * turns;
        assert_first_near(&rigid_query(EdgeEdge, turning(angle), still(), &points, 0.0), 0.25 / turns);
        // d_min = 0.1 from a line through the centre, for a point at radius 1: earlier by the angle asin 0.1.
        let early = (PI / 2.0 - 0.100_167_421_161_559_8) / angle;
        assert_first_near(&rigid_query(EdgeEdge, turning(angle), still(), &points, 0.1), early);
    }
    assert_eq!(rigid(&rigid_query(EdgeEdge, turning(1.57), still(), &points, 0.0)), Truth::Free);
    assert_eq!(rigid(&rigid_query(EdgeEdge, turning(-4.71), still(), &points, 0.0)), Truth::Free);
}

#[test]
fn a_point_sweeps_through_a_triangle() {
    // The triangle stands on the y axis across the circle of radius 1.
    let points = [v(1.0, 0.0, 0.0), v(0.0, 0.5, -1.0), v(0.0, 2.0, -1.0), v(0.0, 1.0, 2.0)];
    let query = rigid_query(PointTriangle, turning(PI), still(), &points, 0.0);
    assert_first_near(&query, 0.5);
    // As seen from the point's body, the triangle turns.
    let turned = |x: Vec3| x;
    let swapped = rigid_query(PointTriangle, still(), turning(-PI), &points.map(turned), 0.0);
    assert_first_near(&swapped, 0.5);
    let shrunk = rigid_query(PointTriangle, turning(PI), still(), &points.map(|x| x * 1e-8), 0.0);
    assert_first_near(&shrunk, 0.5);
}

#[test]
fn points_meet_within_a_distance() {
    // The chord 2 sin(φ/2) between points of the unit circle.
    let points = [v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    let angle = PI / 2.0 - 2.0 * 0.252_680_255_142_078_65;
    assert_first_near(&rigid_query(PointPoint, turning(PI), still(), &points, 0.5), angle / PI);
    let free = rigid_query(PointPoint, turning(PI), still(), &[points[0], points[1] * 1.51], 0.5);
    assert_eq!(rigid(&free), Truth::Free);
    // On the same circle they meet at d_min = 0, without any change of sign.
    let Truth::Unknown { lo } = rigid(&rigid_query(PointPoint, turning(PI), still(), &points, 0.0)) else {
        panic!()
    };
    assert!((lo - 0.5).abs() < 1e-9);
}

#[test]
fn grazing_within_a_hair_is_decided() {
    // A point on the unit circle turns past an upright edge on the x axis, nearest to it at t = ½.
    let arm = [v(1.0, 0.0, 0.0)];
    let from = RigidMotion::between([Vec3::zeros(); 2], [v(0.0, 0.0, -0.5), v(0.0, 0.0, 0.5)]);
    let query =
        |x: f64, d| rigid_query(PointEdge, from, still(), &[arm[0], v(x, 0.0, -1.0), v(x, 0.0, 1.0)], d);
    assert_eq!(rigid(&query(1.0_f64.next_up(), 0.0)), Truth::Free);
    assert_eq!(rigid(&query(1.25, 0.25_f64.next_down())), Truth::Free);
    let Truth::First { lo, hi } = rigid(&query(1.25, 0.25_f64.next_up())) else { panic!() };
    // At the angle φ the distance is about ¼ + 2½ φ², which is 2⁻⁵⁴ above ¼ at φ = 4.7e-9.
    assert!(hi - lo < 1e-12 && (hi - 0.5).abs() < 1e-7 && hi < 0.5);
    let Truth::Unknown { lo } = rigid(&query(1.25, 0.25)) else { panic!() };
    assert!((lo - 0.5).abs() < 1e-9 && lo <= 0.5);
}

#[test]
fn exact_cases_of_curved_motion_are_decided() {
    let q = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.5, 0.5, 0.5, 0.5));
    let fall = |d: f64| RigidMotion::about_axis([v(0.0, 0.0, 1.0), v(0.0, 0.0, 1.0 - d)], q, Vec3::zeros());
    // Q maps x to y to z to x.
    let points = [v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(1.0, 2.0, 0.0)];
    let query = |d| rigid_query(PointEdge, fall(d), still(), &points, 0.0);
    assert_eq!(rigid(&query(2.0)), Truth::First { lo: 0.5_f64.next_down(), hi: 0.5 });
    assert_eq!(rigid(&query(1.0)), Truth::First { lo: 1.0_f64.next_down(), hi: 1.0 });
    assert_eq!(rigid(&query(1.0_f64.next_down())), Truth::Free);
    // Moving as one body, and touching at the start.
    let same =
        RigidMotion::between([v(1.0, 2.0, 3.0), v(0.0, 0.0, 0.0)], [v(0.1, 2.0, 3.0), v(3.0, 0.2, 0.1)]);
    let one = |d: f64, points: &[Vec3]| rigid(&rigid_query(PointEdge, same, same, points, d));
    assert_eq!(one(0.0, &points), Truth::Free);
    assert_eq!(
        one(0.5, &[points[1] + v(0.0, 0.0, 0.5), points[1], points[2]]),
        Truth::First { lo: 0.0, hi: 0.0 }
    );
    let touching = rigid_query(PointPoint, turning(1.0), still(), &[points[0]; 2], 0.0);
    assert_eq!(rigid(&touching), Truth::First { lo: 0.0, hi: 0.0 });
    // Touching only at the end, where θ is 0.
    let to_zero = RigidMotion::between([Vec3::zeros(); 2], [v(0.0, 0.0, -1.0), Vec3::zeros()]);
    let Truth::First { lo, hi } = rigid(&rigid_query(PointPoint, to_zero, still(), &[points[0]; 2], 0.0))
    else {
        panic!()
    };
    assert!(lo > 1.0 - 1e-9 && hi == 1.0);
    let huge = rigid_query(PointPoint, turning(1e300), still(), &[points[0]; 2], 0.0);
    assert_eq!(rigid(&huge), Truth::Unknown { lo: 0.0 });
}

#[test]
fn motion_in_a_plane_is_seen_as_such() {
    // An arm in the plane turns into a point, the end of an edge and the edge of a triangle, on the y axis.
    let height = |x: Vec3| x + v(0.0, 0.0, 0.7);
    let arm = [v(0.5, 0.0, 0.0), v(2.0, 0.0, 0.0)].map(height);
    let post = [v(0.0, 1.0, 0.0), v(-0.5, 1.5, 0.0), v(-1.0, 0.5, 0.0)].map(height);
    let (turning, still) = (turning(PI), still());
    assert_first_near(&rigid_query(PointEdge, still, turning, &[post[0], arm[0], arm[1]], 0.0), 0.5);
    assert_first_near(&rigid_query(EdgeEdge, turning, still, &[arm[0], arm[1], post[0], post[1]], 0.0), 0.5);
    let triangle = [v(0.75, 0.0, 0.0), v(0.0, 0.5, 0.0), v(0.0, 1.5, 0.0), v(-1.0, 1.0, 0.0)].map(height);
    assert_first_near(&rigid_query(PointTriangle, turning, still, &triangle, 0.0), 0.5);
    let out_of_plane =
        rigid_query(PointEdge, still, turning, &[post[0] + v(0.0, 0.0, 1e-12), arm[0], arm[1]], 0.0);
    assert_eq!(rigid(&out_of_plane), Truth::Free);
}

// ---- properties ----

/// Numbers with few bits, so that coplanar, parallel and touching primitives are common.
fn coarse() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-3_i8..4).prop_map(|c| Vec3::from(c.map(|c| f64::from(c) * 0.5)))
}

fn fine() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0..1.0_f64).prop_map(Vec3::from)
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

fn distance_min() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(0.25), 0.0..0.5_f64]
}

fn any_linear() -> impl Strategy<Value = LinearQuery> {
    let points = prop_oneof![
        prop::array::uniform4(coarse()),
        prop::array::uniform4(fine()),
        prop::array::uniform4(fine().prop_map(|x| v(x.x, x.y, 0.0)))
    ];
    let displacements = prop_oneof![prop::array::uniform4(coarse()), prop::array::uniform4(fine())];
    (kind(), points, displacements, distance_min()).prop_map(|(kind, start, displacement, d_min)| {
        let end = std::array::from_fn(|i| start[i] + displacement[i]);
        LinearQuery::new(kind, start, end, d_min)
    })
}

fn any_rigid() -> impl Strategy<Value = RigidQuery> {
    let motion = || {
        let position = prop::array::uniform2(fine());
        (position, prop::array::uniform2(fine()), fine(), prop_oneof![Just(0.0), 0.0..8.0_f64]).prop_map(
            |(position, theta, w, scale)| RigidMotion {
                orientation: UnitQuaternion::new_normalize(nalgebra::Quaternion::new(0.3, w.x, w.y, w.z)),
                ..RigidMotion::between(position, theta.map(|t| t * scale))
            },
        )
    };
    (kind(), motion(), motion(), prop::array::uniform4(fine()), distance_min()).prop_map(
        |(kind, motion_a, motion_b, points_local, d_min)| {
            RigidQuery::new(kind, [motion_a, motion_b], points_local, d_min)
        },
    )
}

/// Checks the truth against distances: above d_min at many times up to lo, and at most d_min at hi.
fn agrees(truth: Truth, d_min: f64, distance: impl Fn(f64) -> Bracket) -> Result<(), TestCaseError> {
    let (free_until, met_at) = match truth {
        Truth::Free => (1.0, None),
        Truth::First { lo, hi } => (lo, Some(hi)),
        Truth::Unknown { lo } => (lo, None),
        Truth::Hit => unreachable!("it has a time"),
    };
    for i in 0..=24 {
        let t = free_until * (f64::from(i) / 24.0);
        // With lo = 0 they may touch at the start.
        if t > 0.0 || free_until > 0.0 {
            prop_assert!(distance(t).upper > d_min, "{:?} but within d_min at {t}", truth);
        }
    }
    if let Some(t) = met_at {
        // At a speed of about 30, a time rounded by 1e-16 changes the distance by less than that.
        prop_assert!(distance(t).lower <= d_min + 1e-14, "{:?} but apart by {:?}", truth, distance(t));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_truth_of_straight_ways_agrees_with_distances(query in any_linear()) {
        agrees(linear(&query), query.d_min, |t| linear_distance_at(&query, t))?;
    }

    #[test]
    fn the_truth_of_curved_ways_agrees_with_distances(query in any_rigid()) {
        let truth = rigid(&query);
        agrees(truth, query.d_min, |t| rigid_distance_at(&query, t))?;
        if let Truth::First { lo, hi } = truth {
            prop_assert!(hi - lo <= 1e-9, "{truth:?}");
        }
    }

    #[test]
    fn curved_ways_that_do_not_turn_are_straight(query in any_linear(), theta in fine()) {
        // The constant θ makes the rotated points inexact; each primitive translates as a whole.
        let displacement = query.end[0] - query.start[0];
        let inverse = turn(-theta);
        let motion = |displacement| RigidMotion::between([Vec3::zeros(), displacement], [theta; 2]);
        let points_local = query.start.map(inverse);
        let rigid_query =
            RigidQuery::new(query.kind, [motion(displacement), motion(Vec3::zeros())], points_local, query.d_min);
        let n_a = query.kind.sizes().0;
        let end = std::array::from_fn(|i| query.start[i] + if i < n_a { displacement } else { Vec3::zeros() });
        let straight_query = LinearQuery::new(query.kind, query.start, end, query.d_min);
        match (rigid(&rigid_query), linear(&straight_query)) {
            // Rounding decides grazing: then both nearly touch at the earlier time.
            (Truth::First { hi, .. }, Truth::First { lo, .. }) => {
                let (t, touching) = (lo.min(hi), query.d_min + 1e-9);
                let graze = linear_distance_at(&straight_query, t).lower <= touching
                    && rigid_distance_at(&rigid_query, t).lower <= touching;
                prop_assert!((hi - lo).abs() < 1e-6 || graze);
            }
            (Truth::Unknown { lo }, Truth::First { hi, .. }) => prop_assert!(lo <= hi + 1e-12),
            _ => {}
        }
    }

    #[test]
    fn the_truth_knows_no_order_of_points(query in any_linear()) {
        let order = match query.kind {
            PointPoint => [1, 0, 2, 3],
            PointEdge => [0, 2, 1, 3],
            PointTriangle => [0, 3, 1, 2],
            EdgeEdge => [3, 2, 0, 1],
        };
        let swap = |x: [Vec3; 4]| order.map(|i| x[i]);
        prop_assert_eq!(linear(&query), linear(&LinearQuery::new(query.kind, swap(query.start), swap(query.end), query.d_min)));
    }

    #[test]
    fn the_truth_of_curved_ways_knows_no_order_of_bodies(query in any_rigid()) {
        let order = match query.kind {
            PointPoint => [1, 0, 2, 3],
            EdgeEdge => [3, 2, 0, 1],
            _ => return Ok(()),
        };
        let points_local = order.map(|i| query.points_local[i]);
        let motions = [query.motion_b, query.motion_a];
        let swapped = RigidQuery::new(query.kind, motions, points_local, query.d_min);
        match (rigid(&query), rigid(&swapped)) {
            (Truth::First { lo, hi }, Truth::First { lo: lo_b, hi: hi_b }) => {
                prop_assert!(lo <= hi_b && lo_b <= hi, "[{lo}, {hi}] and [{lo_b}, {hi_b}]");
            }
            (Truth::Unknown { lo: a }, Truth::Unknown { lo: b }) => prop_assert!((a - b).abs() < 1e-6),
            (a, b) => prop_assert_eq!(a, b),
        }
    }

    #[test]
    fn points_are_where_f64_puts_them(query in any_rigid(), t in 0.0..1.0_f64) {
        let points = query.points(t);
        for (place, x) in rigid_points_at(&query, t).iter().zip(points) {
            prop_assert!(place.uncertainty() < 1e-60);
            prop_assert!(place.error_of(&x) < 1e-14);
            prop_assert!((place.rounded() - x).norm() < 2e-14);
        }
    }

    #[test]
    fn distances_are_tight_and_those_of_samples(query in any_rigid(), t in 0.0..1.0_f64) {
        let Bracket { lower: lo, upper: hi } = rigid_distance_at(&query, t);
        prop_assert!(lo <= hi && hi - lo <= 4.0 * f64::EPSILON * hi + 1e-30);
        let x = query.points(t);
        let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
        let mix = |x: &[Vec3], w: [f64; 3]| {
            let sum: f64 = w[..x.len()].iter().sum();
            x.iter().zip(w).fold(Vec3::zeros(), |s, (x, w)| s + x * (w / sum))
        };
        let weights = (1..9).map(|i| [f64::from(i % 3), f64::from(i / 3), 0.5]);
        for (w, u) in weights.clone().flat_map(|w| weights.clone().map(move |u| (w, u))) {
            if w[..n_a].iter().sum::<f64>() == 0.0 || u[..n - n_a].iter().sum::<f64>() == 0.0 {
                continue;
            }
            let sample = (mix(&x[..n_a], w) - mix(&x[n_a..n], u)).norm();
            prop_assert!(lo <= sample + 1e-14);
        }
    }
}

/// R(θ) of a constant θ.
fn turn(theta: Vec3) -> impl Fn(Vec3) -> Vec3 {
    let motion = RigidMotion::between([Vec3::zeros(); 2], [theta; 2]);
    move |x| motion.point(0.0, &x)
}
