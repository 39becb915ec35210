//! Properties of the baselines, including the impacts that they miss.

use proptest::prelude::*;
use rigor_math::{UnitQuaternion, Vec3, rotation_vector};

use super::{redon, snyder};
use crate::linear::additive;
use crate::{BoxSide, Impact, InvalidQuery, Kind, Limits, RigidMotion, RigidQuery, separating_plane};

/// Fast enough for a test.
const COARSE: Limits<BoxSide> = Limits { tolerance: BoxSide(1e-3), max_boxes: 3_000 };

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

fn motion() -> impl Strategy<Value = RigidMotion> {
    (vector(1.0), vector(1.0), vector(1.0), vector(1.0), vector(3.0)).prop_map(
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

/// Two edges of length 1 along x, with A 1 m above B and moving down by 2 m.
fn parallel_edges(d_min: f64) -> RigidQuery {
    let fall = RigidMotion::between([Vec3::z(), -Vec3::z()], [Vec3::zeros(); 2]);
    let still = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
    let edge = [Vec3::zeros(), Vec3::x()];
    RigidQuery::edge_edge([fall, still], edge, edge, d_min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn snyder_safe_time_never_exceeds_sampled_time(query in query()) {
        let answer = snyder::impact(&query, 1.0, &COARSE).unwrap();
        let distance = |t| additive::gap(query.kind, &query.points(t)).max(0.0);
        let mut times = (0..=300).map(|i| f64::from(i) / 300.0);
        if let Some(first) = times.find(|&t| distance(t) <= query.d_min) {
            prop_assert!(answer.t_safe(1.0) <= first && !answer.is_free());
        }
    }

    #[test]
    fn both_agree_with_the_default_method_in_general_position(query in query()) {
        let query = RigidQuery { d_min: 0.0, ..query };
        let default = separating_plane::rigid(&query, 1.0, &separating_plane::LIMITS).unwrap();
        let snyder = snyder::impact(&query, 1.0, &snyder::LIMITS).unwrap();
        let is_asked = matches!(query.kind, Kind::PointTriangle | Kind::EdgeEdge);
        let univariate = is_asked.then(|| redon::impact(&query, 1.0, &redon::LIMITS).unwrap());
        for answer in [Some(snyder), univariate].into_iter().flatten() {
            match (default, answer) {
                (Impact::At { t_hit, .. }, Impact::At { t_safe, .. }) => prop_assert!((t_hit - t_safe).abs() < 1e-4),
                (Impact::Free, Impact::Free) | (_, Impact::Undecided { .. }) => {}
                _ => prop_assert!(false, "{answer:?} but {default:?}"),
            }
        }
    }
}

#[test]
fn redon_passes_over_parallel_edges() {
    // They meet at 0.5; the other methods find it.
    let query = parallel_edges(0.0);
    assert_eq!(redon::impact(&query, 1.0, &COARSE).unwrap(), Impact::Free);
    assert!(snyder::impact(&query, 1.0, &COARSE).unwrap().t_safe(1.0) < 0.5);
    assert!(separating_plane::rigid(&query, 1.0, &separating_plane::LIMITS).unwrap().t_safe(1.0) < 0.5);
}

#[test]
fn redon_spends_its_boxes_on_what_stays_coplanar() {
    // In one plane, and apart until 0.75: every time is a root.
    let mut query = parallel_edges(0.0);
    query.points_local =
        [Vec3::zeros(), Vec3::new(0.5, 0.0, 0.5), Vec3::new(-1.0, 0.0, -0.5), Vec3::new(2.0, 0.0, -0.5)];
    let answer = redon::impact(&query, 1.0, &redon::LIMITS).unwrap();
    assert!(matches!(answer, Impact::Undecided { t_safe, .. } if t_safe < 0.1), "{answer:?}");
    let default = separating_plane::rigid(&query, 1.0, &separating_plane::LIMITS).unwrap();
    assert!(matches!(default, Impact::At { t_hit, .. } if (t_hit - 0.75).abs() < 1e-9));
}

#[test]
fn redon_has_no_separation_and_no_other_kinds() {
    assert_eq!(redon::impact(&parallel_edges(0.1), 1.0, &COARSE), Ok(Impact::NOTHING));
    for kind in [Kind::PointPoint, Kind::PointEdge] {
        let query = RigidQuery { kind, ..parallel_edges(0.0) };
        assert_eq!(redon::impact(&query, 1.0, &COARSE), Ok(Impact::NOTHING));
    }
}

#[test]
fn snyder_keeps_a_separation() {
    let t_safe = snyder::impact(&parallel_edges(0.5), 1.0, &COARSE).unwrap().t_safe(1.0);
    assert!(0.24 < t_safe && t_safe < 0.25, "{t_safe}");
}

#[test]
fn hostile_questions_end() {
    let mut spin = parallel_edges(0.0);
    for size in [1e3, 1e100, 1e308] {
        spin.motion_a.theta_t1 = Vec3::y() * size;
        assert!(snyder::impact(&spin, 1.0, &COARSE).unwrap().t_safe(1.0) < 1.0);
        // Redon may answer anything, but soon.
        assert!(redon::impact(&spin, 1.0, &COARSE).is_ok());
        let far = RigidQuery { points_local: spin.points_local.map(|x| x * size), ..parallel_edges(0.0) };
        assert!(snyder::impact(&far, 1.0, &COARSE).unwrap().t_safe(1.0) <= 0.5);
    }
    let none = RigidQuery { d_min: f64::NAN, ..spin };
    assert!(matches!(snyder::impact(&none, 1.0, &COARSE), Err(InvalidQuery::Distance { .. })));
    assert!(matches!(redon::impact(&none, 1.0, &COARSE), Err(InvalidQuery::Distance { .. })));
}
