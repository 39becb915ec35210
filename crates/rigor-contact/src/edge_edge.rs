//! Edges of one body against edges of another.

use rigor_geometry::distance::edge_edge;
use rigor_math::Vec3;

use crate::candidate::EdgeEdge;
use crate::feature::{Corner, Edge, Features};
use crate::found::NormalFeature;
use crate::found::{Footing, Found};
use crate::frame::Frame;
use crate::tolerance::{DEEP, GROOVE, INSIDE, PARALLEL};
use crate::window::Window;

/// Length ratio for parallel edges: if they share a stretch no longer than this many times their overlap,
/// they do not lie along each other but meet at their ends, like the tips of spikes.
const SHORT: f64 = 10.0;

/// Factor on the distance beyond which nothing touches, for a test that must not exclude anything by rounding.
const NEARLY: f64 = 1.0 + 1e-6;

/// a as seen from the frame of b.
pub(crate) struct EdgeView<'a> {
    /// a's frame in b's.
    pub a_in_b: &'a Frame,
    /// The same at the start of the step.
    pub start: &'a Frame,
    pub window: &'a Window,
    /// Features of both bodies.
    pub a: &'a Features,
    pub b: &'a Features,
    /// Overlap (m) that stays uncorrected.
    pub slop: f64,
    /// Distance (m) below which points count as one contact.
    pub same: f64,
}

/// Adds the contacts of a's edges with b's edges to `found`.
pub(crate) fn find(
    a: &Features,
    b: &Features,
    seen: &EdgeView<'_>,
    candidates: &[EdgeEdge],
    found: &mut Vec<Found>,
) {
    for of_edge in candidates.chunk_by(|x, y| x.edge_a == y.edge_a) {
        let edge = &a.edges[of_edge[0].edge_a as usize];
        let direction = seen.a_in_b.vector(&edge.direction);
        let start = seen.a_in_b.point(&edge.ends[0]);
        let ends = [start, start + edge.length * direction];
        let placed_a = PlacedEdge { edge, ends, direction, corners: &a.corners };
        for candidate in of_edge {
            let edge = &b.edges[candidate.edge_b as usize];
            let placed_b =
                PlacedEdge { edge, ends: edge.ends, direction: edge.direction, corners: &b.corners };
            let edges = [candidate.edge_a, candidate.edge_b];
            let cosine = direction.dot(&edge.direction);
            if 1.0 - cosine * cosine <= PARALLEL {
                lie_along(edges, &placed_a, &placed_b, seen, found);
            } else {
                let met = cross(edges, &placed_a, &placed_b, cosine, seen, found);
                found.extend(met);
            }
        }
    }
}

/// Returns the contact of two crossing edges, with the given `cosine` between them, if their nearest points
/// lie inside both, they face each other, and no contact was `found` there.
fn cross(
    [edge_a, edge_b]: [u32; 2],
    a: &PlacedEdge<'_>,
    b: &PlacedEdge<'_>,
    cosine: f64,
    seen: &EdgeView<'_>,
    found: &[Found],
) -> Option<Found> {
    let between = b.ends[0] - a.ends[0];
    let (along_a, along_b) = (between.dot(&a.direction), between.dot(&b.direction));
    let sine_sq = 1.0 - cosine * cosine;
    // Distances (m) of the nearest points from the first ends.
    let (s, t) = ((along_a - cosine * along_b) / sine_sq, (cosine * along_a - along_b) / sine_sq);
    let (past_a, past_b) = (a.edge.past(s)?, b.edge.past(t)?);
    let cross = a.direction.cross(&b.direction);
    let (across, far) = (between.dot(&cross), NEARLY * seen.window.far());
    if across * across > far * far * cross.norm_squared() {
        return None;
    }
    let point_b_local = b.ends[0] + t * b.direction;
    if found.iter().any(|f| f.is_at(&point_b_local, &cross, seen.same)) {
        return None;
    }
    let outward = cross.normalize();
    let sign = side(a, b, &outward, seen)?;
    if is_behind_sheet(a, b, &(sign * outward), &point_b_local, seen) {
        return None;
    }
    let separation = -sign * between.dot(&outward);
    if !seen.window.admits(separation) || is_explained(separation, a, b, seen.a_in_b) {
        return None;
    }
    let (n, a_in_b) = (sign * outward, seen.a_in_b);
    let holds_beyond = |past: Option<Overshoot>, placed: &PlacedEdge<'_>, m: &Vec3| {
        past.is_none_or(|past| past.is_in_bend(separation, placed.edge, m, placed.corners))
    };
    if !holds_beyond(past_a, a, &-a_in_b.inverse_vector(&n)) || !holds_beyond(past_b, b, &n) {
        return None;
    }
    if separation < -DEEP * seen.slop && !overlap(a, s, b, t, past_a.is_some() || past_b.is_some(), seen) {
        return None;
    }
    let (feature, n) = normal_of(a.edge, b.edge, &n, a_in_b);
    Some(Found {
        key: [2, edge_a, edge_b],
        point_a_local: a.edge.ends[0] + s * a.edge.direction,
        point_b_local,
        feature,
        normal_b_local: n,
        footing: Footing::Midpoint,
    })
}

