//! Refines straight queries with twice the digits, from where rounding ended the search in `f64`.
//!
//! Surfaces that slide along each other are separated by the last bits of their coordinates; `f64` cannot
//! distinguish them from surfaces that touch. Here positions have an error of 2⁻¹⁰⁰ instead of 2⁻⁵³, and the
//! normal has as many digits as the positions.

use rigor_geometry::distance::{edge_edge, point_edge, point_triangle};
use rigor_math::Vec3;

use super::Gaps;

use crate::wide::WideVec3;
use crate::{Impact, Kind, LinearQuery};

/// Maximum number of pieces.
const MAX_PIECES: usize = 64;

/// Minimum gap relative to the products of its terms: about 50 roundings of 5·2⁻¹⁰⁶ each, with room to spare.
const ROUNDING: f64 = 1.0 / (1u128 << 94) as f64;

/// Fraction of the gap that a step leaves.
const LEFT: f64 = 1.0 / 1024.0;

/// Continues from `t`, up to which the primitives are free for d_min = 0, towards an estimated impact at
/// `t_hit`.
pub(super) fn advance(query: &LinearQuery, mut t: f64, t_hit: f64, horizon: f64) -> Impact {
    for _ in 0..MAX_PIECES {
        let points = at(query, t);
        let ahead = normals(query.kind, &points).map(|normal| reach(query, &normal, &points, t, horizon));
        let next = ahead.iter().copied().fold(t, f64::max);
        if next >= horizon {
            return Impact::Free;
        }
        if next <= t {
            break;
        }
        t = next;
    }
    Impact::At { t_safe: t, t_hit: t_hit.max(t) }
}

/// Returns x(t) − x₀(0), where x₀ is the first point of A.
fn at(query: &LinearQuery, t: f64) -> [WideVec3; 4] {
    std::array::from_fn(|i| {
        let displacement = WideVec3::difference(&query.end[i], &query.start[i]);
        WideVec3::difference(&query.start[i], &query.start[0]).add(&displacement.scale(t))
    })
}

/// Returns the time up to which the plane across `normal` separates the primitives; `t` if it does not
/// separate them at `t`.
///
/// Gaps are linear in t: if they are positive at both ends, they are positive between.
fn reach(query: &LinearQuery, normal: &WideVec3, points: &[WideVec3; 4], t: f64, horizon: f64) -> f64 {
    let gaps = gaps(query.kind, normal, points);
    let slack = slack(query, normal);
    let is_between = gaps.smallest() > slack;
    let displacements: [Vec3; 4] = std::array::from_fn(|i| query.end[i] - query.start[i]);
    let rates = Gaps::new(query.kind, &normal.rounded(), &displacements);
    let tau = gaps.time_down_to(LEFT * gaps.smallest(), &rates, 0.0).min(horizon - t);
    let tries = (0..if is_between { 8 } else { 0 }).map(|halvings| t + tau / f64::from(1 << halvings));
    let stays = |next: &f64| self::gaps(query.kind, normal, &at(query, *next)).smallest() > slack;
    tries.map(|next| next.min(horizon)).take_while(|next| *next > t).find(stays).unwrap_or(t)
}

/// Returns n·(xᵢ − xⱼ), rounded to `f64` only at the very end.
fn gaps(kind: Kind, normal: &WideVec3, points: &[WideVec3; 4]) -> Gaps {
    Gaps::of(kind, |i, j| normal.dot(&points[i].sub(&points[j])).high)
}

/// Returns a bound on the rounding error of a gap at any t.
fn slack(query: &LinearQuery, normal: &WideVec3) -> f64 {
    let seen = |x: &Vec3| (x - query.start[0]).amax();
    let n = query.kind.n_points();
    let reach = query.start[..n].iter().chain(&query.end[..n]).map(seen).fold(0.0, f64::max);
    8.0 * ROUNDING * normal.rounded().amax() * reach + f64::MIN_POSITIVE
}

