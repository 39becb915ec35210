//! Detection of bodies that went through each other between frames.

mod counts;
mod creep;
mod curves;
mod interval;
mod kind;
mod linking;
mod motion;
mod neighbours;
mod path;
mod plane;
mod sampled_poses;
mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rigor_geometry::Aabb;
use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::containment::winding;
use rigor_math::{Mat3, Pose, Vec3};
use rigor_scene::{BodyId, BodyState, Scene};

use crate::effort::Effort;
use crate::figure::Figure;
use crate::finding::Finding;
use crate::judge::{Frame, Judge};
use crate::peak::Peaks;
use crate::surface::Surface;
use crate::surface::shape::{Key, key};
use crate::surface_cache::{Surfaces, overlapping_pairs};
use crate::turn::TurnBetween;

use counts::Counts;
use creep::Creep;
use interval::{Interval, Outcome, TRIMMED, turns_fast};
use kind::MeshData;
use motion::{FEW_SPANS, MAX_SPANS, Motion};
use neighbours::Neighbours;
use path::View;
use plane::Sides;

const CENTRE_CROSSINGS: Figure = Figure::new(
    "tunnelling.centre_crossings",
    "1",
    "how often, counted by pair and step, a centre of mass went through the surface of another body; 0: never",
);
const PASSES: Figure = Figure::new(
    "tunnelling.passes",
    "1",
    "how often two bodies went through each other between frames in which they do not intersect; 0: never",
);
const UNLINKED: Figure = Figure::new(
    "tunnelling.unlinked",
    "1",
    "in how many of the passes a linking number of the bodies changed: these are proven; 0: in none",
);
const DETOUR: Figure = Figure::new(
    "tunnelling.detour",
    "m",
    "largest detour from uniform motion that would not have been enough to avoid a pass; 0: no pass, or a proven one",
);

const UNKNOWN_TURNS: Figure = Figure::new(
    "tunnelling.unknown_turns",
    "1",
    "how often, counted by body and step, a body near another turned by an angle that its frames do not tell; 0: never",
);

const UNDECIDED: Figure = Figure::new(
    "tunnelling.undecided",
    "1",
    "how often, counted by pair and step, the judge gave up before it was known whether two bodies went through each other; 0: never",
);

pub(crate) const FIGURES: &[Figure] = &[CENTRE_CROSSINGS, PASSES, UNLINKED, DETOUR, UNKNOWN_TURNS, UNDECIDED];

/// Comparisons of primitives in one frame, per triangle of the scene, and at least.
const PER_TRIANGLE: u64 = 40;
const LEAST_PER_FRAME: u64 = 4_000_000;
/// Part of them that one pair of bodies may take.
const PART_OF_PAIR: u64 = 2;

/// Maximum number of poses kept of a long intersection.
const MAX_POSES: usize = 256;