/// Returns the normal of a contact of two edges, given the direction `n` (b's frame) across both: that of a face
/// where `n` leans out of the cone of normals of a nearly flat edge, of the flatter one if of both, else `n`.
pub(crate) fn normal_of(a: &Edge, b: &Edge, n: &Vec3, a_in_b: &Frame) -> (NormalFeature, Vec3) {
    let across = || {
        let cross = a_in_b.vector(&a.direction).cross(&b.direction);
        NormalFeature::Edges(a.direction, 1.0_f64.copysign(cross.dot(n)) * b.direction)
    };
    let of_a =
        a.flat_normal(&-a_in_b.inverse_vector(n)).map(|m| (NormalFeature::FaceOfA(m), -a_in_b.vector(&m)));
    let of_b = b.flat_normal(n).map(|m| (NormalFeature::FaceOfB(m), m));
    match (of_a, of_b) {
        (Some(of_a), Some(of_b)) => {
            if a.bend() < b.bend() {
                of_a
            } else {
                of_b
            }
        }
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => (across(), *n),
    }
}

/// Returns whether the points at `s` and `t` (m) of two edges deep behind each other are inside the other's
/// body, with only matter between them.
fn overlap(
    a: &PlacedEdge<'_>,
    s: f64,
    b: &PlacedEdge<'_>,
    t: f64,
    in_bend: bool,
    seen: &EdgeView<'_>,
) -> bool {
    let point_a = a.ends[0] + s.clamp(0.0, a.edge.length) * a.direction;
    let point_b = b.ends[0] + t.clamp(0.0, b.edge.length) * b.direction;
    let [a_of_a, b_of_a] =
        [point_a, point_b].map(|p| seen.a_in_b.inverse_vector(&(p - seen.a_in_b.origin())));
    seen.b.may_contain(&point_a)
        && seen.a.may_contain(&b_of_a)
        && (in_bend || (seen.b.is_clear(&point_a, &point_b) && seen.a.is_clear(&a_of_a, &b_of_a)))
}

/// A point on the line of an edge, past one of its ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overshoot {
    end: usize,
    /// Distance past the end (m).
    by: f64,
}

impl Overshoot {
    /// Returns whether the edge still holds a feature at `separation` (m) from its line there: the body bends
    /// towards it at that end, and the point is past the end by at most a multiple of the overlap.
    ///
    /// In the bend of a ring's inner edge, features that overlap both edges have their nearest points past
    /// the end of each.
    pub fn is_in_bend(&self, separation: f64, edge: &Edge, m: &Vec3, corners: &[Corner]) -> bool {
        self.by <= -GROOVE * separation && edge.rises_beyond(self.end, m, corners)
    }
}

impl Edge {
    /// Classifies the point of its line at `t` (m) from the first end: `Some(None)` on the edge, with a small
    /// tolerance, `Some(Some(past))` past an end at which the body bends, `None` past any other end.
    pub(crate) fn past(&self, t: f64) -> Option<Option<Overshoot>> {
        let slack = INSIDE * self.length;
        if (-slack..=self.length + slack).contains(&t) {
            return Some(None);
        }
        let (end, by) = if t < 0.0 { (0, -t) } else { (1, t - self.length) };
        self.bends[end].then_some(Some(Overshoot { end, by }))
    }
}

/// Adds the contacts at both ends of the stretch on which two parallel edges of solids lie along each other,
/// ridge on ridge. The normal bisects their outward directions.
///
/// Edges side by side at more than the same-point distance touch through other features: corners on faces, or
/// other edges. Ridges that were apart at the start of the step are kept from slipping past each other even
/// if that were the shorter way out.
fn lie_along(
    [edge_a, edge_b]: [u32; 2],
    a: &PlacedEdge<'_>,
    b: &PlacedEdge<'_>,
    seen: &EdgeView<'_>,
    found: &mut Vec<Found>,
) {
    let (Some(out_a), Some(out_b)) = (a.edge.outside, b.edge.outside) else { return };
    let (w, length) = (b.direction, b.edge.length);
    let between = a.ends[0] - b.ends[0];
    let apart = between - between.dot(&w) * w;
    let near = seen.window.far() + seen.same;
    if apart.norm_squared() > near * near {
        return;
    }
    let [p, q] = a.ends.map(|end| (end - b.ends[0]).dot(&w));
    let (low, high) = (p.min(q).max(0.0), p.max(q).min(length));
    if high - low <= INSIDE * length {
        return;
    }
    let n = out_b - seen.a_in_b.vector(&out_a);
    let n = (n - n.dot(&w) * w).normalize();
    let separation = apart.dot(&n);
    let is_beside = apart.norm_squared() - separation * separation > seen.same * seen.same;
    let is_short = high - low <= -SHORT * separation;
    if is_beside || is_short || !seen.window.admits(separation) {
        return;
    }
    let ends = [(3, low), (4, high)].map(|(kind, t)| (kind, t, b.ends[0] + t * w));
    let is_known = |found: &[Found], point: &Vec3| found.iter().any(|f| f.is_at(point, &n, seen.same));
    // If the outward directions cancel, n is NaN and supports nothing.
    if ends.iter().all(|(_, _, point)| is_known(found, point))
        || !b.edge.supports(&n)
        || !a.edge.supports(&-seen.a_in_b.inverse_vector(&n))
        || (is_explained(separation, a, b, seen.a_in_b) && !began_apart(a, b, &n, seen))
    {
        return;
    }
    for (kind, t, point_b_local) in ends {
        if !is_known(found, &point_b_local) {
            found.push(Found {
                key: [kind, edge_a, edge_b],
                point_a_local: a.edge.ends[0] + (t - p) / (q - p) * a.edge.length * a.edge.direction,
                point_b_local,
                feature: NormalFeature::FaceOfB(n),
                normal_b_local: n,
                footing: Footing::Midpoint,
            });
        }
    }
}

