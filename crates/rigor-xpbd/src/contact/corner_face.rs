//! Corners of one body against faces of another.

use rigor_math::Vec3;

use super::{Frame, INSIDE, Window};
use crate::broad_phase::CornerFace;
use crate::feature::{Face, Features};

/// A contact found: the corner in the frame of its body, foot and outward normal in that of the face.
pub(super) struct Met {
    pub candidate: CornerFace,
    pub corner: Vec3,
    pub foot: Vec3,
    pub normal: Vec3,
}

/// A corner over or under a face.
struct Candidate {
    from: CornerFace,
    /// s (m): distance of the corner from the face's plane, negative behind it.
    separation: f64,
    /// The corner's foot on the plane (m).
    foot: Vec3,
    /// Outward normal.
    normal: Vec3,
    offset: f64,
}

/// Calls `contact` for each contact of `corners` with `faces`, in whose frame `frame` places the corners.
pub(super) fn find(
    corners: &Features,
    faces: &Features,
    frame: &Frame,
    window: Window,
    candidates: &[CornerFace],
    mut contact: impl FnMut(Met),
) {
    let mut overlaps: Vec<Candidate> = Vec::new();
    for of_corner in candidates.chunk_by(|x, y| x.corner == y.corner) {
        let corner = &corners.corners[of_corner[0].corner as usize];
        let p = frame.point(&corner.position);
        overlaps.clear();
        overlaps.extend(of_corner.iter().filter_map(|c| {
            let found = meet(&p, *c, &faces.faces[c.face as usize], window)?;
            corner.supports(&-frame.inverse_vector(&found.normal)).then_some(found)
        }));
        overlaps.sort_by(|x, y| y.separation.total_cmp(&x.separation));
        for i in 0..overlaps.len() {
            if is_explained(&overlaps[i], &overlaps[..i]) {
                continue;
            }
            let Candidate { from: candidate, foot, normal, .. } = overlaps[i];
            contact(Met { candidate, corner: corner.position, foot, normal });
        }
    }
}

/// The corner `p` (m, in the face's frame) over the face, if it is over it at all and within the window.
fn meet(p: &Vec3, from: CornerFace, face: &Face, window: Window) -> Option<Candidate> {
    let sign = if from.flipped { -1.0 } else { 1.0 };
    let (normal, offset) = (sign * face.normal, sign * face.offset);
    let separation = normal.dot(p) - offset;
    if !window.admits(separation) {
        return None;
    }
    let foot = p - separation * normal;
    is_inside(&foot, face).then_some(Candidate { from, separation, foot, normal, offset })
}

/// Whether a point of the face's plane lies in the triangle, with a little slack.
fn is_inside(foot: &Vec3, face: &Face) -> bool {
    let [a, b, c] = &face.corners;
    [(a, b), (b, c), (c, a)].into_iter().all(|(from, to)| {
        let side = to - from;
        face.normal.dot(&side.cross(&(foot - from))) >= -INSIDE * side.norm_squared()
    })
}

/// Whether a shallower contact of the same corner does away with `deeper`.
///
/// Once the corner stands on the shallower face it still lies behind the plane of the deeper one only if the solid falls
/// away there, as behind the rim of a box: then there was no contact with the deeper face. If the faces form a groove the
/// shallower foot lies in front of the deeper plane, and both are contacts. Two triangles of one plane count once.
fn is_explained(deeper: &Candidate, shallower: &[Candidate]) -> bool {
    shallower.iter().any(|s| {
        let in_front = deeper.normal.dot(&s.foot) - deeper.offset;
        let same_plane = s.normal.dot(&deeper.normal) > 1.0 - 1e-9;
        same_plane || in_front < -INSIDE * deeper.separation.abs()
    })
}
