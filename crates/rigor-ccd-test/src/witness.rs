//! Proof that two primitives meet, found in floating point and independent of any method.

use rigor_math::Vec3;

use super::gap;
use super::query::{Bounds, Query, TINY, U};
use rigor_ccd::Kind;

/// A time by which the primitives have certainly come as near as d_min.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Witness {
    /// At some time in [0, `t`] they are at most d_min apart.
    pub t: f64,
    /// Why.
    pub proof: Proof,
}

/// How it is known that they meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// At `t` a point of A and one of B are nearer than d_min, by more than all rounding.
    Within,
    /// Just before `t` one has passed through the other.
    Crossing,
    /// At `t` a point of A and one of B have the same coordinates, all arithmetic being exact.
    Coincidence,
    /// The exact oracle says so.
    Oracle,
}

/// Where a proof may be found: a time, and the points Σ wᵢ xᵢ of A and of B that meet, wᵢ ≥ 0 adding up to 1 over each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint {
    /// When.
    pub t: f64,
    /// w.
    pub weights: [f64; 4],
}

/// Of the times around a crossing that are tried.
const HALF_WIDTHS: [f64; 3] = [1e-9, 1e-6, 1e-3];

/// A proof that the primitives meet, if one is found near the `hint`.
pub fn certify<Q: Query>(query: &Q, hint: &Hint) -> Option<Witness> {
    if !(0.0..=1.0).contains(&hint.t) {
        return None;
    }
    let bounds = query.bounds();
    let at = |proof| Some(Witness { t: hint.t, proof });
    if query.d_min() > 0.0 && is_within(query, &bounds, hint) {
        return at(Proof::Within);
    }
    if query.coincide(hint) {
        return at(Proof::Coincidence);
    }
    HALF_WIDTHS.into_iter().find_map(|half| crossing(query, &bounds, hint.t, half))
}

/// A proof that the primitives meet, searched for at `n` times; for queries of which nothing is known.
pub fn search<Q: Query>(query: &Q, n: usize) -> Option<Witness> {
    let bounds = query.bounds();
    let crosses = matches!(query.kind(), Kind::PointTriangle | Kind::EdgeEdge);
    let mut before = (0.0, 0.0);
    for i in 0..=n {
        let t = i as f64 / n as f64;
        if query.d_min() > 0.0 && gap::at(query, &bounds, t).upper <= query.d_min() {
            return Some(Witness { t, proof: Proof::Within });
        }
        let sign = if crosses { volume_sign(&query.place(t), &bounds) } else { 0.0 };
        if sign * before.1 < 0.0
            && let Some(found) = crossing_between(query, &bounds, before, t)
        {
            return Some(found);
        }
        before = (t, sign);
    }
    None
}

/// The sign of the volume was `before.1` at the time `before.0` and is the opposite at `after`.
fn crossing_between<Q: Query>(query: &Q, bounds: &Bounds, before: (f64, f64), after: f64) -> Option<Witness> {
    let (mut lo, sign, mut hi) = (before.0, before.1, after);
    for _ in 0..40 {
        let middle = 0.5 * (lo + hi);
        if volume_sign(&query.place(middle), bounds) == sign { lo = middle } else { hi = middle }
    }
    HALF_WIDTHS.into_iter().find_map(|half| crossing(query, bounds, hi, half))
}

/// Σ wᵢ xᵢ of A and of B are at most d_min apart, whatever the rounding.
fn is_within<Q: Query>(query: &Q, bounds: &Bounds, hint: &Hint) -> bool {
    let (n_a, n) = (query.kind().sizes().0, query.kind().n_points());
    let points = query.place(hint.t);
    let mean = |range: std::ops::Range<usize>| {
        let total: f64 = hint.weights[range.clone()].iter().sum();
        let is_inside =
            hint.weights[range.clone()].iter().all(|&w| w >= 0.0) && (total - 1.0).abs() < 8.0 * U;
        let mean: Vec3 = range.map(|i| hint.weights[i] * points[i]).sum();
        if is_inside { mean } else { Vec3::repeat(f64::NAN) }
    };
    let distance = (mean(0..n_a) - mean(n_a..n)).norm();
    distance * (1.0 + 16.0 * U) + 2.0 * bounds.error + 64.0 * U * bounds.reach <= query.d_min()
}