/// Returns whether a contact with the normal `n` at the point `on` of b (m) would push a body through a sheet, to the
/// side to which the sheet's edge is a ridge: neither its centre of mass is on that side, nor were the edges apart
/// along `n` at the start of the step.
///
/// The far edges of a body that touches a sheet are as deep behind it as the body is thick.
fn is_behind_sheet(a: &PlacedEdge<'_>, b: &PlacedEdge<'_>, n: &Vec3, on: &Vec3, seen: &EdgeView<'_>) -> bool {
    // The side of the centre of one body against the edge of the other.
    let of_a = (seen.a_in_b.origin() - on).dot(n);
    let of_b = on.dot(n);
    let is_beyond = (!seen.b.is_solid() && of_a < 0.0) || (!seen.a.is_solid() && of_b > 0.0);
    is_beyond && apart_at(a.edge, b.edge, seen.start).dot(n) < -2.0 * seen.slop
}

/// Returns whether a was outside b along `n` at the start of the step.
fn began_apart(a: &PlacedEdge<'_>, b: &PlacedEdge<'_>, n: &Vec3, seen: &EdgeView<'_>) -> bool {
    apart_at(a.edge, b.edge, seen.start).dot(n) >= -seen.same
}

/// Returns 1 if `outward`, a unit vector in b's frame, points from b to a where the edges touch, −1 if it
/// points from a to b, and `None` if the edges do not face each other.
fn side(a: &PlacedEdge<'_>, b: &PlacedEdge<'_>, outward: &Vec3, seen: &EdgeView<'_>) -> Option<f64> {
    let faces = |m: &Vec3| b.edge.supports(m) && a.edge.supports(&-seen.a_in_b.inverse_vector(m));
    match (faces(outward), faces(&-outward)) {
        (true, false) => Some(1.0),
        (false, true) => Some(-1.0),
        (true, true) => Some(1.0_f64.copysign(outward.dot(&apart_at(a.edge, b.edge, seen.start)))),
        (false, false) => None,
    }
}

/// Returns the vector from edge b to edge a in b's frame at the start of the step, which tells the outward
/// direction if the edges alone do not.
fn apart_at(a: &Edge, b: &Edge, start: &Frame) -> Vec3 {
    let [p, q] = a.ends.map(|x| start.point(&x));
    edge_edge::closest(&p, &q, &b.ends[0], &b.ends[1]).separation
}

/// An edge of one body as seen from the frame of the contact.
struct PlacedEdge<'a> {
    edge: &'a Edge,
    ends: [Vec3; 2],
    /// Unit vector from the first end to the second.
    direction: Vec3,
    corners: &'a [Corner],
}

impl PlacedEdge<'_> {
    /// Returns whether the edge leaves through a face with outward normal `n` through the point `on` with
    /// less than `depth` (m).
    ///
    /// The needed depth is that of the deeper end behind the face, provided that the body reaches no deeper
    /// there, which holds if the corner at that end supports −n. `n_local` is n in the body's own frame.
    fn leaves(&self, on: &Vec3, n: &Vec3, n_local: &Vec3, depth: f64) -> bool {
        let [s, t] = self.ends.map(|end| (end - on).dot(n));
        let (behind, corner) = if s < t { (s, self.edge.corners[0]) } else { (t, self.edge.corners[1]) };
        behind > -depth && corner.is_some_and(|c| self.corners[c as usize].supports(&-n_local))
    }
}

/// Returns whether a face beside one of the edges explains the overlap with less depth than the edges do.
fn is_explained(separation: f64, a: &PlacedEdge, b: &PlacedEdge, a_in_b: &Frame) -> bool {
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
