//! Edges of one body against edges of another.

use rigor_geometry::distance::edge_edge;
use rigor_math::Vec3;

use super::{Feature, Found, Frame, INSIDE, Key};
use crate::candidate::{EdgeEdge, Window};
use crate::feature::{Corner, Edge, Features};

/// Squared sine of the angle under which two edges count as parallel; their contact is that of corners with faces.
pub(crate) const PARALLEL: f64 = 1e-6;

/// Adds the contacts of edges of a with edges of b; `a_in_b` places a's frame in b's, `start` where it was at the start of the
/// step.
pub(super) fn find(
    a: &Features,
    b: &Features,
    a_in_b: &Frame,
    start: &Frame,
    window: &Window,
    candidates: &[EdgeEdge],
    found: &mut Vec<Found>,
) {
    for candidate in candidates {
        let (edge_a, edge_b) = (&a.edges[candidate.edge_a as usize], &b.edges[candidate.edge_b as usize]);
        let key = [2, candidate.edge_a, candidate.edge_b];
        let corners = (a.corners.as_slice(), b.corners.as_slice());
        found.extend(meet(key, (edge_a, edge_b), corners, (a_in_b, start), window));
    }
}

/// The contact of two edges, if their nearest points lie inside both and they face each other.
fn meet(
    key: Key,
    (a, b): (&Edge, &Edge),
    corners: (&[Corner], &[Corner]),
    (a_in_b, start): (&Frame, &Frame),
    window: &Window,
) -> Option<Found> {
    let ends_a = a.ends.map(|x| a_in_b.point(&x));
    let (u, w) = (ends_a[1] - ends_a[0], b.ends[1] - b.ends[0]);
    let cross = u.cross(&w);
    let cross_sq = cross.norm_squared();
    if cross_sq <= PARALLEL * u.norm_squared() * w.norm_squared() {
        return None;
    }
    let between = b.ends[0] - ends_a[0];
    let (s, t) = (between.cross(&w).dot(&cross) / cross_sq, between.cross(&u).dot(&cross) / cross_sq);
    let inside = |t: f64| (-INSIDE..=1.0 + INSIDE).contains(&t);
    if !(inside(s) && inside(t)) {
        return None;
    }
    let gap = -between.dot(&cross) / cross_sq.sqrt();
    let outward = cross / cross_sq.sqrt();
    let faces = |m: &Vec3| b.supports(m) && a.supports(&-a_in_b.inverse_vector(m));
    let sign = match (faces(&outward), faces(&-outward)) {
        (true, false) => 1.0,
        (false, true) => -1.0,
        (true, true) => 1.0_f64.copysign(outward.dot(&apart(a, b, start))),
        (false, false) => return None,
    };
    let separation = sign * gap;
    let placed_a = Placed { edge: a, ends: ends_a, corners: corners.0 };
    let placed_b = Placed { edge: b, ends: b.ends, corners: corners.1 };
    if !window.admits(separation) || is_explained(separation, &placed_a, &placed_b, a_in_b) {
        return None;
    }
    let (u_local, w_local) = (a.ends[1] - a.ends[0], sign * w);
    Some(Found {
        key,
        point_a_local: a.ends[0] + s * u_local,
        point_b_local: b.ends[0] + t * w,
        feature: Feature::Edges(u_local.normalize(), w_local.normalize()),
    })
}

/// From the edge b to the edge a in b's frame at the start of the step: which way is out where the edges alone do not tell.
fn apart(a: &Edge, b: &Edge, start: &Frame) -> Vec3 {
    let [p, q] = a.ends.map(|x| start.point(&x));
    edge_edge::closest(&p, &q, &b.ends[0], &b.ends[1]).separation
}

/// An edge of one body as seen from the frame of the contact.
struct Placed<'a> {
    edge: &'a Edge,
    ends: [Vec3; 2],
    corners: &'a [Corner],
}

impl Placed<'_> {
    /// Whether the edge gets out through a face with outward normal `n` through the point `on` with less than `depth`.
    ///
    /// That takes as much as its deeper end is behind the face, if the body reaches no deeper there: if the corner at that
    /// end supports −n. `n_local` is n in the body's own frame.
    fn leaves(&self, on: &Vec3, n: &Vec3, n_local: &Vec3, depth: f64) -> bool {
        let [s, t] = self.ends.map(|end| (end - on).dot(n));
        let (behind, corner) = if s < t { (s, self.edge.corners[0]) } else { (t, self.edge.corners[1]) };
        behind > -depth && corner.is_some_and(|c| self.corners[c as usize].supports(&-n_local))
    }
}

/// Whether a face beside one of the edges explains the overlap with less depth than the edges do.
fn is_explained(separation: f64, a: &Placed, b: &Placed, a_in_b: &Frame) -> bool {
    let depth = -separation * (1.0 - INSIDE);
    depth > 0.0
        && (b
            .edge
            .sides
            .iter()
            .any(|side| a.leaves(&b.ends[0], &side.normal, &a_in_b.inverse_vector(&side.normal), depth))
            || a.edge.sides.iter().any(|side| {
                let n = a_in_b.vector(&side.normal);
                b.leaves(&a.ends[0], &n, &n, depth)
            }))
}
