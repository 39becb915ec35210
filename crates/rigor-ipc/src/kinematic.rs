//! Kinematic bodies: pulled to their prescribed poses by an augmented Lagrangian, so that contacts can block
//! them. Bodies that turn far: placed where they fly.

use rigor_ccd::broad_phase::Shape;
use rigor_math::{Pose, quaternion, rotation_vector};
use rigor_scene::{Body, BodyState, StepError};

use crate::body::{Drive, MAX_TURN_ALONE};
use crate::body_slots::{Step, Steps};
use crate::line_search::StepContext;
use crate::newton::Iterate;
use crate::objective::Objective;
use crate::path::RecordedPath;
use crate::placement::Placement;

/// Moves all kinematic bodies straight to their targets if the path is free; they then stay there.
pub(crate) fn follow<const N: usize>(
    led_to: impl Fn(usize) -> Option<BodyState>,
    surroundings: &mut StepContext,
    places: &mut [Placement],
    drives: &mut [Drive],
    path: &mut RecordedPath,
) -> Result<(), StepError> {
    if !drives.iter().any(|drive| matches!(drive, Drive::Target(_))) {
        return Ok(());
    }
    let target = |b: usize| led_to(b).map(|then| Placement::new(&then.pose, places[b].coordinates));
    let targets: Vec<Option<Placement>> = (0..places.len()).map(target).collect();
    let steps: Vec<Step<N>> = (0..places.len())
        .map(|b| match (&drives[b], &targets[b]) {
            (Drive::Target(_), Some(target)) => places[b].step_to(target),
            _ => Step::zeros(),
        })
        .collect();
    let local: Vec<Placement> = places.iter().map(Placement::about_axis).collect();
    if surroundings.free_fraction(&local, Steps::all(&steps)).is_ok_and(|alpha| alpha >= 1.0) {
        for b in 0..places.len() {
            if let (Drive::Target(_), Some(target)) = (&drives[b], targets[b]) {
                places[b] = target;
                drives[b] = Drive::Still;
            }
        }
        path.push((0..places.len()).map(|b| (b, &local[b], steps[b], &places[b])));
    }
    Ok(())
}

/// Moves free bodies that turn by more than Newton's method can follow, and come near no other body however they turn, to
/// where they fly: the distance of Q from Q̃ is a chord, with a saddle at half a turn. Affine bodies go there on straight lines.
///
/// # Errors
/// Those of [`StepContext::meetings`].
pub(crate) fn spin(
    surroundings: &mut StepContext,
    places: &mut [Placement],
    drives: &[Drive],
    is_joined: impl Fn(usize) -> bool,
    path: &mut RecordedPath,
) -> Result<(), StepError> {
    let spins = |b: usize| !is_joined(b) && drives[b].turn().norm() > MAX_TURN_ALONE;
    let goal = |b: usize| drives[b].goal().filter(|_| spins(b));
    let mut flies: Vec<bool> = (0..places.len()).map(|b| goal(b).is_some()).collect();
    let local: Vec<Placement> = places.iter().map(Placement::about_axis).collect();
    while flies.contains(&true) {
        let step = |b: usize| match goal(b).filter(|_| flies[b]) {
            Some(goal) => {
                let (by, turn) = (goal.position - local[b].position, drives[b].turn());
                Step::from([by.x, by.y, by.z, turn.x, turn.y, turn.z])
            }
            None => Step::zeros(),
        };
        let steps: Vec<Step<6>> = (0..places.len()).map(step).collect();
        let meetings = surroundings.all_meetings(&local, Steps::all(&steps))?;
        let met: Vec<usize> =
            meetings.iter().flat_map(|meeting| meeting.bodies).filter(|&body| flies[body]).collect();
        if met.is_empty() {
            for b in (0..places.len()).filter(|&b| flies[b]) {
                if let Some(goal) = goal(b) {
                    places[b] = Placement::new(&goal, places[b].coordinates);
                }
            }
            let moved = (0..places.len()).filter(|&b| flies[b]);
            path.push(moved.map(|b| (b, &local[b], steps[b], &places[b])));
            return Ok(());
        }
        // Looked at again without them: now they stay.
        met.into_iter().for_each(|body| flies[body] = false);
    }
    Ok(())
}

