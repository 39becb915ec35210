//! Properties of every linear method.

use proptest::prelude::*;
use rigor_geometry::distance::{edge_edge, point_edge, point_point, point_triangle};
use rigor_math::Vec3;

use super::{additive, tight_inclusion};
use crate::{Ccd, Impact, InvalidQuery, Kind, Length, Limits, LinearMethod, LinearQuery, MarginShare};

type Method = fn(&LinearQuery) -> Impact;

const METHODS: [(&str, Method); 2] = [
    ("tight inclusion", |query| {
        tight_inclusion::impact(
            query,
            1.0,
            &Limits { tolerance: Length(1e-6 * size(query)), ..tight_inclusion::LIMITS },
        )
        .unwrap()
    }),
    ("additive", |query| {
        additive::impact(query, 1.0, &Limits { tolerance: MarginShare(1e-4), ..additive::LIMITS }).unwrap()
    }),
];

fn size(query: &LinearQuery) -> f64 {
    query.start.iter().map(|x| (x - query.start[0]).amax()).fold(0.0, f64::max)
}

fn distance(kind: Kind, x: &[Vec3; 4]) -> f64 {
    match kind {
        Kind::PointPoint => point_point::distance_sq(&x[0], &x[1]),
        Kind::PointEdge => point_edge::distance_sq(&x[0], &x[1], &x[2]),
        Kind::PointTriangle => point_triangle::distance_sq(&x[0], &x[1], &x[2], &x[3]),
        Kind::EdgeEdge => edge_edge::distance_sq(&x[0], &x[1], &x[2], &x[3]),
    }
    .sqrt()
}

/// The first sampled time at which they are within d_min of each other.
fn first_sample(query: &LinearQuery, n: u32) -> Option<f64> {
    let times = (0..=n).map(|i| f64::from(i) / f64::from(n));
    times.into_iter().find(|&t| distance(query.kind, &query.points(t)) <= query.d_min)
}

fn point() -> impl Strategy<Value = Vec3> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_map(Vec3::from)
}

/// Primitives near the origin that pass each other, at any scale, some flattened into a plane.
fn query() -> impl Strategy<Value = LinearQuery> {
    let points = || [point(), point(), point(), point()];
    let kind = prop::sample::select(&Kind::ALL[..]);
    (kind, points(), points(), 0.0..0.3, -8..9, prop::bool::weighted(0.2)).prop_map(
        |(kind, start, end, d_min, exponent, is_flat)| {
            let scale = 10.0_f64.powi(exponent);
            let flatten = |x: Vec3| if is_flat { Vec3::new(x.x, x.y, 0.0) } else { x };
            let [start, end] = [start, end].map(|points| points.map(|x| flatten(x) * scale));
            LinearQuery { kind, start, end, d_min: d_min * scale }
        },
    )
}

fn point_triangle_query(from: Vec3, to: Vec3, d_min: f64) -> LinearQuery {
    let [a, b, c] = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 3.0];
    LinearQuery { kind: Kind::PointTriangle, start: [from, a, b, c], end: [to, a, b, c], d_min }
}

/// Two parallel edges of length 1 that approach each other from 1 m apart, at 2 m per step.
fn parallel_edges(d_min: f64) -> LinearQuery {
    let edge = |z: f64| [Vec3::new(0.0, 0.0, z), Vec3::new(1.0, 0.0, z)];
    let at = |z| [edge(z)[0], edge(z)[1], edge(0.0)[0], edge(0.0)[1]];
    LinearQuery { kind: Kind::EdgeEdge, start: at(1.0), end: at(-1.0), d_min }
}

