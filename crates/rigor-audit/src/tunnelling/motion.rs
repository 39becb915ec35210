//! Possible motions of two bodies between two frames, and whether they are free of contact.

use std::sync::Arc;

use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{BodyId, BodyState, Travel, Turn};

use super::sampled_poses::SampledPoses;
use crate::certificate::course::Course;
use crate::certificate::encounter::Encounter;
use crate::certificate::shape::PrimitiveTree;
use crate::effort::Effort;
use crate::meeting;
use crate::separation::separation;
use crate::surface::Surface;
use crate::surface::shape::Shape;
use crate::turn::{MAX_PIECES, PIECE, TurnBetween};

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
/// Comparisons that it takes to place two bodies.
const PLACE: usize = 16;
/// Times, in sixteenths of a motion, at which primitives that cross are sought.
const TIMES: [u8; 15] = [8, 4, 12, 2, 6, 10, 14, 1, 3, 5, 7, 9, 11, 13, 15];

/// The motions of two bodies from one frame to another, in pieces of equal duration.
#[derive(Debug, Clone)]
pub(super) struct Motion {
    pieces: Vec<[Travel; 2]>,
}

impl Motion {
    /// Both bodies move in a straight line and turn at a constant rate in the world, as their angular velocities say. `dt`
    /// (s) is the time between the frames.
    ///
    /// If both turn by a quarter at most, each by the number of turns that fits its angular velocities best. If one turns by
    /// more, both by [`rigor_math::turning::Turning`], in pieces of at most a radian.
    pub(super) fn uniform(then: &[BodyState; 2], now: &[BodyState; 2], dt: f64) -> Self {
        let turns = [0, 1].map(|i| TurnBetween::new(&then[i], &now[i], dt));
        if !turns.iter().any(TurnBetween::is_fast) {
            let travels = [0, 1].map(|i| travel(&then[i].pose, &now[i].pose, turns[i].mean()));
            return Self { pieces: vec![travels] };
        }
        let most = turns.iter().map(TurnBetween::most).fold(0.0, f64::max);
        let n = (most / PIECE).ceil().clamp(1.0, f64::from(MAX_PIECES)) as u32;
        let place = |i: usize, k: u32| match k {
            0 => then[i].pose,
            k if k == n => now[i].pose,
            k => {
                let t = f64::from(k) / f64::from(n);
                let [from, to] = [then, now].map(|states| states[i].pose.position);
                Pose::new(from + (to - from) * t, turns[i].at(t))
            }
        };
        let piece = |k: u32| [0, 1].map(|i| travel(&place(i, k), &place(i, k + 1), &Vec3::zeros()));
        Self { pieces: (0..n).map(piece).collect() }
    }

    /// The first body moves in a straight line and turns at a constant rate relative to the second, whose
    /// frame replaces the world, by the shortest turn.
    pub(super) fn as_the_second_sees_it(then: &[BodyState; 2], now: &[BodyState; 2]) -> Self {
        let seen = |of: &[BodyState; 2]| of[0].pose.relative_to(&of[1].pose);
        let stays = Pose::identity();
        let travels =
            [travel(&seen(then), &seen(now), &Vec3::zeros()), travel(&stays, &stays, &Vec3::zeros())];
        Self { pieces: vec![travels] }
    }

    /// Returns whether interval arithmetic proves, with at most `max_spans` parts, that the bodies do not touch.
    /// `direction` is the one that last separated them. False if the effort is spent.
    pub(super) fn is_free(
        &self,
        shapes: [&PrimitiveTree; 2],
        direction: &mut Vec3,
        max_spans: u64,
        effort: &mut Effort,
    ) -> bool {
        self.pieces.iter().all(|travels| are_apart(shapes, travels, direction, max_spans, effort))
    }

