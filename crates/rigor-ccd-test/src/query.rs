//! The trait through which the kit accesses a query, independent of the type of motion. It shares no code
//! with the methods that it judges.

use std::fmt;

use rigor_math::{UnitQuaternion, Vec3, elementary};

use super::exact;
use super::simpler::Numbers;
use super::witness::Hint;
use rigor_ccd::{Kind, LinearQuery, RigidMotion, RigidQuery, Truth};

/// u = 2⁻⁵³: a rounded operation has an error of at most u times its result.
pub(super) const U: f64 = 0.5 * f64::EPSILON;

/// An upper bound on what underflow adds to anything computed here.
pub(super) const TINY: f64 = 1e-290;

/// A query that the kit can generate, judge and simplify.
pub trait Query: Copy + fmt::Debug + PartialEq + Send + Sync + Numbers + 'static {
    /// The types of the primitives.
    fn kind(&self) -> Kind;
    /// The distance (m) that they must exceed.
    fn d_min(&self) -> f64;
    /// Whether the query is valid.
    fn is_valid(&self) -> bool;
    /// Returns the points at `t` (m, world), rounded.
    fn place(&self, t: f64) -> [Vec3; 4];
    /// Returns bounds that hold for [`place`](Self::place).
    fn bounds(&self) -> Bounds;
    /// Returns the truth by exact arithmetic; slow.
    fn truth(&self) -> Truth;
    /// Whether the points of `hint` coincide at its time, in exact arithmetic; `false` if that is hard to
    /// decide.
    fn coincide(&self, hint: &Hint) -> bool;
    /// Returns the query as Rust code to paste into a test.
    fn paste(&self) -> String;
    /// Returns the query with A and B exchanged, for two points or two edges.
    fn swapped(&self) -> Option<Self>;
    /// Returns the query with the points of each primitive in reverse order.
    fn reversed(&self) -> Self;
    /// Returns the query with NaN for the points that its kind does not use.
    fn with_garbage(&self) -> Self;
}

/// Bounds that hold for all t ∈ [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Maximum distance (m) between a computed and the exact point.
    pub error: f64,
    /// Maximum relative speed (m per step) of a point of A and a point of B.
    pub speed: f64,
    /// Maximum distance (m) of a point from the origin.
    pub reach: f64,
}

fn longest(vectors: impl Iterator<Item = Vec3>) -> f64 {
    vectors.map(|v| v.norm()).fold(0.0, f64::max)
}

/// Formats the points of A and of B as Rust code: a single point, or an array.
fn paste_parts(kind: Kind, paste: impl Fn(usize) -> String) -> [String; 2] {
    let (n_a, n) = (kind.sizes().0, kind.n_points());
    [0..n_a, n_a..n].map(|points| {
        let each: Vec<String> = points.map(&paste).collect();
        if each.len() == 1 {
            each.concat()
        } else {
            format!("[\n        {},\n    ]", each.join(",\n        "))
        }
    })
}

const fn constructor(kind: Kind) -> &'static str {
    match kind {
        Kind::PointPoint => "point_point",
        Kind::PointEdge => "point_edge",
        Kind::PointTriangle => "point_triangle",
        Kind::EdgeEdge => "edge_edge",
    }
}

fn paste_vector(v: &Vec3) -> String {
    format!("Vec3::new({:?}, {:?}, {:?})", v.x, v.y, v.z)
}

/// Reverses the points of A and those of B.
fn backwards(kind: Kind, points: &[Vec3; 4]) -> [Vec3; 4] {
    let mut points = *points;
    let (n_a, n) = (kind.sizes().0, kind.n_points());
    points[..n_a].reverse();
    points[n_a..n].reverse();
    points
}

fn exchanged(kind: Kind, points: &[Vec3; 4]) -> Option<[Vec3; 4]> {
    let [a, b, c, d] = *points;
    match kind {
        Kind::PointPoint => Some([b, a, c, d]),
        Kind::EdgeEdge => Some([c, d, a, b]),
        Kind::PointEdge | Kind::PointTriangle => None,
    }
}

fn with_garbage(kind: Kind, points: &[Vec3; 4]) -> [Vec3; 4] {
    std::array::from_fn(|i| if i < kind.n_points() { points[i] } else { Vec3::repeat(f64::NAN) })
}

impl Query for LinearQuery {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn d_min(&self) -> f64 {
        self.d_min
    }

    fn is_valid(&self) -> bool {
        Self::is_valid(self)
    }

    fn place(&self, t: f64) -> [Vec3; 4] {
        std::array::from_fn(|i| (1.0 - t) * self.start[i] + t * self.end[i])
    }

