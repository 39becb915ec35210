//! Proofs that two primitives meet, found in floating point and independent of any method.

pub use super::hint::Hint;

use rigor_math::Vec3;

use super::gap;
use super::query::{Bounds, Query, TINY, U, length};
use rigor_ccd::Kind;

/// A time by which the primitives have certainly come within d_min.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Witness {
    /// At some time in [0, `t`] they are at most d_min apart.
    pub t: f64,
    /// Type of proof.
    pub proof: Proof,
}

/// The proof that they meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// At `t` a point of A and one of B are closer than d_min by more than all rounding.
    Within,
    /// Just before `t` one has passed through the other.
    Crossing,
    /// At `t` a point of A and one of B have the same coordinates, in exact arithmetic.
    Coincidence,
    /// The exact oracle proves it.
    Oracle,
}

/// Half-widths of the intervals tried around a crossing.
const HALF_WIDTHS: [f64; 3] = [1e-9, 1e-6, 1e-3];

/// Returns a proof that the primitives meet, if one is found near the `hint`.
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

/// Searches for a proof that the primitives meet at `n` + 1 equidistant times, for queries about which
/// nothing is known.
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

/// Bisects a crossing: the volume has the sign `before.1` at the time `before.0` and the opposite one at
/// `after`.
fn crossing_between<Q: Query>(query: &Q, bounds: &Bounds, before: (f64, f64), after: f64) -> Option<Witness> {
    let (mut lo, sign, mut hi) = (before.0, before.1, after);
    for _ in 0..40 {
        let middle = 0.5 * (lo + hi);
        if volume_sign(&query.place(middle), bounds) == sign { lo = middle } else { hi = middle }
    }
    HALF_WIDTHS.into_iter().find_map(|half| crossing(query, bounds, hi, half))
}

/// Whether Σ wᵢ xᵢ of A and of B are at most d_min apart, whatever the rounding.
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
    let distance = length(&(mean(0..n_a) - mean(n_a..n)));
    distance * (1.0 + 16.0 * U) + 2.0 * bounds.error + 64.0 * U * bounds.reach <= query.d_min()
}

/// Returns a proof that they pass through each other between `t` − `half` and `t` + `half`.
///
/// The signed volume V of the four points is continuous. If it is certainly negative at one end and certainly
/// positive at the other, it is 0 at some τ between. If, seen along a fixed direction m, the point is
/// strictly inside the triangle (the edges cross strictly) at *all* times between, the projection of the four
/// points at τ is not degenerate. They lie in one plane that does not contain m, so they meet where their
/// projections meet.
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
    // A bound on the relative motion of two points since the projection at t; two points of one primitive are
    // compared through a point of the other.
    let moved = 2.0 * bounds.speed * (after - before);
    let points = query.place(t);
    let seen = Projection::new(is_edge_edge, &points, moved + 2.0 * bounds.error + 4.0 * U * bounds.reach)?;
    let meet = if is_edge_edge { seen.edges_cross() } else { seen.point_is_inside() };
    meet.then_some(Witness { t: after, proof: Proof::Crossing })
}

/// Returns the sign of det(x₁ − x₀, x₂ − x₀, x₃ − x₀), 0 if uncertain.
///
/// Each difference has an error δ and a length of at most D: three factors and six products give less than
/// 16 δ D² + 64 u D³.
fn volume_sign(points: &[Vec3; 4], bounds: &Bounds) -> f64 {
    let [a, b, c] = [1, 2, 3].map(|i| points[i] - points[0]);
    let longest = length(&a).max(length(&b)).max(length(&c));
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

/// The projection of four points along a fixed direction, where each may move by `moved` relative to any
/// other.
struct Projection<'a> {
    points: &'a [Vec3; 4],
    direction: Vec3,
    moved: f64,
}

impl<'a> Projection<'a> {
    fn new(is_edge_edge: bool, points: &'a [Vec3; 4], moved: f64) -> Option<Self> {
        let [a, b, c, d] = points;
        let normal = if is_edge_edge { (b - a).cross(&(d - c)) } else { (c - b).cross(&(d - b)) };
        let longest = normal.amax();
        let direction = (longest > TINY).then(|| normal / longest)?.normalize();
        Some(Self { points, direction, moved })
    }

    /// Returns the sign of m·((y − x) × (z − x)) throughout the motion, 0 if it may change.
    ///
    /// A difference of length D changes by at most s, and the product by 2 s D + s². Rounding adds less than
    /// 32u D².
    fn turn(&self, [x, y, z]: [usize; 3]) -> f64 {
        let (e, f) = (self.points[y] - self.points[x], self.points[z] - self.points[x]);
        let longest = length(&e).max(length(&f));
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

    /// Whether point 0 is inside the triangle 1 2 3.
    fn point_is_inside(&self) -> bool {
        let turns = [[1, 2, 0], [2, 3, 0], [3, 1, 0]].map(|corners| self.turn(corners));
        turns == [1.0; 3] || turns == [-1.0; 3]
    }

    /// Whether the edges 0 1 and 2 3 cross.
    fn edges_cross(&self) -> bool {
        self.turn([0, 1, 2]) * self.turn([0, 1, 3]) < 0.0 && self.turn([2, 3, 0]) * self.turn([2, 3, 1]) < 0.0
    }
}
