//! Whether a point lies inside a mesh of triangles.
//!
//! A ray goes up (+z) from the point p, and its passages through triangles are counted. Where it would meet
//! an edge or a vertex, or run within a triangle, p is moved by (ε, ε², 0) with ε > 0 smaller than any
//! positive number: a sign that vanishes at p becomes that of the first non-zero term in ε. So there are no
//! special cases and no retries: the cost is one pass over the triangles, each with at most one
//! point–triangle test and four more exact predicates. The infinitesimal motion changes nothing for a point
//! off the surface.

use std::f64::consts::PI;

use rigor_math::{Vec3, elementary};

use super::{Relation, point_triangle};
use crate::predicates::{Sign, orient_2d, orient_3d};

/// Where a point lies with respect to a closed surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Containment {
    /// Strictly outside.
    Outside,
    /// On a triangle.
    On,
    /// Strictly inside.
    Inside,
}

/// Where p lies: inside if the ray passes an odd number of triangles. Exact, for any orientation of
/// triangles.
///
/// Every edge must belong to an even number of triangles; otherwise inside is meaningless and the answer
/// depends on the direction of the ray (use [`winding_number`] for such meshes). Where two closed parts of
/// the mesh overlap, the overlap counts as outside; [`winding`] resolves this. Triangles without area matter
/// only to `On`.
///
/// # Panics
/// If an index is past the end of the vertices.
///
/// ```
/// use rigor_geometry::intersection::containment::{Containment, containment};
/// use rigor_math::Vec3;
/// let vertices = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
/// let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// let at = |x: f64| containment(&Vec3::new(x, x, x), &vertices, &triangles);
/// assert_eq!(at(0.25), Containment::Inside);
/// assert_eq!(at(0.0), Containment::On);
/// assert_eq!(at(0.5), Containment::Outside);
/// ```
pub fn containment(p: &Vec3, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Containment {
    let mut inside = false;
    for t in triangles {
        match passage(p, &t.map(|v| vertices[v as usize])) {
            None => return Containment::On,
            Some(0) => {}
            Some(_) => inside = !inside,
        }
    }
    if inside { Containment::Inside } else { Containment::Outside }
}

/// How many times the surface winds around p, or `None` if p is on it. Exact.
///
/// The surface must be closed and consistently oriented: 1 inside a mesh whose triangles turn counter-clockwise seen from
/// outside, 0 outside, −1 inside one turned inside out, 2 where two bodies overlap.
///
/// # Panics
/// If an index is past the end of the vertices.
pub fn winding(p: &Vec3, vertices: &[Vec3], triangles: &[[u32; 3]]) -> Option<i32> {
    triangles.iter().map(|t| passage(p, &t.map(|v| vertices[v as usize]))).sum()
}

/// The winding number of any oriented triangles, closed or not: the sum of their signed solid angles seen
/// from p, over 4π. Not exact: the error is a few ε per triangle, more close to an edge; on a triangle it is
/// one of the two limits.
///
/// For corners at a, b, c from p: tan(Ω/2) = a·(b × c)/(abc + (a·b) c + (b·c) a + (c·a) b), after A. van Oosterom and
/// J. Strackee, *The Solid Angle of a Plane Triangle* (1983).
///
/// # Panics
/// If an index is past the end of the vertices.
pub fn winding_number(p: &Vec3, vertices: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    triangles.iter().map(|t| solid_angle(t.map(|v| vertices[v as usize] - p))).sum::<f64>() / (4.0 * PI)
}

/// The signed solid angle (sr) of a triangle seen from the origin: positive from the side where it turns clockwise.
fn solid_angle([a, b, c]: [Vec3; 3]) -> f64 {
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let cosine_part = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * elementary::atan2(a.dot(&b.cross(&c)), cosine_part)
}

/// 1 if the ray from p passes the triangle towards the side from which it turns counter-clockwise, −1 if the
/// other way, 0 if it misses; `None` if p lies on the triangle.
fn passage(p: &Vec3, t: &[Vec3; 3]) -> Option<i32> {
    let [a, b, c] = t;
    if point_triangle::contact(p, t) == Relation::Touching {
        return None;
    }
    let misses = |axis: usize| t.iter().all(|v| v[axis] < p[axis]) || t.iter().all(|v| v[axis] > p[axis]);
    if misses(0) || misses(1) || t.iter().all(|v| v.z < p.z) {
        return Some(0);
    }
    let turns = [(a, b), (b, c), (c, a)].map(|(from, to)| turn_above(from, to, p));
    if !Sign::are_strictly_equal(&turns) {
        return Some(0);
    }
    // The projection has area, and p lies above or below the triangle but not on it, so it is not in the
    // triangle's plane.
    let is_below = orient_3d(a, b, c, p) != turns[0];
    let towards = if turns[0] == Sign::Positive { 1 } else { -1 };
    Some(if is_below { towards } else { 0 })
}

/// The sign of the turn from a over b to p + (ε, ε², 0), seen from above: of
/// orient(a, b, p) + (a_y − b_y) ε + (b_x − a_x) ε²; `Zero` only if the edge is vertical.
fn turn_above(a: &Vec3, b: &Vec3, p: &Vec3) -> Sign {
    let is_decided = |sign: &Sign| *sign != Sign::Zero;
    let at_p = Some(orient_2d(2, a, b, p)).filter(is_decided);
    let first = || Some(Sign::of(a.y - b.y)).filter(is_decided);
    at_p.or_else(first).unwrap_or_else(|| Sign::of(b.x - a.x))
}
