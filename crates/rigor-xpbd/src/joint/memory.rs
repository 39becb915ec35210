//! Joint state carried from step to step in the state's memory.

use rigor_scene::State;

use super::SolverJoint;
use super::drive::DriveState;

/// Memory key: per joint `[1 if broken, target of the turn (rad), target of the slide or distance (m), slip of a gear
/// (rad), turn counted over whole turns (rad; 0 where nothing depends on it)]`.
const MEMORY: &str = "xpbd/joints";
const NUMBERS: usize = 5;

/// Loads the state of the joints; returns whether `state` contained it.
pub(super) fn load(state: &State, joints: &mut [SolverJoint]) -> bool {
    let Some(numbers) = state.memory.numbers.get(MEMORY) else { return false };
    if numbers.len() != NUMBERS * joints.len() {
        return false;
    }
    for (joint, entry) in joints.iter_mut().zip(numbers.chunks_exact(NUMBERS)) {
        joint.broken = entry[0] != 0.0;
        for (drive, target) in [(&mut joint.turn_drive, entry[1]), (&mut joint.slide_drive, entry[2])] {
            drive.iter_mut().for_each(|drive| drive.start_at(target));
        }
        joint.slip = entry[3];
        joint.turn = entry[4];
    }
    true
}

/// Writes the state of the joints, if there are any.
pub(super) fn store(joints: &[SolverJoint], state: &mut State) {
    if joints.is_empty() {
        return;
    }
    let numbers = state.memory.numbers.entry(MEMORY.into()).or_default();
    numbers.clear();
    let target = |drive: &Option<DriveState>| drive.as_ref().map_or(0.0, |drive| drive.target);
    for joint in joints {
        let broken = if joint.broken { 1.0 } else { 0.0 };
        numbers.extend([
            broken,
            target(&joint.turn_drive),
            target(&joint.slide_drive),
            joint.slip,
            joint.turn,
        ]);
    }
}
