//! Possible motions of two bodies between two frames, and whether they are free of contact.

use std::sync::Arc;

use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{BodyId, BodyState, Travel, Turn};

use super::sampled_poses::SampledPoses;
use crate::certificate::course::Course;
use crate::certificate::encounter::Encounter;
use crate::certificate::shape::PrimitiveTree;
use crate::meeting;
use crate::separation::separation;
use crate::surface::Surface;
use crate::surface::shape::Shape;

/// Maximum number of parts of a motion to examine; beyond it the motion counts as not free.
pub(super) const MAX_SPANS: u64 = 1 << 12;
/// The same for a first try.
pub(super) const FEW_SPANS: u64 = 16;
/// The number of halvings of time before pairs of primitives are sought, where these are many.
const HALVINGS: u32 = 4;
/// If bodies touch at an end of a motion, this fraction of the motion is not examined there.
const TRIM: f64 = 1.0 / 64.0;
/// The fraction of the motion, at its start and at its end, in which a body moves to its detour and back.
const RAMP: f64 = 0.25;
/// A motion is divided into so many parts, a multiple of those of a detour, to find vertices that go through the other body.
const STATIONS: u32 = 16;
/// Times, in sixteenths of a motion, at which primitives that cross are sought.
const TIMES: [u8; 15] = [8, 4, 12, 2, 6, 10, 14, 1, 3, 5, 7, 9, 11, 13, 15];

/// The motions of two bodies from one frame to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    travels: [Travel; 2],
}

impl Motion {
    /// Both bodies move in a straight line and turn at a constant rate in the world, by the number of turns
    /// that fits their angular velocities best. `dt` (s) is the time between the frames.
    pub(super) fn uniform(then: &[BodyState; 2], now: &[BodyState; 2], dt: f64) -> Self {
        let travels = [0, 1].map(|i| {
            let mean = 0.5 * (then[i].angular_velocity + now[i].angular_velocity);
            travel(&then[i].pose, &now[i].pose, &(mean * dt))
        });
        Self { travels }
    }

    /// The first body moves in a straight line and turns at a constant rate relative to the second, whose
    /// frame replaces the world.
    pub(super) fn as_the_second_sees_it(then: &[BodyState; 2], now: &[BodyState; 2]) -> Self {
        let seen = |of: &[BodyState; 2]| of[0].pose.relative_to(&of[1].pose);
        let stays = Pose::identity();
        Self {
            travels: [
                travel(&seen(then), &seen(now), &Vec3::zeros()),
                travel(&stays, &stays, &Vec3::zeros()),
            ],
        }
    }

    /// Returns whether interval arithmetic proves, with at most `max_spans` parts, that the bodies do not touch.
    /// `direction` is the one that last separated them.
    pub(super) fn is_free(&self, shapes: [&PrimitiveTree; 2], direction: &mut Vec3, max_spans: u64) -> bool {
        are_apart(shapes, &self.travels, direction, max_spans)
    }

    /// Returns the poses of both bodies at multiples of a sixteenth, and at the ends of what
    /// [`Motion::is_free_by_detour`] examines.
    pub(super) fn stations(&self, is_trimmed: [bool; 2]) -> SampledPoses {
        let [start, end] = examined(is_trimmed);
        let inner = (1..STATIONS).map(|k| f64::from(k) / f64::from(STATIONS));
        let times = std::iter::once(start).chain(inner).chain(std::iter::once(end));
        SampledPoses {
            stops: times.map(|t| (t, [0, 1].map(|i| pose_at(&self.travels[i], t)))).collect(),
            turns: [0, 1].map(|i| self.travels[i].turn.vector().norm()),
            by: (self.travels[0].by - self.travels[1].by).norm(),
        }
    }

    /// Returns whether primitives cross, as rounded, at one of a few times if the first body is shifted by `shift`
    /// (m) as in [`Motion::is_free_by_detour`]; the motion is then not free. That is much faster to find out than
    /// that a proof fails.
    pub(super) fn crosses(&self, shapes: [&Arc<Shape>; 2], shift: &Vec3) -> bool {
        // Points cross nothing.
        let is_crossable = shapes.iter().all(|shape| !shape.mesh().edges().is_empty());
        is_crossable
            && TIMES.iter().map(|k| f64::from(*k) / 16.0).any(|t| {
                let [first, second] = [0, 1].map(|i| pose_at(&self.travels[i], t));
                let first = Pose::new(first.position + shifted(shift, t), first.rotation);
                let place = |i: usize, pose: &Pose| Surface::new(Arc::clone(shapes[i]), pose);
                meeting::cross(&place(0, &first), &place(1, &second))
            })
    }

    /// Returns whether the bodies are proven not to touch if the first is shifted by `shift` (m) during most
    /// of the motion. Ends at which they touch (`is_trimmed`) are left out.
    pub(super) fn is_free_by_detour(
        &self,
        shapes: [&PrimitiveTree; 2],
        shift: &Vec3,
        is_trimmed: [bool; 2],
    ) -> bool {
        let [start, end] = examined(is_trimmed);
        let shifts = |t: f64| shifted(shift, t);
        let parts = [[start, RAMP], [RAMP, 1.0 - RAMP], [1.0 - RAMP, end]];
        parts.into_iter().all(|[t0, t1]| {
            let first = part(&self.travels[0], [t0, t1], [shifts(t0), shifts(t1)]);
            let second = part(&self.travels[1], [t0, t1], [Vec3::zeros(); 2]);
            are_apart(shapes, &[first, second], &mut shift.clone(), MAX_SPANS)
        })
    }

