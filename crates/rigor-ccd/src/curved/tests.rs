//! Properties of every method on curves.

use proptest::prelude::*;
use rigor_interval::Interval;
use rigor_math::{UnitQuaternion, Vec3, rotation_vector};

use super::enclosure::Enclosure;
use super::{ChordBound, piecewise_linear};
use crate::linear::additive;
use crate::{Ccd, Impact, InvalidQuery, Kind, Length, Limits, RigidMethod, RigidMotion, RigidQuery};

const BOUNDS: [ChordBound; 2] = [ChordBound::Interval, ChordBound::ClosedForm];

fn impact(query: &RigidQuery, bound: ChordBound) -> Impact {
    piecewise_linear::impact(query, 1.0, &piecewise_linear::LIMITS, bound).unwrap()
}

fn first_sample(query: &RigidQuery, n: u32) -> Option<f64> {
    let times = (0..=n).map(|i| f64::from(i) / f64::from(n));
    // NaN counts as a distance of 0.
    let distance = |t| additive::gap(query.kind, &query.points(t)).max(0.0);
    times.into_iter().find(|&t| distance(t) <= query.d_min)
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

fn motion() -> impl Strategy<Value = RigidMotion> {
    (vector(1.5), vector(1.5), vector(4.0), vector(4.0), vector(3.0)).prop_map(
        |(q_0, q_1, theta_0, theta_1, turn)| RigidMotion {
            orientation: rotation_vector::exp(&turn),
            ..RigidMotion::between([q_0, q_1], [theta_0, theta_1])
        },
    )
}

fn query() -> impl Strategy<Value = RigidQuery> {
    let kind = prop::sample::select(&Kind::ALL[..]);
    let points = [vector(1.0), vector(1.0), vector(1.0), vector(1.0)];
    (kind, motion(), motion(), points, 0.0..0.2).prop_map(
        |(kind, motion_a, motion_b, points_local, d_min)| RigidQuery {
            kind,
            motion_a,
            motion_b,
            points_local,
            d_min,
        },
    )
}

/// A hand of length 1 that turns by `angle` about z from +x, against a point at rest.
fn hand(angle: f64, target: Vec3, d_min: f64) -> RigidQuery {
    let still = UnitQuaternion::identity();
    let turning = RigidMotion::about_axis([Vec3::zeros(); 2], still, Vec3::z() * angle);
    let motions = [RigidMotion::at_rest(target, still), turning];
    RigidQuery::point_edge(motions, Vec3::zeros(), [Vec3::zeros(), Vec3::x()], d_min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn safe_time_never_exceeds_sampled_time(query in query()) {
        let first = first_sample(&query, 300).unwrap_or(f64::INFINITY);
        for bound in BOUNDS {
            let answer = impact(&query, bound);
            prop_assert!(answer.t_safe(1.0) <= first, "{bound:?}: {answer:?} but {first}");
            prop_assert!(first.is_infinite() || !answer.is_free());
        }
    }

    #[test]
    fn a_start_apart_gives_some_time(query in query()) {
        let begins_apart = first_sample(&query, 1) != Some(0.0);
        for bound in BOUNDS {
            prop_assert!(!begins_apart || impact(&query, bound).t_safe(1.0) > 0.0);
        }
    }
}

#[test]
fn a_known_time_is_met() {
    // The hand passes the point on +y, at half its length, after half of its half turn.
    let query = hand(std::f64::consts::PI, Vec3::y() * 0.5, 0.0);
    let fine = Limits { tolerance: Length(1e-9), max_boxes: 10_000 };
    let t_safe = piecewise_linear::impact(&query, 1.0, &fine, ChordBound::Interval).unwrap().t_safe(1.0);
    assert!(0.4999 < t_safe && t_safe < 0.5, "{t_safe}");
    let t_safe = impact(&query, ChordBound::ClosedForm).t_safe(1.0);
    assert!(0.3 < t_safe && t_safe < 0.5, "{t_safe}");
}

#[test]
fn many_turns_beside_a_point_are_free() {
    // The point is on the axis: the distance stays 1, more than any accepted bound.
    for (bound, turns) in [(ChordBound::ClosedForm, 30.0), (ChordBound::Interval, 5.0)] {
        let query = hand(turns * std::f64::consts::TAU, Vec3::z(), 0.1);
        assert_eq!(impact(&query, bound), Impact::Free);
    }
}

#[test]
fn a_miss_nearer_than_the_bound_is_taken_for_an_impact() {
    // Before the tip returns to 0.5 from the point it is farther away, where a larger bound is accepted.
    let query = hand(5.0 * std::f64::consts::TAU, Vec3::x() * 1.5, 0.1);
    let first = first_sample(&query, 1000);
    assert!(first.is_none() && matches!(impact(&query, ChordBound::ClosedForm), Impact::At { .. }));
}

#[test]
fn without_turning_both_bounds_vanish() {
    let mut query = hand(0.0, Vec3::new(0.5, 1.0, 0.0), 0.25);
    query.motion_a.position_t1.y = -1.0;
    for bound in BOUNDS {
        let t_safe = impact(&query, bound).t_safe(1.0);
        assert!(t_safe < 0.375 && 0.375 - t_safe < 2e-6, "{bound:?}: {t_safe}");
    }
}

/// Two points at x = 0.75 + 10⁻¹⁶ and x = 0.75. The former rounds to 0.75 + 2⁻⁵³: rounded, the gap is
/// 1.11·10⁻¹⁶, more than d_min = 10⁻¹⁶.
#[test]
fn a_gap_of_d_min_that_rounding_widens_has_no_safe_time() {
    let at = |x: f64| RigidMotion::at_rest(Vec3::x() * x, UnitQuaternion::identity());
    let query = RigidQuery::point_point([at(0.75), at(0.0)], Vec3::x() * 1e-16, Vec3::x() * 0.75, 1e-16);
    assert!(additive::gap(query.kind, &query.points(0.0)) > query.d_min);
    for method in RigidMethod::ALL.iter().filter(|method| method.is_conservative()) {
        assert_eq!(method.impact(&query, 1.0).unwrap().t_safe(1.0), 0.0, "{method:?}");
    }
}

#[test]
fn what_touches_has_no_safe_time() {
    for bound in BOUNDS {
        for (target, d_min) in [(Vec3::x() * 0.5, 0.0), (Vec3::x() * 1.05, 0.1), (Vec3::x(), 0.0)] {
            assert_eq!(impact(&hand(1.0, target, d_min), bound).t_safe(1.0), 0.0);
        }
    }
}

#[test]
fn hostile_questions_are_answered() {
    let plain = hand(1.0, Vec3::y(), 0.0);
    for bound in BOUNDS {
        for d_min in [-1.0, f64::NAN, f64::INFINITY] {
            let answer =
                piecewise_linear::impact(&plain.with_d_min(d_min), 1.0, &piecewise_linear::LIMITS, bound);
            assert!(matches!(answer, Err(InvalidQuery::Distance { .. })), "{answer:?}");
        }
        for angle in [1e4, 1e12, 1e200, 1e308] {
            assert!(impact(&hand(angle, Vec3::y() * 0.5, 0.0), bound).t_safe(1.0) < 1.0);
        }
        for length in [1e-320, 1e-200, 1e-100, 1e100, 1e200, 1e308] {
            let mut query = hand(std::f64::consts::PI, Vec3::y() * 0.5 * length, 0.0);
            query.points_local[2] *= length;
            assert!(impact(&query, bound).t_safe(1.0) <= 0.5, "{length}");
        }
        let none = Limits { tolerance: Length(1e-6), max_boxes: 0 };
        let through = hand(3.0, Vec3::y() * 0.5, 0.0);
        assert!(piecewise_linear::impact(&through, 1.0, &none, bound).unwrap().t_safe(1.0) < 0.53);
    }
}

/// Without halvings left, only the first piece is still shortened: what starts apart always gets some time.
#[test]
fn the_limit_of_halvings_holds() {
    let few = |max_boxes| Limits { tolerance: Length(1e-6), max_boxes };
    for bound in BOUNDS {
        let turns = hand(5.0 * std::f64::consts::TAU, Vec3::z(), 0.1);
        let t_safe =
            |max_boxes| piecewise_linear::impact(&turns, 1.0, &few(max_boxes), bound).unwrap().t_safe(1.0);
        assert!(0.0 < t_safe(0) && t_safe(0) < t_safe(20) && t_safe(20) < 1.0, "{bound:?}");
        assert_eq!(t_safe(1000), 1.0);
    }
}

/// The largest deviation counts, whichever point has it.
#[test]
fn deviations_do_not_depend_on_the_order_of_points() {
    let query = hand(1.0, Vec3::y(), 0.0);
    let mut swapped = query;
    swapped.points_local.swap(1, 2);
    let t = Interval::new(0.25, 0.75);
    let [b, b_swapped] = [query, swapped].map(|query| Enclosure::new(&query).deviation(t));
    // The tip deviates by 1 − cos ¼ from its chord.
    assert!(b >= 1.0 - 0.25f64.cos() && b == b_swapped, "{b}, {b_swapped}");
}

/// E widens the separation: a start that is apart by a little more is proven on a shorter first piece.
#[test]
fn a_start_apart_by_little_more_than_rounding_gives_some_time() {
    let still = UnitQuaternion::identity();
    let turning = RigidMotion::about_axis([Vec3::zeros(); 2], still, Vec3::z());
    let target = RigidMotion::at_rest(Vec3::x() * 1.5, still);
    // E = (64 · 1.5 + 32 + 192) u ≈ 4·10⁻¹⁴.
    for gap in [5e-14, 7e-14, 1e-13] {
        let query = RigidQuery::point_point([target, turning], Vec3::zeros(), Vec3::x(), 0.5 - gap);
        for bound in BOUNDS {
            assert!(impact(&query, bound).t_safe(1.0) > 0.0, "{bound:?}, {gap}");
        }
    }
}
