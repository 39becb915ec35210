//! A proof that primitives have met.

use super::ball::{BITS, Ball, Vector, cross, dot, minus};
use super::integer::longest;
use crate::Kind;

/// x₀·(y × z) of the four points: 0 when they lie in a plane.
fn volume(kind: Kind, x: &[Vector]) -> Ball {
    dot(&minus(&x[0], &x[2]), &normal(kind, x))
}

/// (b − a) × (c − a) of a triangle; (a₁ − a₀) × (b₁ − b₀) of edges.
fn normal(kind: Kind, x: &[Vector]) -> Vector {
    match kind {
        Kind::EdgeEdge => cross(&minus(&x[1], &x[0]), &minus(&x[3], &x[2])),
        _ => cross(&minus(&x[2], &x[1]), &minus(&x[3], &x[1])),
    }
}

/// Whether, seen along `along`, the point is inside the triangle or the edges cross, for all points of the boxes.
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

/// Whether a point has gone through a triangle, or an edge through an edge, between two times, for certain.
///
/// `before` and `after` are the points at both times, `all` holds them at all times between. The volume of the four
/// points has opposite signs at both times, so it is 0 between. Then the points lie in one plane. Seen along a fixed
/// direction they are, at all times, so that the point is strictly inside the triangle, or the edges cross strictly;
/// so the plane is not parallel to that direction, is mapped one to one, and what is seen is so in the plane itself.
pub(super) fn is_certain(kind: Kind, before: &[Vector], after: &[Vector], all: &[Vector]) -> bool {
    let near = |x: &[Vector]| -> Vec<Vector> { x.iter().map(|p| minus(p, &x[x.len() - 1])).collect() };
    if !matches!(kind, Kind::PointTriangle | Kind::EdgeEdge) {
        return false;
    }
    let near_before = near(before);
    // Small primitives far from each other's centres are enlarged, so that products keep their digits.
    let room = BITS.saturating_sub(longest(near_before.iter().flatten().map(|c| &c.mid)));
    let enlarged =
        |x: Vec<Vector>| -> Vec<Vector> { x.into_iter().map(|p| p.map(|c| c.shifted_up(room))).collect() };
    let (before, after, all) = (enlarged(near_before), enlarged(near(after)), enlarged(near(all)));
    let along = normal(kind, &before).map(|c| Ball::exact(c.mid));
    volume(kind, &before).certain_sign() * volume(kind, &after).certain_sign() < 0
        && is_inside(kind, &all, &along)
}
