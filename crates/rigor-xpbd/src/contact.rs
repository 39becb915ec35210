//! Which features touch in a substep, at the predicted poses.
//!
//! Two solids touch where a corner of one meets a face of the other, or an edge meets an edge. A candidate is a contact
//! if its features face each other (each *supports* the direction of the other), if the nearest points lie inside both
//! features, and if no other candidate explains the overlap with less depth. Features that crossed on the way to the
//! predicted poses are added ([`crossing`]).

pub(crate) mod block;
pub(crate) mod broad_phase;
pub(crate) mod candidate;
mod corner_face;
pub(crate) mod crossing;
mod edge_edge;
mod energy;
pub(crate) mod feature;
pub(crate) mod pair_sweep;
pub(crate) mod rebound;
pub(crate) mod report;
pub(crate) mod sequential;
mod settled;
pub(crate) mod sighting;
pub(crate) mod velocity;
pub(crate) mod warm_start;

pub(crate) use corner_face::{GROOVE, Overlap};
pub(crate) use edge_edge::PARALLEL;

use rayon::prelude::*;
use rigor_math::{Mat3, Pose, Vec3, fused};

use crate::body::SolverBody;
use crate::config::Config;
use crate::contact::block::Mobility;
use crate::contact::broad_phase::Pair;
use crate::contact::candidate::Window;
use crate::contact::feature::{FeatureCache, Features};
use crossing::Course;
use sighting::Sighting;

/// Relative slack with which nearest points count as inside a feature: exactly aligned boxes touch corner on corner.
pub(crate) const INSIDE: f64 = 1e-6;

/// How many substeps of motion bodies may overlap: what one substep let through the next still sees.
const SUBSTEPS_DEEP: f64 = 2.0;

/// Pairs below this count are searched on one thread: the work is too small to share.
const PARALLEL_PAIRS: usize = 128;

/// One point of contact between the bodies a and b of a [`Pair`].
#[derive(Debug, Clone)]
pub(crate) struct Contact {
    /// Which features meet: a contact of one substep is known by it in the next.
    pub key: Key,
    /// r_1: the point of a, in its frame (m).
    pub point_a_local: Vec3,
    /// r_2: the point of b, in its frame (m).
    pub point_b_local: Vec3,
    /// What decides the normal.
    pub feature: Feature,
    /// λ_n ≥ 0 (kg m): the normal force is λ_n/h².
    pub lambda_n: f64,
    /// λ_t (kg m, world): the static friction force on a is λ_t/h².
    pub lambda_t: Vec3,
    /// Friction on a among the velocities (N s, world).
    pub friction_impulse: Vec3,
    /// Impulse along n on a among the velocities (N s).
    pub normal_impulse: f64,
    /// v̄_n: normal velocity (m/s) before the constraints, negative when approaching.
    pub approach_velocity: f64,
    /// n (world) at the predicted poses.
    pub normal_start: Vec3,
    /// What of C (m) before the substep is left as it is: an overlap, and a gap where the contact rests.
    pub left: f64,
    /// From b's point to a's before the substep (m, world).
    pub gap_prev: Vec3,
    /// What a positional impulse does, at the levers of [`SolverBody::lever`].
    pub mobility: Mobility,
    /// The smallest separation (m) met so far in this substep.
    pub distance: f64,
}

/// What decides the normal of a contact, so that it can be found anew at every solve.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Feature {
    /// A face of a: its outward normal in a's frame, which points at b.
    FaceOfA(Vec3),
    /// A face of b: its outward normal in b's frame, which points at a.
    FaceOfB(Vec3),
    /// Two edges: their directions in the frames of a and b, in the order in which their cross product points to a.
    Edges(Vec3, Vec3),
}

impl Feature {
    /// The unit normal from b to a (world) where their frames are `a` and `b`.
    pub fn normal(&self, a: &Frame, b: &Frame) -> Vec3 {
        self.normal_turned(|local| a.vector(local), |local| b.vector(local))
    }

