//! Features that cross within a substep: a safety net below the contacts found at the predicted poses.
//!
//! At the predicted poses alone, a body that passed through something thin is already behind it, and bodies
//! that meet in a dent may have their nearest points outside both features. Here every corner is tracked
//! against every nearby face, and every edge against every nearby edge, from the poses before the substep to
//! the predicted ones. Points move along straight lines in the frame of the other body. A crossing pair is a
//! contact at the crossing point, with its normal towards the side from which it came, unless another contact
//! nearby prevents the crossing.
//!
//! Of a round part the centre, or the ends of the axis, are tracked against faces: that is enough where a ball moves by
//! less than its radius in a substep, as it overlaps what it meets before its centre has passed. Its picture is not tracked.
//!
//! A face of a solid can be crossed from the front only: nothing comes from behind it, except out of an
//! overlap within the tolerance. Convex edges of solids are crossed from outside of both. Everything else can
//! be crossed from either side.

use rigor_geometry::Aabb;
use rigor_geometry::distance::{edge_edge, point_triangle};
use rigor_math::{Pose, Vec3};

use crate::candidate::{self, CornerFace, EdgeEdge};
use crate::corner_face::is_over;
use crate::edge_edge::normal_of;
use crate::feature::{Corner, Edge, Face, Features};
use crate::found::{ContactKey, Footing, Found, NormalFeature};
use crate::frame::Frame;
use crate::motion::{Moving, Placed};
use crate::round::Ball;
use crate::tolerance::PARALLEL;
use crate::window::Window;

/// Kinds of contacts in [`ContactKey`]s: a corner of a in front of a face of b or behind it, the same for
/// corners of b, and two edges with a on the positive or the negative side of the cross product of their
/// directions.
const CORNER_A: [u32; 2] = [5, 6];
const CORNER_B: [u32; 2] = [7, 8];
const EDGES: [u32; 2] = [9, 10];
/// The same of centres of balls of a, and of b.
const CENTRE_A: [u32; 2] = [29, 30];
const CENTRE_B: [u32; 2] = [31, 32];

/// Maximum overlap, in slops, with which bodies still count as outside before the substep.
pub const SLOPS: f64 = 4.0;

/// Minimum motion in a substep, as a fraction of the thinner body's thickness, for convex bodies to be
/// tracked. With less motion, a crossing is still seen at the predicted poses.
const THIN: f64 = 0.1;

/// Minimum motion in a substep, as a fraction of the smaller body's radius, for contacts to be found again
/// after a solve. With less motion, what a solve misses is seen in the next substep.
const TURNING: f64 = 0.02;

/// Candidate margins: a fraction of the smaller body's radius, and a number of substep motions.
const ROOM: f64 = 0.02;
const AHEAD: f64 = 2.0;

/// Factor on the push of a contact when testing whether it prevents a crossing.
const FULLY: f64 = 1.01;

/// Features of two bodies that may cross, and those that did in this substep.
#[derive(Debug, Clone, Default)]
pub(crate) struct Crossings {
    corners_a: Vec<CornerFace>,
    corners_b: Vec<CornerFace>,
    edges: Vec<EdgeEdge>,
    /// Centres of balls of a near faces of b, and those of b near faces of a.
    centres: [Vec<CornerFace>; 2],
    /// a's frame in b's and b's in a's, at the last search.
    at: [Frame; 2],
    /// Maximum motion (m) from there; 0 before the first search.
    room: f64,
    /// Scratch memory.
    events: Vec<Event>,
    /// Contacts of this substep.
    pub found: Vec<Found>,
    /// Number of leading entries of `found` that were already found in the previous substep.
    n_kept: usize,
    /// Distance (m) from a crossing within which other contacts concern the same place.
    near: f64,
}

/// Dot product of normals below which they count as opposite.
const OPPOSITE: f64 = -0.1;

/// Two features that cross.
#[derive(Debug, Clone)]
struct Event {
    /// Fraction of the substep at which they cross, in [0, 1].
    time: f64,
    found: Found,
}

