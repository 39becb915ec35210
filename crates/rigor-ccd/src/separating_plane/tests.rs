use proptest::prelude::*;

use super::*;
use crate::{InvalidQuery, RigidMotion, StraightMotion};
use rigor_math::UnitQuaternion;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

pub(super) fn rigid_query() -> impl Strategy<Value = RigidQuery> {
    let motion = || (vector(2.0), vector(2.0), vector(3.0), vector(3.0));
    let kind = prop::sample::select(&Kind::ALL[..]);
    (kind, motion(), motion(), prop::array::uniform4(vector(1.0)), prop::bool::ANY).prop_map(
        |(kind, a, b, points_local, turns_about_axes)| {
            let motion = |m: (Vec3, Vec3, Vec3, Vec3)| {
                let q = rigor_math::rotation_vector::exp(&m.2);
                if turns_about_axes {
                    RigidMotion::about_axis([m.0, m.1], q, m.3)
                } else {
                    RigidMotion::between([m.0, m.1], [m.2, m.3])
                }
            };
            RigidQuery { kind, motion_a: motion(a), motion_b: motion(b), points_local, d_min: 0.0 }
        },
    )
}

/// The second derivative of x(t) − x′(t) for two points of a query, by finite differences.
fn acceleration(query: &RigidQuery, t: f64, i: usize, j: usize) -> Vec3 {
    let h = 1e-3;
    let x = |t: f64| {
        let points = query.points(t);
        points[i] - points[j]
    };
    (x(t + h) - 2.0 * x(t) + x(t - h)) / (h * h)
}

proptest! {
    #[test]
    fn points_never_accelerate_beyond_the_bound(query in rigid_query(), t in 0.01..0.99) {
        let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
        let bound = Rigid::new(&query).acceleration();
        for (i, j) in (0..n_a).flat_map(|i| (n_a..n).map(move |j| (i, j))) {
            // Differences over 10⁻³ give a mean of the acceleration, with a rounding error of about 10⁻⁹.
            prop_assert!(acceleration(&query, t, i, j).norm() <= bound * (1.0 + 1e-9) + 1e-8);
        }
    }

    #[test]
    fn velocities_are_those_of_the_points(query in rigid_query(), t in 0.01..0.99) {
        let motion = Rigid::new(&query);
        let velocities = motion.velocities(&motion.at(t));
        let h = 1e-5;
        let (ahead, behind) = (motion.at(t + h), motion.at(t - h));
        for i in 0..query.kind.n_points() {
            let difference = (motion.points(&ahead)[i] - motion.points(&behind)[i]) / (2.0 * h);
            // h² times the third derivative, at most r‖δ‖³ = √3·(3·2√3)³.
            prop_assert!((velocities[i] - difference).norm() < 1e-6);
        }
    }

    #[test]
    fn parabola_stays_above_its_bound(g_0 in -1.0..1.0, g_1 in -1.0..1.0, a in 0.0..20.0, share in -1.0..1.0, s in 0.0..1.0) {
        let gaps = |g| Gaps { values: [g; 4], n: 1 };
        let least = gaps(g_0).least_on_chord(&gaps(g_1), a, 1.0);
        // Any second derivative up to a.
        let g = g_0 + (g_1 - g_0) * s - 0.5 * (a * share) * s * (1.0 - s);
        prop_assert!(g >= least - 1e-14);
        // The bound is attained by some parabola.
        let lowest = (0..=1000).map(|k| f64::from(k) / 1000.0);
        let lowest = lowest.map(|s| g_0 + (g_1 - g_0) * s - 0.5 * a * s * (1.0 - s)).fold(f64::INFINITY, f64::min);
        prop_assert!((lowest - least).abs() < 1e-5);
    }

    #[test]
    fn answers_do_not_change_when_all_is_moved_by_a_power_of_two(query in rigid_query(), exponent in -20..20) {
        let scale = 2f64.powi(exponent);
        let mut scaled = query;
        for motion in [&mut scaled.motion_a, &mut scaled.motion_b] {
            motion.position_t0 *= scale;
            motion.position_t1 *= scale;
        }
        scaled.points_local = query.points_local.map(|x| x * scale);
        prop_assert_eq!(rigid(&query, 1.0, &LIMITS), rigid(&scaled, 1.0, &LIMITS));
    }
}