/// A proof that they pass through each other between `t` − `half` and `t` + `half`.
///
/// The signed volume V of the four points is continuous. If it is certainly negative at the one end and certainly
/// positive at the other, it is 0 at some τ between. If, seen along one fixed direction m, the point lies strictly inside
/// the triangle (the edges cross strictly) at *all* times between, the four points span the plane of the picture at τ and,
/// lying in one plane that does not contain m, meet where the picture has them meet.
fn crossing<Q: Query>(query: &Q, bounds: &Bounds, t: f64, half: f64) -> Option<Witness> {
    let is_edge_edge = match query.kind() {
        Kind::PointTriangle => false,
        Kind::EdgeEdge => true,
        Kind::PointPoint | Kind::PointEdge => return None,
    };
    let (before, after) = ((t - half).max(0.0), (t + half).min(1.0));
    let signs = [before, after].map(|t| volume_sign(&query.place(t), bounds));
    if signs[0] * signs[1] >= 0.0 {
        return None;
    }
    // By how much two points have moved against each other since the picture was taken at t; two of one primitive count
    // by way of one of the other.
    let moved = 2.0 * bounds.speed * (after - before);
    let points = query.place(t);
    let seen = Picture::new(is_edge_edge, &points, moved + 2.0 * bounds.error + 4.0 * U * bounds.reach)?;
    let meet = if is_edge_edge { seen.edges_cross() } else { seen.point_is_inside() };
    meet.then_some(Witness { t: after, proof: Proof::Crossing })
}

/// The sign of det(x₁ − x₀, x₂ − x₀, x₃ − x₀), 0 if it is not certain.
///
/// Each difference is off by δ, its length at most D: three factors and six products make less than 16 δ D² + 64 u D³.
fn volume_sign(points: &[Vec3; 4], bounds: &Bounds) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|i| points[i] - points[0]);
    let longest = a.norm().max(b.norm()).max(c.norm());
    let off = 2.0 * bounds.error + 4.0 * U * bounds.reach;
    let volume = a.cross(&b).dot(&c);
    let error =
        16.0 * off * (longest + off) * (longest + off) + 64.0 * U * longest * longest * longest + TINY;
    if volume > error {
        1.0
    } else if volume < -error {
        -1.0
    } else {
        0.0
    }
}

/// Four points seen along a fixed direction, while each may move by `moved` against any other.
struct Picture<'a> {
    points: &'a [Vec3; 4],
    direction: Vec3,
    moved: f64,
}

impl<'a> Picture<'a> {
    fn new(is_edge_edge: bool, points: &'a [Vec3; 4], moved: f64) -> Option<Self> {
        let [a, b, c, d] = points;
        let normal = if is_edge_edge { (b - a).cross(&(d - c)) } else { (c - b).cross(&(d - b)) };
        let direction = normal.try_normalize(0.0)?;
        Some(Self { points, direction, moved })
    }

    /// The sign of m·((y − x) × (z − x)) during all of the motion, 0 if it may change.
    ///
    /// A difference of length D moves by at most s: the product by 2 s D + s². Rounding adds less than 32u D².
    fn turn(&self, [x, y, z]: [usize; 3]) -> f64 {
        let (e, f) = (self.points[y] - self.points[x], self.points[z] - self.points[x]);
        let longest = e.norm().max(f.norm());
        let turn = self.direction.dot(&e.cross(&f));
        let error =
            2.5 * self.moved * longest + 2.0 * self.moved * self.moved + 32.0 * U * longest * longest + TINY;
        if turn > error {
            1.0
        } else if turn < -error {
            -1.0
        } else {
            0.0
        }
    }

    /// The point 0 in the triangle 1 2 3.
    fn point_is_inside(&self) -> bool {
        let turns = [[1, 2, 0], [2, 3, 0], [3, 1, 0]].map(|corners| self.turn(corners));
        turns == [1.0; 3] || turns == [-1.0; 3]
    }

    /// The edges 0 1 and 2 3.
    fn edges_cross(&self) -> bool {
        self.turn([0, 1, 2]) * self.turn([0, 1, 3]) < 0.0 && self.turn([2, 3, 0]) * self.turn([2, 3, 1]) < 0.0
    }
}