/// Motion of two bodies in a substep.
pub(crate) struct Course<'a> {
    pub a: &'a Features,
    pub b: &'a Features,
    /// a's frame in b's, before the substep and at the predicted poses.
    pub before: Frame,
    pub now: Frame,
    /// Overlap (m) that stays uncorrected.
    pub slop: f64,
    /// Distance (m) below which points count as one contact.
    pub same: f64,
}

impl<'a> Course<'a> {
    pub fn new(
        a: Placed<'a, impl Moving>,
        b: Placed<'a, impl Moving>,
        now: Frame,
        slop: f64,
        same: f64,
    ) -> Self {
        let before = Frame::of(b.body.pose_prev()).inverse().compose(&Frame::of(a.body.pose_prev()));
        Self { a: a.features, b: b.features, before, now, slop, same }
    }

    /// Returns the same motion with a displaced by `shift` (m, b's frame) throughout.
    fn shifted(&self, shift: &Vec3) -> Self {
        Self { before: self.before.shifted(shift), now: self.now.shifted(shift), ..*self }
    }

    /// Returns b's frame in a's, before the substep and at the predicted poses.
    fn inverse(&self) -> (Frame, Frame) {
        (self.before.inverse(), self.now.inverse())
    }

    /// Returns an upper bound on the motion (m) of a point of the smaller body against the other.
    fn motion(&self) -> f64 {
        let frames = |frame: Frame| [frame, frame.inverse()];
        candidate::moved((self.a, self.b), &frames(self.before), &frames(self.now), 0.0).0
    }
}

/// Returns whether features of bodies that move by at most `travel` (m) against each other may cross
/// unnoticed in the substep.
pub(crate) fn are_possible(a: &Features, b: &Features, travel: f64) -> bool {
    !(a.is_convex && b.is_convex) || exceeds_thickness(a, b, travel)
}

/// Returns whether `travel` (m) is much against the thickness of the thinner body.
pub(crate) fn exceeds_thickness(a: &Features, b: &Features, travel: f64) -> bool {
    travel > THIN * a.thickness.min(b.thickness)
}

/// Returns whether bodies that move by at most `travel` (m) against each other may pass through the thinner
/// one in a few substeps, and that in a time in which a contact may turn the smaller one noticeably.
pub(crate) fn are_fast(a: &Features, b: &Features, travel: f64) -> bool {
    exceeds_thickness(a, b, travel) && travel > TURNING * a.radius.min(b.radius)
}

impl Crossings {
    /// Finds the contacts of features that cross on this `course` and that none of the `others` prevents,
    /// plus those that pushed in the previous substep and are still in the `window`.
    pub fn find(
        &mut self,
        course: &Course<'_>,
        a_in_b: impl Fn() -> Pose,
        others: &[Found],
        past: impl Iterator<Item = ContactKey>,
        window: &Window,
    ) {
        self.keep(course, others, past, window);
        self.n_kept = self.found.len();
        let motion = course.motion();
        if motion == 0.0 {
            return;
        }
        self.track(course, a_in_b, motion);
        let near = 2.0 * AHEAD * motion + 2.0 * SLOPS * course.slop;
        self.near = near;
        for event in &self.events {
            let mut known = others.iter().chain(&self.found);
            if !known.any(|other| prevents(other, &event.found, course, near)) {
                self.found.push(event.found.clone());
            }
        }
    }

    /// Adds the contacts of features that cross on this `course` to the poses of a solution, by more than
    /// the slop, and that have no contact yet. Returns whether there are any.
    pub fn find_more(&mut self, course: &Course<'_>, a_in_b: impl Fn() -> Pose) -> bool {
        let (n_before, motion) = (self.found.len(), course.motion());
        if motion == 0.0 {
            return false;
        }
        self.track(course, a_in_b, motion);
        for event in &self.events {
            let is_known = self.found.iter().any(|found| found.key == event.found.key);
            if !is_known
                && crosses(&event.found, &course.shifted(&(course.slop * event.found.normal_b_local)))
            {
                self.found.push(event.found.clone());
            }
        }
        self.found.len() > n_before
    }

