//! The broad phase, which finds the pairs of bodies that may touch during a step.

use std::collections::BTreeSet;

use rigor_geometry::{Aabb, Bvh};
use rigor_math::{Pose, Vec3};
use rigor_scene::{Attribute, Body, BodyId, BodyState, Flaw, FlawKind, Scene, State, StepError, Subject};

use crate::feature::FeatureCache;

/// Margin of the search boxes beyond the motion of a step, as a fraction of a body's radius.
const ROOM: f64 = 0.05;

/// Overlap of boxes, as a fraction of the thinner body, that the next step still finds.
const SHALLOW: f64 = 0.05;

/// Least motion, as a fraction of a body's radius, that a step allows for.
const SLOW: f64 = 1e-3;

/// Which pairs of bodies have overlapping boxes. They stay valid while every body stays within its search box.
#[derive(Debug, Default)]
pub struct BroadPhase {
    /// Per body, the search box (world) within which the pairs stay valid.
    room: Vec<Aabb>,
    filter: Filter,
    /// Per body, the maximum distance (m) that its points may move within the step.
    travel: Vec<f64>,
    /// Per body, the box (world) that contains it during the step.
    boxes: Vec<Aabb>,
}

/// What a search changed about the pairs.
#[derive(Debug)]
pub enum Pairs {
    /// The pairs of the last search are valid.
    Kept,
    /// These are the pairs now, ascending; what is known about one that was there before is valid.
    Found(Vec<(BodyId, BodyId)>),
    /// These are the pairs now, ascending, of other meshes: nothing known before is valid.
    New(Vec<(BodyId, BodyId)>),
}

impl Pairs {
    /// Replaces the entries of `pairs`, ascending and one for each pair, keeping those that persist.
    pub fn replace<T>(
        self,
        pairs: &mut Vec<T>,
        ids: impl Fn(&T) -> (BodyId, BodyId),
        new: impl Fn(BodyId, BodyId) -> T,
    ) {
        let found = match self {
            Self::Kept => return,
            Self::Found(found) => found,
            Self::New(found) => {
                pairs.clear();
                found
            }
        };
        let mut old = std::mem::take(pairs).into_iter().peekable();
        pairs.extend(found.into_iter().map(|(a, b)| {
            while old.next_if(|pair| ids(pair) < (a, b)).is_some() {}
            old.next_if(|pair| ids(pair) == (a, b)).unwrap_or_else(|| new(a, b))
        }));
    }
}

/// Scene data that determine which bodies can collide.
#[derive(Debug, Default, PartialEq)]
struct Filter {
    /// Group, layers, layers met, and whether it is dynamic, of each body.
    groups: Vec<([u32; 3], bool)>,
    contact_free: BTreeSet<(BodyId, BodyId)>,
}

impl Filter {
    fn is_of(&self, scene: &Scene) -> bool {
        let groups = scene.bodies.iter().map(|b| ([b.group, b.layers, b.meets], b.is_dynamic()));
        self.groups.iter().copied().eq(groups) && self.contact_free == scene.contact_free
    }

    fn of(scene: &Scene) -> Self {
        let groups = scene.bodies.iter().map(|b| ([b.group, b.layers, b.meets], b.is_dynamic())).collect();
        Self { groups, contact_free: scene.contact_free.clone() }
    }
}

impl BroadPhase {
    /// Finds the pairs of bodies whose boxes, grown by k Δt ‖v‖, overlap; `safety` is k.
    ///
    /// Source: \[Mueller2020\] §3.4. The speed of a body is that of its fastest point, with gravity's gain
    /// over the step: ‖v‖ + r ‖ω‖ + Δt ‖g‖.
    ///
    /// # Errors
    /// [`StepError`] if a body is not finite.
    pub fn update(
        &mut self,
        scene: &Scene,
        state: &State,
        dt: f64,
        safety: f64,
        features: &mut FeatureCache,
    ) -> Result<Pairs, StepError> {
        let meshes_changed = features.prepare(scene);
        let is_new = meshes_changed || !self.filter.is_of(scene);
        let speeds = scene.bodies.iter().zip(&state.bodies);
        let speeds = speeds.map(|(body, now)| fastest(scene, body, now, state.time, dt));
        self.travel.clear();
        self.travel.extend(speeds.map(|speed| safety * dt * speed));
        self.boxes.clear();
        self.boxes.extend(
            state
                .bodies
                .iter()
                .enumerate()
                .map(|(i, now)| features.of(i).bounds.transformed(&now.pose).grow(self.travel[i])),
        );
        if !is_new && self.room.iter().zip(&self.boxes).all(|(room, now)| room.contains(now)) {
            return Ok(Pairs::Kept);
        }
        let found = self.find(scene)?;
        Ok(if meshes_changed { Pairs::New(found) } else { Pairs::Found(found) })
    }

    /// Returns whether body `i` stays within its box of this step when its points move by `ahead` (m) from `pose`.
    pub fn holds(&self, i: usize, pose: &Pose, ahead: f64, features: &FeatureCache) -> bool {
        self.boxes[i].contains(&features.of(i).bounds.transformed(pose).grow(ahead))
    }