    /// The same where the bodies have these poses: less work for a single contact.
    pub fn normal_posed(&self, a: &Pose, b: &Pose) -> Vec3 {
        self.normal_turned(|local| a.rotation * local, |local| b.rotation * local)
    }

    fn normal_turned(&self, a: impl Fn(&Vec3) -> Vec3, b: impl Fn(&Vec3) -> Vec3) -> Vec3 {
        match self {
            Self::FaceOfA(n) => -a(n),
            Self::FaceOfB(n) => b(n),
            Self::Edges(u, w) => a(u).cross(&b(w)).normalize(),
        }
    }
}

/// The kind of contact (corner of a, corner of b, edges across, either end of edges along each other, those of
/// [`crossing`]) and the features of a and b, by index.
pub(crate) type Key = [u32; 3];

/// What is kept of a contact that pushed, from substep to substep and from step to step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Past {
    pub key: Key,
    pub point_b_local: Vec3,
    pub lambda_n: f64,
    pub lambda_t: Vec3,
}

/// A contact as it is found, before anything is known of its motion.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    key: Key,
    point_a_local: Vec3,
    point_b_local: Vec3,
    feature: Feature,
    /// n in the frame of b.
    normal_b_local: Vec3,
}

impl Found {
    /// Whether it pushes within `same` (m) of `point_b_local` (m) along the line of `direction`, of any length: where a
    /// corner meets an edge, say, two pairs of features tell of one contact.
    fn is_at(&self, point_b_local: &Vec3, direction: &Vec3, same: f64) -> bool {
        let along = self.normal_b_local.dot(direction);
        (self.point_b_local - point_b_local).norm_squared() <= same * same
            && along * along > 0.98 * direction.norm_squared()
    }
}

/// Where a body is and was, with rotations as matrices: they are applied to all contacts of a pair.
struct Placed<'a> {
    body: &'a SolverBody,
    now: Frame,
    before: Frame,
}

impl<'a> Placed<'a> {
    fn new(body: &'a SolverBody, now: Frame) -> Self {
        Self { body, now, before: Frame::of(&body.pose_prev) }
    }
}

impl Contact {
    /// The contact that was `found`, between the bodies a and b at their predicted poses.
    fn new(found: &Found, a: &Placed<'_>, b: &Placed<'_>) -> Self {
        let Found { key, point_a_local, point_b_local, feature, .. } = *found;
        let n = feature.normal(&a.now, &b.now);
        let point = 0.5 * (a.now.point(&point_a_local) + b.now.point(&point_b_local));
        let approach = a.body.free.velocity_at(&point) - b.body.free.velocity_at(&point);
        let (p_a, p_b) = (a.before.point(&point_a_local), b.before.point(&point_b_local));
        let (gap_prev, point_prev) = (p_a - p_b, 0.5 * (p_a + p_b));
        let (r_a, r_b) = (a.body.lever(&point_prev), b.body.lever(&point_prev));
        Self {
            key,
            point_a_local,
            point_b_local,
            feature,
            lambda_n: 0.0,
            lambda_t: Vec3::zeros(),
            friction_impulse: Vec3::zeros(),
            normal_impulse: 0.0,
            approach_velocity: approach.dot(&n),
            normal_start: n,
            left: gap_prev.dot(&n).min(0.0),
            gap_prev,
            mobility: Mobility::new(a.body, b.body, r_a, r_b),
            distance: f64::INFINITY,
        }
    }

    /// What is kept of it for the next substep.
    pub fn past(&self) -> Past {
        let Self { key, point_b_local, lambda_n, lambda_t, .. } = *self;
        Past { key, point_b_local, lambda_n, lambda_t }
    }

    /// The impulses (N s) on a of this substep of `h` (s), along n and across: λ/h, and those among the velocities.
    pub fn impulses(&self, h: f64) -> (f64, Vec3) {
        (self.lambda_n / h + self.normal_impulse, self.lambda_t / h + self.friction_impulse)
    }

    /// The unit normal from b to a (world) at the current poses.
    pub fn normal(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        self.feature.normal_posed(&a.pose, &b.pose)
    }