    /// Finds the features that cross on this `course` with the given `motion` (m), in their order in time.
    fn track(&mut self, course: &Course<'_>, a_in_b: impl Fn() -> Pose, motion: f64) {
        self.gather(course, a_in_b, motion);
        self.events.clear();
        let (before_b, now_b) = course.inverse();
        let of_a = self.corners_a.iter().filter_map(|c| cross_face_of_b(course, *c));
        let of_b = self.corners_b.iter().filter_map(|c| cross_face_of_a(course, &before_b, &now_b, *c));
        let across = self.edges.iter().filter_map(|e| cross_edges(course, *e));
        let centres_of_a = self.centres[0].iter().filter_map(|c| pass_face_of_b(course, *c));
        let centres_of_b =
            self.centres[1].iter().filter_map(|c| pass_face_of_a(course, &before_b, &now_b, *c));
        self.events.extend(of_a.chain(of_b).chain(across).chain(centres_of_a).chain(centres_of_b));
        self.events.sort_by(|x, y| x.time.total_cmp(&y.time).then(x.found.key.cmp(&y.found.key)));
    }

    /// Removes the contacts of the previous substep.
    pub fn forget(&mut self) {
        self.found.clear();
        self.n_kept = 0;
    }

    /// Returns whether a crossing invalidates `other`, because features that crossed nearby came from the
    /// opposite side: a body that has almost passed through something thin has less depth behind the far
    /// side.
    pub fn overrule(&self, other: &Found) -> bool {
        self.oppose(&other.point_b_local, &other.normal_b_local)
    }

    /// Returns whether features that crossed nearby came from the side opposite to that of a contact at this
    /// point of b with this normal.
    pub fn oppose(&self, point_b_local: &Vec3, normal_b_local: &Vec3) -> bool {
        self.found[self.n_kept..].iter().any(|found| {
            found.normal_b_local.dot(normal_b_local) < OPPOSITE
                && (found.point_b_local - point_b_local).norm_squared() <= self.near * self.near
        })
    }

    /// Keeps contacts of the previous substep that pushed.
    fn keep(
        &mut self,
        course: &Course<'_>,
        others: &[Found],
        past: impl Iterator<Item = ContactKey>,
        window: &Window,
    ) {
        for key in past.filter(|key| key[0] >= CORNER_A[0]) {
            let Some(found) = still(&key, course, window) else { continue };
            let is_at = |f: &Found| f.is_at(&found.point_b_local, &found.normal_b_local, course.same);
            if !others.iter().chain(&self.found).any(is_at) {
                self.found.push(found);
            }
        }
    }

    /// Updates the candidates if this course, with the given `motion` (m), leaves their margin.
    fn gather(&mut self, course: &Course<'_>, a_in_b: impl Fn() -> Pose, motion: f64) {
        let bodies = (course.a, course.b);
        let frames = |frame: Frame| [frame, frame.inverse()];
        let is_within =
            |frame: Frame| candidate::moved(bodies, &self.at, &frames(frame), self.room).0 <= self.room;
        if self.room > 0.0 && is_within(course.before) && is_within(course.now) {
            return;
        }
        self.at = frames(course.now);
        let a_in_b = a_in_b();
        self.room = ROOM * course.a.radius.min(course.b.radius) + AHEAD * motion;
        near_corners(course.a, course.b, &a_in_b, self.room, &mut self.corners_a);
        near_corners(course.b, course.a, &a_in_b.inverse(), self.room, &mut self.corners_b);
        near_edges(course.a, course.b, &a_in_b, self.room, &mut self.edges);
        let [of_a, of_b] = &mut self.centres;
        near_centres(course.a, course.b, &a_in_b, self.room, of_a);
        near_centres(course.b, course.a, &a_in_b.inverse(), self.room, of_b);
    }
}

/// Finds the centres of round parts of `a` within `room` (m) of faces of `b`; `a_in_b` is a's pose in b's frame.
fn near_centres(a: &Features, b: &Features, a_in_b: &Pose, room: f64, found: &mut Vec<CornerFace>) {
    found.clear();
    if b.is_round {
        return;
    }
    for (corner, ball) in (0..).zip(&a.balls[..a.n_round]) {
        let p = a_in_b.point(&ball.center);
        let mut faces = b.face_tree.overlapping(&Aabb::new(p, p).grow(room));
        faces.sort_unstable();
        faces.retain(|&face| !b.faces[face as usize].in_picture);
        found.extend(faces.into_iter().map(|face| CornerFace { corner, face }));
    }
}