    /// Returns an upper bound on the distance (m) that points of the two move relative to each other.
    pub(super) fn length(&self, shapes: [&PrimitiveTree; 2]) -> f64 {
        let turns: f64 = (0..2).map(|i| self.travels[i].turn.vector().norm() * shapes[i].radius).sum();
        (self.travels[0].by - self.travels[1].by).norm() + turns
    }

    /// Returns the sum of the turns (rad) of both.
    pub(super) fn turn(&self) -> f64 {
        self.travels.iter().map(|travel| travel.turn.vector().norm()).sum()
    }

    /// Returns an upper bound on the deviation (m) of the first body at `pose` from its motion, minimized
    /// over 33 times. Only valid if the second body does not move.
    pub(super) fn deviation(&self, pose: &Pose, radius: f64) -> f64 {
        let off = |k: u32| {
            let at = pose_at(&self.travels[0], f64::from(k) / 32.0);
            let angle = crate::angle::between_rotations(&at.rotation, &pose.rotation);
            (at.position - pose.position).norm() + angle * radius
        };
        (0..=32).map(off).fold(f64::INFINITY, f64::min)
    }
}

/// Returns the approximate distance (m) between two bodies in these poses if it is less than `limit` (m).
pub(super) fn distance(shapes: [&PrimitiveTree; 2], poses: [&Pose; 2], limit: f64) -> Option<f64> {
    let pairs =
        shapes[0].tree.overlapping_pairs_posed(&shapes[1].tree, &poses[1].relative_to(poses[0]), limit);
    let of = |[i, j]: [u32; 2]| {
        separation(&shapes[0].primitive(i, poses[0]), &shapes[1].primitive(j, poses[1])).norm()
    };
    pairs.into_iter().map(of).reduce(f64::min).filter(|d| *d < limit)
}

/// Returns the uniform motion between two poses. Of the turns that differ by 2πk it takes the one nearest to
/// `expected` (rad).
fn travel(from: &Pose, to: &Pose, expected: &Vec3) -> Travel {
    let shortest = rotation_vector::log(&(to.rotation * from.rotation.inverse()));
    let turn = match shortest.try_normalize(0.0) {
        Some(axis) => {
            let more = ((expected - shortest).dot(&axis) / std::f64::consts::TAU).round();
            shortest + axis * (more * std::f64::consts::TAU)
        }
        None => shortest,
    };
    Travel { body: BodyId(0), from: *from, by: to.position - from.position, turn: Turn::About(turn), to: *to }
}

/// Returns the part of `travel` between two times, shifted at both ends.
fn part(travel: &Travel, [t0, t1]: [f64; 2], [s0, s1]: [Vec3; 2]) -> Travel {
    let shifted = |t: f64, shift: Vec3| {
        let pose = pose_at(travel, t);
        Pose::new(pose.position + shift, pose.rotation)
    };
    Travel {
        from: shifted(t0, s0),
        by: travel.by * (t1 - t0) + (s1 - s0),
        turn: Turn::About(travel.turn.vector() * (t1 - t0)),
        to: shifted(t1, s1),
        ..*travel
    }
}

/// Returns the times between which a motion is examined.
fn examined(is_trimmed: [bool; 2]) -> [f64; 2] {
    [if is_trimmed[0] { TRIM } else { 0.0 }, if is_trimmed[1] { 1.0 - TRIM } else { 1.0 }]
}

/// Returns the part of `shift` at time `t`, from 0 to 1.
pub(super) fn shifted(shift: &Vec3, t: f64) -> Vec3 {
    shift * (t.min(1.0 - t) / RAMP).min(1.0)
}

fn pose_at(travel: &Travel, t: f64) -> Pose {
    let turned = rotation_vector::exp(&(travel.turn.vector() * t)) * travel.from.rotation;
    Pose::new(travel.from.position + travel.by * t, turned)
}

fn are_apart(
    shapes: [&PrimitiveTree; 2],
    travels: &[Travel; 2],
    direction: &mut Vec3,
    max_spans: u64,
) -> bool {
    let course = |i: usize| {
        let travel = &travels[i];
        let is_still = travel.by == Vec3::zeros() && travel.turn.vector() == Vec3::zeros();
        if is_still { Course::staying(&travel.from) } else { Course::new(travel, shapes[i].radius) }
    };
    let courses = [course(0), course(1)];
    let mut encounter = Encounter {
        shapes,
        courses: [&courses[0], &courses[1]],
        reach: 0.0,
        // Any positive distance suffices.
        nearest: f64::MIN_POSITIVE,
        direction: *direction,
        hint: *direction,
        planes: 0,
        spans: 0,
        max_spans,
        halvings: HALVINGS,
    };
    let is_proven = encounter.prove().is_ok();
    *direction = encounter.direction;
    is_proven
}
