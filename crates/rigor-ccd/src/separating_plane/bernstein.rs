//! Planes that follow the features of straight motions, for primitives that stay close to each other while they turn.
//!
//! The normal of a face, e × f for two of its edges, is a quadratic function of time if its points move along straight lines,
//! and so is the normal of two edges. It stays perpendicular to them, so that the gap, a cubic, is as small as the distance
//! instead of changing with the length of the face. On a piece of time the coefficients of the gap with respect to
//! Bernstein's polynomials bound it from below, and the line below them tells up to when it is positive
//! (`docs/methods/ccd.md`, theorem 8).

use rigor_geometry::distance::{edge_edge, point_edge, point_triangle};
use rigor_math::Vec3;

use super::{Progress, advance_from, direction, least};

use crate::relative::{Relative, Straight, U};
use crate::{Impact, Kind, Limits, LinearQuery, MarginShare};

/// Bound on the rounding error of a coefficient, relative to the sizes of e, f and x. Count: `docs/methods/ccd.md`.
const ROUNDING: f64 = 128.0 * U;

/// Smallest product of the sizes of e and f; below it squares underflow.
const MIN_AREA: f64 = 1e-140;

/// An upper bound on what underflow adds to a coefficient.
const TINY: f64 = 1e-300;

/// Part of a proven piece that is not used, which covers the rounding of its length.
const SPARED: f64 = 1.0 / (1u64 << 40) as f64;

/// Maximum number of pieces with fixed planes where the gap is lost in rounding.
const PATIENT: usize = 256;

/// A piece is tried that is this much longer than the last.
const LONGER: f64 = 4.0;

/// Continues from where a search is; with fixed planes, whose rounding errors are smaller, where nothing is left to follow.
pub(super) fn advance(
    query: &LinearQuery,
    motion: &Straight,
    progress: Progress,
    horizon: f64,
    limits: &Limits<MarginShare>,
) -> Impact {
    let Progress { mut t, enough, spent } = progress;
    let mut longest = horizon;
    for spent in spent..limits.max_boxes {
        let to = (t + longest).min(horizon);
        let planes = Plane::candidates(query, &motion.at(t), t);
        let ends = planes.iter().flatten().map(|plane| plane.end(query, [t, to], enough.unwrap_or(0.0)));
        let end = ends.fold(t, f64::max);
        if end >= horizon {
            return Impact::Free;
        }
        if end <= t {
            let most = Limits { max_boxes: limits.max_boxes.min(spent + PATIENT), ..*limits };
            let progress = Progress { t, enough, spent };
            return match advance_from(motion, query.d_min, progress, horizon, &most) {
                Impact::Undecided { t_safe, boxes } if boxes < limits.max_boxes => {
                    Impact::At { t_safe, t_hit: t_safe }
                }
                answer => answer,
            };
        }
        (longest, t) = (LONGER * (end - t), end);
    }
    Impact::Undecided { t_safe: t, boxes: limits.max_boxes }
}

/// A vector v(t) that changes at a constant rate.
#[derive(Debug, Clone, Copy)]
struct Course {
    start: Vec3,
    displacement: Vec3,
    /// max(‖v(0)‖, ‖v(1)‖), rounded up.
    size: f64,
}

impl Course {
    /// xᵢ − xⱼ.
    fn between(query: &LinearQuery, i: usize, j: usize) -> Self {
        let (start, end) = (query.start[i] - query.start[j], query.end[i] - query.end[j]);
        let size = start.norm().max(end.norm()) * (1.0 + 8.0 * U);
        Self { start, displacement: end - start, size }
    }

    fn constant(v: Vec3) -> Self {
        Self { start: v, displacement: Vec3::zeros(), size: v.norm() * (1.0 + 8.0 * U) }
    }

    fn at(&self, t: f64) -> Vec3 {
        self.start + t * self.displacement
    }
}

/// A plane with the normal e × f, from B to A, where the gaps of the other pairs of points are at least those of `pairs`.
struct Plane {
    e: Course,
    f: Course,
    pairs: [(usize, usize); 2],
}

impl Plane {
    /// Returns a time up to which the plane provably separates the primitives on [t₀, t₁]; t₀ if the margin there is at most
    /// `enough`.
    fn end(&self, query: &LinearQuery, [t_0, t_1]: [f64; 2], enough: f64) -> f64 {
        let (e, f) = (self.e, self.f);
        let area = e.size * f.size;
        let is_plane = area > MIN_AREA;
        if !is_plane {
            return t_0;
        }
        let normals = normals([e.at(t_0), e.at(t_1)], [f.at(t_0), f.at(t_1)]);
        let lengths = normals.map(|n| n.norm() * (1.0 + 16.0 * U));
        let floors = elevated(lengths).map(|length| query.d_min * length);
        let share = |&(i, j): &(usize, usize)| {
            let x = Course::between(query, i, j);
            let gaps = coefficients(&normals, [x.at(t_0), x.at(t_1)]);
            let error = ROUNDING * area * (x.size + query.d_min) + TINY;
            let excess: [f64; 4] = std::array::from_fn(|k| gaps[k] - floors[k] - error);
            let is_apart = excess[0] > enough * lengths[0];
            if is_apart { positive_share(&excess) } else { 0.0 }
        };
        let share = self.pairs.iter().map(share).fold(1.0, least);
        if share >= 1.0 { t_1 } else { (t_0 + share * (1.0 - SPARED) * (t_1 - t_0)).next_down().max(t_0) }
    }