/// Detects bodies that went through each other between frames in which they do not intersect.
///
/// The two frames may be consecutive, or the bodies may intersect in the frames between them. How the bodies
/// moved between frames is unknown, so there are four steps, from the cheapest to the most careful:
///
/// 1. **Planes.** A pair is skipped if a plane in the frame of one body has the bodies on its two sides in both frames and the
///    uniform motion of the other, as that one sees it, passes it by no more than 5 % of the smaller radius: a detour that long
///    keeps them on their sides. Bodies that rest, slide, roll or turn on each other are settled so; with an edge on an edge,
///    by a plane that turns with them, after a short try of step 2; with several places of contact, by a plane between each pair
///    of primitives that may meet.
/// 2. **Uniform motion.** A pair is skipped if interval arithmetic proves, as for a
///    [`Certificate`](crate::Certificate), that the bodies do not touch when both move uniformly from one
///    frame to the next. This does not prove that they did not go through each other, only that nothing
///    suggests it.
/// 3. **Linking numbers.** Closed curves on one body (around the hole of a ring, around its wire) are linked
///    with those of another by an integer that no motion without contact changes. If it has changed, the
///    bodies *have* gone through each other, whatever their motion was: `unlinked` counts these proofs. If it
///    is nonzero and unchanged, they have not.
/// 4. **Detours.** Otherwise the judge tries to move the bodies past each other: along uniform motions in the
///    world and relative to one body, shifted by a detour in 26 directions and in the direction that last
///    separated them. The maximum detour is the largest of three lengths: the deviation from uniform motion
///    that the speeds in both frames allow, plus that of the frames in between; half of the length of their motion, if they
///    touch at an end, as they may have pushed each other; and 5 % of the smaller radius. Bodies that exchanged their places
///    along the line of approach and fly on are allowed no detour for the speed that they lost, only as much as their velocities
///    across that line can take them aside, however a method let them go round each other; where the balls about their centres in them
///    would still have met, they have passed, whatever their turns. A pass is reported
///    if *none* of these motions is proven free of contact. This is a heuristic: a passage around a corner
///    along a path that was not tried is reported; a graze smaller than the detour is not. Bodies that intersected in the frames between
///    are then followed from frame to frame, each time shifted apart by no more than 5 % of the smaller radius: where every step can be
///    made past each other, they have not passed.
///
/// **Strains.** Bodies with strains ([`rigor_scene::State::strains`]) move as rigid bodies between two frames, with the shape that they
/// have in the second one. They count as touching at an end where they are nearer than twice the distance by which the change of their
/// strains moves their points, and may make way for each other by as much.
///
/// **Turns.** Orientations alone do not tell how often a body turned between two frames; its angular velocities do. A body that
/// turns by more than a quarter by the mean of both turns as [`Turning`](rigor_math::turning::Turning) says. If they differ by
/// more than a quarter turn in the time between the frames, or contradict the orientations by as much, or if the turn exceeds 1024
/// rad, it is not known how the body turned: `unknown_turns` counts these, of bodies whose bounding ball may meet that of
/// another. Bodies that turn by more than a quarter relative to each other are judged by steps 2 to 4, in the world only.
///
/// **Effort.** A frame takes at most 4·10⁶ comparisons of primitives, or 40 per triangle of the scene if that is more, and one pair of bodies
/// half of them: some 0.3 s. A pair that is not settled then is counted as `undecided`.
///
/// The judge cannot see: bodies that intersect in the first frame, until they have separated; bodies that do
/// not separate before the end (which is penetration); a passage that uniform motion does not show; a passage by a turn that is
/// not known; how many times a pair passes between two frames; linking by further curves of bodies that have more than 32
/// independent ones.
///
/// Crossings of centres are counted step by step, also while bodies intersect. For a sheet, the path of the
/// centre relative to the sheet (in chords of at most 0.1 rad) crosses it an odd number of times. For a
/// solid, exactly one end of the path is inside, or the path goes through. Only a centre inside the body's
/// own solid or, for a sheet, on the body is tested, since the centre of a ring or of a cloud of points may
/// legitimately be crossed. If the bodies intersect in neither frame, a crossing counts only together with a
/// pass.
#[derive(Debug, Default)]
pub struct Tunnelling {
    bodies: Vec<TrackedBody>,
    prev: Option<PreviousFrame>,
    /// The direction that last separated each pair.
    directions: BTreeMap<(usize, usize), Vec3>,
    /// The normal of a plane between the bodies of each pair, in the frame of the first or of the second.
    normals: BTreeMap<(usize, usize), (usize, Vec3)>,
    /// Pairs that currently intersect.
    episodes: BTreeMap<(usize, usize), Episode>,
    centre_crossings: Counts,
    passes: Counts,
    unlinked: Counts,
    detour: Peaks,
    unknown_turns: Counts,
    undecided: Counts,
    /// The effort of a frame where it is given, that of this scene, and what is left of it.
    bound: Option<u64>,
    per_frame: u64,
    left: u64,
    /// Bodies whose turn to the last frame is not known and counted.
    untold: BTreeSet<usize>,
}

/// The previous frame.
#[derive(Debug)]
struct PreviousFrame {
    /// Its time (s).
    time: f64,
    bodies: Vec<(BodyState, Aabb)>,
    strains: Vec<Mat3>,
}