/// Finds the corners of `a` within `room` (m) of faces of `b`; `a_in_b` is a's pose in b's frame.
fn near_corners(a: &Features, b: &Features, a_in_b: &Pose, room: f64, found: &mut Vec<CornerFace>) {
    found.clear();
    if a.corners.is_empty() || b.is_round {
        return;
    }
    let frame = Frame::of(a_in_b);
    let near = b.face_tree.overlapping_pairs_posed(&a.corner_tree, a_in_b, room).into_iter().filter(
        |[face, corner]| {
            let (corner, face) = (&a.corners[*corner as usize], &b.faces[*face as usize]);
            if face.in_picture {
                return false;
            }
            let p = frame.point(&corner.position);
            let [x, y, z] = &face.corners;
            point_triangle::closest(&p, x, y, z).separation.norm_squared() <= room * room
        },
    );
    found.extend(near.map(|[face, corner]| CornerFace { corner, face }));
}

/// Finds the edges of `a` within `room` (m) of edges of `b`.
fn near_edges(a: &Features, b: &Features, a_in_b: &Pose, room: f64, found: &mut Vec<EdgeEdge>) {
    let frame = Frame::of(a_in_b);
    let near = b.edge_tree.overlapping_pairs_posed(&a.edge_tree, a_in_b, room).into_iter().filter(
        |[edge_b, edge_a]| {
            let (edge_a, edge_b) = (&a.edges[*edge_a as usize], &b.edges[*edge_b as usize]);
            let [p, q] = edge_a.ends.map(|x| frame.point(&x));
            let [r, s] = &edge_b.ends;
            edge_edge::distance_sq(&p, &q, r, s) <= room * room
        },
    );
    found.clear();
    found.extend(near.map(|[edge_b, edge_a]| EdgeEdge { edge_a, edge_b }));
}

fn cross_face_of_b(course: &Course<'_>, c: CornerFace) -> Option<Event> {
    let (corner, face) = (&course.a.corners[c.corner as usize], &course.b.faces[c.face as usize]);
    let CornerCrossing { time, side, foot } =
        cross_face(corner, [&course.before, &course.now], face, course.slop)?;
    Some(Event { time, found: corner_of_a(c, side, corner.position, foot, face) })
}

fn cross_face_of_a(course: &Course<'_>, before: &Frame, now: &Frame, c: CornerFace) -> Option<Event> {
    let (corner, face) = (&course.b.corners[c.corner as usize], &course.a.faces[c.face as usize]);
    let CornerCrossing { time, side, foot } = cross_face(corner, [before, now], face, course.slop)?;
    Some(Event { time, found: corner_of_b(c, side, corner.position, foot, face, course) })
}

/// Returns the crossing of the centre of a ball of a through a face of b.
fn pass_face_of_b(course: &Course<'_>, c: CornerFace) -> Option<Event> {
    let (ball, face) = (&course.a.balls[c.corner as usize], &course.b.faces[c.face as usize]);
    let CornerCrossing { time, side, foot } =
        cross_face(&centre(ball), [&course.before, &course.now], face, course.slop)?;
    let normal = side * face.normal;
    let found = Found {
        key: [CENTRE_A[number(side)], c.corner, c.face],
        point_a_local: ball.tip(&-course.now.inverse_vector(&normal)),
        point_b_local: foot,
        feature: NormalFeature::FaceOfB(normal),
        normal_b_local: normal,
        footing: Footing::BallOfA(*ball),
    };
    Some(Event { time, found })
}

/// Returns the crossing of the centre of a ball of b through a face of a.
fn pass_face_of_a(course: &Course<'_>, before: &Frame, now: &Frame, c: CornerFace) -> Option<Event> {
    let (ball, face) = (&course.b.balls[c.corner as usize], &course.a.faces[c.face as usize]);
    let CornerCrossing { time, side, foot } = cross_face(&centre(ball), [before, now], face, course.slop)?;
    let normal = side * face.normal;
    let found = Found {
        key: [CENTRE_B[number(side)], c.corner, c.face],
        point_a_local: foot,
        point_b_local: ball.tip(&-now.inverse_vector(&normal)),
        feature: NormalFeature::FaceOfA(normal),
        normal_b_local: -course.now.vector(&normal),
        footing: Footing::BallOfB(*ball),
    };
    Some(Event { time, found })
}