    /// The error of a coordinate of a point is at most 3u (1 − t) |x₀| + 2u t |x₁|; the speed is that of
    /// differences with such errors.
    fn bounds(&self) -> Bounds {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let reach = longest(self.start[..n].iter().chain(&self.end[..n]).copied());
        let velocity = |i: usize| self.end[i] - self.start[i];
        let against = |i: usize| velocity(i) - velocity(n_a);
        let speed = longest((0..n_a).map(against)) + longest((n_a..n).map(against));
        Bounds { error: 16.0 * U * reach + TINY, speed: speed * (1.0 + 16.0 * U) + 16.0 * U * reach, reach }
    }

    fn truth(&self) -> Truth {
        crate::oracle::linear(self)
    }

    fn coincide(&self, hint: &Hint) -> bool {
        exact::coincide(self, hint)
    }

    fn paste(&self) -> String {
        let [a, b] = paste_parts(self.kind, |i| {
            let (start, end) = (paste_vector(&self.start[i]), paste_vector(&self.end[i]));
            format!("StraightMotion::between({start}, {end})")
        });
        format!("LinearQuery::{}(\n    {a},\n    {b},\n    {:?},\n)", constructor(self.kind), self.d_min)
    }

    fn swapped(&self) -> Option<Self> {
        let (start, end) = (exchanged(self.kind, &self.start)?, exchanged(self.kind, &self.end)?);
        Some(Self::new(self.kind, start, end, self.d_min))
    }

    fn reversed(&self) -> Self {
        let [start, end] = [&self.start, &self.end].map(|points| backwards(self.kind, points));
        Self::new(self.kind, start, end, self.d_min)
    }

    fn with_garbage(&self) -> Self {
        let [start, end] = [&self.start, &self.end].map(|points| with_garbage(self.kind, points));
        Self::new(self.kind, start, end, self.d_min)
    }
}

impl Query for RigidQuery {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn d_min(&self) -> f64 {
        self.d_min
    }

    fn is_valid(&self) -> bool {
        Self::is_valid(self)
    }

    fn place(&self, t: f64) -> [Vec3; 4] {
        let placements = [&self.motion_a, &self.motion_b].map(|motion| Placement::new(motion, t));
        let n_a = self.kind.sizes().0;
        std::array::from_fn(|i| placements[usize::from(i >= n_a)].apply(&self.points_local[i]))
    }

    /// The error of Q x̂ is at most 64u ‖x̂‖, that of the angle of R 16u max‖θ‖, that of its sine and cosine
    /// 4u more, and that of what follows from them 64u: rounded up to 512u and 64u ‖θ‖.
    ///
    /// ‖(d/dt) R(θ(t)) x‖ ≤ ‖θ̇‖ ‖x‖, because the angular velocity is J θ̇ and J is a mean of rotations.
    fn bounds(&self) -> Bounds {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let radii =
            [&self.points_local[..n_a], &self.points_local[n_a..n]].map(|x| longest(x.iter().copied()));
        let (mut error, mut reach, mut turning) = (TINY, 0.0_f64, 0.0);
        for (motion, radius) in [&self.motion_a, &self.motion_b].into_iter().zip(radii) {
            let angle = motion.theta_t0.norm() + motion.theta_t1.norm();
            let position = motion.position_t0.norm().max(motion.position_t1.norm());
            error += U * (radius * (512.0 + 64.0 * angle) + 16.0 * position);
            reach = reach.max(position + radius);
            turning += radius * (motion.theta_t1 - motion.theta_t0).norm() + 16.0 * U * radius * angle;
        }
        let velocity = |motion: &RigidMotion| motion.position_t1 - motion.position_t0;
        let speed = (velocity(&self.motion_a) - velocity(&self.motion_b)).norm() + turning + 16.0 * U * reach;
        Bounds { error, speed: speed * (1.0 + 16.0 * U), reach: reach * (1.0 + 16.0 * U) }
    }

    fn truth(&self) -> Truth {
        crate::oracle::rigid(self)
    }

    /// Turning points have no exact coordinates.
    fn coincide(&self, hint: &Hint) -> bool {
        exact::straight(self).is_some_and(|straight| exact::coincide(&straight, hint))
    }

    fn paste(&self) -> String {
        let [a, b] = paste_parts(self.kind, |i| paste_vector(&self.points_local[i]));
        let [motion_a, motion_b] = [&self.motion_a, &self.motion_b].map(paste_motion);
        let d_min = self.d_min;
        format!(
            "RigidQuery::{}(\n    [\n        {motion_a},\n        {motion_b},\n    ],\n    {a},\n    {b},\n    {d_min:?},\n)",
            constructor(self.kind),
        )
    }

    fn swapped(&self) -> Option<Self> {
        let points_local = exchanged(self.kind, &self.points_local)?;
        Some(Self::new(self.kind, [self.motion_b, self.motion_a], points_local, self.d_min))
    }