/// Properties of a body, computed in the first frame.
#[derive(Debug)]
struct TrackedBody {
    kind: Arc<MeshData>,
    /// Whether the centre of mass is strictly inside the body's own solid.
    centre_is_inside: bool,
    /// Whether the centre of mass is inside the body's own solid or, up to rounding, on its surface.
    centre_is_its_own: bool,
}

/// A frame from which two bodies are followed.
#[derive(Debug, Clone, Copy)]
struct Start {
    states: [BodyState; 2],
    strains: [Mat3; 2],
    /// Its time (s).
    time: f64,
}

/// Consecutive frames in which two bodies intersect.
#[derive(Debug)]
struct Episode {
    /// The frame before; `None` if they have intersected since the first frame.
    start: Option<Start>,
    /// The pose of the first body relative to the second, in every `stride`-th frame.
    poses: Vec<Pose>,
    stride: usize,
    n_frames: usize,
}

impl Judge for Tunnelling {
    fn name(&self) -> &'static str {
        "tunnelling"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if frame.is_stopped() {
            return;
        }
        let surfaces = frame.surfaces();
        match self.prev.take() {
            None => self.begin(frame, &surfaces),
            Some(prev) => {
                self.untold.clear();
                self.left = self.per_frame;
                let mut pairs = swept_pairs(frame, &surfaces, &prev);
                pairs.extend(self.episodes.keys());
                pairs.sort_unstable();
                pairs.dedup();
                for pair in pairs {
                    if frame.is_stopped() {
                        return;
                    }
                    self.follow(frame, &surfaces, &prev, pair);
                }
            }
        }
        let bounds = surfaces.bodies().iter().map(|surface| *surface.bounds());
        let bodies: Vec<_> = frame.state.bodies.iter().copied().zip(bounds).collect();
        let strains = (0..bodies.len()).map(|b| *surfaces.strain(b)).collect();
        self.prev = Some(PreviousFrame { time: frame.state.time, bodies, strains });
    }

    fn findings(&self, scene: &Scene) -> Vec<Finding> {
        if self.prev.is_none() {
            return Vec::new();
        }
        let mut findings = self.centre_crossings.findings(&CENTRE_CROSSINGS, scene);
        findings.extend(self.passes.findings(&PASSES, scene));
        findings.extend(self.unlinked.findings(&UNLINKED, scene));
        if self.detour.scene.is_none() {
            findings.push(Finding::of_scene(&DETOUR, 0.0));
        }
        findings.extend(self.detour.findings(&DETOUR));
        findings.extend(self.unknown_turns.findings(&UNKNOWN_TURNS, scene));
        findings.extend(self.undecided.findings(&UNDECIDED, scene));
        findings
    }
}

impl Tunnelling {
    fn begin(&mut self, frame: &Frame<'_>, surfaces: &Surfaces) {
        // Equal bodies share their skeleton.
        let mut kinds: BTreeMap<Key, Arc<MeshData>> = BTreeMap::new();
        for (b, (body, surface)) in frame.scene.bodies.iter().zip(surfaces.bodies()).enumerate() {
            let kind = kinds
                .entry(key(&body.skeleton))
                .or_insert_with(|| Arc::new(MeshData::new(&body.skeleton, surfaces.unstrained(b))));
            self.bodies.push(TrackedBody::new(Arc::clone(kind), surface));
        }
        let triangles: usize = frame.scene.bodies.iter().map(|body| body.mesh.triangles().len()).sum();
        let per_frame = LEAST_PER_FRAME.max(PER_TRIANGLE * triangles as u64);
        self.per_frame = self.bound.unwrap_or(per_frame);
        for counts in [
            &mut self.centre_crossings,
            &mut self.passes,
            &mut self.unlinked,
            &mut self.unknown_turns,
            &mut self.undecided,
        ] {
            *counts = Counts::of(self.bodies.len());
        }
        for &(a, b) in surfaces.close_pairs() {
            if surfaces.meeting(a, b).is_intersection() {
                self.episodes.insert((a, b), Episode::new(None));
            }
        }
    }

