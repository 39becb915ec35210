//! Bodies that went round each other within one minimization.
//!
//! A minimum sees where a step leads, not how. Where the flight of a body would meet another, but the body can fly on from where the minimization
//! left it to where the flight leads, it has gone round: an edge that should have hit another was pushed aside by less than their
//! overlap, and went past. In a shorter substep it meets it.

use rigor_scene::StepError;

use crate::body::Drive;
use crate::body_slots::{Step, Steps};
use crate::line_search::StepContext;
use crate::placement::Placement;

/// Returns two bodies that went round each other on their way from `start` to `end`, if any did.
///
/// # Errors
/// [`StepError::TooLarge`] when a coordinate is too large or not finite.
pub(crate) fn find<const N: usize>(
    surroundings: &mut StepContext,
    drives: &[Drive],
    start: &[Placement],
    end: &[Placement],
) -> Result<Option<[usize; 2]>, StepError> {
    let destination = |(drive, at): (&Drive, &Placement)| match drive {
        Drive::Inertia(inertia) => inertia.prediction.placed(at),
        Drive::Still | Drive::Target(_) => *at,
    };
    let targets: Vec<Placement> = drives.iter().zip(start).map(destination).collect();
    let flies = |body: usize| matches!(drives[body], Drive::Inertia(_));
    // Bodies that are led are at the end of their way before the minimization.
    let ways_from = |places: &[Placement]| -> (Vec<Placement>, Vec<Step<N>>) {
        let placed = |body: usize| {
            let at = if flies(body) { &places[body] } else { &end[body] };
            let place = at.about_axis();
            let step = if flies(body) { place.step_to(&targets[body]) } else { Step::zeros() };
            (place, step)
        };
        (0..places.len()).map(placed).unzip()
    };
    let (places, steps) = ways_from(start);
    let meetings = surroundings.all_meetings(&places, Steps::all(&steps))?;
    let hit: Vec<[usize; 2]> = meetings
        .iter()
        .filter(|one| surroundings.collide(&places, Steps::all(&steps), one))
        .map(|one| one.bodies)
        .collect();
    if hit.is_empty() {
        return Ok(None);
    }
    let (places, steps) = ways_from(end);
    let meetings = surroundings.all_meetings(&places, Steps::all(&steps))?;
    let is_still_hit = |pair: &[usize; 2]| {
        let meeting = meetings.iter().find(|one| one.bodies == *pair);
        meeting.is_some_and(|one| surroundings.collide(&places, Steps::all(&steps), one))
    };
    Ok(hit.into_iter().find(|pair| !is_still_hit(pair)))
}
