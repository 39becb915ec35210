//! Which features of two bodies may touch: found once with room to spare, kept while the bodies keep their places, and
//! narrowed at the start of each step to those that the step's motion can bring together.
//!
//! What a step takes for a candidate depends on the state at its start alone, never on when the kept ones were found.

use rigor_geometry::distance::{edge_edge, point_triangle};
use rigor_math::{Pose, Vec3};

use crate::contact::{Frame, GROOVE, INSIDE, PARALLEL};
use crate::feature::{Face, Features, SUPPORT_TOLERANCE};

/// A corner of one body against a face of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CornerFace {
    pub corner: u32,
    pub face: u32,
    /// Whether the face's back is its outside here: a sheet met from behind.
    pub flipped: bool,
}

/// An edge of a against an edge of b.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeEdge {
    pub edge_a: u32,
    pub edge_b: u32,
    /// From b to a in b's frame at the start of the step: which way is out where the edges alone do not tell.
    pub apart: Vec3,
}

/// What the features of a pair can do within a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Scope {
    /// How far (m) a point of one body may move against the other.
    pub motion: f64,
    /// How far (m) apart features touch within a substep.
    pub reach: f64,
    /// How deep (m) an overlap is still taken for contact.
    pub depth: f64,
    /// By how much (rad) the bodies may turn against each other.
    pub tilt: f64,
}

impl Scope {
    /// Whether a separation (m) may come into the window of contact within the step.
    fn admits(&self, separation: f64) -> bool {
        -self.depth - self.motion <= separation && separation <= self.reach + self.motion
    }

    /// The distance (m) beyond which nothing matters in this step.
    fn far(&self) -> f64 {
        self.depth.max(self.reach) + self.motion
    }
}

/// Pairs of features by the kind of their contact: corners of a with faces of b, corners of b with faces of a, edges.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    pub corners_a: Vec<CornerFace>,
    pub corners_b: Vec<CornerFace>,
    pub edges: Vec<EdgeEdge>,
}

impl Candidates {
    pub fn is_empty(&self) -> bool {
        self.corners_a.is_empty() && self.corners_b.is_empty() && self.edges.is_empty()
    }

    fn clear(&mut self) {
        self.corners_a.clear();
        self.corners_b.clear();
        self.edges.clear();
    }
}

/// The features that can touch while the bodies stay about where they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    near: Candidates,
    /// The pose of a in b's frame at which they were found.
    at: Pose,
    /// What they are good for; nothing at first.
    scope: Scope,
}

/// Room to spare: motion, as a part of the smaller body's radius.
const ROOM: f64 = 0.05;

/// Room to spare: turning (rad).
const TURN: f64 = 0.1;

impl Kept {
    /// Fills `active` with what can touch in a step of this `scope`; `a_in_b` places a's frame in b's at its start.
    pub fn narrow(
        &mut self,
        a: &Features,
        b: &Features,
        a_in_b: &Pose,
        scope: &Scope,
        active: &mut Candidates,
    ) {
        if !self.is_good_for(a, b, a_in_b, scope) {
            self.find(a, b, a_in_b, scope);
        }
        active.clear();
        narrow(a, b, a_in_b, scope, &self.near, active);
    }

    /// Whether the motion since they were found, and that of the step, stay within what they are good for.
    fn is_good_for(&self, a: &Features, b: &Features, a_in_b: &Pose, scope: &Scope) -> bool {
        // In the frame of the larger body, whose points may be far away.
        let (before, now) =
            if a.radius <= b.radius { (self.at, *a_in_b) } else { (self.at.inverse(), a_in_b.inverse()) };
        let turned = 2.0 * (before.rotation.inverse() * now.rotation).imag().norm();
        let moved =
            (now.position - before.position).norm() + turned * (a.radius.min(b.radius) + self.scope.far());
        moved + scope.motion <= self.scope.motion
            && turned + scope.tilt <= self.scope.tilt
            && scope.depth <= self.scope.depth
            && scope.reach <= self.scope.reach
    }

    fn find(&mut self, a: &Features, b: &Features, a_in_b: &Pose, scope: &Scope) {
        let room = scope.motion + ROOM * a.radius.min(b.radius);
        self.at = *a_in_b;
        self.scope = Scope {
            motion: scope.motion + room,
            reach: scope.reach + room,
            depth: scope.depth + room,
            tilt: 2.0 * scope.tilt + TURN,
        };
        let margin = self.scope.far();
        let edges = b.edge_tree.overlapping_pairs_posed(&a.edge_tree, a_in_b, margin).into_iter();
        let apart = Vec3::zeros();
        let mut edges: Vec<_> = edges.map(|[edge_b, edge_a]| EdgeEdge { edge_a, edge_b, apart }).collect();
        edges.sort_unstable_by_key(|e| (e.edge_a, e.edge_b));
        let all = Candidates {
            corners_a: near_corners(a, b, a_in_b, margin),
            corners_b: near_corners(b, a, &a_in_b.inverse(), margin),
            edges,
        };
        self.near.clear();
        narrow(a, b, a_in_b, &self.scope, &all, &mut self.near);
    }
}

