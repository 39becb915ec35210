//! Kinematic bodies: pulled to their prescribed poses by an augmented Lagrangian, so that contacts can block
//! them.

use nalgebra::Vector6;
use rigor_ccd::broad_phase::Shape;
use rigor_scene::{Scene, State, StepError};

use crate::body::Drive;
use crate::body_slots::Steps;
use crate::config::Coordinates;
use crate::line_search::StepContext;
use crate::newton::Iterate;
use crate::objective::Objective;
use crate::path::RecordedPath;
use crate::placement::Placement;

/// Moves all kinematic bodies straight to their targets if the path is free; they then stay there for the
/// step.
pub(crate) fn follow(
    scene: &Scene,
    state: &State,
    dt: f64,
    surroundings: &mut StepContext,
    places: &mut [Placement],
    drives: &mut [Drive],
    path: &mut RecordedPath,
) -> Result<(), StepError> {
    if !drives.iter().any(|drive| matches!(drive, Drive::Target(_))) {
        return Ok(());
    }
    let target = |b: usize| scene.bodies[b].prescribed(state.time + dt).map(|s| s.pose);
    let steps: Vec<Vector6<f64>> = (0..places.len())
        .map(|b| match (&drives[b], target(b)) {
            (Drive::Target(_), Some(pose)) => places[b].step_to(&pose),
            _ => Vector6::zeros(),
        })
        .collect();
    let mut local: Vec<Placement> = places.to_vec();
    for place in &mut local {
        *place = Placement::new(&place.pose(), Coordinates::Local);
    }
    if surroundings.free_fraction(&local, Steps::all(&steps)).is_ok_and(|alpha| alpha >= 1.0) {
        for b in 0..places.len() {
            if let (Drive::Target(_), Some(pose)) = (&drives[b], target(b)) {
                places[b] = Placement::new(&pose, places[b].coordinates);
                drives[b] = Drive::Still;
            }
        }
        path.push((0..places.len()).map(|b| (b, &local[b], steps[b], &places[b])));
    }
    Ok(())
}

/// Returns the precision (m) of each minimum that the multipliers need to converge; infinity if no kinematic
/// body has not arrived.
pub(crate) fn precision(drives: &[Drive], shapes: &[Shape]) -> f64 {
    let of = |(drive, shape): (&Drive, &Shape)| match drive {
        Drive::Target(target) => target.precision(shape.radius()),
        _ => f64::INFINITY,
    };
    drives.iter().zip(shapes).map(of).fold(f64::INFINITY, f64::min)
}

/// Fixes the kinematic bodies that have arrived and pulls the others harder; returns whether f must be
/// minimized again.
pub(crate) fn pull(objective: &mut Objective, iterate: &mut Iterate) -> bool {
    let mut has_changed = false;
    for (body, drive) in objective.drives.iter_mut().enumerate() {
        let Drive::Target(target) = drive else { continue };
        has_changed = true;
        let place = iterate.places[body];
        iterate.wake(body);
        if target.is_met(&place.position, &place.matrix) {
            *drive = Drive::Still;
        } else {
            target.update(&place.position, &place.matrix);
        }
    }
    has_changed
}