    fn follow(&mut self, frame: &Frame<'_>, surfaces: &Surfaces, prev: &PreviousFrame, pair: (usize, usize)) {
        let (a, b) = pair;
        let then = [a, b].map(|i| prev.bodies[i].0);
        let now = [a, b].map(|i| frame.state.bodies[i]);
        if !now.iter().chain(&then).all(BodyState::is_finite) {
            self.episodes.remove(&pair);
            return;
        }
        let dt = frame.state.time - prev.time;
        self.reshape(surfaces, [a, b]);
        let start = Start { states: then, strains: [a, b].map(|i| prev.strains[i]), time: prev.time };
        let was_intersecting = self.episodes.contains_key(&pair);
        let reach = [a, b].map(|i| self.bodies[i].kind.shape.radius).iter().sum();
        if !was_intersecting && balls_are_apart(&then, &now, reach) {
            return;
        }
        self.doubt_turns(frame, pair, &then, &now, dt);
        let is_intersecting = || surfaces.meeting(a, b).is_intersection();
        if !was_intersecting
            && let Some(detour) = self.cores_met(pair, &then, &now, dt)
            && !is_intersecting()
        {
            let is_crossed = self.is_crossed(frame, surfaces, prev, pair);
            self.count(frame, pair, Outcome::Passed { detour }, is_crossed);
            return;
        }
        let is_fast = turns_fast(&then, &now, dt);
        let gap = if was_intersecting || is_fast { None } else { self.plane(surfaces, pair, &then, &now) };
        if gap.is_some_and(|gap| gap > 0.0) {
            return;
        }
        let is_intersecting = is_intersecting();
        // A motion in pieces is as much as one in so many frames.
        let pieces = if is_fast { Motion::uniform(&then, &now, dt).n_pieces() } else { 1 };
        let allowed = pieces * self.left.min(self.per_frame / PART_OF_PAIR);
        let mut effort = Effort::new(allowed);
        // A motion that ends in an intersection is not free of contact.
        let is_settled = !was_intersecting
            && !is_intersecting
            && (gap.is_some() || self.is_clear(surfaces, pair, &start, &now, dt, &mut effort));
        if is_settled {
            self.left -= (allowed - effort.left()) / pieces;
            return;
        }
        let outcome = if is_intersecting {
            let episode = self.episodes.entry(pair).or_insert_with(|| Episode::new(Some(start)));
            episode.push(now[0].pose.relative_to(&now[1].pose));
            Outcome::Clear
        } else {
            self.apart_again(frame, surfaces, pair, start, &mut effort)
        };
        self.left -= (allowed - effort.left()) / pieces;
        let is_certain = was_intersecting || is_intersecting;
        let is_crossed = (is_certain || outcome.is_pass()) && self.is_crossed(frame, surfaces, prev, pair);
        self.count(frame, pair, outcome, is_crossed);
    }

    /// Returns how far (m) the centres would have had to move aside, more than their velocities allow, if the balls about them in the bodies
    /// exchanged their places through each other: [`Interval::cores_met`].
    fn cores_met(
        &self,
        (a, b): (usize, usize),
        then: &[BodyState; 2],
        now: &[BodyState; 2],
        dt: f64,
    ) -> Option<f64> {
        let bodies = [&self.bodies[a], &self.bodies[b]];
        // The centre of a ring is in no part of it.
        if !bodies.iter().all(|body| body.centre_is_its_own) {
            return None;
        }
        let kinds = bodies.map(|body| &*body.kind);
        let (then, now) = (*then, *now);
        let direction = Vec3::zeros();
        let slack = 0.0;
        Interval { kinds, then, now, dt, deviation: 0.0, slack, is_single_step: true, direction }.cores_met()
    }

    /// Gives these bodies the shapes that they have by their strains.
    fn reshape(&mut self, surfaces: &Surfaces, pair: [usize; 2]) {
        for i in pair {
            let shape = surfaces.bodies()[i].shape();
            let kind = &mut self.bodies[i].kind;
            if !Arc::ptr_eq(&kind.surface, &shape) {
                *kind = Arc::new(kind.strained(shape));
            }
        }
    }

