use proptest::prelude::*;

use super::*;
use crate::wide::{Wide, WideVec3};
use rigor_ccd_test::oracle;
use rigor_math::{UnitQuaternion, rotation_vector};

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// One point of each of two bodies, with sizes, distances and rotations of all magnitudes.
fn query() -> impl Strategy<Value = RigidQuery> {
    let motion = || (vector(1.0), vector(1.0), vector(1.0), vector(1.0), vector(3.0));
    let scales = (-3..4i32, -3..4i32, -2..4i32);
    (motion(), motion(), vector(1.0), vector(1.0), scales).prop_map(
        |(a, b, x, y, (size, distance, turns))| {
            let [size, distance, turns] = [size, distance, turns].map(|e| 10f64.powi(e));
            let body = |m: (Vec3, Vec3, Vec3, Vec3, Vec3)| RigidMotion {
                position_t0: m.0 * distance + Vec3::repeat(1000.0),
                position_t1: m.1 * distance + Vec3::repeat(1000.0),
                theta_t0: m.2 * turns,
                theta_t1: m.3 * turns,
                orientation: rotation_vector::exp(&m.4),
            };
            RigidQuery::point_point([body(a), body(b)], x * size, y * size, 0.0)
        },
    )
}

/// The query in the types of the crate that the oracle is built on: the same crate, compiled without its tests.
pub(crate) fn as_others_see_it(query: &RigidQuery) -> rigor_ccd::RigidQuery {
    let motion = |m: &RigidMotion| rigor_ccd::RigidMotion {
        position_t0: m.position_t0,
        position_t1: m.position_t1,
        theta_t0: m.theta_t0,
        theta_t1: m.theta_t1,
        orientation: m.orientation,
    };
    let [a, b, ..] = query.points_local;
    rigor_ccd::RigidQuery::point_point([motion(&query.motion_a), motion(&query.motion_b)], a, b, query.d_min)
}

/// The error of the rounded x̂_a − x̂_b as a fraction of the bound E.
fn share_of_error(query: &RigidQuery, t: f64) -> f64 {
    let motion = Rigid::new(query);
    let place = motion.at(t);
    let [a, b] = [motion.points(&place)[0], motion.points(&place)[1]];
    let exact = oracle::rigid_points_at(&as_others_see_it(query), t);
    // The norm of the error is at most √3 times its largest component.
    3f64.sqrt() * exact[0].seen_from(&exact[1]).error_of(&(a - b)) / motion.error()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rounding_stays_within_its_bound(query in query(), t in 0.0..=1.0) {
        let share = share_of_error(&query, t);
        prop_assert!(share <= 1.0, "{share}");
    }

    /// At 10³ to 10⁹ turns the rounding of the rotation vector is nearly all of the error.
    #[test]
    fn rounding_of_many_turns_stays_within_its_bound(query in query(), t in 0.01..0.99, exponent in 3..10) {
        let mut query = query;
        query.motion_a.theta_t1 = Vec3::new(0.48, 0.6, 0.64) * 10f64.powi(exponent);
        for motion in [&mut query.motion_a, &mut query.motion_b] {
            (motion.position_t0, motion.position_t1) = (Vec3::zeros(), Vec3::zeros());
        }
        let share = share_of_error(&query, t);
        prop_assert!(share <= 1.0, "{share}");
    }

    /// One body alone has an arm, or turns, or is far from the other, at the start or at the end: E covers each by itself.
    #[test]
    fn each_part_of_the_rounding_has_its_share(
        x in vector(1.0), place in vector(1.0), part in 0..6usize, is_late in prop::bool::ANY, t in 0.0..=1.0,
    ) {
        let turn = Vec3::new(0.48, 0.6, 0.64) * if part < 4 { 1e6 } else { 0.0 };
        let still = RigidMotion::at_rest(Vec3::zeros(), rotation_vector::exp(&Vec3::new(0.3, -0.2, 0.7)));
        let at_end = |v: Vec3| if is_late { [Vec3::zeros(), v] } else { [v, Vec3::zeros()] };
        let [theta_t0, theta_t1] = at_end(turn);
        let mut moves = RigidMotion { theta_t0, theta_t1, ..still };
        // At the far end of the step the rounding is the largest.
        let t = if is_late { 1.0 - 0.01 * t } else { 0.01 * t };
        let arm = if part < 4 { x } else { Vec3::zeros() };
        if part >= 4 {
            [moves.position_t0, moves.position_t1] = at_end(place);
        }
        let query = if part % 2 == 0 {
            RigidQuery::point_point([moves, still], arm, Vec3::zeros(), 0.0)
        } else {
            RigidQuery::point_point([still, moves], Vec3::zeros(), arm, 0.0)
        };
        let share = share_of_error(&query, t);
        prop_assert!(share <= 1.0, "{part}: {share}");
    }

    /// From places of any size to places of any other: the error of a gap at t is that of the larger.
    #[test]
    fn rounding_of_straight_motions_stays_within_its_bound(
        places in prop::array::uniform4(vector(1.0)), n in vector(1.0), small in -12..1i32, is_late in prop::bool::ANY,
        t in 0.0..=1.0,
    ) {
        let [a, b, c, d] = places;
        let small = [a, b].map(|x| x * 10f64.powi(small));
        let (start, end) = if is_late { (small, [c, d]) } else { ([c, d], small) };
        let four = |[a, b]: [Vec3; 2]| [a, b, Vec3::zeros(), Vec3::zeros()];
        let query = LinearQuery { kind: Kind::PointPoint, start: four(start), end: four(end), d_min: 0.0 };
        let motion = Straight::new(&query);
        let n = n.try_normalize(1e-3).unwrap_or_else(Vec3::x);
        // Often at the very end, where a small reach would say that nothing is rounded.
        let t = if t < 0.5 { t } else { f64::from(is_late) };
        let points = motion.at(t);
        let exact = |i: usize| {
            let way = WideVec3::difference(&end[i], &start[i]).scale(t);
            WideVec3::difference(&start[i], &Vec3::zeros()).add(&way)
        };
        let normal = WideVec3::difference(&n, &Vec3::zeros());
        let gap = Wide::from(n.dot(&(points[0] - points[1])));
        let error = (gap - normal.dot(&exact(0).sub(&exact(1)))).high.abs();
        prop_assert!(error <= motion.error(), "{error} {}", motion.error());
    }

    /// An axis nearly through the point: the cross product cancels, and rounding is all that is left of it.
    #[test]
    fn acceleration_is_at_least_the_exact_one(
        delta in vector(1.0), along in 0.1..2.0, off in vector(1.0), exponent in -20..1i32,
    ) {
        let x = delta * along + off * 10f64.powi(exponent);
        let turn = |theta_t0: Vec3| RigidMotion {
            theta_t0, theta_t1: theta_t0 + delta, ..RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity())
        };
        let exact_sq = |v: &WideVec3| v.dot(v);
        let seen = |v: &Vec3| WideVec3::difference(v, &Vec3::zeros());
        // ‖δ‖² ‖δ × x‖², with a relative error of 2⁻¹⁰⁰.
        let about_axis = exact_sq(&seen(&delta)) * exact_sq(&seen(&delta).cross(&seen(&x)));
        prop_assert!(is_at_least(AngleBound::new(&turn(Vec3::zeros())).acceleration(&[x]), about_axis));
        // ‖δ‖⁴ ‖x‖².
        let free = turn(Vec3::repeat(0.7));
        let rate_sq = exact_sq(&WideVec3::difference(&free.theta_t1, &free.theta_t0));
        let about_point = rate_sq * rate_sq * exact_sq(&seen(&x));
        prop_assert!(is_at_least(AngleBound::new(&free).acceleration(&[x]), about_point));
    }
}