/// A point that falls obliquely onto a triangle.
fn spiked() -> LinearQuery {
    let mut query = point_triangle_query(Vec3::new(0.7, 0.9, 1.0), Vec3::new(1.3, 0.4, -1.0), 0.1);
    query.end[3] += Vec3::new(0.1, -0.3, 0.4);
    query
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn safe_time_never_exceeds_sampled_time(query in query()) {
        for (name, impact) in METHODS {
            let answer = impact(&query);
            match first_sample(&query, 400) {
                Some(t) => prop_assert!(answer.t_safe(1.0) <= t && !answer.is_free(), "{name}: {answer:?} but {t}"),
                // A margin of a hundredth of the size suffices for a proof.
                None => {
                    let mut wider = query;
                    wider.d_min += 0.01 * size(&query);
                    prop_assert!(first_sample(&wider, 400).is_some() || answer.is_free(), "{name}: {answer:?}");
                }
            }
        }
    }

    #[test]
    fn both_methods_agree_on_when(query in query()) {
        let answers = METHODS.map(|(_, impact)| impact(&query));
        if let [Impact::At { t_safe: inclusion, .. }, Impact::At { t_safe: additive, .. }] = answers {
            // Each leaves at most its tolerance, a fraction of the initial margin.
            let d_0 = distance(query.kind, &query.points(0.0)) - query.d_min;
            for t in [inclusion, additive] {
                let left = distance(query.kind, &query.points(t)) - query.d_min;
                prop_assert!(d_0 <= 0.0 || left <= 1e-4 * d_0 + 4e-6 * size(&query));
            }
        }
    }

    #[test]
    fn a_power_of_two_scales_all_but_the_tolerance(query in query(), exponent in -20..20) {
        let factor = 2.0_f64.powi(exponent);
        let scaled = LinearQuery {
            start: query.start.map(|x| x * factor), end: query.end.map(|x| x * factor), d_min: query.d_min * factor, ..query
        };
        let limits = |size: f64| Limits { tolerance: Length(1e-6 * size), max_boxes: 10_000 };
        prop_assert_eq!(
            tight_inclusion::impact(&query, 1.0, &limits(size(&query))),
            tight_inclusion::impact(&scaled, 1.0, &limits(size(&query) * factor))
        );
        prop_assert_eq!(METHODS[1].1(&query), METHODS[1].1(&scaled));
    }

    #[test]
    fn an_exact_translation_changes_nothing(query in query(), shift in -4..4) {
        // Numbers with 20 fractional bits stay exact when an integer is added.
        let coarse = |x: Vec3| x.map(|c| (c * 1048576.0).round() / 1048576.0);
        let unit = query.start[0].amax();
        let seen = LinearQuery {
            start: query.start.map(|x| coarse(x / unit)), end: query.end.map(|x| coarse(x / unit)), d_min: 0.125, ..query
        };
        let by = Vec3::repeat(f64::from(shift) * 1024.0);
        let moved = LinearQuery { start: seen.start.map(|x| x + by), end: seen.end.map(|x| x - by), ..seen };
        for (name, impact) in METHODS {
            prop_assert_eq!(impact(&seen), impact(&moved), "{}", name);
        }
    }
}

#[test]
fn a_known_time_is_met() {
    let above = Vec3::new(1.0, 1.0, 1.0);
    let cases = [
        (point_triangle_query(above, Vec3::new(1.0, 1.0, -1.0), 0.0), 0.5),
        (point_triangle_query(above, Vec3::new(1.0, 1.0, -1.0), 0.5), 0.25),
        (point_triangle_query(Vec3::new(2.0, 2.0, 1.0), Vec3::new(-2.0, -2.0, -1.0), 0.0), 0.5),
        (parallel_edges(0.5), 0.25),
    ];
    for (query, t) in cases {
        let inclusion = tight_inclusion::impact(&query, 1.0, &tight_inclusion::LIMITS).unwrap().t_safe(1.0);
        assert!(inclusion < t && t - inclusion < 2e-6, "{inclusion} for {t}");
        let fine = Limits { tolerance: MarginShare(1e-9), max_boxes: 100 };
        let additive = additive::impact(&query, 1.0, &fine).unwrap().t_safe(1.0);
        assert!(additive < t && t - additive < 1e-8, "{additive} for {t}");
    }
}

#[test]
fn a_miss_is_free() {
    let miss = point_triangle_query(Vec3::new(1.6, 1.6, 1.0), Vec3::new(1.6, 1.6, -1.0), 0.1);
    let along = point_triangle_query(Vec3::new(-3.0, 1.0, 1e-3), Vec3::new(3.0, 1.0, 1e-3), 0.5e-3);
    for (name, impact) in METHODS {
        assert_eq!(impact(&miss), Impact::Free, "{name}");
        assert_eq!(impact(&along), Impact::Free, "{name}");
    }
}

#[test]
fn the_horizon_ends_the_search() {
    let query = point_triangle_query(Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 1.0, -1.0), 0.0);
    assert_eq!(tight_inclusion::impact(&query, 0.49, &tight_inclusion::LIMITS), Ok(Impact::Free));
    let one_step = Limits { tolerance: MarginShare(1e-3), max_boxes: 100 };
    assert_eq!(additive::impact(&query, 0.49, &one_step), Ok(Impact::Free));
    for horizon in [0.0, -1.0, 1.5, f64::NAN] {
        for answer in [
            tight_inclusion::impact(&query, horizon, &tight_inclusion::LIMITS),
            additive::impact(&query, horizon, &one_step),
        ] {
            assert!(matches!(answer, Err(InvalidQuery::Horizon { .. })), "{answer:?}");
        }
    }
}

#[test]
fn what_touches_has_no_safe_time() {
    let on = Vec3::new(1.0, 1.0, 0.0);
    let at_rest = point_triangle_query(on, on, 0.0);
    let leaving = point_triangle_query(on, Vec3::new(1.0, 1.0, 1.0), 0.0);
    let mut identical = parallel_edges(0.0);
    identical.start[0] = identical.start[2];
    identical.start[1] = identical.start[3];
    for (name, impact) in METHODS {
        for query in [at_rest, leaving, identical] {
            assert_eq!(impact(&query).t_safe(1.0), 0.0, "{name}: {query:?}");
        }
    }
}