    /// Returns planes suggested by the nearest features at `t`, where the points are at `x`.
    fn candidates(query: &LinearQuery, x: &[Vec3; 4], t: f64) -> [Option<Self>; 2] {
        let Some(n) = direction(query.kind, x) else { return [None; 2].map(|_: Option<()>| None) };
        let course = |i: usize, j: usize| Course::between(query, i, j);
        // e × f points from B to A at t.
        let across = |e: Course, f: Course, pair: (usize, usize)| {
            let is_facing = e.at(t).cross(&f.at(t)).dot(&n) >= 0.0;
            let (e, f) = if is_facing { (e, f) } else { (f, e) };
            Self { e, f, pairs: [pair; 2] }
        };
        // c × e for the edge e and a constant c, which is n at t: about the edge it does not turn.
        let about = |e: Course, pairs: [(usize, usize); 2]| Self {
            e: Course::constant(e.at(t).cross(&n)),
            f: e,
            pairs,
        };
        let fixed = |pairs| {
            // Any two vectors with the cross product n.
            let across = n.cross(&Vec3::ith(n.iamin(), 1.0)).normalize();
            Self { e: Course::constant(across), f: Course::constant(n.cross(&across)), pairs }
        };
        match query.kind {
            Kind::PointPoint => [Some(fixed([(0, 1); 2])), None],
            Kind::PointEdge => match point_edge::region(&x[0], &x[1], &x[2]) {
                point_edge::Region::Edge => [Some(about(course(2, 1), [(0, 1); 2])), None],
                point_edge::Region::VertexA | point_edge::Region::VertexB => {
                    [Some(fixed([(0, 1), (0, 2)])), Some(about(course(2, 1), [(0, 1); 2]))]
                }
            },
            Kind::PointTriangle => {
                use point_triangle::Region;
                let face = across(course(2, 1), course(3, 1), (0, 1));
                let near = match point_triangle::region(&x[0], &x[1], &x[2], &x[3]) {
                    Region::EdgeAB => Some(about(course(2, 1), [(0, 1), (0, 3)])),
                    Region::EdgeBC => Some(about(course(3, 2), [(0, 2), (0, 1)])),
                    Region::EdgeCA => Some(about(course(1, 3), [(0, 3), (0, 2)])),
                    Region::VertexA | Region::VertexB | Region::VertexC | Region::Face => None,
                };
                [Some(face), near]
            }
            Kind::EdgeEdge => {
                use edge_edge::Region;
                let (a, b) = (course(1, 0), course(3, 2));
                let near = match edge_edge::region(&x[0], &x[1], &x[2], &x[3]) {
                    Region::VertexA0EdgeB | Region::VertexA1EdgeB => Some(about(b, [(0, 2), (1, 2)])),
                    Region::EdgeAVertexB0 | Region::EdgeAVertexB1 => Some(about(a, [(0, 2), (0, 3)])),
                    Region::EdgeAEdgeB
                    | Region::VertexA0VertexB0
                    | Region::VertexA0VertexB1
                    | Region::VertexA1VertexB0
                    | Region::VertexA1VertexB1 => None,
                };
                [Some(across(a, b, (0, 2))), near]
            }
        }
    }
}

/// Returns the coefficients of e × f, for e and f that change at constant rates.
fn normals([e_0, e_1]: [Vec3; 2], [f_0, f_1]: [Vec3; 2]) -> [Vec3; 3] {
    [e_0.cross(&f_0), 0.5 * (e_0.cross(&f_1) + e_1.cross(&f_0)), e_1.cross(&f_1)]
}

/// Returns the coefficients of n·x for a quadratic n with the coefficients `n` and a linear x from x₀ to x₁.
fn coefficients(n: &[Vec3; 3], [x_0, x_1]: [Vec3; 2]) -> [f64; 4] {
    [
        n[0].dot(&x_0),
        (n[0].dot(&x_1) + 2.0 * n[1].dot(&x_0)) / 3.0,
        (2.0 * n[1].dot(&x_1) + n[2].dot(&x_0)) / 3.0,
        n[2].dot(&x_1),
    ]
}

/// Returns the coefficients of a quadratic as those of a cubic.
fn elevated([a, b, c]: [f64; 3]) -> [f64; 4] {
    [a, (a + 2.0 * b) / 3.0, (2.0 * b + c) / 3.0, c]
}

/// Returns s such that the cubic with these coefficients, c₀ > 0, is positive on [0, s): 1 if all are positive, else the
/// largest for which all lie above the line from c₀ at 0 to 0 at s.
fn positive_share(c: &[f64; 4]) -> f64 {
    if c.iter().all(|&c| c > 0.0) {
        return 1.0;
    }
    let first = c[0];
    // The line from c₀ through cₖ, which is at k/3, reaches 0 at k/3 c₀/(c₀ − cₖ).
    let crossing = |(k, &c): (usize, &f64)| {
        if c >= first { 1.0 } else { k as f64 / 3.0 * (first / (first - c)) }
    };
    c.iter().enumerate().map(crossing).fold(1.0, least)
}

#[cfg(test)]
mod tests;
