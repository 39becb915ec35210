//! Multipliers carried from substep to substep, and from step to step in the state's memory.

use rigor_math::Vec3;
use rigor_scene::{BodyId, State};

use super::precedence::{Direction, Precedence};
use crate::body::SolverBody;
use crate::contact::frames::PairFrames;
use crate::contact::mobility::Sum;
use crate::contact::pair::Pair;
use crate::contact::{Contact, ContactKey, PastContact};

/// Memory key of the multipliers: per contact `[body a, body b, kind, feature of a, feature of b, point of b
/// (local, 3), λ_n, λ_t (world, 3)]`, bodies ascending; λ_n = 0 of contacts that were left [sunk](remember).
const MEMORY: &str = "xpbd/lambda";
const NUMBERS: usize = 12;

/// Minimum number of pushing contacts for bodies to stand on each other, neither rolling nor rocking.
const STANDING: usize = 3;

/// Maximum gap that is left to stabilisation, as a fraction of 2‖g‖h².
const NARROW: f64 = 0.1;

/// Starts every contact that pushed in the previous substep from its multipliers there.
///
/// If bodies stand on each other and approach by at most `resting_speed` (m/s), a gap narrower than a tenth
/// of what that speed closes in the substep `h` (s) is left to [`stabilize`](super::block::Block::stabilize).
/// The impulse that closes a gap is not a force; if the next substep started from it, the motion would grow.
pub(crate) fn apply(
    precedence: &mut Precedence,
    pairs: &mut [Pair],
    bodies: &mut [SolverBody],
    resting_speed: f64,
    h: f64,
) {
    precedence.run(pairs, bodies, Direction::Ascending, |_, pair, a, b| {
        let mut sum = Sum::default();
        let stands = pair.history.past.len() >= STANDING;
        for before in &pair.history.past {
            let Some(contact) = successor(before, &mut pair.contacts, pair.detection.margins.same) else {
                continue;
            };
            let n = contact.normal_start;
            let gap = contact.gap_prev.dot(&n);
            if stands && contact.is_resting(resting_speed) && gap <= NARROW * resting_speed * h {
                contact.left = gap;
            }
            let lambda_t = before.lambda_t - before.lambda_t.dot(&n) * n;
            // Two contacts that pushed may have merged into one.
            contact.lambda_n += before.lambda_n;
            contact.lambda_t += lambda_t;
            sum.add(&contact.mobility, &(before.lambda_n * n + lambda_t));
        }
        pair.account(a, b, h, |_, a, b| sum.apply(a, b));
    });
}

/// Returns the contact of the same features, or else one nearby that has not been started.
fn successor<'a>(before: &PastContact, contacts: &'a mut [Contact], same: f64) -> Option<&'a mut Contact> {
    let is_near = |c: &Contact| (c.point_b_local - before.point_b_local).norm_squared() <= same * same;
    let index = contacts
        .iter()
        .position(|c| c.key == before.key)
        .or_else(|| contacts.iter().position(|c| c.lambda_n == 0.0 && is_near(c)))?;
    Some(&mut contacts[index])
}

/// Keeps the multipliers of a substep for the next one, except those of a pair that bounced and separates, or through
/// which an impact reached bodies on joints. Contacts without multipliers whose bodies overlap are kept as such: of a chain of impacts
/// within one substep the last ones are only begun, and their bodies must not be taken for some that were behind each other before they met.
pub(crate) fn remember(pair: &mut Pair, bodies: &[SolverBody]) {
    pair.history.past.clear();
    pair.history.sunk.clear();
    let has_bounced = pair.law.restitution > 0.0 && pair.contacts.iter().any(|c| c.normal_impulse != 0.0);
    let is_kept = |c: &&Contact| c.lambda_n > 0.0 && !has_bounced && !pair.is_struck;
    let kept = pair.contacts.iter().filter(is_kept);
    pair.history.past.extend(kept.map(Contact::past));
    let mut others = pair.contacts.iter().filter(|c| !is_kept(c)).peekable();
    if others.peek().is_none() {
        return;
    }
    let placed = PairFrames::new(&bodies[pair.a.0], &bodies[pair.b.0]);
    let is_sunk = |contact: &&Contact| {
        let (gap, n) = placed.gap(contact);
        gap.dot(&n) < -pair.detection.margins.slop
    };
    pair.history.sunk.extend(others.filter(is_sunk).map(|c| (c.key, c.point_b_local)));
}

/// Carries forces over to substeps that are `part` as long: λ = f h².
pub(crate) fn rescale(pairs: &mut [Pair], part: f64) {
    for past in pairs.iter_mut().flat_map(|pair| &mut pair.history.past) {
        past.lambda_n *= part * part;
        past.lambda_t *= part * part;
    }
}

/// Loads the multipliers from `state`, for the first substep.
pub(crate) fn load(state: &State, pairs: &mut [Pair]) {
    let Some(numbers) = state.memory.numbers.get(MEMORY) else { return };
    let mut pairs = pairs.iter_mut().peekable();
    for entry in numbers.chunks_exact(NUMBERS) {
        let &[a, b, kind, feature_a, feature_b, x, y, z, lambda_n, t_x, t_y, t_z] = entry else { continue };
        let bodies = (BodyId(a as usize), BodyId(b as usize));
        while pairs.next_if(|pair| (pair.a, pair.b) < bodies).is_some() {}
        let Some(pair) = pairs.peek_mut().filter(|pair| (pair.a, pair.b) == bodies) else { continue };
        let key: ContactKey = [kind as u32, feature_a as u32, feature_b as u32];
        let (point_b_local, lambda_t) = (Vec3::new(x, y, z), Vec3::new(t_x, t_y, t_z));
        if lambda_n == 0.0 {
            pair.history.sunk.push((key, point_b_local));
        } else {
            pair.history.past.push(PastContact { key, point_b_local, lambda_n, lambda_t });
        }
    }
}

/// Writes the multipliers of the last substep to the state's memory.
pub(crate) fn store(pairs: &[Pair], state: &mut State) {
    let numbers = state.memory.numbers.entry(MEMORY.into()).or_default();
    numbers.clear();
    for pair in pairs {
        let sunk = pair.history.sunk.iter().map(|&(key, point_b_local)| PastContact {
            key,
            point_b_local,
            lambda_n: 0.0,
            lambda_t: Vec3::zeros(),
        });
        for past in pair.history.past.iter().copied().chain(sunk) {
            let [kind, feature_a, feature_b] = past.key.map(f64::from);
            let (point, lambda_t) = (past.point_b_local, past.lambda_t);
            let entry: [f64; NUMBERS] = [
                pair.a.0 as f64,
                pair.b.0 as f64,
                kind,
                feature_a,
                feature_b,
                point.x,
                point.y,
                point.z,
                past.lambda_n,
                lambda_t.x,
                lambda_t.y,
                lambda_t.z,
            ];
            numbers.extend_from_slice(&entry);
        }
    }
}