/// Returns a corner at the centre of a ball, which leads it wherever it goes.
fn centre(ball: &Ball) -> Corner {
    Corner { position: ball.center, towards: Vec::new(), outside: None, circle: None, in_ball: true }
}

/// Returns the index of a side in a pair of kinds: 1 for the side with sign −1, else 0.
fn number(side: f64) -> usize {
    usize::from(side < 0.0)
}

fn corner_of_a(c: CornerFace, side: f64, corner: Vec3, foot: Vec3, face: &Face) -> Found {
    let normal = side * face.normal;
    Found {
        key: [CORNER_A[number(side)], c.corner, c.face],
        point_a_local: corner,
        point_b_local: foot,
        feature: NormalFeature::FaceOfB(normal),
        normal_b_local: normal,
        footing: Footing::Midpoint,
    }
}

fn corner_of_b(
    c: CornerFace,
    side: f64,
    corner: Vec3,
    foot: Vec3,
    face: &Face,
    course: &Course<'_>,
) -> Found {
    let normal = side * face.normal;
    Found {
        key: [CORNER_B[number(side)], c.corner, c.face],
        point_a_local: foot,
        point_b_local: corner,
        feature: NormalFeature::FaceOfA(normal),
        normal_b_local: -course.now.vector(&normal),
        footing: Footing::Midpoint,
    }
}

/// A corner that crosses a face.
struct CornerCrossing {
    time: f64,
    /// 1 if it came from the front, −1 from behind.
    side: f64,
    /// Crossing point (m).
    foot: Vec3,
}

/// Returns the crossing of a corner through the face while its body moves from the first of `frames` to the
/// second.
///
/// A corner that comes from outside leads its body: it supports the normal at one end of its path. Other
/// corners are already inside matter and slide along a face level with them, as where end faces are flush;
/// they are held by contacts beside that face.
fn cross_face(corner: &Corner, frames: [&Frame; 2], face: &Face, slop: f64) -> Option<CornerCrossing> {
    let [p, q] = frames.map(|frame| frame.point(&corner.position));
    let [before, after] = [p, q].map(|x| face.normal.dot(&x) - face.offset);
    let side = if face.solid { 1.0 } else { 1.0_f64.copysign(before) };
    let least = if face.solid { -SLOPS * slop } else { 0.0 };
    let (from, to) = (side * before, side * after);
    if from < least || to >= 0.0 || to >= from {
        return None;
    }
    let outwards = side * face.normal;
    if !frames.iter().any(|frame| corner.supports(&-frame.inverse_vector(&outwards))) {
        return None;
    }
    let time = (from / (from - to)).max(0.0);
    let at = p + time * (q - p);
    let height = face.normal.dot(&at) - face.offset;
    let foot = at - height * face.normal;
    is_over(&foot, side * height, face, f64::INFINITY)?;
    Some(CornerCrossing { time, side, foot })
}

fn cross_edges(course: &Course<'_>, e: EdgeEdge) -> Option<Event> {
    let (a, b) = (&course.a.edges[e.edge_a as usize], &course.b.edges[e.edge_b as usize]);
    let [p, q] = [&course.before, &course.now].map(|frame| frame.point(&a.ends[0]) - b.ends[0]);
    let [u, v] = [&course.before, &course.now].map(|frame| frame.vector(&a.direction));
    let (dp, du, w) = (q - p, v - u, &b.direction);
    // g(t) = (p + t dp)·((u + t du) × w): six times the volume of the tetrahedron over the edge lengths.
    let (uw, duw) = (u.cross(w), du.cross(w));
    let g = [p.dot(&uw), dp.dot(&uw) + p.dot(&duw), dp.dot(&duw)];
    for time in roots(g).into_iter().flatten().filter(|t| (0.0..=1.0).contains(t)) {
        let slope = g[1] + 2.0 * g[2] * time;
        let (start, direction) = (p + time * dp, u + time * du);
        let Some([s, t]) = nearest(&start, &direction, w) else { continue };
        if slope == 0.0 || !matches!((a.past(s), b.past(t)), (Some(None), Some(None))) {
            continue;
        }
        let side = -slope.signum();
        let n = side * direction.cross(w).normalize();
        if side * q.dot(&v.cross(w)) >= 0.0 || !face_each_other(a, b, &n, [&course.before, &course.now]) {
            continue;
        }
        return Some(Event { time, found: across(e, side, [s, t], (a, b), &course.now)? });
    }
    None
}