    /// Searches again in the middle of a step, in which bodies have become faster: the box of body `i` grows to what its points reach
    /// when they move by `reach(i)` (m) from `pose(i)`. Returns the pairs that may touch now, ascending, with those that an earlier
    /// search of the step found and that still may.
    ///
    /// # Errors
    /// As [`BroadPhase::update`].
    pub fn widen(
        &mut self,
        scene: &Scene,
        pose: impl Fn(usize) -> Pose,
        reach: impl Fn(usize) -> f64,
        features: &FeatureCache,
    ) -> Result<Vec<(BodyId, BodyId)>, StepError> {
        for i in 0..scene.bodies.len() {
            let now = features.of(i).bounds.transformed(&pose(i)).grow(reach(i));
            self.boxes[i] = self.boxes[i].union(&now);
            self.travel[i] = self.travel[i].max(reach(i));
        }
        self.find(scene)
    }

    /// Returns whether the boxes of the two bodies overlap in this step.
    pub fn is_near(&self, a: BodyId, b: BodyId) -> bool {
        self.boxes[a.0].overlaps(&self.boxes[b.0])
    }

    /// Returns the flaw of a step in which a body went farther than its speed at the start said, and through the box of one with which no
    /// contact was looked for: the pair that went farthest. A body at rest that is struck may meet a third one in the same step.
    ///
    /// The centre of one box moves straight against that of the other; the pair met if it comes within half of both widths, less
    /// a part of the thinner body, along every axis. Its motion, or that of the farthest side of its box, over the largest allowed is the amount.
    pub fn outrun(
        &self,
        scene: &Scene,
        before: &State,
        after: impl Fn(usize) -> Pose,
        features: &FeatureCache,
    ) -> Option<Flaw> {
        let at = |i: usize, pose: &Pose| features.of(i).bounds.transformed(pose);
        let n = scene.bodies.len();
        let is_stray = |i: usize| scene.bodies[i].is_dynamic() && !self.boxes[i].contains(&at(i, &after(i)));
        let first = (0..n).find(|&i| is_stray(i))?;
        let ends: Vec<Aabb> = (0..n).map(|i| at(i, &after(i))).collect();
        let passed = |i: usize, j: usize| {
            let [start, end] = [
                at(i, &before.bodies[i].pose).center() - at(j, &before.bodies[j].pose).center(),
                ends[i].center() - ends[j].center(),
            ];
            let thin = features.of(i).thickness.min(features.of(j).thickness);
            let within = 0.5 * (ends[i].extent() + ends[j].extent()) - Vec3::repeat(SHALLOW * thin);
            // What turns goes out of its box without its centre.
            let (kept, end_box) = (&self.boxes[i], &ends[i]);
            let beyond = (end_box.max - kept.max).max().max((kept.min - end_box.min).max());
            let motion = (end - start).norm().max(self.travel[i] + beyond);
            let allowed = (self.travel[i] + self.travel[j]).max(SLOW * scene.bodies[i].radius);
            meets(&start, &end, &within).then(|| motion / allowed)
        };
        let mut worst: Option<Flaw> = None;
        for i in (first..n).filter(|&i| is_stray(i)) {
            for j in (0..n).filter(|&j| j != i) {
                let pair = (BodyId(i.min(j)), BodyId(i.max(j)));
                if self.is_near(pair.0, pair.1) || !scene.can_collide(pair.0, pair.1) {
                    continue;
                }
                let Some(amount) = passed(i, j) else { continue };
                if worst.as_ref().is_none_or(|worst| amount > worst.amount) {
                    worst = Some(Flaw::new(FlawKind::TooFast, Subject::Pair(pair.0, pair.1), amount));
                }
            }
        }
        worst
    }

    fn find(&mut self, scene: &Scene) -> Result<Vec<(BodyId, BodyId)>, StepError> {
        self.filter = Filter::of(scene);
        self.room.clear();
        self.room.extend(scene.bodies.iter().zip(&self.boxes).zip(&self.travel).map(
            |((body, now), travel)| {
                let more = if body.is_dynamic() { ROOM * body.radius } else { 0.0 };
                now.grow(travel + more)
            },
        ));
        if scene.bodies.iter().all(|body| body.group == scene.bodies[0].group) {
            return Ok(Vec::new());
        }
        let mut found: Vec<(BodyId, BodyId)> = tree_of_bodies(scene, &self.room)?
            .overlapping_pairs()
            .into_iter()
            .map(|[a, b]| (BodyId(a.min(b) as usize), BodyId(a.max(b) as usize)))
            .filter(|(a, b)| scene.can_collide(*a, *b))
            .collect();
        found.sort_unstable();
        Ok(found)
    }
}

/// Returns whether the segment from `start` to `end` (m) has a point within ± `half` (m) along every axis.
fn meets(start: &Vec3, end: &Vec3, half: &Vec3) -> bool {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        let (x, by) = (start[k], end[k] - start[k]);
        if by == 0.0 {
            if x.abs() > half[k] {
                return false;
            }
            continue;
        }
        let (s, t) = ((-half[k] - x) / by, (half[k] - x) / by);
        (from, to) = (from.max(s.min(t)), to.min(s.max(t)));
    }
    from <= to && half.min() >= 0.0
}

fn tree_of_bodies(scene: &Scene, boxes: &[Aabb]) -> Result<Bvh, StepError> {
    Bvh::new(boxes).map_err(|error| StepError::not_finite(scene, BodyId(error.index), Attribute::Extent))
}

/// Returns an upper bound on the speed (m/s) of any point of `body` during the step.
fn fastest(scene: &Scene, body: &Body, now: &BodyState, time: f64, dt: f64) -> f64 {
    let speed = |s: &BodyState| s.linear_velocity.norm() + body.radius * s.angular_velocity.norm();
    match body.prescribed(time + dt) {
        Some(then) => speed(&then),
        None => speed(now) + dt * (scene.gravity.norm() + body.force.norm() / body.mass),
    }
}
