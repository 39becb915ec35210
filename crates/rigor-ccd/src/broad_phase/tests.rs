use std::f64::consts::TAU;

use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_geometry::distance::{edge_edge, point_edge, point_point, point_triangle};
use rigor_math::Vec3;
use rigor_shapes::{Cuboid, Icosphere, Tetrahedron};

use super::*;
use crate::Kind;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..=size).prop_map(Vec3::from)
}

fn orientation() -> impl Strategy<Value = UnitQuaternion> {
    prop_oneof![
        Just(UnitQuaternion::identity()),
        vector(3.0).prop_map(|theta| rigor_math::rotation_vector::exp(&theta)),
    ]
}

fn icosahedron(radius: f64) -> Mesh {
    Icosphere { radius, subdivisions: 0 }.mesh().unwrap()
}

/// Meshes of every dimension, round and elongated, centred and off-centre.
fn mesh() -> impl Strategy<Value = Mesh> {
    let tetrahedron = Tetrahedron::regular(1.0).mesh().unwrap();
    let rod = Cuboid::new(Vec3::new(3.0, 0.1, 0.2)).mesh().unwrap();
    let plate = Cuboid::new(Vec3::new(40.0, 0.2, 30.0)).mesh().unwrap();
    let aside = icosahedron(0.3).map_vertices(|x| x + Vec3::new(0.0, 1.5, 0.0));
    let soup = (prop::collection::vec(vector(1.0), 9), 0usize..3).prop_map(|(vertices, n)| {
        let triangles = [[0, 1, 2], [2, 1, 3]][..n].to_vec();
        Mesh::new(vertices, triangles, vec![[3, 4], [4, 5]]).unwrap()
    });
    let points = prop::collection::vec(vector(0.5), 1..4).prop_map(|x| Mesh::new(x, vec![], vec![]).unwrap());
    prop_oneof![
        prop_oneof![Just(icosahedron(0.5)), Just(tetrahedron), Just(rod), Just(plate), Just(aside)],
        soup,
        points
    ]
}

/// Shapes of these meshes, half of them with an offset.
fn shape() -> impl Strategy<Value = Shape> {
    let offset = prop_oneof![2 => Just(0.0), 1 => 1e-3..0.1, 1 => 0.1..2.0];
    (mesh(), offset).prop_map(|(mesh, offset)| {
        let offsets = vec![offset; mesh.vertices().len()];
        Shape::rounded(mesh, offsets)
    })
}

fn motion() -> impl Strategy<Value = RigidMotion> {
    let displacement = prop_oneof![Just(Vec3::zeros()), vector(0.3), vector(3.0), vector(300.0)];
    let theta = prop_oneof![3 => Just(Vec3::zeros()), 1 => vector(3.0), 1 => vector(40.0)];
    let turns = prop_oneof![Just(0.0), -0.03..0.03, -1.0..1.0, -6.0..6.0, -40.0..40.0, Just(5000.3)];
    let axis = prop_oneof![Just(Vec3::z()), vector(1.0).prop_map(|v| (v + Vec3::repeat(1e-9)).normalize())];
    let turning = (theta, turns, axis).prop_map(|(theta, turns, n)| [theta, theta + TAU * turns * n]);
    (vector(1.5), displacement, 0.0..1.0, turning, orientation()).prop_map(
        |(x, displacement, met, theta, orientation)| {
            let position = [x - met * displacement, x + (1.0 - met) * displacement];
            RigidMotion { orientation, ..RigidMotion::between(position, theta) }
        },
    )
}

/// Every pair of primitives of two bodies that can touch first.
fn all_pairs(shapes: [&Shape; 2]) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut add = |kind, body: [u32; 2], n_a: usize, n_b: usize| {
        for (i, j) in (0..n_a as u32).flat_map(|i| (0..n_b as u32).map(move |j| (i, j))) {
            all.push(Candidate { kind, body_a: body[0], body_b: body[1], index_a: i, index_b: j });
        }
    };
    let [a, b] = shapes.map(Shape::mesh);
    add(Kind::EdgeEdge, [0, 1], a.edges().len(), b.edges().len());
    for (body, a, b) in [([0, 1], a, b), ([1, 0], b, a)] {
        add(Kind::PointTriangle, body, a.vertices().len(), b.triangles().len());
        add(Kind::PointEdge, body, a.vertices().len(), b.edges().len());
    }
    add(Kind::PointPoint, [0, 1], a.vertices().len(), b.vertices().len());
    let is_lone = |body: u32, v: u32| shapes[body as usize].mesh().points().contains(&v);
    let is_wire = |body: u32, e: u32| {
        let mesh = shapes[body as usize].mesh();
        e as usize >= mesh.triangle_edges().len()
    };
    all.retain(|c| match c.kind {
        Kind::PointPoint => is_lone(c.body_a, c.index_a) && is_lone(c.body_b, c.index_b),
        Kind::PointEdge => is_lone(c.body_a, c.index_a) && is_wire(c.body_b, c.index_b),
        _ => true,
    });
    all.sort_unstable_by_key(Candidate::rank);
    all
}