    /// Returns the poses of both bodies at multiples of a sixteenth, and at the ends of what
    /// [`Motion::is_free_by_detour`] examines.
    pub(super) fn stations(&self, is_trimmed: [bool; 2]) -> SampledPoses {
        let [start, end] = examined(is_trimmed);
        // Pieces of more than one are divided, as the turn between two times bounds how far a path bends.
        let n = if self.pieces.len() > 1 { 4 * self.pieces.len() as u32 } else { STATIONS };
        let inner = (1..n).map(|k| f64::from(k) / f64::from(n)).filter(|t| *t > start && *t < end);
        let ramps = [RAMP, 1.0 - RAMP];
        let mut times: Vec<f64> = std::iter::once(start).chain(inner).chain(ramps).chain([end]).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let rate = |i: usize| self.pieces.iter().map(move |travels| travels[i].turn.vector().norm());
        SampledPoses {
            stops: times.into_iter().map(|t| (t, [0, 1].map(|i| self.pose_at(i, t)))).collect(),
            turns: [0, 1].map(|i| rate(i).fold(0.0, f64::max) * self.pieces.len() as f64),
            by: self.by().norm(),
        }
    }

    /// As [`length`](Self::length), but of a body that turns by more than a quarter at most twice its arm is counted, as no
    /// point gets farther from where it would be without the turn.
    pub(super) fn reach(&self, shapes: [&PrimitiveTree; 2]) -> f64 {
        if self.pieces.len() == 1 {
            return self.length(shapes);
        }
        let turn = |i: usize| self.pieces.iter().map(|travels| travels[i].turn.vector().norm()).sum::<f64>();
        self.by().norm() + (0..2).map(|i| turn(i).min(2.0) * shapes[i].arm).sum::<f64>()
    }

    /// How far (m) the first moves relative to the second.
    fn by(&self) -> Vec3 {
        self.pieces.iter().map(|[a, b]| a.by - b.by).sum()
    }

    /// The pose of a body at a time from 0 to 1.
    fn pose_at(&self, i: usize, t: f64) -> Pose {
        let n = self.pieces.len();
        let k = ((t * n as f64) as usize).min(n - 1);
        pose_at(&self.pieces[k][i], t * n as f64 - k as f64)
    }

    /// Returns whether primitives cross, as rounded, at one of a few times if the first body is shifted by `shift`
    /// (m) as in [`Motion::is_free_by_detour`]; the motion is then not free. That is much faster to find out than
    /// that a proof fails.
    pub(super) fn crosses(&self, shapes: [&Arc<Shape>; 2], shift: &Vec3, effort: &mut Effort) -> bool {
        // Points cross nothing, but balls do.
        let is_crossable = shapes.iter().all(|shape| shape.is_round() || !shape.mesh().edges().is_empty());
        is_crossable
            && TIMES.iter().map(|k| f64::from(*k) / 16.0).any(|t| {
                let [first, second] = [0, 1].map(|i| self.pose_at(i, t));
                let first = Pose::new(first.position + shifted(shift, t), first.rotation);
                let place = |i: usize, pose: &Pose| Surface::new(Arc::clone(shapes[i]), pose);
                effort.spend(PLACE);
                meeting::cross(&place(0, &first), &place(1, &second), effort)
            })
    }

    /// Returns whether the bodies are proven not to touch if the first is shifted by `shift` (m) during most
    /// of the motion. Ends at which they touch (`is_trimmed`) are left out.
    pub(super) fn is_free_by_detour(
        &self,
        shapes: [&PrimitiveTree; 2],
        shift: &Vec3,
        is_trimmed: [bool; 2],
        effort: &mut Effort,
    ) -> bool {
        let [start, end] = examined(is_trimmed);
        let shifts = |t: f64| shifted(shift, t);
        let n = self.pieces.len();
        (0..n).all(|k| {
            let [from, to] = [k, k + 1].map(|k| k as f64 / n as f64);
            let mut direction = *shift;
            [[start, RAMP], [RAMP, 1.0 - RAMP], [1.0 - RAMP, end]].into_iter().all(|[t0, t1]| {
                let [t0, t1] = [t0.max(from), t1.min(to)];
                if t0 >= t1 {
                    return true;
                }
                let local = [t0, t1].map(|t| t * n as f64 - k as f64);
                let first = part(&self.pieces[k][0], local, [shifts(t0), shifts(t1)]);
                let second = part(&self.pieces[k][1], local, [Vec3::zeros(); 2]);
                if n == 1 {
                    direction = *shift;
                }
                are_apart(shapes, &[first, second], &mut direction, MAX_SPANS, effort)
            })
        })
    }