/// Returns directions from B to A that may separate them: between the nearest features, and normal to the
/// face or to both edges.
fn normals(kind: Kind, x: &[WideVec3; 4]) -> [WideVec3; 2] {
    let p = x.map(|x| x.rounded());
    let edge = |i: usize, j: usize| x[j].sub(&x[i]);
    // e × (w × e), for the edge e and the vector w from it.
    let across_edge = |e: WideVec3, w: WideVec3| e.cross(&w.cross(&e));
    let facing = |n: WideVec3, w: &WideVec3| if n.dot(w).high < 0.0 { n.scale(-1.0) } else { n };
    match kind {
        Kind::PointPoint => [edge(1, 0); 2],
        Kind::PointEdge => {
            let across = across_edge(edge(1, 2), edge(1, 0));
            match point_edge::region(&p[0], &p[1], &p[2]) {
                point_edge::Region::VertexA => [edge(1, 0), across],
                point_edge::Region::VertexB => [edge(2, 0), across],
                point_edge::Region::Edge => [across; 2],
            }
        }
        Kind::PointTriangle => {
            use point_triangle::Region;
            let face = facing(edge(1, 2).cross(&edge(1, 3)), &edge(1, 0));
            let near = match point_triangle::region(&p[0], &p[1], &p[2], &p[3]) {
                Region::VertexA => edge(1, 0),
                Region::VertexB => edge(2, 0),
                Region::VertexC => edge(3, 0),
                Region::EdgeAB => across_edge(edge(1, 2), edge(1, 0)),
                Region::EdgeBC => across_edge(edge(2, 3), edge(2, 0)),
                Region::EdgeCA => across_edge(edge(3, 1), edge(3, 0)),
                Region::Face => face,
            };
            [near, face]
        }
        Kind::EdgeEdge => {
            use edge_edge::Region;
            let (a, b) = (edge(0, 1), edge(2, 3));
            let plane = facing(a.cross(&b), &edge(2, 0));
            let near = match edge_edge::region(&p[0], &p[1], &p[2], &p[3]) {
                Region::VertexA0VertexB0 => edge(2, 0),
                Region::VertexA0VertexB1 => edge(3, 0),
                Region::VertexA1VertexB0 => edge(2, 1),
                Region::VertexA1VertexB1 => edge(3, 1),
                Region::VertexA0EdgeB => across_edge(b, edge(2, 0)),
                Region::VertexA1EdgeB => across_edge(b, edge(2, 1)),
                Region::EdgeAVertexB0 => across_edge(a, edge(2, 0)),
                Region::EdgeAVertexB1 => across_edge(a, edge(3, 0)),
                Region::EdgeAEdgeB => plane,
            };
            [near, plane]
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Coordinates of 20 bits, so that a translation by as many is exact.
        #[test]
        fn slack_does_not_depend_on_the_origin(
            x in prop::array::uniform8(prop::array::uniform3(-(1i64 << 20)..1 << 20)), n in prop::array::uniform3(-1.0..1.0f64),
        ) {
            let points: [Vec3; 8] = x.map(|x| Vec3::from(x.map(|c| c as f64)));
            let [start, end] = [0, 4].map(|first| std::array::from_fn(|i| points[first + i]));
            let query = LinearQuery { kind: Kind::EdgeEdge, start, end, d_min: 0.0 };
            let normal = WideVec3::difference(&Vec3::from(n), &Vec3::zeros());
            for origin in points {
                let moved = |x: [Vec3; 4]| x.map(|x| x - origin);
                let moved = LinearQuery { start: moved(start), end: moved(end), ..query };
                prop_assert_eq!(slack(&moved, &normal), slack(&query, &normal));
            }
        }

        /// The places at both ends count: the slack doubles with that which is the larger by far.
        #[test]
        fn slack_grows_with_either_end(x in prop::array::uniform4(prop::array::uniform3(1.0..2.0f64)), is_late in prop::bool::ANY) {
            let places = x.map(Vec3::from);
            let normal = WideVec3::difference(&Vec3::x(), &Vec3::zeros());
            let of_size = |size: f64| {
                let (large, small) = (places.map(|x| x * size), places.map(|x| x * 1e-3));
                let (mut start, end) = if is_late { (small, large) } else { (large, small) };
                // The place from which distances are taken.
                start[0] = Vec3::zeros();
                slack(&LinearQuery { kind: Kind::EdgeEdge, start, end, d_min: 0.0 }, &normal)
            };
            prop_assert_eq!(of_size(2.0), 2.0 * of_size(1.0));
        }
    }
}