/// Corners of `a` within `margin` of faces of `b`, corner by corner; `a_in_b` places a's frame in b's.
fn near_corners(a: &Features, b: &Features, a_in_b: &Pose, margin: f64) -> Vec<CornerFace> {
    let near = b.face_tree.overlapping_pairs_posed(&a.corner_tree, a_in_b, margin).into_iter();
    let mut found: Vec<_> = near.map(|[face, corner]| CornerFace { corner, face, flipped: false }).collect();
    found.sort_unstable_by_key(|c| (c.corner, c.face));
    found
}

/// Adds to `active` those of `near` that can touch within the `scope`.
///
/// What is left out for a scope is left out for any that lies within it: after a motion, that is, which it allows for.
fn narrow(
    a: &Features,
    b: &Features,
    a_in_b: &Pose,
    scope: &Scope,
    near: &Candidates,
    active: &mut Candidates,
) {
    let out = Frame::of(a_in_b);
    narrow_corners(a, b, &out, scope, &near.corners_a, &mut active.corners_a);
    narrow_corners(b, a, &out.inverse(), scope, &near.corners_b, &mut active.corners_b);
    narrow_edges(a, b, &out, scope, &near.edges, &mut active.edges);
}

/// The corners of `a` that may come to stand on faces of `b`.
fn narrow_corners(
    a: &Features,
    b: &Features,
    a_in_b: &Frame,
    scope: &Scope,
    near: &[CornerFace],
    active: &mut Vec<CornerFace>,
) {
    for of_corner in near.chunk_by(|x, y| x.corner == y.corner) {
        let corner = &a.corners[of_corner[0].corner as usize];
        let p = a_in_b.point(&corner.position);
        for candidate in of_corner {
            let face = &b.faces[candidate.face as usize];
            let height = face.normal.dot(&p) - face.offset;
            // A sheet is met from the side on which the body is.
            let flipped = !face.solid && face.normal.dot(&a_in_b.origin()) < face.offset;
            let may_meet = |sign: f64| {
                let (separation, normal) = (sign * height, sign * face.normal);
                scope.admits(separation)
                    && corner.supports_within(&-a_in_b.inverse_vector(&normal), scope.tilt)
                    && may_stand(&(p - height * face.normal), separation, face, scope)
            };
            if may_meet(1.0) || (!face.solid && may_meet(-1.0)) {
                active.push(CornerFace { flipped, ..*candidate });
            }
        }
    }
}

/// Whether a corner at this `separation` (m) from a face, over the point `foot` (m) of its plane, may come to stand on it.
fn may_stand(foot: &Vec3, separation: f64, face: &Face, scope: &Scope) -> bool {
    let is_hollow = face.hollow != [false; 3];
    let groove = if is_hollow { GROOVE * (scope.motion - separation).max(0.0) } else { 0.0 };
    let allowed = scope.motion + groove + INSIDE * face.length;
    let past = face.past(foot);
    if past <= 0.0 || past > allowed {
        return past <= 0.0;
    }
    let [a, b, c] = &face.corners;
    let past_sq = point_triangle::closest(foot, a, b, c).separation.norm_squared();
    past_sq <= allowed * allowed && past_sq + separation * separation <= scope.far() * scope.far()
}

/// The edges of `a` that may come to lie on edges of `b`.
fn narrow_edges(
    a: &Features,
    b: &Features,
    a_in_b: &Frame,
    scope: &Scope,
    near: &[EdgeEdge],
    active: &mut Vec<EdgeEdge>,
) {
    for candidate in near {
        let (edge_a, edge_b) = (&a.edges[candidate.edge_a as usize], &b.edges[candidate.edge_b as usize]);
        let [p, q] = edge_a.ends.map(|x| a_in_b.point(&x));
        let [r, s] = &edge_b.ends;
        let (u, w) = (q - p, s - r);
        let cross = u.cross(&w);
        let sine = cross.norm() / (u.norm() * w.norm());
        // How far the common normal may turn within the step.
        let tilt = 2.0 * scope.tilt / (sine - scope.tilt).max(f64::MIN_POSITIVE);
        let faces = |m: &Vec3| {
            edge_b.supports_within(m, tilt) && edge_a.supports_within(&-a_in_b.inverse_vector(m), tilt)
        };
        let direction = cross / cross.norm().max(f64::MIN_POSITIVE);
        let may_face = sine * sine <= PARALLEL
            || tilt + SUPPORT_TOLERANCE >= 1.0
            || faces(&direction)
            || faces(&-direction);
        if !may_face {
            continue;
        }
        let apart = edge_edge::closest(&p, &q, r, s).separation;
        if apart.norm_squared() <= scope.far() * scope.far() {
            active.push(EdgeEdge { apart, ..*candidate });
        }
    }
}
