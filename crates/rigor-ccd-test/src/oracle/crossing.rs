//! Proof that primitives have met.

use super::ball::{BITS, Ball, Vector, cross, dot, minus};
use super::feature::point_edge_pairs;
use super::integer::longest;
use rigor_ccd::Kind;

/// Six times the signed volume of the four points, (x₀ − x₂)·normal: 0 if they are coplanar.
fn volume(kind: Kind, x: &[Vector]) -> Ball {
    dot(&minus(&x[0], &x[2]), &normal(kind, x))
}

/// (b − a) × (c − a) for a triangle; (a₁ − a₀) × (b₁ − b₀) for edges.
fn normal(kind: Kind, x: &[Vector]) -> Vector {
    match kind {
        Kind::EdgeEdge => cross(&minus(&x[1], &x[0]), &minus(&x[3], &x[2])),
        _ => cross(&minus(&x[2], &x[1]), &minus(&x[3], &x[1])),
    }
}

/// Whether, seen along `along`, the point is inside the triangle or the edges cross, for all points of the
/// boxes.
fn is_inside(kind: Kind, x: &[Vector], along: &Vector) -> bool {
    let side = |a: usize, b: usize, c: usize| {
        dot(&cross(&minus(&x[b], &x[a]), &minus(&x[c], &x[a])), along).certain_sign()
    };
    match kind {
        Kind::PointTriangle => [(1, 2), (2, 3), (3, 1)].into_iter().all(|(a, b)| side(a, b, 0) > 0),
        Kind::EdgeEdge => side(0, 1, 2) * side(0, 1, 3) < 0 && side(2, 3, 0) * side(2, 3, 1) < 0,
        _ => false,
    }
}

/// The points at two times, and boxes that contain them at all times between.
pub(super) struct Crossing {
    kind: Kind,
    before: Vec<Vector>,
    after: Vec<Vector>,
    all: Vec<Vector>,
}

impl Crossing {
    /// Shifts and enlarges the points, so that products keep their digits even for small primitives far from
    /// their bodies' centres.
    pub fn new(kind: Kind, before: &[Vector], after: &[Vector], all: &[Vector]) -> Self {
        let near = |x: &[Vector]| -> Vec<Vector> { x.iter().map(|p| minus(p, &x[x.len() - 1])).collect() };
        let seen = [before, after, all].map(near);
        let room = BITS.saturating_sub(longest(seen[0].iter().flatten().map(|c| &c.mid)));
        let enlarged = |x: Vec<Vector>| -> Vec<Vector> {
            x.into_iter().map(|p| p.map(|c| c.shifted_up(room))).collect()
        };
        let [before, after, all] = seen.map(enlarged);
        Self { kind, before, after, all }
    }

    /// Whether a point has certainly passed through a triangle, or an edge through an edge.
    ///
    /// The volume of the four points has opposite signs at both times, so it is 0 at some time between, when
    /// the points are coplanar. Seen along a fixed direction, the point is strictly inside the triangle, or
    /// the edges cross strictly, at all times. So the plane is not parallel to that direction and projects
    /// one to one: what meets in the projection meets in the plane.
    pub fn is_certain(&self) -> bool {
        let Self { kind, before, after, all } = self;
        if !matches!(kind, Kind::PointTriangle | Kind::EdgeEdge) {
            return false;
        }
        let along = normal(*kind, before).map(|c| Ball::exact(c.mid));
        volume(*kind, before).certain_sign() * volume(*kind, after).certain_sign() < 0
            && is_inside(*kind, all, &along)
    }

    /// Whether a point has certainly passed through an edge, where all stay in one plane perpendicular to a
    /// coordinate axis.
    ///
    /// The area of the three points has opposite signs at both times, so it is 0 at some time between, when
    /// they are collinear. At all times, along a fixed direction, the point is strictly between the ends.
    pub fn is_certain_in_plane(&self, axis: usize) -> bool {
        let side = |x: &[Vector], [p, a, b]: [usize; 3]| {
            cross(&minus(&x[b], &x[a]), &minus(&x[p], &x[a]))[axis].certain_sign()
        };
        point_edge_pairs(self.kind).iter().any(|&pair @ [p, a, b]| {
            let along = minus(&self.before[b], &self.before[a]).map(|c| Ball::exact(c.mid));
            let is_ahead = |from: usize, to: usize| {
                dot(&minus(&self.all[to], &self.all[from]), &along).certain_sign() > 0
            };
            side(&self.before, pair) * side(&self.after, pair) < 0 && is_ahead(a, p) && is_ahead(p, b)
        })
    }
}