fn distance_sq(kind: Kind, [a, b, c, d]: &[Vec3; 4]) -> f64 {
    match kind {
        Kind::PointPoint => point_point::distance_sq(a, b),
        Kind::PointEdge => point_edge::distance_sq(a, b, c),
        Kind::PointTriangle => point_triangle::distance_sq(a, b, c, d),
        Kind::EdgeEdge => edge_edge::distance_sq(a, b, c, d),
    }
}

/// The minimum distance (m) of two primitives over `times`.
fn least(query: &crate::RigidQuery, times: &[f64]) -> f64 {
    times.iter().map(|&t| distance_sq(query.kind, &query.points(t))).fold(f64::INFINITY, f64::min).sqrt()
}

/// Rounding allowed in distances computed in world coordinates at times of many turns.
const ROUNDING: f64 = 1e-9;

fn assert_complete(
    bodies: &[(&Shape, RigidMotion)],
    found: &[Candidate],
    times: &[f64],
    margin: f64,
) -> usize {
    let mut n_near = 0;
    for pair in all_pairs([bodies[0].0, bodies[1].0]) {
        // That of the surfaces.
        let query = pair.query(bodies, 0.0);
        let distance = least(&query, times) - query.d_min;
        if distance < margin - ROUNDING {
            n_near += 1;
            assert!(found.contains(&pair), "{pair:?} comes within {distance}");
        }
    }
    n_near
}

fn is_ascending(found: &[Candidate]) -> bool {
    found.windows(2).all(|w| w[0].rank() < w[1].rank())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_pair_that_comes_near_is_left_out(
        shapes in [shape(), shape()], motions in [motion(), motion()], margin in prop_oneof![Just(1e-6), 1e-3..0.3],
        horizon in prop_oneof![Just(1.0), 0.01..1.0], offset in 0.0..1.0,
    ) {
        let bodies = [(&shapes[0], motions[0]), (&shapes[1], motions[1])];
        let found = candidates(&bodies, horizon, margin, |_, _| true).unwrap();
        prop_assert!(is_ascending(&found));
        let all = all_pairs([&shapes[0], &shapes[1]]);
        prop_assert!(found.iter().all(|c| all.contains(c)));
        let times: Vec<f64> =
            (0..100).map(|k| horizon * (f64::from(k) + offset) / 100.0).chain([0.0, horizon]).collect();
        assert_complete(&bodies, &found, &times, margin);
    }

    #[test]
    fn no_pair_that_comes_near_is_left_out_by_intervals(
        shapes in [shape(), shape()], motions in [motion(), motion()], margin in prop_oneof![Just(1e-6), 1e-3..0.3],
        horizon in prop_oneof![Just(1.0), 0.01..1.0], offset in 0.0..1.0, is_second in any::<bool>(),
    ) {
        let mut bodies = [(&shapes[0], motions[0]), (&shapes[1], motions[1])];
        // Also with one body at rest, where boxes are as narrow as they get.
        let still = &mut bodies[usize::from(is_second)].1;
        if margin > 1e-3 {
            *still = RigidMotion::at_rest(still.position_t0, still.orientation);
        }
        let found = interval_candidates_between(&bodies, [0, 1], horizon, margin).unwrap();
        prop_assert!(is_ascending(&found));
        let times: Vec<f64> =
            (0..100).map(|k| horizon * (f64::from(k) + offset) / 100.0).chain([0.0, horizon]).collect();
        assert_complete(&bodies, &found, &times, margin);
    }

    #[test]
    fn no_pair_that_is_near_at_rest_is_left_out(
        shapes in [shape(), shape()], x in vector(1.5), far in vector(1e3), q in [orientation(), orientation()],
        margin in prop_oneof![Just(1e-3), 1e-3..0.5],
    ) {
        let poses = [Pose::new(far, q[0]), Pose::new(far + x, q[1])];
        let posed = [(&shapes[0], poses[0]), (&shapes[1], poses[1])];
        let bodies = posed.map(|(s, p)| (s, RigidMotion::at_rest(p.position, p.rotation)));
        let found = proximity(&posed, margin, |_, _| true).unwrap();
        prop_assert!(is_ascending(&found));
        assert_complete(&bodies, &found, &[0.0], margin);
        let by_intervals = interval_candidates_between(&bodies, [0, 1], 1.0, margin).unwrap();
        assert_complete(&bodies, &by_intervals, &[0.0], margin);
        // Candidates at rest are also candidates in motion.
        let moving = candidates(&bodies, 1.0, margin, |_, _| true).unwrap();
        prop_assert!(found.iter().all(|c| moving.contains(c)));
    }
}

