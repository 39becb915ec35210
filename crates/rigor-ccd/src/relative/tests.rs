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
