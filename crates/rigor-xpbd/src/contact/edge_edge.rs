//! Edges of one body against edges of another.

use rigor_math::Vec3;

use super::{Contact, Feature, Frame, INSIDE, Key, Window};
use crate::broad_phase::EdgeEdge;
use crate::feature::{Edge, Features};

/// Squared sine of the angle under which two edges count as parallel; their contact is that of corners with faces.
const PARALLEL: f64 = 1e-6;

/// Adds the contacts of edges of a with edges of b; `a_in_b` places a's frame in b's.
pub(super) fn find(
    a: &Features,
    b: &Features,
    a_in_b: &Frame,
    window: Window,
    candidates: &[EdgeEdge],
    contacts: &mut Vec<Contact>,
) {
    for candidate in candidates {
        let (edge_a, edge_b) = (&a.edges[candidate.edge_a as usize], &b.edges[candidate.edge_b as usize]);
        let key = [2, candidate.edge_a, candidate.edge_b];
        contacts.extend(meet(key, edge_a, edge_b, a_in_b, &candidate.apart, window));
    }
}

/// The contact of two edges, if their nearest points lie inside both and they face each other.
fn meet(key: Key, a: &Edge, b: &Edge, a_in_b: &Frame, apart: &Vec3, window: Window) -> Option<Contact> {
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
        (true, true) => 1.0_f64.copysign(outward.dot(apart)),
        (false, false) => return None,
    };
    let separation = sign * gap;
    if !window.admits(separation) || is_explained(separation, a, &ends_a, b, a_in_b) {
        return None;
    }
    let (u_local, w_local) = (a.ends[1] - a.ends[0], sign * w);
    Some(Contact::new(
        key,
        a.ends[0] + s * u_local,
        b.ends[0] + t * w,
        Feature::Edges(u_local.normalize(), w_local.normalize()),
    ))
}

/// Whether a face beside one of the edges explains the overlap with less depth than the edges do.
///
/// Moving out through the face takes the depth of the other edge's deepest end behind it.
fn is_explained(separation: f64, a: &Edge, ends_a: &[Vec3; 2], b: &Edge, a_in_b: &Frame) -> bool {
    let deepest = |ends: &[Vec3; 2], on: &Vec3, n: &Vec3| (ends[0] - on).dot(n).min((ends[1] - on).dot(n));
    let slack = INSIDE * separation.abs();
    separation < 0.0
        && (b.sides.iter().any(|side| deepest(ends_a, &b.ends[0], &side.normal) > separation + slack)
            || a.sides
                .iter()
                .any(|side| deepest(&b.ends, &ends_a[0], &a_in_b.vector(&side.normal)) > separation + slack))
}