/// Bodies on a grid with a spacing of 1.05 diameters, each with its own path and rotation.
fn grid(shape: &Shape, displacement: f64, angle: f64) -> Vec<(&Shape, RigidMotion)> {
    let spread = |k: u32| Vec3::new(0.82, 0.67, 0.55).map(|g| 2.0 * (f64::from(k + 1) * g).fract() - 1.0);
    (0..64)
        .map(|k| {
            let at = Vec3::new(f64::from(k % 4), f64::from(k / 4 % 4), f64::from(k / 16)) * 1.05;
            let path = [at, at + displacement * spread(k)];
            (shape, RigidMotion::about_axis(path, UnitQuaternion::identity(), angle * spread(k + 99)))
        })
        .collect()
}

#[test]
fn offsets_that_are_no_lengths_are_refused_and_the_largest_of_a_primitive_counts() {
    let wire = |offsets: Vec<f64>| {
        Shape::rounded(Mesh::new(vec![-Vec3::x(), Vec3::x()], vec![], vec![[0, 1]]).unwrap(), offsets)
    };
    let found = |shape: &Shape, height: f64| {
        proximity(
            &[(shape, Pose::identity()), (&wire(vec![]), Pose::translation(Vec3::y() * height))],
            0.0,
            |_, _| true,
        )
    };
    for bad in [-1e-3, f64::NAN, f64::INFINITY] {
        assert_eq!(found(&wire(vec![0.1, bad]), 0.05), Err(BroadPhaseError::Body { body: 0 }), "{bad}");
    }
    let bent = wire(vec![0.1, 0.3]);
    let near = found(&bent, 0.2).unwrap();
    assert_eq!(near[0].offsets(&bent, &wire(vec![])), [0.3, 0.0]);
    assert!(found(&bent, 0.31).unwrap().is_empty());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let shape = Shape::new(Icosphere { radius: 0.5, subdivisions: 1 }.mesh().unwrap());
    let bodies = grid(&shape, 0.2, 1.0);
    let with = |n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| candidates(&bodies, 1.0, 1e-3, |i, j| (i + j) % 3 > 0).unwrap())
    };
    let one = with(1);
    assert!(one.len() > 1000 && is_ascending(&one));
    assert!(one.iter().all(|c| (c.body_a + c.body_b) % 3 > 0));
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

/// Candidates per pair that comes near.
fn excess(bodies: &[(&Shape, RigidMotion)], margin: f64) -> f64 {
    let found = candidates(bodies, 1.0, margin, |_, _| true).unwrap();
    // Multiples of the golden ratio, so that no number of turns samples the same few angles repeatedly.
    let times: Vec<f64> = (0..=100).map(|k| (f64::from(k) * 0.618_033_988_749_895).fract()).collect();
    let n_near = assert_complete(bodies, &found, &times, margin);
    found.len() as f64 / n_near as f64
}

#[test]
fn candidates_are_not_many_more_than_come_near() {
    let shape = Shape::new(Icosphere { radius: 0.5, subdivisions: 1 }.mesh().unwrap());
    let still = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
    let turning = |theta: Vec3| {
        let path = [Vec3::new(1.01, 0.1, 0.0); 2];
        RigidMotion::about_axis(path, UnitQuaternion::identity(), theta)
    };
    for theta in [0.0, 0.1, 1.0, TAU, 3.0 * TAU, 5000.0 * TAU] {
        let bodies = [(&shape, still), (&shape, turning(theta * Vec3::new(0.1, 0.3, 1.0).normalize()))];
        let excess = excess(&bodies, 0.05);
        assert!(excess < 9.0, "{excess} candidates for each pair near when turning by {theta}");
    }
    let posed = bodies_at_rest(&shape);
    let found = proximity(&posed, 0.1, |_, _| true).unwrap();
    let bodies = posed.map(|(s, p)| (s, RigidMotion::at_rest(p.position, p.rotation)));
    let n_near = assert_complete(&bodies, &found, &[0.0], 0.1);
    assert!(n_near > 20 && found.len() < 9 * n_near, "{} candidates for {n_near} near", found.len());
    // Intervals of points at rest are as narrow as rounding.
    let by_intervals = interval_candidates_between(&bodies, [0, 1], 1.0, 0.1).unwrap();
    assert!(by_intervals.len() < 9 * n_near, "{} candidates for {n_near} near", by_intervals.len());
}