#[test]
fn parallel_edges_are_followed_to_the_tolerance() {
    // Side by side at every angle: all points of both come close at the same time.
    for step in 0..8 {
        let turn = rigor_math::rotation_vector::exp(&(Vec3::new(0.3, -0.2, 0.5) * f64::from(step)));
        let mut query = parallel_edges(0.0);
        query.start.iter_mut().chain(&mut query.end).for_each(|x| *x = turn * *x);
        let answer = METHODS[0].1(&query);
        let t_safe = answer.t_safe(1.0);
        assert!(0.5 - 3e-6 < t_safe && t_safe < 0.5 && matches!(answer, Impact::At { .. }), "{answer:?}");
    }
}

#[test]
fn a_spent_search_keeps_what_it_proved() {
    let mut proven = 0.0;
    for max_boxes in [10, 30, 100, 300] {
        let limits = Limits { tolerance: Length(1e-12), max_boxes };
        let answer = tight_inclusion::impact(&spiked(), 1.0, &limits).unwrap();
        assert!(answer.t_safe(1.0) >= proven);
        proven = answer.t_safe(1.0);
    }
    assert!(proven > 0.2, "{proven}");
}

#[test]
fn an_invalid_query_has_no_answer() {
    let query = parallel_edges(0.0);
    let mut infinite = query;
    infinite.end[3].y = f64::INFINITY;
    let mut none = query;
    none.start[0].x = f64::NAN;
    for method in LinearMethod::ALL {
        for query in
            [infinite, none, parallel_edges(-1.0), parallel_edges(f64::NAN), parallel_edges(f64::INFINITY)]
        {
            assert!(method.impact(&query, 1.0).is_err(), "{method:?}");
        }
    }
}

#[test]
fn any_scale_is_answered_safely() {
    for exponent in (-320..=308).step_by(4) {
        let scale = 10.0_f64.powi(exponent);
        let mut query = parallel_edges(0.25);
        for x in query.start.iter_mut().chain(&mut query.end) {
            *x *= scale;
        }
        query.d_min *= scale;
        for (name, impact) in METHODS {
            assert!(impact(&query).t_safe(1.0) < 0.375, "{name} at 1e{exponent}");
        }
    }
}

#[test]
fn hostile_questions_spend_no_more_than_the_limit() {
    // Coincident primitives that separate and return, flat triangles, and edges that slide along each other.
    let slide = |z: f64| {
        let mut query = parallel_edges(0.0);
        query.end = query.start.map(|x| x + Vec3::x());
        query.start.iter_mut().chain(&mut query.end).for_each(|x| x.z *= z);
        query.end[2..].iter_mut().for_each(|x| x.x -= 1.0);
        query
    };
    let limits = Limits { tolerance: Length(0.0), max_boxes: 2_000 };
    for z in [0.0, 1e-12, 1e-6, 1e-3] {
        let answer = tight_inclusion::impact(&slide(z), 1.0, &limits).unwrap();
        assert!(!matches!(answer, Impact::Undecided { boxes, .. } if boxes > limits.max_boxes));
        let all = Limits { tolerance: MarginShare(0.0), max_boxes: 2_000 };
        assert!(additive::impact(&slide(z), 1.0, &all).is_ok());
    }
    assert_eq!(
        tight_inclusion::impact(&slide(1.0), 1.0, &Limits { max_boxes: 0, ..limits }).unwrap().t_safe(1.0),
        0.0
    );
}

/// Two points 1 m apart approach at 2 m per step: a step covers 0.9 of the proven time, and the search ends when
/// less than the tolerance of the margin is left.
#[test]
fn additive_advancement_leaves_its_share_of_the_margin() {
    let at = |z: f64| Vec3::new(0.7, 0.9, z);
    for query in [point_triangle_query(at(1.0), at(-1.0), 0.0), parallel_edges(0.0)] {
        let ends = [0.2, 0.02, 0.002].map(|share| {
            let limits = Limits { tolerance: MarginShare(share), ..additive::LIMITS };
            let Impact::At { t_safe, t_hit } = additive::impact(&query, 1.0, &limits).unwrap() else {
                panic!()
            };
            assert!((t_hit - 0.5).abs() < 1e-12, "{t_hit}");
            t_safe
        });
        for (end, expected) in ends.into_iter().zip([0.45, 0.495, 0.4995]) {
            assert!((end - expected).abs() < 1e-12, "{end}");
        }
    }
}

/// A translation common to all points costs nothing.
#[test]
fn additive_advancement_removes_the_common_translation() {
    let mut query = parallel_edges(0.0);
    query.end = query.start.map(|x| x + Vec3::new(100.0, 200.0, -50.0));
    let once = Limits { tolerance: MarginShare(0.1), max_boxes: 1 };
    assert_eq!(additive::impact(&query, 1.0, &once), Ok(Impact::Free));
}
