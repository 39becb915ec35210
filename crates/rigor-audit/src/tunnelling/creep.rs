//! Bodies that overlap by little in many frames, followed from one to the next.

use std::sync::Arc;

use rigor_math::{Pose, Vec3};
use rigor_scene::BodyState;

use super::interval::{GRAZE, Interval, MAX_TURN, Outcome};
use super::kind::MeshData;
use super::motion::Motion;
use super::neighbours::Neighbours;
use super::plane::Sides;
use crate::effort::Effort;
use crate::meeting::meeting;
use crate::surface::Surface;

/// The largest shift is halved so often to find the smallest that is enough.
const HALVINGS: u32 = 14;

/// Two bodies that intersect in consecutive frames.
pub(super) struct Creep<'a> {
    kinds: [&'a MeshData; 2],
    /// The poses of the first relative to the second in all frames, of which the first and the last do not intersect.
    poses: Vec<Pose>,
}

impl<'a> Creep<'a> {
    /// The bodies in two frames in which they do not intersect, and the `poses` of the first relative to the second in frames between.
    pub(super) fn new(
        [a, b]: [&'a MeshData; 2],
        then: &[BodyState; 2],
        now: &[BodyState; 2],
        poses: &[Pose],
    ) -> Self {
        let seen = |of: &[BodyState; 2]| of[0].pose.relative_to(&of[1].pose);
        let all = std::iter::once(seen(then)).chain(poses.iter().copied()).chain([seen(now)]);
        // The larger body sees the other move by less.
        if a.shape.radius > b.shape.radius {
            Self { kinds: [b, a], poses: all.map(|pose| pose.inverse()).collect() }
        } else {
            Self { kinds: [a, b], poses: all.collect() }
        }
    }

    /// Returns whether the bodies can be followed on a way without a pass: in each frame a shift by no more than a graze parts them,
    /// and from each such place to the next there is a motion past each other, as between two frames.
    ///
    /// So a wheel that rolls in the ground by a hair for a long time has not gone through it, wherever it comes out; a body that sinks
    /// in is lost where it is deeper than a graze, and one that falls through a sheet on the way from one side to the other.
    pub(super) fn is_followed(&self, effort: &mut Effort) -> bool {
        let mut direction = [Vec3::zeros(); 2];
        let mut last = self.poses[0];
        let n = self.poses.len();
        (1..n).all(|k| {
            let pose = self.poses[k];
            let place = if k + 1 < n { self.parted(&pose, &mut direction, effort) } else { Some(pose) };
            place.is_some_and(|place| {
                self.gets_past(&std::mem::replace(&mut last, place), &place, &direction[1], effort)
            })
        })
    }

    /// Returns the pose shifted to where the bodies do not intersect. `direction` is that of the shift before, as each body sees it.
    fn parted(&self, pose: &Pose, direction: &mut [Vec3; 2], effort: &mut Effort) -> Option<Pose> {
        let graze = GRAZE * self.kinds[0].shape.radius.min(self.kinds[1].shape.radius);
        let second = Surface::new(Arc::clone(&self.kinds[1].surface), &Pose::identity());
        let shifted = |by: Vec3| Pose::new(pose.position + by, pose.rotation);
        let vertices: usize = self.kinds.iter().map(|kind| kind.shape.all.len()).sum();
        let mut is_parted = |place: &Pose| {
            effort.spend(vertices);
            if effort.is_spent() {
                return false;
            }
            let first = Surface::new(Arc::clone(&self.kinds[0].surface), place);
            !meeting(&first, &second).is_intersection()
        };
        let known = [direction[1], pose.vector(&direction[0])];
        let grid = (0..27).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)));
        let all = known.into_iter().chain(grid.map(|d| d - Vec3::repeat(1.0)));
        let directions: Vec<Vec3> = all.filter_map(|d| d.try_normalize(1e-9)).collect();
        (0..=HALVINGS).rev().find_map(|k| {
            let size = graze / f64::from(1u32 << k);
            directions.iter().find_map(|d| {
                // Twice as far where that is allowed, so that they do not touch.
                let places = [d * (2.0 * size).min(graze), d * size].map(shifted);
                let place =
                    places.into_iter().find(|place| is_parted(&shifted(d * size)) && is_parted(place))?;
                *direction = [pose.inverse_vector(d), *d];
                Some(place)
            })
        })
    }

    /// Returns whether some motion from one pose to the other leads the bodies past each other.
    fn gets_past(&self, from: &Pose, to: &Pose, direction: &Vec3, effort: &mut Effort) -> bool {
        let states = |pose: &Pose| [*pose, Pose::identity()].map(BodyState::at_rest);
        let (then, now) = (states(from), states(to));
        let shapes = self.kinds.map(|kind| &kind.surface);
        let is_on_side = |seer: usize| {
            let sides = Sides::new(shapes, &then, &now, seer);
            sides.gap(&sides.seen(direction)).is_some() || sides.turning_gap().is_some()
        };
        if Motion::as_the_second_sees_it(&then, &now).turn() >= MAX_TURN {
            return false;
        }
        let trees = self.kinds.map(|kind| &kind.shape);
        (0..2).any(is_on_side)
            || Neighbours::new(trees, &then, &now, 1).are_held(effort)
            || Interval {
                kinds: self.kinds,
                then,
                now,
                dt: 1.0,
                deviation: 0.0,
                slack: 0.0,
                is_single_step: false,
                direction: *direction,
            }
            .outcome(effort)
                == Outcome::Clear
    }
}