    /// Returns an upper bound on the distance (m) that points of the two move relative to each other.
    pub(super) fn length(&self, shapes: [&PrimitiveTree; 2]) -> f64 {
        let of = |travels: &[Travel; 2], i: usize| travels[i].turn.vector().norm() * shapes[i].arm;
        let turns: f64 = self.pieces.iter().map(|travels| (0..2).map(|i| of(travels, i)).sum::<f64>()).sum();
        self.by().norm() + turns
    }

    /// Number of pieces, of at most a radian each where there are several.
    pub(super) fn n_pieces(&self) -> u64 {
        self.pieces.len() as u64
    }

    /// Returns the sum of the turns (rad) of both.
    pub(super) fn turn(&self) -> f64 {
        self.pieces.iter().flatten().map(|travel| travel.turn.vector().norm()).sum()
    }

    /// Returns an upper bound on the deviation (m) of the first body at `pose` from its motion, minimized
    /// over 33 times. Only valid if the second body does not move.
    pub(super) fn deviation(&self, pose: &Pose, arm: f64) -> f64 {
        let off = |k: u32| {
            let at = self.pose_at(0, f64::from(k) / 32.0);
            let angle = rigor_math::angle::between_rotations(&at.rotation, &pose.rotation);
            (at.position - pose.position).norm() + angle * arm
        };
        (0..=32).map(off).fold(f64::INFINITY, f64::min)
    }
}

/// Returns the approximate distance (m) between two bodies in these poses if it is less than `limit` (m).
pub(super) fn distance(shapes: [&PrimitiveTree; 2], poses: [&Pose; 2], limit: f64) -> Option<f64> {
    let pairs =
        shapes[0].tree.overlapping_pairs_posed(&shapes[1].tree, &poses[1].relative_to(poses[0]), limit);
    let of = |[i, j]: [u32; 2]| {
        let apart = separation(&shapes[0].primitive(i, poses[0]), &shapes[1].primitive(j, poses[1]));
        apart.norm() - (shapes[0].offset_of(i) + shapes[1].offset_of(j))
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
    effort: &mut Effort,
) -> bool {
    let course = |i: usize| {
        let travel = &travels[i];
        let is_still = travel.by == Vec3::zeros() && travel.turn.vector() == Vec3::zeros();
        if is_still { Course::staying(&travel.from) } else { Course::new(travel, shapes[i].arm) }
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
        effort: *effort,
        halvings: HALVINGS,
    };
    let is_proven = encounter.prove().is_ok();
    (*direction, *effort) = (encounter.direction, encounter.effort);
    is_proven
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ball, capsule};

    fn at(x: f64, y: f64) -> BodyState {
        BodyState { pose: Pose::translation(Vec3::new(x, y, 0.0)), ..BodyState::default() }
    }

    #[test]
    fn balls_are_as_far_as_their_surfaces() {
        let trees = [ball("a", 0.5), capsule("b", 0.25, 1.0)].map(|body| PrimitiveTree::new(&body.skeleton));
        let of = |x: f64, limit: f64| {
            distance([&trees[0], &trees[1]], [&Pose::identity(), &at(x, 0.3).pose], limit)
        };
        assert!(of(1.0, 1.0).is_some_and(|d| (d - 0.25).abs() < 1e-15) && of(1.0, 0.2).is_none());
    }

    #[test]
    fn balls_that_fly_through_each_other_cross() {
        let shapes = [ball("a", 0.5), ball("b", 0.5)].map(|body| Arc::new(Shape::new(&body.skeleton)));
        let motion =
            |y: f64| Motion::uniform(&[at(-2.0, y), at(0.0, 0.0)], &[at(2.0, y), at(0.0, 0.0)], 0.01);
        let crosses = |y: f64, shift: f64| {
            motion(y).crosses([&shapes[0], &shapes[1]], &(Vec3::y() * shift), &mut Effort::UNLIMITED.clone())
        };
        assert!(crosses(0.0, 0.0) && crosses(0.9, 0.0) && !crosses(1.1, 0.0) && !crosses(0.9, 0.2));
    }
}
