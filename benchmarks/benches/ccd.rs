//! Continuous collision detection with typical queries of a simulation: far apart, random and near. Also
//! shows that no query allocates.
//!
//! The linear query of a pair moves straight between the start and the end of its rigid query, so that both
//! are comparable. Answers are checked against the exact truth before timing.

use std::fmt;

use divan::{AllocProfiler, Bencher, black_box, counter::ItemsCount};
use rigor_bench::ccd::AnsweredQuery;
use rigor_bench::ccd::score::Answer;
use rigor_bench::ccd::verdict::Verdict;
use rigor_ccd::{Ccd, Kind, LinearQuery, RigidMotion, RigidQuery};
use rigor_geometry::distance::{edge_edge, point_triangle};
use rigor_math::Vec3;

/// Shows allocations, if any.
#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// Queries per measurement.
const N: usize = 200;

/// Relative placement of the two primitives, whose size is 1 m.
#[derive(Debug, Clone, Copy)]
enum Placing {
    /// 5 m apart, moving by 1 m.
    Far,
    /// Centres anywhere in a cube of 2 m, moving by up to 1 m: some overlap at the start, some collide.
    Random,
    /// A gap of 1 mm; moving by 1 cm in any direction.
    Near,
}

/// A benchmark case.
#[derive(Clone, Copy)]
struct Case<M> {
    method: M,
    name: &'static str,
    kind: Kind,
    placing: Placing,
}

impl<M> fmt::Display for Case<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} {}", self.kind.name(), self.placing, self.name)
    }
}

fn cases<Q: AnsweredQuery>() -> Vec<Case<Q::Method>> {
    let mut cases = Vec::new();
    for kind in [Kind::PointTriangle, Kind::EdgeEdge] {
        for placing in [Placing::Far, Placing::Random, Placing::Near] {
            cases.extend(Q::methods().iter().map(|m| Case { method: *m, name: Q::name(*m), kind, placing }));
        }
    }
    cases
}

/// A linear congruential sequence in [−1, 1], identical in every run.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

fn closest(kind: Kind, [a, b, c, d]: &[Vec3; 4]) -> (f64, Vec3) {
    let separation = match kind {
        Kind::PointTriangle => point_triangle::closest(a, b, c, d).separation,
        _ => edge_edge::closest(a, b, c, d).separation,
    };
    (separation.norm(), separation)
}

/// Two bodies that each turn by up to half a radian about the centre of their primitive.
fn rigid(kind: Kind, placing: Placing, sequence: &mut Sequence) -> RigidQuery {
    let points_local = std::array::from_fn(|_| 0.5 * sequence.vector());
    let still = |position: Vec3, theta: Vec3| RigidMotion::between([position; 2], [theta; 2]);
    let [theta_a, theta_b] = [sequence.vector(), sequence.vector()];
    let offset = match placing {
        Placing::Far => 5.0 * sequence.vector().normalize(),
        Placing::Random => sequence.vector(),
        Placing::Near => 3.0 * sequence.vector().normalize(),
    };
    let motions = [still(offset, theta_a), still(Vec3::zeros(), theta_b)];
    let mut query = RigidQuery::new(kind, motions, points_local, 0.0);
    let (way, turn) = match placing {
        Placing::Far | Placing::Random => (0.5, 0.25),
        Placing::Near => {
            // Move along the line between the closest points until a gap of 1 mm is left.
            let (distance, apart) = closest(kind, &query.points(0.0));
            query.motion_a.position_t0 -= apart * (1.0 - 1e-3 / distance);
            (0.005, 0.01)
        }
    };
    for motion in [&mut query.motion_a, &mut query.motion_b] {
        motion.position_t1 = motion.position_t0 + way * sequence.vector();
        motion.theta_t1 = motion.theta_t0 + turn * sequence.vector();
    }
    query
}

fn queries(kind: Kind, placing: Placing) -> Vec<RigidQuery> {
    let mut sequence = Sequence(1);
    (0..N).map(|_| rigid(kind, placing, &mut sequence)).collect()
}

/// Returns the linear query between the start and the end of the rigid bodies.
fn straight(rigid: &RigidQuery) -> LinearQuery {
    LinearQuery::new(rigid.kind, rigid.points(0.0), rigid.points(1.0), 0.0)
}

/// Checks that the method is not late on any of the queries.
fn check<Q: AnsweredQuery>(case: &Case<Q::Method>, queries: &[Q]) {
    for query in queries {
        let truth = query.proven();
        let verdict = Answer::untimed(&case.method, query, &truth).verdict;
        assert_ne!(verdict, Verdict::FalseNegative, "{case}: {query:?} {truth:?}");
    }
}

fn time<Q: AnsweredQuery>(bencher: Bencher, case: &Case<Q::Method>, queries: &[Q]) {
    bencher.counter(ItemsCount::new(queries.len())).bench_local(|| {
        for query in black_box(queries) {
            black_box(case.method.impact(query, 1.0)).expect("queries are valid");
        }
    });
}

#[divan::bench(args = cases::<LinearQuery>(), max_time = 1)]
fn linear(bencher: Bencher, case: &Case<<LinearQuery as AnsweredQuery>::Method>) {
    let queries: Vec<_> = queries(case.kind, case.placing).iter().map(straight).collect();
    check(case, &queries);
    time(bencher, case, &queries);
}

#[divan::bench(args = cases::<RigidQuery>(), max_time = 1)]
fn curved(bencher: Bencher, case: &Case<<RigidQuery as AnsweredQuery>::Method>) {
    let queries = queries(case.kind, case.placing);
    check(case, &queries);
    time(bencher, case, &queries);
}