/// Two bodies whose faces nearly touch.
fn bodies_at_rest(shape: &Shape) -> [(&Shape, Pose); 2] {
    let x = Vec3::new(0.4, 0.5, 0.7).normalize() * 0.98;
    [(shape, Pose::identity()), (shape, Pose::from_rotation_vector(x, &Vec3::new(0.3, 0.2, 0.5)))]
}

#[test]
fn bodies_far_apart_and_rings_that_do_not_reach_give_none() {
    let ball = Shape::new(icosahedron(0.5));
    let rod = Shape::new(Cuboid::new(Vec3::new(4.0, 0.1, 0.1)).mesh().unwrap());
    let still = |x: Vec3| RigidMotion::at_rest(x, UnitQuaternion::identity());
    let none = |a: (&Shape, RigidMotion), b: (&Shape, RigidMotion)| {
        let forth = candidates(&[a, b], 1.0, 1e-3, |_, _| true).unwrap().is_empty();
        forth && candidates(&[b, a], 1.0, 1e-3, |_, _| true).unwrap().is_empty()
    };
    assert!(none((&ball, still(Vec3::zeros())), (&ball, still(Vec3::x() * 1e6))));
    for turns in [0.3, 1.0, 7.0, 5000.0] {
        let spin = |x| RigidMotion::about_axis([x; 2], UnitQuaternion::identity(), turns * TAU * Vec3::z());
        // Above the disc but well within the ball, and beyond its rim.
        assert!(none((&rod, spin(Vec3::zeros())), (&ball, still(Vec3::z() * 0.7))));
        assert!(none((&rod, spin(Vec3::zeros())), (&ball, still(Vec3::x() * 2.6))));
        assert!(none((&rod, spin(Vec3::zeros())), (&rod, spin(Vec3::z() * 0.3))));
        assert!(!none((&rod, spin(Vec3::zeros())), (&ball, still(Vec3::new(0.0, 2.2, 0.0)))));
    }
    // In the hole of a ring, and passing each other at high speed.
    let far_out = Shape::new(icosahedron(0.3).map_vertices(|x| x + 2.0 * Vec3::x()));
    let spin = RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), 900.0 * Vec3::z());
    assert!(none((&far_out, spin), (&ball, still(Vec3::zeros()))));
    let fast = RigidMotion::about_axis(
        [Vec3::new(-1e3, 0.0, 1.2), Vec3::new(1e3, 0.0, 1.2)],
        UnitQuaternion::identity(),
        Vec3::zeros(),
    );
    assert!(none((&ball, fast), (&ball, still(Vec3::zeros()))));
}

#[test]
fn what_cannot_be_asked_is_an_error() {
    let ball = Shape::new(icosahedron(0.5));
    let at = |x: f64| (&ball, RigidMotion::at_rest(Vec3::x() * x, UnitQuaternion::identity()));
    let ask =
        |bodies: &[(&Shape, RigidMotion)], horizon, margin| candidates(bodies, horizon, margin, |_, _| true);
    for bad in [f64::NAN, f64::INFINITY, 1e101] {
        assert_eq!(ask(&[at(0.0), at(bad)], 1.0, 0.0), Err(BroadPhaseError::Body { body: 1 }));
        assert!(matches!(ask(&[at(0.0)], 1.0, bad), Err(BroadPhaseError::Margin { .. })));
        assert!(matches!(ask(&[at(0.0)], bad, 0.0), Err(BroadPhaseError::Horizon { .. })));
    }
    assert!(ask(&[at(0.0)], 0.0, 0.0).is_err() && ask(&[at(0.0)], 1.0, -1e-9).is_err());
    assert_eq!(ask(&[], 1.0, 0.0), Ok(vec![]));
    let huge = RigidMotion { theta_t1: Vec3::repeat(9e99), ..at(9e99).1 };
    assert!(ask(&[(&ball, huge), (&ball, huge), at(-9e99)], 1.0, 1e100).is_ok());
}
