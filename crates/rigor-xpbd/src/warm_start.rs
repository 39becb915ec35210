//! Multipliers carried from substep to substep, and from step to step in the state's memory.

use std::collections::HashMap;

use rigor_math::Vec3;
use rigor_scene::{BodyId, State};

use crate::block::Sum;
use crate::body::SolverBody;
use crate::broad_phase::Pair;
use crate::contact::{Contact, Frame, Key};

/// Where the multipliers lie in the state's memory: per contact
/// `[body a, body b, kind, feature of a, feature of b, λ_n, λ_t (world, 3)]`.
const MEMORY: &str = "xpbd/lambda";
const NUMBERS: usize = 9;

/// Starts every contact that pushed in the substep before from its multipliers there.
pub(crate) fn apply(pairs: &mut [Pair], bodies: &mut [SolverBody]) {
    for pair in pairs.iter_mut().filter(|pair| !pair.contacts_prev.is_empty()) {
        let (a, b) = crate::project::two(bodies, pair.a.0, pair.b.0);
        let (frame_a, frame_b) = (Frame::of(&a.pose), Frame::of(&b.pose));
        let mut sum = Sum::default();
        let mut previous = pair.contacts_prev.iter();
        for contact in &mut pair.contacts {
            // Both lists are in the order of the candidates.
            let Some(before) = previous.clone().position(|p| p.key == contact.key) else { continue };
            let Some(before) = previous.nth(before) else { continue };
            if before.lambda_n > 0.0 {
                let n = contact.feature.normal(&frame_a, &frame_b);
                contact.lambda_n = before.lambda_n;
                contact.lambda_t = before.lambda_t - before.lambda_t.dot(&n) * n;
                let (r_a, r_b) = &contact.levers;
                sum.add(r_a, r_b, &(contact.lambda_n * n + contact.lambda_t));
            }
        }
        sum.apply(a, b);
    }
}

/// Puts the multipliers that `state` remembers where the first substep looks for them.
pub(crate) fn load(state: &State, pairs: &mut [Pair]) {
    let Some(numbers) = state.memory.numbers.get(MEMORY) else { return };
    let index: HashMap<(BodyId, BodyId), usize> =
        pairs.iter().enumerate().map(|(i, p)| ((p.a, p.b), i)).collect();
    for entry in numbers.chunks_exact(NUMBERS) {
        let bodies = (BodyId(entry[0] as usize), BodyId(entry[1] as usize));
        if let Some(&i) = index.get(&bodies) {
            let key: Key = [entry[2] as u32, entry[3] as u32, entry[4] as u32];
            let lambda_t = Vec3::from_column_slice(&entry[6..9]);
            pairs[i].contacts.push(Contact::remembered(key, entry[5], lambda_t));
        }
    }
}

/// Writes the multipliers of the last substep to the state's memory.
pub(crate) fn store(pairs: &[Pair], state: &mut State) {
    let numbers = state.memory.numbers.entry(MEMORY.into()).or_default();
    numbers.clear();
    for pair in pairs {
        for c in pair.contacts.iter().filter(|c| c.lambda_n > 0.0) {
            numbers.extend([pair.a.0 as f64, pair.b.0 as f64]);
            numbers.extend(c.key.map(f64::from));
            numbers.push(c.lambda_n);
            numbers.extend(c.lambda_t.iter());
        }
    }
}
