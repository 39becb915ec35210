//! Feature candidates: the features of two bodies that can touch, found with a margin and kept while the
//! bodies move little.
//!
//! Every substep searches for contacts among the candidates. Features that are left out cannot touch before
//! the next search for candidates, so contacts never depend on when that search happened.

use rigor_geometry::distance::{edge_edge, point_triangle};
use rigor_math::{Pose, Vec3};

use crate::ball::RoundFeature;
use crate::feature::{Face, Features, SUPPORT_TOLERANCE};
use crate::frame::Frame;
use crate::tolerance::{GROOVE, INSIDE, PARALLEL};
use crate::window::Window;

/// A corner of one body against a face of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CornerFace {
    pub corner: u32,
    pub face: u32,
}

/// An edge of a against an edge of b.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeEdge {
    pub edge_a: u32,
    pub edge_b: u32,
}

/// A contact window, with the motion for which candidates stay valid.
#[derive(Debug, Clone, Copy, Default)]
struct Scope {
    window: Window,
    /// Maximum motion (m) of a point of one body against the other.
    motion: f64,
    /// Maximum displacement of the tip of a unit vector of one body in the frame of the other.
    tilt: f64,
}

impl Scope {
    /// Returns the distance (m) beyond which nothing touches.
    fn far(&self) -> f64 {
        self.window.far() + self.motion
    }

    fn admits(&self, separation: f64) -> bool {
        self.window.grown(self.motion).admits(separation)
    }
}

/// Features that can touch while the bodies stay near the poses at which these were found.
#[derive(Debug, Clone, Default)]
pub(crate) struct FeatureCandidates {
    /// Corners of a with faces of b, grouped by corner.
    pub corners_a: Vec<CornerFace>,
    /// Corners of b with faces of a, grouped by corner.
    pub corners_b: Vec<CornerFace>,
    pub edges: Vec<EdgeEdge>,
    /// Balls and rods of a with features of b, and those of b with features of a, grouped by ball or rod.
    pub balls: [Vec<RoundFeature>; 2],
    /// a's frame in b's and b's in a's, at the last search.
    at: [Frame; 2],
    /// Window and motion for which the candidates are valid; empty at first.
    scope: Scope,
}

/// Returns upper bounds on the motion (m) of a point of the smaller body, or of one within `far` (m) of it,
/// against the other body, and on the motion of the tip of a unit vector, between the frames `before` and
/// `now` (each a's in b's and b's in a's).
pub(crate) fn moved(
    (a, b): (&Features, &Features),
    before: &[Frame; 2],
    now: &[Frame; 2],
    far: f64,
) -> (f64, f64) {
    // Work in the frame of the larger body, whose points may be far away.
    let larger = usize::from(a.radius > b.radius);
    let (before, now) = (&before[larger], &now[larger]);
    let turned = before.chord(now);
    ((now.origin() - before.origin()).norm() + turned * (a.radius.min(b.radius) + far), turned)
}

/// Motion margin, as a fraction of the smaller body's radius.
const ROOM: f64 = 0.02;

/// Motion margin in substeps of the fastest motion; capped at half the mean edge length, beyond which many
/// more features are near.
const AHEAD: f64 = 4.0;

/// Rotation margin: maximum displacement of the tip of a unit vector.
const TURN: f64 = 0.04;

impl FeatureCandidates {
    /// Returns whether the candidates contain everything that can touch in this `window`, with a's frame in
    /// b's at `frames[0]` and b's in a's at `frames[1]`.
    pub fn are_good_for(&self, a: &Features, b: &Features, frames: &[Frame; 2], window: &Window) -> bool {
        let (moved, turned) = moved((a, b), &self.at, frames, self.scope.far());
        moved <= self.scope.motion
            && turned <= self.scope.tilt
            && window.depth <= self.scope.window.depth
            && window.reach <= self.scope.window.reach
    }

    /// Searches for candidates, for bodies that move by up to `travel` (m) in a substep.
    pub fn find(&mut self, a: &Features, b: &Features, a_in_b: &Pose, window: &Window, travel: f64) {
        let motion = ROOM * a.radius.min(b.radius) + (AHEAD * travel).min(0.5 * a.grain.min(b.grain));
        let window = window.grown(motion);
        self.scope = Scope { window, motion, tilt: TURN };
        let out = Frame::of(a_in_b);
        self.at = [out, out.inverse()];
        self.corners_a.clear();
        self.corners_b.clear();
        self.edges.clear();
        if !a.is_round && !b.is_round {
            find_corners(a, b, a_in_b, &self.scope, &mut self.corners_a);
            find_corners(b, a, &a_in_b.inverse(), &self.scope, &mut self.corners_b);
            find_edges(a, b, a_in_b, &self.scope, &mut self.edges);
        }
        let ([in_b, in_a], far) = (&self.at, self.scope.far());
        let [of_a, of_b] = &mut self.balls;
        RoundFeature::find(a, b, in_b, far, true, of_a);
        RoundFeature::find(b, a, in_a, far, false, of_b);
    }