/// Whether `bound`² ≥ `exact_sq` (1 − 2⁻⁹⁰).
pub(crate) fn is_at_least(bound: f64, exact_sq: Wide) -> bool {
    let excess = Wide::product(bound, bound) - exact_sq;
    excess.high >= -exact_sq.high * 2f64.powi(-90)
}

/// No point of a body that turns is nearer along n than its ring, and one of each ring is as near.
#[test]
fn rings_hold_what_turns() {
    let n = Vec3::new(0.36, -0.48, 0.8);
    let delta = Vec3::new(0.6, 0.64, 0.48) * std::f64::consts::TAU;
    for (theta, x) in [(0.0, Vec3::new(0.3, -1.0, 0.4)), (0.0, delta * 0.1), (0.7, Vec3::new(0.3, -1.0, 0.4))]
    {
        let start = Vec3::new(theta, 0.0, 0.0);
        let turns = RigidMotion {
            theta_t0: start,
            theta_t1: start + delta,
            ..RigidMotion::at_rest(Vec3::zeros(), rotation_vector::exp(&Vec3::new(0.3, -0.2, 0.7)))
        };
        let still = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
        let of_a = RigidQuery::point_point([turns, still], x, Vec3::zeros(), 0.0);
        let of_b = RigidQuery::point_point([still, turns], Vec3::zeros(), x, 0.0);
        for (body, query) in [of_a, of_b].into_iter().enumerate() {
            let motion = Rigid::new(&query);
            let along = |k: u32| n.dot(&motion.points(&motion.at(f64::from(k) / 1000.0))[body]);
            let sampled = (0..=1000).map(along).fold(f64::INFINITY, f64::min);
            let least = motion.least_turned(body, &n);
            assert!(least <= sampled + 1e-14, "{body}: {least} {sampled}");
            assert!(theta != 0.0 || sampled - least < 1e-4, "{body}: {least} {sampled}");
        }
    }
}

/// δ = 2, η = Δ = 10⁻³, whichever end the rotation vectors differ at: δ² (8 δ η + 12 Δ) = 0.112.
#[test]
fn bodies_alike_part_by_what_differs_at_either_end() {
    let body = |from: f64, to: f64| RigidMotion {
        theta_t0: Vec3::z() * from,
        theta_t1: Vec3::z() * to,
        ..RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity())
    };
    let parting = |a, b| Rigid::new(&RigidQuery::point_point([a, b], Vec3::x(), Vec3::y(), 0.0)).parting();
    let at_end = parting(body(1.0, 3.0), body(1.0, 2.999));
    let at_start = parting(body(1.0, 3.0), body(1.001, 3.0));
    assert!((at_end - 0.112).abs() < 1e-9 && (at_start - 0.112).abs() < 1e-9, "{at_end} {at_start}");
    // Both ends by the same: Δ = 0.
    let aside = parting(body(1.0, 3.0), body(1.001, 3.001));
    assert!((aside - 0.064).abs() < 1e-9, "{aside}");
    assert!(parting(body(1.0, 3.0), body(-1.0, -3.0)) == 64.0);
}
