//! Sightings carried from step to step in the memory of a state.

use rigor_scene::{BodyId, State};

use crate::detection::Detection;
use crate::sighting::N_NUMBERS;

/// Restores the sightings of near pairs, ascending, from what `state` has under `key`, for the first substep of a step.
///
/// An entry is `[body a, body b, a's frame in b's, the same at the start of the step, depth, reach]`, bodies ascending; a frame is its
/// matrix, column by column, and its origin. Other pairs forget theirs, because which of them exist depends on how long the broad
/// phase has kept its pairs.
pub fn restore<'a>(
    state: &State,
    key: &str,
    pairs: impl IntoIterator<Item = ((BodyId, BodyId), &'a mut Detection)>,
) {
    let numbers = state.memory.numbers.get(key).map_or(&[][..], Vec::as_slice);
    let bodies = |entry: &[f64]| (BodyId(entry[0] as usize), BodyId(entry[1] as usize));
    let mut entries = numbers.chunks_exact(2 + N_NUMBERS).peekable();
    for (ids, detection) in pairs {
        while entries.next_if(|entry| bodies(entry) < ids).is_some() {}
        let entry = entries.next_if(|entry| bodies(entry) == ids).filter(|_| detection.is_near);
        detection.restore(entry.map(|entry| &entry[2..]));
    }
}

/// Stores the sightings under `key`.
pub fn store<'a>(
    state: &mut State,
    key: &'static str,
    pairs: impl IntoIterator<Item = ((BodyId, BodyId), &'a Detection)>,
) {
    let numbers = state.memory.numbers.entry(key.into()).or_default();
    numbers.clear();
    for ((a, b), detection) in pairs {
        detection.write(&[a.0 as f64, b.0 as f64], numbers);
    }
}