    pub fn are_none(&self) -> bool {
        self.corners_a.is_empty()
            && self.corners_b.is_empty()
            && self.edges.is_empty()
            && self.balls.iter().all(Vec::is_empty)
    }
}

/// Finds the corners of `a` that may come to touch faces of `b`; `a_in_b` is a's pose in b's frame.
fn find_corners(a: &Features, b: &Features, a_in_b: &Pose, scope: &Scope, found: &mut Vec<CornerFace>) {
    let frame = Frame::of(a_in_b);
    let near = b.face_tree.overlapping_pairs_posed(&a.corner_tree, a_in_b, scope.far());
    found.extend(near.into_iter().map(|[face, corner]| CornerFace { corner, face }).filter(|near| {
        let (corner, face) = (&a.corners[near.corner as usize], &b.faces[near.face as usize]);
        if corner.in_ball || face.in_ball {
            return false;
        }
        let p = frame.point(&corner.position);
        let height = face.normal.dot(&p) - face.offset;
        // The circle of a rim is outside of its corners.
        let rim = corner.circle.map_or(0.0, |circle| circle.sagitta());
        let may_meet = |sign: f64| {
            let (separation, normal) = (sign * height, sign * face.normal);
            (scope.admits(separation) || scope.admits(separation - rim))
                && corner.supports_within(&-frame.inverse_vector(&normal), scope.tilt)
                && may_stand(&(p - height * face.normal), separation, face, scope)
        };
        may_meet(1.0) || (!face.solid && may_meet(-1.0))
    }));
    found.sort_unstable_by_key(|c| (c.corner, c.face));
}

/// Returns whether a corner at this `separation` (m) from a face, above the point `foot` (m) of its plane,
/// may come to touch the face.
fn may_stand(foot: &Vec3, separation: f64, face: &Face, scope: &Scope) -> bool {
    let is_hollow = face.hollow != [false; 3];
    let groove = if is_hollow { GROOVE * (scope.motion - separation).max(0.0) } else { 0.0 };
    let allowed = scope.motion + groove + INSIDE * face.length;
    let past = face.past(foot);
    if past <= 0.0 || past > allowed {
        return past <= 0.0;
    }
    let [a, b, c] = &face.corners;
    point_triangle::closest(foot, a, b, c).separation.norm_squared() <= allowed * allowed
}

/// Finds the edges of `a` that may come to touch edges of `b`; `a_in_b` is a's pose in b's frame.
fn find_edges(a: &Features, b: &Features, a_in_b: &Pose, scope: &Scope, found: &mut Vec<EdgeEdge>) {
    let frame = Frame::of(a_in_b);
    let near = b.edge_tree.overlapping_pairs_posed(&a.edge_tree, a_in_b, scope.far());
    found.extend(near.into_iter().map(|[edge_b, edge_a]| EdgeEdge { edge_a, edge_b }).filter(|near| {
        let (edge_a, edge_b) = (&a.edges[near.edge_a as usize], &b.edges[near.edge_b as usize]);
        if edge_a.in_ball || edge_b.in_ball {
            return false;
        }
        let [p, q] = edge_a.ends.map(|x| frame.point(&x));
        let [r, s] = &edge_b.ends;
        let (u, w) = (q - p, s - r);
        let cross = u.cross(&w);
        let sine = cross.norm() / (u.norm() * w.norm());
        // Maximum rotation of the common normal.
        let tilt = 2.0 * scope.tilt / (sine - scope.tilt).max(f64::MIN_POSITIVE);
        let faces = |m: &Vec3| {
            edge_b.supports_within(m, tilt) && edge_a.supports_within(&-frame.inverse_vector(m), tilt)
        };
        let direction = cross / cross.norm().max(f64::MIN_POSITIVE);
        let may_face = sine * sine <= PARALLEL
            || tilt + SUPPORT_TOLERANCE >= 1.0
            || faces(&direction)
            || faces(&-direction);
        may_face && edge_edge::distance_sq(&p, &q, r, s) <= scope.far() * scope.far()
    }));
    found.sort_unstable_by_key(|e| (e.edge_a, e.edge_b));
}
