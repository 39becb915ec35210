//! Sightings carried from step to step in the state's memory.

use rigor_contact::N_NUMBERS;
use rigor_scene::{BodyId, State};

use super::pair::Pair;

/// Memory key of the sightings: per pair with contacts `[body a, body b, a's frame in b's, the same at the
/// start of the step, depth, reach]`, bodies ascending; a frame is its matrix, column by column, and its
/// origin.
const MEMORY: &str = "xpbd/sighting";

/// Restores the sightings of near pairs from `state` for the first substep. Other pairs forget theirs,
/// because which of them exist depends on how long the broad phase has kept its pairs.
pub(crate) fn load(state: &State, pairs: &mut [Pair]) {
    let numbers = state.memory.numbers.get(MEMORY).map_or(&[][..], Vec::as_slice);
    let bodies = |entry: &[f64]| (BodyId(entry[0] as usize), BodyId(entry[1] as usize));
    let mut entries = numbers.chunks_exact(2 + N_NUMBERS).peekable();
    for pair in pairs {
        while entries.next_if(|entry| bodies(entry) < (pair.a, pair.b)).is_some() {}
        let entry = entries.next_if(|entry| bodies(entry) == (pair.a, pair.b));
        let entry = entry.filter(|_| pair.detection.is_near);
        pair.detection.restore(entry.map(|entry| &entry[2..]));
    }
}

/// Writes the sightings to the state's memory.
pub(crate) fn store(pairs: &[Pair], state: &mut State) {
    let numbers = state.memory.numbers.entry(MEMORY.into()).or_default();
    numbers.clear();
    for pair in pairs {
        pair.detection.write(&[pair.a.0 as f64, pair.b.0 as f64], numbers);
    }
}