/// Returns the precision (m) of each minimum that the multipliers need to converge; infinity if no kinematic
/// body has not arrived.
pub(crate) fn precision(drives: &[Drive], shapes: &[Shape]) -> f64 {
    let of = |(drive, shape): (&Drive, &Shape)| match drive {
        Drive::Target(target) => target.precision(shape.radius()),
        Drive::Still | Drive::Inertia(_) => f64::INFINITY,
    };
    drives.iter().zip(shapes).map(of).fold(f64::INFINITY, f64::min)
}

/// A kinematic body that has more left to go than this, relative to what is prescribed for the time, lags behind.
const AHEAD: f64 = 1.5;
/// Way, relative to its radius, by which a body that lags behind a motion that has ended catches up in one step.
const SETTLES: f64 = 0.01;

/// Returns how far (m) points of a body are from one pose to another.
pub(crate) fn way(body: &Body, from: &Pose, to: &Pose) -> f64 {
    (to.position - from.position).norm()
        + body.radius * rotation_vector::log(&(to.rotation * from.rotation.inverse())).norm()
}

/// Returns where a body that is not free is led, from `now`, in the last `h` (s) before `end` (s): to where it is
/// prescribed. If contact has kept it from there before, it goes no farther than what is prescribed for that time: it
/// catches up only where that motion ends or turns back.
pub(crate) fn led_to(body: &Body, now: &Pose, end: f64, h: f64) -> Option<BodyState> {
    let then = body.prescribed(end)?;
    let before = body.prescribed(end - h)?;
    let (nominal, left) = (way(body, &before.pose, &then.pose), way(body, now, &then.pose));
    if left <= AHEAD * nominal.max(SETTLES * body.radius) {
        return Some(then);
    }
    let part = nominal.max(SETTLES * body.radius) / left;
    let pose = Pose::new(
        now.position.lerp(&then.pose.position, part),
        quaternion::slerp(&now.rotation, &then.pose.rotation, part),
    );
    Some(BodyState { pose, ..then })
}

/// How the pull of kinematic bodies ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PullEnd {
    /// None was pulled: there is none, or the way was free.
    Free,
    /// All that were pulled have arrived.
    Arrived {
        /// The largest pull (kg m, force times h²) on the way.
        pull: f64,
    },
    /// These have not arrived.
    Blocked(Vec<usize>),
}

/// Returns the kinematic bodies that have not arrived.
pub(crate) fn absent(drives: &[Drive]) -> impl Iterator<Item = usize> {
    let is_absent = |(_, drive): &(usize, &Drive)| matches!(drive, Drive::Target(_));
    drives.iter().enumerate().filter(is_absent).map(|(body, _)| body)
}

/// Fixes the kinematic bodies that have arrived and pulls the others harder; returns whether f must be
/// minimized again: not if one is blocked.
pub(crate) fn pull(objective: &mut Objective, iterate: &mut Iterate) -> bool {
    let mut has_changed = false;
    let mut is_blocked = false;
    for (body, drive) in objective.drives.iter_mut().enumerate() {
        let Drive::Target(target) = drive else { continue };
        has_changed = true;
        let place = iterate.places[body];
        iterate.wake(body);
        iterate.pull = iterate.pull.max(target.pull(&place.position, &place.matrix));
        if target.is_met(&place.position, &place.matrix) {
            *drive = Drive::Still;
        } else {
            target.update(&place.position, &place.matrix);
            is_blocked |= target.is_blocked();
        }
    }
    has_changed && !is_blocked
}