/// What overflowed is no gap, whichever pair it belongs to.
#[test]
fn a_gap_that_is_not_a_number_is_none() {
    for place in 0..2 {
        let mut values = [1.0; 4];
        values[place] = f64::NAN;
        let (good, bad) = (Gaps { values: [1.0; 4], n: 2 }, Gaps { values, n: 2 });
        assert!(bad.smallest().is_nan());
        assert!(good.least_on_chord(&bad, 1.0, 0.1).is_nan() && bad.least_on_chord(&good, 1.0, 0.1).is_nan());
    }
}

fn falling_point(from: f64, to: f64) -> LinearQuery {
    let at = |z| Vec3::new(1.0, 1.0, z);
    let triangle = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 3.0].map(StraightMotion::at_rest);
    LinearQuery::point_triangle(StraightMotion::between(at(from), at(to)), triangle, 0.0)
}

#[test]
fn minimum_separation_moves_the_impact_forward() {
    let query = LinearQuery { d_min: 0.25, ..falling_point(1.0, -1.0) };
    let t_safe = linear(&query, 1.0, &LIMITS).unwrap().t_safe(1.0);
    assert!(t_safe < 0.375 && t_safe > 0.375 - 1e-9, "{t_safe}");
}

#[test]
fn an_impact_after_the_horizon_is_none() {
    assert_eq!(linear(&falling_point(1.0, -1.0), 0.49, &LIMITS), Ok(Impact::Free));
    assert!(!linear(&falling_point(1.0, -1.0), 0.51, &LIMITS).unwrap().is_free());
}

#[test]
fn a_surface_that_slides_by_the_last_bit_is_free() {
    let up = |z: f64| f64::from_bits(z.to_bits() + 1);
    let mut query = falling_point(1.0, 1.0);
    for points in [&mut query.start, &mut query.end] {
        for corner in &mut points[1..] {
            corner.z = 1.0;
        }
        points[0].z = up(1.0);
    }
    query.end[0].x += 7.0;
    assert_eq!(linear(&query, 1.0, &LIMITS), Ok(Impact::Free));
    query.end[0].z = 1.0;
    query.end[0].x = 1.5;
    assert!(!linear(&query, 1.0, &LIMITS).unwrap().is_free());
}

/// The number `n` representable numbers above 1.
fn above_one(n: i32) -> f64 {
    1.0 + f64::from(n) * f64::EPSILON
}

/// A point that slides over a triangle, and an edge that slides over an edge, `gaps` representable numbers apart
/// at the start and at the end; from above and, mirrored, from below.
fn sliding(gaps: [i32; 2]) -> [LinearQuery; 4] {
    let slide = |x: f64, n: i32| Vec3::new(x, 1.0, above_one(n));
    let at = |x: f64, y: f64| StraightMotion::at_rest(Vec3::new(x, y, 1.0));
    let [from, to] = gaps;
    let point = StraightMotion::between(slide(0.5, from), slide(1.5, to));
    let on_face = LinearQuery::point_triangle(point, [at(0.0, 0.0), at(4.0, 0.0), at(0.0, 4.0)], 0.0);
    let edge = [0.0, 3.0].map(|x| StraightMotion::between(slide(x, from), slide(x - 1.0, to)));
    let on_edge = LinearQuery::edge_edge(edge, [at(1.5, -1.0), at(1.5, 4.0)], 0.0);
    let mirrored = |query: LinearQuery| {
        let mirror = |x: Vec3| Vec3::new(x.x, x.y, -x.z);
        LinearQuery { start: query.start.map(mirror), end: query.end.map(mirror), ..query }
    };
    [on_face, mirrored(on_face), on_edge, mirrored(on_edge)]
}

#[test]
fn the_last_bits_decide() {
    for query in sliding([3, 1]).into_iter().chain(sliding([1, 1])).chain(sliding([1, 5])) {
        assert_eq!(linear(&query, 1.0, &LIMITS), Ok(Impact::Free), "{query:?}");
    }
    for query in sliding([3, -1]) {
        let t_safe = linear(&query, 1.0, &LIMITS).unwrap().t_safe(1.0);
        assert!(0.7499 < t_safe && t_safe < 0.75, "{t_safe}");
    }
    for query in sliding([3, 0]) {
        let t_safe = linear(&query, 1.0, &LIMITS).unwrap().t_safe(1.0);
        assert!(0.999 < t_safe && t_safe < 1.0, "{t_safe}");
    }
}