    /// Returns an upper bound on the distance (m) by which the change of both bodies' strains since `start` moves their points towards
    /// each other.
    fn strained_since(&self, surfaces: &Surfaces, pair: (usize, usize), start: &Start) -> f64 {
        let of = |i: usize, then: &Mat3| (surfaces.strain(i) - then).norm() * surfaces.unstrained(i).arm();
        of(pair.0, &start.strains[0]) + of(pair.1, &start.strains[1])
    }

    /// Counts the bodies of the pair whose turn is not known, each once per frame.
    fn doubt_turns(
        &mut self,
        frame: &Frame<'_>,
        pair: (usize, usize),
        then: &[BodyState; 2],
        now: &[BodyState; 2],
        dt: f64,
    ) {
        for (k, body) in [pair.0, pair.1].into_iter().enumerate() {
            // A single point or ball looks the same however it turned.
            let shape = &self.bodies[body].kind.shape;
            let turns = shape.arm > TRIMMED * shape.radius;
            let is_doubted = turns && !TurnBetween::new(&then[k], &now[k], dt).is_known();
            if is_doubted && self.untold.insert(body) {
                self.unknown_turns.add_one(body, frame.moment(), || frame.scene.bodies[body].name.clone());
            }
        }
    }

    /// Returns how far apart (m) a plane holds two bodies now, less its rounding error, if it shows that they did not go
    /// through each other: [`Sides::gap`].
    fn plane(
        &mut self,
        surfaces: &Surfaces,
        pair: (usize, usize),
        then: &[BodyState; 2],
        now: &[BodyState; 2],
    ) -> Option<f64> {
        let shapes = [pair.0, pair.1].map(|i| &self.bodies[i].kind.surface);
        let kept = self.normals.get(&pair).copied();
        let known = kept.and_then(|(seer, normal)| Sides::new(shapes, then, now, seer).gap(&normal));
        known.or_else(|| {
            let last = self.directions.get(&pair).copied();
            let guesses: Vec<Vec3> = last.into_iter().chain(surfaces.normals(pair.0, pair.1)).collect();
            // The larger body first: it often has the face on which the smaller one lies.
            let larger = usize::from(shapes[0].radius() <= shapes[1].radius());
            [larger, 1 - larger].into_iter().find_map(|seer| {
                let sides = Sides::new(shapes, then, now, seer);
                let mut seen = guesses.iter().map(|normal| sides.seen(normal));
                let (normal, gap) = seen.find_map(|normal| Some((normal, sides.gap(&normal)?)))?;
                self.normals.insert(pair, (seer, normal));
                Some(gap)
            })
        })
    }

    /// Returns whether uniform motion is proven to be free of contact.
    fn is_clear(
        &mut self,
        surfaces: &Surfaces,
        pair: (usize, usize),
        start: &Start,
        now: &[BodyState; 2],
        dt: f64,
        effort: &mut Effort,
    ) -> bool {
        let then = &start.states;
        let strained = self.strained_since(surfaces, pair, start);
        let kinds = [&self.bodies[pair.0].kind, &self.bodies[pair.1].kind];
        let shapes = [&kinds[0].shape, &kinds[1].shape];
        let motion = Motion::uniform(then, now, dt);
        // No point moves farther, seen from where both bodies are now, than this length.
        if surfaces.clearance(pair.0, pair.1) > motion.length(shapes) * (1.0 + 1e-9) + strained {
            return true;
        }
        let mut direction = self.directions.get(&pair).copied().unwrap_or_else(Vec3::zeros);
        // The larger body sees the other turn by less.
        let larger = usize::from(shapes[0].radius <= shapes[1].radius);
        // Bodies that turn on each other stay so near that a proof fails late.
        let is_clear = motion.is_free(shapes, &mut direction, FEW_SPANS, effort)
            || !turns_fast(then, now, dt)
                && (Neighbours::new(shapes, then, now, larger).are_held(effort)
                    || self.has_turning_plane(pair, then, now))
            || motion.is_free(shapes, &mut direction, MAX_SPANS, effort);
        self.directions.insert(pair, direction);
        is_clear
    }

