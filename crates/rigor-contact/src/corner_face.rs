//! Corners of one body against faces of another.

use rigor_geometry::distance::point_triangle::{self, Region};
use rigor_math::Vec3;

use crate::candidate::CornerFace;
use crate::feature::{Corner, Face, Features};
use crate::frame::Frame;
use crate::round::Circle;
use crate::tolerance::{GROOVE, INSIDE};
use crate::window::Window;

/// A contact found: the corner in its body's frame, foot and outward normal in the frame of the face.
pub(crate) struct CornerFaceContact {
    pub candidate: CornerFace,
    pub corner: Vec3,
    pub foot: Vec3,
    pub normal: Vec3,
    /// The circle along whose rim the corner is, if its point on that circle touches.
    pub circle: Option<Circle>,
}

/// One body as seen from the frame of the other.
pub(crate) struct CornerView {
    /// Its frame in that of the other.
    pub frame: Frame,
    /// The same at the start of the step.
    pub start: Frame,
    /// Overlap (m) that stays uncorrected.
    pub slop: f64,
    pub window: Window,
}

/// A corner above or below a face.
#[derive(Debug, Clone)]
pub(crate) struct Overlap {
    from: CornerFace,
    /// Its point that touches, in its body's frame (m).
    corner: Vec3,
    /// Distance (m) of the corner from the plane of the face; negative behind it.
    separation: f64,
    /// Projection of the corner onto the plane (m).
    foot: Vec3,
    /// Outward normal.
    normal: Vec3,
    offset: f64,
    /// Whether the foot lies past a concave edge of the face, so that the corner is at the bottom of a
    /// groove.
    in_groove: bool,
}

/// Calls `contact` for each contact of `corners` with `faces`, in the frame of the latter; `overlaps` is
/// scratch memory.
pub(crate) fn find(
    corners: &Features,
    faces: &Features,
    seen: &CornerView,
    candidates: &[CornerFace],
    overlaps: &mut Vec<Overlap>,
    mut contact: impl FnMut(CornerFaceContact),
) {
    for of_corner in candidates.chunk_by(|x, y| x.corner == y.corner) {
        let corner = &corners.corners[of_corner[0].corner as usize];
        overlaps.clear();
        overlaps
            .extend(of_corner.iter().filter_map(|c| meet(corner, *c, &faces.faces[c.face as usize], seen)));
        overlaps.sort_by(|x, y| y.separation.total_cmp(&x.separation));
        for i in 0..overlaps.len() {
            if is_explained(&overlaps[i], &overlaps[..i]) {
                continue;
            }
            let Overlap { from: candidate, corner: tip, foot, normal, .. } = overlaps[i];
            let circle = corner.circle.filter(|_| tip != corner.position);
            contact(CornerFaceContact { candidate, corner: tip, foot, normal, circle });
        }
    }
}

/// Returns the overlap of a corner, or of the circle along whose rim it is, with the face, if the corner is above or
/// below the face, supports its normal, and is within the window.
fn meet(corner: &Corner, from: CornerFace, face: &Face, seen: &CornerView) -> Option<Overlap> {
    let supports = |n: &Vec3| corner.supports(&-seen.frame.inverse_vector(n));
    let sign = if face.solid { 1.0 } else { side(&corner.position, face, seen, supports) };
    let (normal, offset) = (sign * face.normal, sign * face.offset);
    let tip = corner.tip(&-seen.frame.inverse_vector(&normal));
    let p = seen.frame.point(&tip);
    let separation = normal.dot(&p) - offset;
    if !seen.window.admits(separation) || !supports(&normal) {
        return None;
    }
    let foot = p - separation * normal;
    let in_groove = is_over(&foot, separation, face, seen.window.depth)?;
    Some(Overlap { from, corner: tip, separation, foot, normal, offset, in_groove })
}

/// Returns the side of a sheet's face on which a corner is: 1 in front, −1 behind.
///
/// If the corner can support only one side, and its body's centre of mass is on that side, that side is
/// chosen, however deep an impact has pressed the corner. Otherwise the side at the start of the step is
/// chosen. If the corner was then within twice the slop of the plane, the only side that it can support is
/// chosen, or else the side of the centre of mass.
fn side(corner: &Vec3, face: &Face, seen: &CornerView, supports: impl Fn(&Vec3) -> bool) -> f64 {
    let height = |p: &Vec3| face.normal.dot(p) - face.offset;
    let (start, centre) = (height(&seen.start.point(corner)), height(&seen.start.origin()));
    let stands = match (supports(&face.normal), supports(&-face.normal)) {
        (true, false) => Some(1.0_f64),
        (false, true) => Some(-1.0),
        _ => None,
    };
    match stands {
        Some(side) if side * centre > 0.0 => side,
        _ if start.abs() > 2.0 * seen.slop => 1.0_f64.copysign(start),
        Some(side) => side,
        None => 1.0_f64.copysign(centre),
    }
}

/// Returns whether a foot in the plane of the face belongs to the face: `Some(false)` inside it, with a small
/// tolerance, `Some(true)` past a concave edge, `None` otherwise.
///
/// At the bottom of a groove a corner is behind both faces while its feet lie past their common edge. The
/// region in front of one face there is bounded by the other face, so each face still holds the corner up.
pub(crate) fn is_over(foot: &Vec3, separation: f64, face: &Face, depth: f64) -> Option<bool> {
    let past = face.past(foot);
    if past <= INSIDE * face.length {
        return Some(false);
    }
    let [ab, bc, ca] = face.hollow;
    if separation >= 0.0 || !(ab || bc || ca) || past > GROOVE * -separation {
        return None;
    }
    let [a, b, c] = &face.corners;
    let nearest = point_triangle::closest(foot, a, b, c);
    let past_sq = nearest.separation.norm_squared();
    let is_hollow = match nearest.region {
        Region::Face => false,
        Region::EdgeAB => ab,
        Region::EdgeBC => bc,
        Region::EdgeCA => ca,
        Region::VertexA => ca || ab,
        Region::VertexB => ab || bc,
        Region::VertexC => bc || ca,
    };
    let separation_sq = separation * separation;
    let is_near = past_sq <= GROOVE * GROOVE * separation_sq && past_sq + separation_sq <= depth * depth;
    (is_hollow && is_near).then_some(true)
}

/// Returns whether a shallower contact of the same corner replaces `deeper`.
///
/// Once the corner is moved onto the shallower face, it is still behind the plane of the deeper one only if
/// the solid ends there, as behind the rim of a box; then there was no contact with the deeper face. Both
/// faces of a groove are contacts. Two triangles in one plane count once.
fn is_explained(deeper: &Overlap, shallower: &[Overlap]) -> bool {
    shallower.iter().any(|s| {
        let in_front = deeper.normal.dot(&s.foot) - deeper.offset;
        let same_plane = s.normal.dot(&deeper.normal) > 1.0 - 1e-9;
        let in_groove = s.in_groove || deeper.in_groove;
        same_plane || (!in_groove && in_front < -INSIDE * deeper.separation.abs())
    })
}