    fn reversed(&self) -> Self {
        let points_local = backwards(self.kind, &self.points_local);
        Self::new(self.kind, [self.motion_a, self.motion_b], points_local, self.d_min)
    }

    fn with_garbage(&self) -> Self {
        let points_local = with_garbage(self.kind, &self.points_local);
        Self::new(self.kind, [self.motion_a, self.motion_b], points_local, self.d_min)
    }
}

fn paste_motion(motion: &RigidMotion) -> String {
    let q = motion.orientation.as_vector();
    let orientation = if motion.orientation == UnitQuaternion::identity() {
        "UnitQuaternion::identity()".to_string()
    } else {
        format!(
            "UnitQuaternion::new_unchecked(nalgebra::Quaternion::new({:?}, {:?}, {:?}, {:?}))",
            q.w, q.x, q.y, q.z
        )
    };
    let [p0, p1, theta_t0, theta_t1] =
        [motion.position_t0, motion.position_t1, motion.theta_t0, motion.theta_t1].map(|v| paste_vector(&v));
    format!(
        "RigidMotion {{ position_t0: {p0}, position_t1: {p1}, theta_t0: {theta_t0}, theta_t1: {theta_t1}, orientation: {orientation} }}"
    )
}

/// The placement of a body at one time.
struct Placement {
    /// Q is (w, v), its squared length `norm_sq`.
    w: f64,
    v: Vec3,
    norm_sq: f64,
    theta: Vec3,
    /// sinc ‖θ‖ and ½ sinc²(‖θ‖/2).
    sinc: f64,
    half_sinc_sq: f64,
    position: Vec3,
}

impl Placement {
    fn new(motion: &RigidMotion, t: f64) -> Self {
        let theta = motion.theta_t0 + t * (motion.theta_t1 - motion.theta_t0);
        let angle = theta.norm();
        let (sinc, half_sinc_sq) = if angle < 1e-9 {
            // The next terms are −x²/6 and −x²/24.
            (1.0, 0.5)
        } else {
            let (s, c) = elementary::sin_cos(0.5 * angle);
            (2.0 * s * c / angle, 2.0 * (s / angle) * (s / angle))
        };
        let q = motion.orientation.as_vector();
        let position = (1.0 - t) * motion.position_t0 + t * motion.position_t1;
        Self {
            w: q.w,
            v: Vec3::new(q.x, q.y, q.z),
            norm_sq: q.norm_squared(),
            theta,
            sinc,
            half_sinc_sq,
            position,
        }
    }

    /// x + sinc(‖θ‖) θ × x + ½ sinc²(‖θ‖/2) θ × (θ × x), after x = x̂ + 2 (w v × x̂ + v × (v × x̂))/‖Q‖².
    ///
    /// Source: \[Ferguson2021\] eq. (14). Deviation: the sign of its last term, see `docs/references.md`.
    fn apply(&self, x_local: &Vec3) -> Vec3 {
        let across = self.v.cross(x_local);
        let x = x_local + (self.w * across + self.v.cross(&across)) * (2.0 / self.norm_sq);
        let turned = self.theta.cross(&x);
        x + self.sinc * turned + self.half_sinc_sq * self.theta.cross(&turned) + self.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, generate};

    /// Two formulas for the same motion, each within its error bound.
    #[test]
    fn places_are_those_of_the_motion() {
        for family in Family::ALL {
            for index in 0..200 {
                let query = generate::rigid(family, 7, index).query;
                let error = query.bounds().error;
                let t = index as f64 / 199.0;
                for (x, y) in query.place(t).iter().zip(query.points(t)).take(query.kind.n_points()) {
                    assert!(
                        (x - y).norm() <= 2.0 * error,
                        "{family} {index}: {:e} {error:e}",
                        (x - y).norm()
                    );
                }
            }
        }
    }

    #[test]
    fn nothing_moves_faster_than_its_bound() {
        for family in Family::ALL {
            for index in 0..100 {
                let rigid = generate::rigid(family, 9, index).query;
                assert_slow(&rigid);
                assert_slow(&generate::linear(family, 9, index).query);
            }
        }
    }

    fn assert_slow<Q: Query>(query: &Q) {
        let Bounds { error, speed, .. } = query.bounds();
        let (n_a, n) = (query.kind().sizes().0, query.kind().n_points());
        let (dt, n_steps) = (1.0 / 64.0, 64);
        let mut before = query.place(0.0);
        for step in 1..=n_steps {
            let after = query.place(f64::from(step) * dt);
            for i in 0..n_a {
                for j in n_a..n {
                    let moved = ((after[i] - after[j]) - (before[i] - before[j])).norm();
                    assert!(moved <= speed * dt + 4.0 * error, "{query:?}");
                }
            }
            before = after;
        }
    }
}