    /// Returns whether a plane that turns with the bodies shows that they did not go through each other:
    /// [`Sides::turning_gap`].
    fn has_turning_plane(&self, pair: (usize, usize), then: &[BodyState; 2], now: &[BodyState; 2]) -> bool {
        let shapes = [pair.0, pair.1].map(|i| &self.bodies[i].kind.surface);
        (0..2).any(|seer| Sides::new(shapes, then, now, seer).turning_gap().is_some())
    }

    /// Returns what happened to two bodies, which do not intersect in this frame, since the last frame in
    /// which they did not intersect.
    fn apart_again(
        &mut self,
        frame: &Frame<'_>,
        surfaces: &Surfaces,
        pair: (usize, usize),
        start: Start,
        effort: &mut Effort,
    ) -> Outcome {
        let now = [pair.0, pair.1].map(|i| frame.state.bodies[i]);
        let dt = frame.state.time - start.time;
        let (episode, since) = match self.episodes.remove(&pair) {
            None => (None, Some(Start { time: frame.state.time - dt, ..start })),
            Some(episode) => (Some(episode.poses), episode.start),
        };
        let Some(since) = since else { return Outcome::Clear };
        let then = since.states;
        surfaces.measure(pair.0, pair.1);
        let is_fast = episode.is_none() && turns_fast(&then, &now, dt);
        let is_held = !is_fast
            && (self.plane(surfaces, pair, &then, &now).is_some()
                || episode.is_some() && self.has_turning_plane(pair, &then, &now));
        if is_held {
            return Outcome::Clear;
        }
        let arm = self.bodies[pair.0].kind.shape.arm;
        let direct = Motion::as_the_second_sees_it(&then, &now);
        let off = episode.iter().flatten().map(|pose| direct.deviation(pose, arm));
        let kinds = [&*self.bodies[pair.0].kind, &*self.bodies[pair.1].kind];
        let slack = 2.0 * self.strained_since(surfaces, pair, &since);
        let outcome = Interval {
            kinds,
            then,
            now,
            dt: frame.state.time - since.time,
            slack,
            deviation: off.fold(0.0, f64::max),
            is_single_step: episode.is_none(),
            direction: self.directions.get(&pair).copied().unwrap_or_else(Vec3::zeros),
        }
        .outcome(effort);
        match (outcome, episode) {
            (Outcome::Passed { .. }, Some(poses))
                if slack == 0.0 && Creep::new(kinds, &then, &now, &poses).is_followed(effort) =>
            {
                Outcome::Clear
            }
            (Outcome::Passed { .. }, _) if effort.is_spent() => Outcome::Undecided,
            (outcome, _) => outcome,
        }
    }

    /// Returns whether the centre of mass of either body went through the surface of the other in this step.
    fn is_crossed(
        &self,
        frame: &Frame<'_>,
        surfaces: &Surfaces,
        prev: &PreviousFrame,
        (a, b): (usize, usize),
    ) -> bool {
        [(a, b), (b, a)].into_iter().any(|(i, j)| {
            let (body, other) = (&self.bodies[i], &surfaces.bodies()[j]);
            let is_asked = body.centre_is_inside || body.centre_is_its_own && other.is_sheet();
            is_asked && View::new(frame, prev, i, j).path(&Vec3::zeros()).gets_through(other)
        })
    }

    fn count(&mut self, frame: &Frame<'_>, pair: (usize, usize), outcome: Outcome, is_crossed: bool) {
        let at = frame.moment();
        let names = || format!("{} – {}", frame.scene.bodies[pair.0].name, frame.scene.bodies[pair.1].name);
        if is_crossed {
            self.centre_crossings.add(pair, at, names);
        }
        if outcome.is_pass() {
            self.passes.add(pair, at, names);
        }
        match outcome {
            Outcome::Clear => {}
            Outcome::Undecided => self.undecided.add(pair, at, names),
            Outcome::Unlinked => self.unlinked.add(pair, at, names),
            Outcome::Passed { detour } => {
                self.detour.raise(BodyId(pair.0), detour, at, names);
                self.detour.raise(BodyId(pair.1), detour, at, names);
            }
        }
    }
}