/// Returns the contact of two edges, with a on this `side` of the cross product of their directions, at the
/// distances s and t (m) from their first ends.
fn across(e: EdgeEdge, side: f64, [s, t]: [f64; 2], (a, b): (&Edge, &Edge), now: &Frame) -> Option<Found> {
    let cross = now.vector(&a.direction).cross(&b.direction);
    (cross.norm_squared() > PARALLEL).then(|| {
        let (feature, normal_b_local) = normal_of(a, b, &(side * cross.normalize()), now);
        Found {
            key: [EDGES[number(side)], e.edge_a, e.edge_b],
            point_a_local: a.ends[0] + s * a.direction,
            point_b_local: b.ends[0] + t * b.direction,
            feature,
            normal_b_local,
            footing: Footing::Midpoint,
        }
    })
}

/// Returns whether each edge supports the direction `n` (b's frame) of the other where the body of a is at the
/// beginning or at the end of its path.
///
/// Edges that pass each other nearly parallel and nearly in one plane cross with a direction anywhere about them: only
/// one in the cones of normals of both keeps surfaces apart.
fn face_each_other(a: &Edge, b: &Edge, n: &Vec3, frames: [&Frame; 2]) -> bool {
    b.supports(n) && frames.iter().any(|frame| a.supports(&-frame.inverse_vector(n)))
}

/// Returns the distances (m) of the nearest points of two lines from their points `start` and 0, along the
/// directions `u` and `w` (`w` of unit length); `None` if they are parallel.
fn nearest(start: &Vec3, u: &Vec3, w: &Vec3) -> Option<[f64; 2]> {
    let (length_sq, cosine) = (u.norm_squared(), u.dot(w));
    let sine_sq = length_sq - cosine * cosine;
    if sine_sq <= PARALLEL * length_sq {
        return None;
    }
    let (along_u, along_w) = (-start.dot(u), -start.dot(w));
    let s = (along_u - cosine * along_w) / sine_sq;
    Some([s * length_sq.sqrt(), s * cosine - along_w])
}

/// Returns the real roots of c₀ + c₁ t + c₂ t², ascending.
fn roots([c0, c1, c2]: [f64; 3]) -> [Option<f64>; 2] {
    let discriminant = c1 * c1 - 4.0 * c2 * c0;
    if discriminant < 0.0 {
        return [None; 2];
    }
    // Avoids cancellation.
    let q = -0.5 * (c1 + discriminant.sqrt().copysign(c1));
    let root = |numerator: f64, denominator: f64| (denominator != 0.0).then(|| numerator / denominator);
    match (root(q, c2), root(c0, q)) {
        (Some(x), Some(y)) => [Some(x.min(y)), Some(x.max(y))],
        (x, y) => [x.or(y), None],
    }
}

/// Returns whether the contact `other`, once it pushes the bodies apart, keeps the features of `event` from
/// crossing.
fn prevents(other: &Found, event: &Found, course: &Course<'_>, near: f64) -> bool {
    let is_far = (other.point_b_local - event.point_b_local).norm_squared() > near * near;
    if is_far || other.normal_b_local.dot(&event.normal_b_local) < OPPOSITE {
        return false;
    }
    let n = &other.normal_b_local;
    let gap = |frame: &Frame| match other.footing {
        Footing::Midpoint => (frame.point(&other.point_a_local) - other.point_b_local).dot(n),
        Footing::PointOfA(_)
        | Footing::PointOfB(_)
        | Footing::BallOfA(_)
        | Footing::BallOfB(_)
        | Footing::CircleOfA(_)
        | Footing::CircleOfB(_)
        | Footing::Balls(_) => other.gap([frame, &Frame::default()]),
    };
    let [before, now] = [gap(&course.before), gap(&course.now)];
    // An overlap before the substep beyond the tolerance stays uncorrected.
    let left = if before < -SLOPS * course.slop { before } else { 0.0 };
    let depth = left - now;
    if depth <= 0.0 {
        return false;
    }
    !crosses(event, &course.shifted(&((FULLY * depth + 1e-3 * course.slop) * n)))
}

