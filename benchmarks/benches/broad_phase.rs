//! The broad phase on bodies of 500 triangles in a random, nearly touching cloud, with small and large
//! motion.
//!
//! The name of each case lists bodies, kind of motion and candidates. Before timing, the candidates are
//! compared with all pairs of primitives of a few pairs of bodies at sampled times. `RAYON_NUM_THREADS` sets
//! the number of threads.

use std::fmt;
use std::sync::LazyLock;

use divan::{Bencher, black_box};
use rigor_benchmarks::vectors::vectors;
use rigor_ccd::broad_phase::{Candidate, Shape, candidates, proximity};
use rigor_ccd::{Kind, RigidMotion};
use rigor_geometry::distance::{edge_edge, point_triangle};
use rigor_math::{Pose, Vec3};
use rigor_shapes::UvSphere;

const BODIES: [usize; 3] = [10, 100, 1000];
/// Query distance for moving bodies (m).
const MARGIN: f64 = 1e-3;
/// Query distance for bodies at rest (m).
const D_HAT: f64 = 1e-2;
/// Radius of the bodies (m).
const RADIUS: f64 = 0.5;

static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
    Shape::new(UvSphere { radius: RADIUS, segments: 25, rings: 11 }.mesh().expect("a sphere"))
});

fn main() {
    divan::main();
}

/// Size of the motion in a step.
#[derive(Debug, Clone, Copy)]
enum Moving {
    /// Up to 2 cm and 0.05 rad along and about each axis: 2 m/s and 5 rad/s for 1/100 s.
    Little,
    /// Up to 5 cm along each axis and two radians about each.
    Much,
    /// Up to hundreds of turns about each axis, in place.
    Spinning,
}

impl Moving {
    /// Returns the maximum displacement (m) and turn (rad) along and about each axis.
    fn sizes(self) -> (f64, f64) {
        match self {
            Self::Little => (0.02, 0.05),
            Self::Much => (0.05, 2.0),
            Self::Spinning => (0.0, 3600.0),
        }
    }
}

struct Case<M> {
    motions: Vec<M>,
    name: String,
}

impl<M> fmt::Display for Case<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Returns the centres of balls, drawn one after another, each with a gap of 2 to 6 mm to a previous one and
/// at least 2 mm to all.
fn places(n: usize, next: &mut impl FnMut() -> Vec3) -> Vec<Vec3> {
    let mut places = vec![Vec3::zeros()];
    while places.len() < n {
        let (which, direction) = (next(), next().normalize());
        let beside = places[((which.x * 0.5 + 0.5) * places.len() as f64) as usize];
        let x = beside + direction * (2.0 * RADIUS + 0.004 + 0.002 * which.y);
        if places.iter().all(|y| (x - y).norm() > 2.0 * RADIUS + 0.002) {
            places.push(x);
        }
    }
    places
}

fn moving() -> Vec<Case<RigidMotion>> {
    let case = |n, moving: Moving| {
        let (way, turn) = moving.sizes();
        let mut next = vectors();
        let places = places(n, &mut next);
        let mut motion = |x: Vec3| {
            let orientation = rigor_math::rotation_vector::exp(&next());
            RigidMotion::about_axis([x, x + way * next()], orientation, turn * next())
        };
        let motions: Vec<RigidMotion> = places.into_iter().map(&mut motion).collect();
        let found = in_motion(&motions);
        let times: Vec<f64> = (0..12).map(|k| (f64::from(k) * 0.618).fract()).collect();
        check(&motions, &found, MARGIN, &times);
        Case { name: format!("{n} {moving:?} {}", found.len()), motions }
    };
    let all = [Moving::Little, Moving::Much, Moving::Spinning];
    BODIES.iter().flat_map(|&n| all.map(|moving| case(n, moving))).collect()
}

fn resting() -> Vec<Case<Pose>> {
    let case = |&n: &usize| {
        let mut next = vectors();
        let places = places(n, &mut next);
        let mut pose = |x| Pose::from_rotation_vector(x, &next());
        let poses: Vec<Pose> = places.into_iter().map(&mut pose).collect();
        let found = at_rest(&poses);
        let motions: Vec<_> = poses.iter().map(|p| RigidMotion::at_rest(p.position, p.rotation)).collect();
        check(&motions, &found, D_HAT, &[0.0]);
        Case { name: format!("{n} {}", found.len()), motions: poses }
    };
    BODIES.iter().map(case).collect()
}

/// Checks all pairs of primitives of the first few pairs of bodies that have candidates.
fn check(motions: &[RigidMotion], found: &[Candidate], margin: f64, times: &[f64]) {
    let bodies: Vec<(&Shape, RigidMotion)> = motions.iter().map(|m| (&*SHAPE, *m)).collect();
    for group in found.chunk_by(|c, d| c.bodies() == d.bodies()).take(2) {
        let [i, j] = group[0].bodies();
        for pair in all_pairs(i, j) {
            let query = pair.query(&bodies, 0.0);
            let is_near = |&t: &f64| {
                let [a, b, c, d] = query.points(t);
                let distance_sq = match pair.kind {
                    Kind::EdgeEdge => edge_edge::distance_sq(&a, &b, &c, &d),
                    _ => point_triangle::distance_sq(&a, &b, &c, &d),
                };
                distance_sq < margin * margin * (1.0 - 1e-6)
            };
            assert!(!times.iter().any(is_near) || group.contains(&pair), "{pair:?} is missed");
        }
    }
}

fn all_pairs(i: u32, j: u32) -> impl Iterator<Item = Candidate> {
    let mesh = SHAPE.mesh();
    let counts = [mesh.vertices().len(), mesh.triangles().len(), mesh.edges().len()];
    let [vertices, triangles, edges] = counts.map(|n| n as u32);
    let kinds = [
        (Kind::PointTriangle, [i, j], vertices, triangles),
        (Kind::PointTriangle, [j, i], vertices, triangles),
        (Kind::EdgeEdge, [i, j], edges, edges),
    ];
    kinds.into_iter().flat_map(|(kind, [body_a, body_b], n, m)| {
        let both = (0..n).flat_map(move |index_a| (0..m).map(move |index_b| (index_a, index_b)));
        both.map(move |(index_a, index_b)| Candidate { kind, body_a, body_b, index_a, index_b })
    })
}

fn in_motion(motions: &[RigidMotion]) -> Vec<Candidate> {
    let bodies: Vec<(&Shape, RigidMotion)> = motions.iter().map(|m| (&*SHAPE, *m)).collect();
    candidates(&bodies, 1.0, MARGIN, |_, _| true).expect("numbers of moderate size")
}

fn at_rest(poses: &[Pose]) -> Vec<Candidate> {
    let bodies: Vec<(&Shape, Pose)> = poses.iter().map(|p| (&*SHAPE, *p)).collect();
    proximity(&bodies, D_HAT, |_, _| true).expect("numbers of moderate size")
}

#[divan::bench(args = moving(), sample_count = 20, sample_size = 1, max_time = 5)]
fn moving_bodies(bencher: Bencher, case: &Case<RigidMotion>) {
    bencher.bench_local(|| in_motion(black_box(&case.motions)));
}

#[divan::bench(args = resting(), sample_count = 20, sample_size = 1, max_time = 5)]
fn bodies_at_rest(bencher: Bencher, case: &Case<Pose>) {
    bencher.bench_local(|| at_rest(black_box(&case.motions)));
}

#[divan::bench]
fn build_shape(bencher: Bencher) {
    let mesh = SHAPE.mesh();
    bencher.bench_local(|| Shape::new(black_box(mesh).clone()));
}