impl TrackedBody {
    fn new(kind: Arc<MeshData>, surface: &Surface) -> Self {
        let centre_is_inside = kind.inner > 0.0 || surface.is_solid() && holds_origin(surface);
        Self { kind, centre_is_inside, centre_is_its_own: centre_is_inside || is_on_origin(surface) }
    }
}

impl Episode {
    fn new(start: Option<Start>) -> Self {
        Self { start, poses: Vec::new(), stride: 1, n_frames: 0 }
    }

    /// Adds a frame. When there are too many poses, every second is dropped.
    fn push(&mut self, pose: Pose) {
        if self.n_frames.is_multiple_of(self.stride) {
            self.poses.push(pose);
        }
        self.n_frames += 1;
        if self.poses.len() > MAX_POSES {
            let mut is_kept = false;
            self.poses.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.stride *= 2;
        }
    }
}

/// Returns whether the centres of two balls in uniform motion stay farther apart than `reach` (m).
fn balls_are_apart(then: &[BodyState; 2], now: &[BodyState; 2], reach: f64) -> bool {
    let offset = |states: &[BodyState; 2]| states[0].pose.position - states[1].pose.position;
    let (from, to) = (offset(then), offset(now));
    let by = to - from;
    let at = if by == Vec3::zeros() { 0.0 } else { (-from.dot(&by) / by.norm_squared()).clamp(0.0, 1.0) };
    (from + by * at).norm() > reach * (1.0 + 1e-9)
}

/// Returns the pairs that may collide, of which at least one body moved, and whose paths may meet. The test
/// uses the box around the bounding balls of a body at both ends of the step, or that of its surface if it
/// did not move.
fn swept_pairs(frame: &Frame<'_>, surfaces: &Surfaces, prev: &PreviousFrame) -> Vec<(usize, usize)> {
    let dt = frame.state.time - prev.time;
    let moved = |i: usize| {
        let (then, now) = (&prev.bodies[i].0, &frame.state.bodies[i]);
        let turn = TurnBetween::new(then, now, dt);
        then.pose != now.pose || turn.is_fast() || !turn.is_known()
    };
    let swept = |i: usize| {
        let ends = [prev.bodies[i].0.pose.position, frame.state.bodies[i].pose.position];
        if moved(i) {
            let is_rigid = *surfaces.strain(i) == Mat3::zeros();
            let radius = if is_rigid { frame.scene.bodies[i].radius } else { surfaces.bodies()[i].radius() };
            Aabb::of_points(&ends).grow(radius)
        } else {
            *surfaces.bodies()[i].bounds()
        }
    };
    let is_placed = |i: &usize| prev.bodies[*i].1.is_finite() && surfaces.bodies()[*i].bounds().is_finite();
    let ids: Vec<usize> = (0..prev.bodies.len()).filter(is_placed).collect();
    let boxes: Vec<Aabb> = ids.iter().map(|i| swept(*i)).collect();
    let mut pairs = overlapping_pairs(frame.scene, &ids, &boxes);
    pairs.retain(|&(a, b)| moved(a) || moved(b));
    pairs
}

/// Returns whether the centre of mass is strictly inside the body's own solid.
fn holds_origin(surface: &Surface) -> bool {
    let mesh = surface.mesh();
    let turns = winding(&Vec3::zeros(), mesh.vertices(), mesh.triangles());
    turns.is_some_and(|turns| turns != 0)
}

/// Returns whether the centre of mass is on one of the body's triangles, up to rounding.
fn is_on_origin(surface: &Surface) -> bool {
    let vertices = surface.mesh().vertices();
    let rounding_sq = 1e-18 * vertices.iter().map(Vec3::norm_squared).fold(0.0, f64::max);
    surface.mesh().triangles().iter().any(|corners| {
        let [a, b, c] = corners.map(|v| vertices[v as usize]);
        point_triangle::distance_sq(&Vec3::zeros(), &a, &b, &c) <= rounding_sq
    })
}

#[cfg(test)]
mod tests;