/// Returns whether the features of `found` cross on this `course` as well, in the same direction.
fn crosses(found: &Found, course: &Course<'_>) -> bool {
    let [kind, i, j] = found.key;
    let again = if CORNER_A.contains(&kind) {
        cross_face_of_b(course, CornerFace { corner: i, face: j })
    } else if CORNER_B.contains(&kind) {
        let (before, now) = course.inverse();
        cross_face_of_a(course, &before, &now, CornerFace { corner: i, face: j })
    } else if CENTRE_A.contains(&kind) {
        pass_face_of_b(course, CornerFace { corner: i, face: j })
    } else if CENTRE_B.contains(&kind) {
        let (before, now) = course.inverse();
        pass_face_of_a(course, &before, &now, CornerFace { corner: i, face: j })
    } else {
        cross_edges(course, EdgeEdge { edge_a: i, edge_b: j })
    };
    again.is_some_and(|again| again.found.key == found.key)
}

/// Returns the contact of this key at the predicted poses, if it is in the `window`.
fn still(&[kind, i, j]: &ContactKey, course: &Course<'_>, window: &Window) -> Option<Found> {
    if let Some(number) = CORNER_A.iter().position(|k| *k == kind) {
        let c = CornerFace { corner: i, face: j };
        let (corner, face) = (course.a.corners.get(i as usize)?.position, course.b.faces.get(j as usize)?);
        let (side, foot) = over(&course.now.point(&corner), face, number, window)?;
        return Some(corner_of_a(c, side, corner, foot, face));
    }
    if let Some(number) = CORNER_B.iter().position(|k| *k == kind) {
        let c = CornerFace { corner: i, face: j };
        let (corner, face) = (course.b.corners.get(i as usize)?.position, course.a.faces.get(j as usize)?);
        let (side, foot) = over(&course.now.inverse().point(&corner), face, number, window)?;
        return Some(corner_of_b(c, side, corner, foot, face, course));
    }
    let side = sign(EDGES.iter().position(|k| *k == kind)?);
    let (a, b) = (course.a.edges.get(i as usize)?, course.b.edges.get(j as usize)?);
    let start = course.now.point(&a.ends[0]) - b.ends[0];
    let direction = course.now.vector(&a.direction);
    let [s, t] = nearest(&start, &direction, &b.direction)?;
    let n = side * direction.cross(&b.direction).normalize();
    let separation = start.dot(&n);
    let outward_of_a = -course.now.inverse_vector(&n);
    let is_held = |edge: &Edge, at: f64, m: &Vec3, corners: &_| {
        edge.past(at).is_some_and(|past| past.is_none_or(|p| p.is_in_bend(separation, edge, m, corners)))
    };
    let is_met = window.admits(separation)
        && b.supports(&n)
        && a.supports(&outward_of_a)
        && is_held(a, s, &outward_of_a, &course.a.corners)
        && is_held(b, t, &n, &course.b.corners);
    if !is_met {
        return None;
    }
    across(EdgeEdge { edge_a: i, edge_b: j }, side, [s, t], (a, b), &course.now)
}

/// Returns the sign of the side with this index.
fn sign(number: usize) -> f64 {
    if number == 0 { 1.0 } else { -1.0 }
}

/// Returns the sign of the side with this `number` and the foot of the corner `p` (m) on the face, if the
/// corner is in the window on that side.
fn over(p: &Vec3, face: &Face, number: usize, window: &Window) -> Option<(f64, Vec3)> {
    let side = sign(number);
    let height = face.normal.dot(p) - face.offset;
    if !window.admits(side * height) {
        return None;
    }
    let foot = p - height * face.normal;
    is_over(&foot, side * height, face, window.depth)?;
    Some((side, foot))
}