    /// Whether the surfaces approached no faster than `resting_speed` (m/s).
    pub fn is_resting(&self, resting_speed: f64) -> bool {
        self.approach_velocity.abs() <= resting_speed
    }

    /// The point half way between those of the two bodies before the substep (m, world).
    pub fn point_prev(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        0.5 * (a.point_prev(&self.point_a_local) + b.point_prev(&self.point_b_local))
    }

    /// The point (m, world) half way between those of the two bodies.
    pub fn point(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        0.5 * (a.point(&self.point_a_local) + b.point(&self.point_b_local))
    }
}

/// Finds the contacts of every pair at the predicted poses.
///
/// Source: [Mueller2020] §3.4: once per substep, over the pairs collected once per step.
pub(crate) fn detect(
    features: &FeatureCache,
    bodies: &[SolverBody],
    pairs: &mut [Pair],
    config: &Config,
    h: f64,
) {
    let detect = |pair: &mut Pair| {
        pair.contacts.clear();
        pair.settled = None;
        pair.taken = 0.0;
        if pair.is_near {
            let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
            let (features_a, features_b) = (features.of(pair.a.0), features.of(pair.b.0));
            let travel = config.safety * h * relative_speed((a, features_a), (b, features_b));
            let travel = travel.min(features_a.radius.min(features_b.radius));
            let window = Window {
                depth: SUBSTEPS_DEEP * travel + pair.overlap,
                reach: travel + pair.overlap / f64::from(config.substeps),
            };
            detect_pair((a, features_a), (b, features_b), pair, &window, travel);
        }
    };
    if pairs.len() < PARALLEL_PAIRS {
        pairs.iter_mut().for_each(detect);
    } else {
        pairs.par_iter_mut().with_min_len(PARALLEL_PAIRS / 4).for_each(detect);
    }
}

/// The speed (m/s) that no point of the smaller body exceeds in the frame of the other.
fn relative_speed(
    (a, features_a): (&SolverBody, &Features),
    (b, features_b): (&SolverBody, &Features),
) -> f64 {
    let (small, large, radius) = if features_a.radius <= features_b.radius {
        (a, b, features_a.radius)
    } else {
        (b, a, features_b.radius)
    };
    let turning = (small.angular_velocity - large.angular_velocity).norm();
    (small.linear_velocity - large.velocity_at(&small.pose.position)).norm() + radius * turning
}

/// Finds the contacts in this `window` of bodies of which a point of one moves by up to `travel` (m) against the other
/// in a substep.
fn detect_pair(
    (a, features_a): (&SolverBody, &Features),
    (b, features_b): (&SolverBody, &Features),
    pair: &mut Pair,
    window: &Window,
    travel: f64,
) {
    let frames = [Frame::of(&a.pose), Frame::of(&b.pose)];
    let a_in_b = frames[1].inverse().compose(&frames[0]);
    let radii = (features_a.radius, features_b.radius);
    if let Some(sighting) = pair.findings.missing(&a_in_b, &pair.start, radii, window, pair.still) {
        let Sighting { frames, window, .. } = &sighting;
        if !pair.candidates.are_good_for(features_a, features_b, frames, window) {
            let a_in_b = a.pose.relative_to(&b.pose);
            pair.candidates.find(features_a, features_b, &a_in_b, window, travel);
        }
        find(features_a, features_b, pair, &sighting);
        pair.findings.settle();
    }
    let others = &pair.findings.found;
    pair.crossings.forget();
    if crossing::are_possible(features_a, features_b, travel) {
        let course = Course::new((a, features_a), (b, features_b), a_in_b, pair.slop, pair.same);
        pair.crossings.find(&course, || a.pose.relative_to(&b.pose), others, &pair.past, window);
    }
    let (a, b) = (Placed::new(a, frames[0]), Placed::new(b, frames[1]));
    let others = others.iter().filter(|found| !pair.crossings.overrule(found));
    let found = others.chain(&pair.crossings.found);
    pair.contacts.extend(found.map(|found| Contact::new(found, &a, &b)));
}