/// A step of a straight motion is exact: one leads to the plane, and a second proves how near it is.
#[test]
fn straight_motions_need_few_pieces() {
    for to in [0.0, -1.0, -100.0] {
        for limit in [5, 6] {
            let query = falling_point(1.0, to).with_d_min(1e-3);
            let answer = linear(&query, 1.0, &Limits { max_boxes: limit, ..LIMITS }).unwrap();
            assert!(matches!(answer, Impact::At { .. }), "{to}, {limit}: {answer:?}");
        }
    }
}

#[test]
fn an_arm_that_sweeps_into_a_point_stops_at_the_angle() {
    // From x to y in a quarter turn, against a point at 30°: impact at t = 1/3.
    let arm = RigidMotion::about_axis(
        [Vec3::zeros(); 2],
        UnitQuaternion::identity(),
        Vec3::z() * std::f64::consts::FRAC_PI_2,
    );
    let (s, c) = rigor_math::elementary::sin_cos_degrees(30.0);
    let target = RigidMotion::at_rest(Vec3::new(c, s, 0.0), UnitQuaternion::identity());
    let query = RigidQuery::point_edge([target, arm], Vec3::zeros(), [Vec3::x() * 0.5, Vec3::x() * 2.0], 0.0);
    let Impact::At { t_safe, t_hit } = rigid(&query, 1.0, &LIMITS).unwrap() else { panic!("it is hit") };
    assert!(t_safe < 1.0 / 3.0 && t_safe > 1.0 / 3.0 - 1e-9 && (t_hit - 1.0 / 3.0).abs() < 1e-9);
}

#[test]
fn what_is_invalid_is_told() {
    let good = falling_point(1.0, -1.0);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut query = good;
        query.end[2].y = bad;
        assert!(matches!(
            linear(&query, 1.0, &LIMITS),
            Err(InvalidQuery::Coordinate { index: Some(2), axis: 'y', .. })
        ));
        assert!(matches!(linear(&good.with_d_min(bad), 1.0, &LIMITS), Err(InvalidQuery::Distance { .. })));
        assert!(matches!(linear(&good, bad, &LIMITS), Err(InvalidQuery::Horizon { .. })));
    }
    assert_eq!(linear(&good.with_d_min(-1.0), 1.0, &LIMITS), Err(InvalidQuery::Distance { d_min: -1.0 }));
}

#[test]
fn touching_at_the_start_is_an_impact_at_0() {
    let answer = linear(&falling_point(0.0, 1.0), 1.0, &LIMITS);
    assert_eq!(answer, Ok(Impact::At { t_safe: 0.0, t_hit: 0.0 }));
}

#[test]
fn numbers_at_the_edge_of_the_range_are_never_called_free_in_vain() {
    for scale in [1e-300, 1e-160, 1e150, 1e300] {
        let mut query = falling_point(1.0, -1.0);
        for points in [&mut query.start, &mut query.end] {
            *points = points.map(|x| x * scale);
        }
        assert!(linear(&query, 1.0, &LIMITS).unwrap().t_safe(1.0) < 0.5, "at {scale}");
    }
}

/// Two arms that make thousands of turns in opposite directions.
fn arms(a: [Vec3; 2], b: [Vec3; 2]) -> RigidQuery {
    let spin = |turns: f64| Vec3::z() * (turns * std::f64::consts::TAU);
    let arm = |turns| RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), spin(turns));
    RigidQuery::edge_edge([arm(5000.0), arm(-5000.0)], a, b, 0.0)
}

#[test]
fn turns_are_skipped_beside_each_other() {
    let above = Vec3::z() * 1e-6;
    let query = arms([Vec3::x(), -Vec3::x()], [above + Vec3::x(), above - Vec3::x()]);
    let limits = Limits { max_boxes: 30, ..LIMITS };
    assert_eq!(rigid(&query, 1.0, &limits), Ok(Impact::Free));
}

#[test]
fn work_is_bounded_and_what_was_proven_is_told() {
    // A rod upright at a distance from the axis, and a short one at the axis: no plane is between their rings.
    let upright = Vec3::z() * 0.1;
    let query = arms([Vec3::x() - upright, Vec3::x() + upright], [Vec3::x() * 0.01, Vec3::x() * -0.01]);
    let answer = rigid(&query, 1.0, &LIMITS).unwrap();
    assert!(matches!(answer, Impact::Undecided { t_safe, boxes: 1000 } if t_safe > 0.0), "{answer:?}");
}