/// Finds the contacts in a `sighting` of two bodies.
fn find(features_a: &Features, features_b: &Features, pair: &mut Pair, sighting: &Sighting) {
    let Pair { candidates, overlaps, findings, same, slop, .. } = pair;
    let found = &mut findings.found;
    found.clear();
    if candidates.are_none() {
        return;
    }
    let Sighting { frames: [a_in_b, b_in_a], start, window, .. } = sighting;
    let from_a = Sight { frame: *a_in_b, start: *start, slop: *slop, window: *window };
    corner_face::find(features_a, features_b, &from_a, &candidates.corners_a, overlaps, |met| {
        if !found.iter().any(|f| f.is_at(&met.foot, &met.normal, *same)) {
            found.push(Found {
                key: [0, met.candidate.corner, met.candidate.face],
                point_a_local: met.corner,
                point_b_local: met.foot,
                feature: Feature::FaceOfB(met.normal),
                normal_b_local: met.normal,
            });
        }
    });
    let from_b = Sight { frame: *b_in_a, start: start.inverse(), slop: *slop, window: *window };
    corner_face::find(features_b, features_a, &from_b, &candidates.corners_b, overlaps, |met| {
        let normal = -a_in_b.vector(&met.normal);
        if !found.iter().any(|f| f.is_at(&met.corner, &normal, *same)) {
            found.push(Found {
                key: [1, met.candidate.corner, met.candidate.face],
                point_a_local: met.foot,
                point_b_local: met.corner,
                feature: Feature::FaceOfA(met.normal),
                normal_b_local: normal,
            });
        }
    });
    let from_a =
        edge_edge::Sight { a_in_b, start, window, a: features_a, b: features_b, slop: *slop, same: *same };
    edge_edge::find(features_a, features_b, &from_a, &candidates.edges, found);
}

/// How one body is seen from the frame of the other.
struct Sight {
    /// Its frame.
    frame: Frame,
    /// The same at the start of the step.
    start: Frame,
    /// Overlap (m) that may stay.
    slop: f64,
    window: Window,
}

/// One body's frame in another's, with the rotation as a matrix: it is applied to many points.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Frame {
    rotation: Mat3,
    origin: Vec3,
}

impl Frame {
    pub fn new(rotation: Mat3, origin: Vec3) -> Self {
        Self { rotation, origin }
    }

    /// Its matrix, column by column, and its origin (m).
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        self.rotation.iter().chain(self.origin.iter()).copied()
    }

    /// The frame that `pose` places in another.
    pub fn of(pose: &Pose) -> Self {
        Self { rotation: pose.rotation_matrix(), origin: pose.position }
    }

    /// This frame, moved by `shift` (m, outer).
    fn shifted(&self, shift: &Vec3) -> Self {
        Self { origin: self.origin + shift, ..*self }
    }

    /// The outer frame as seen from this one.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, origin: -(rotation * self.origin) }
    }

    /// A frame `inner` of this one as seen from the outer one.
    fn compose(&self, inner: &Self) -> Self {
        Self { rotation: self.rotation * inner.rotation, origin: self.point(&inner.origin) }
    }

    /// How far the end of a unit vector that is the same in both frames can be from one to the other: 2 sin(θ/2) for
    /// the angle θ between them.
    pub fn chord(&self, other: &Self) -> f64 {
        (self.rotation - other.rotation).norm() * std::f64::consts::FRAC_1_SQRT_2
    }

    /// Where its origin lies (m).
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    pub fn point(&self, local: &Vec3) -> Vec3 {
        fused::mul_add(&self.rotation, local, &self.origin)
    }

    pub fn vector(&self, local: &Vec3) -> Vec3 {
        fused::mul(&self.rotation, local)
    }

    /// The inner components of an outer direction.
    pub fn inverse_vector(&self, outer: &Vec3) -> Vec3 {
        self.rotation.tr_mul(outer)
    }
}
