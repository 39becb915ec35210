//! Friction that agrees with its normal forces: found from the last iterate, round after round.

use rayon::prelude::*;
use rigor_scene::{BodyId, Scene};

use crate::barrier::Barrier;
use crate::contact::Contact;
use crate::friction::FrictionContact;
use crate::newton::Iterate;
use crate::objective::points;
use crate::slip::Movements;
use crate::terms::merged;

/// Minimum number of body pairs whose friction is a task of its own.
const GRAIN: usize = 16;
/// Rounds in which friction is taken as it is found; most steps need no more.
const PLAIN: u32 = 3;
/// Smallest and largest relaxation: a map that contracts slowly is helped by more than a whole round.
const LEAST: f64 = 0.05;
const MOST: f64 = 2.0;
/// Contacts whose friction is less than this part of the largest are forgotten.
const NEGLIGIBLE: f64 = 1e-9;

/// Friction with the normal forces and directions that `iterate` has; `eps_v` in m/s.
pub(crate) fn friction(
    scene: &Scene,
    iterate: &Iterate,
    movements: &Movements,
    barrier: &Barrier,
    kappa: f64,
    eps_v: f64,
) -> Vec<FrictionContact> {
    let of = |contact: &Contact| {
        let [a, b] = contact.bodies.map(BodyId);
        let mu = scene.friction_between(a, b).dynamic;
        let (x, before) = (points(contact, &iterate.places), movements.origins(contact, &iterate.places));
        let eps = eps_v * movements.span(contact.bodies);
        FrictionContact::new(contact, barrier, kappa, mu, eps, &x, &before)
    };
    let groups: Vec<&[Contact]> = iterate.contacts.chunk_by(Contact::has_same_bodies).collect();
    let of_pair = |group: &&[Contact]| -> Vec<FrictionContact> {
        merged(group, &iterate.places).iter().filter_map(of).collect()
    };
    let all: Vec<_> = groups.par_iter().with_min_len(GRAIN).map(of_pair).collect();
    all.concat()
}

/// The rounds of one step.
///
/// A round maps the strengths s = μλ of all contacts to those that the minimum with them has, s ↦ s + r(s). Friction agrees
/// where r = 0. Where the map overshoots, by contacts that load and unload each other, plain rounds go in circles. Relaxed
/// ones, s ← s + ω r, converge near a solution for small enough ω if the eigenvalues of the map's derivative have real parts
/// below 1. ω is Aitken's: the secant through the last two rounds,
///
/// ```text
/// ω ← −ω r₋·(r − r₋)/‖r − r₋‖²
/// ```
///
/// Source: [Kuettler2008] §4.3 (Aitken's relaxation of a vector), for the strengths of friction; kept within [0.05, 2].
#[derive(Debug, Default)]
pub(crate) struct Lag {
    rounds: u32,
    relaxation: f64,
    /// Whether the next round takes friction as it is found, whatever the secant says.
    is_whole_next: bool,
    /// Contacts as the last round had them, with the strength that the round used and by how much the next one differed.
    last: Vec<Known>,
}

#[derive(Debug, Clone)]
struct Known {
    contact: FrictionContact,
    used: f64,
    change: f64,
}

impl Lag {
    /// Whether the next round takes friction as it is found.
    pub fn is_plain(&self) -> bool {
        self.rounds < PLAIN
    }

    /// Whether the last round took friction as it was found.
    pub fn was_whole(&self) -> bool {
        self.relaxation == 1.0
    }

    /// Lets the next round take friction as it is found.
    pub fn go_whole(&mut self) {
        self.is_whole_next = true;
    }

    /// The friction that the next round uses, where `found` is that of the last iterate. Contacts are in one order in all
    /// rounds: by bodies, then as the barrier has them.
    pub fn relaxed(&mut self, found: Vec<FrictionContact>) -> Vec<FrictionContact> {
        let is_whole = self.is_plain() || std::mem::take(&mut self.is_whole_next);
        self.rounds += 1;
        let mut next = Vec::with_capacity(found.len().max(self.last.len()));
        let mut missing: Vec<Option<Known>> = self.last.drain(..).map(Some).collect();
        let mut at = 0;
        // (r₋·Δr, ‖Δr‖²)
        let mut secant = (0.0, 0.0);
        for contact in found {
            let known = take(&mut missing, &mut at, &contact.contact);
            let (used, before) = known.map_or((0.0, 0.0), |known| (known.used, known.change));
            next.push(entry(contact.strength(), contact, used, before, &mut secant));
        }
        // Those that nothing presses any more lose what they had.
        for known in missing.into_iter().flatten() {
            next.push(entry(0.0, known.contact, known.used, known.change, &mut secant));
        }
        next.sort_by_key(|known| crate::pair::sorted(known.contact.contact.bodies));
        let secant_root = -self.relaxation * secant.0 / secant.1;
        // A secant that leads backwards tells nothing; neither does one without length.
        self.relaxation = if is_whole || secant_root.is_nan() || secant_root <= 0.0 {
            1.0
        } else {
            secant_root.clamp(LEAST, MOST)
        };
        let largest = next.iter().map(|known| known.used + known.change).fold(0.0, f64::max);
        for known in &mut next {
            known.used = (known.used + self.relaxation * known.change).max(0.0);
        }
        next.retain(|known| known.used > NEGLIGIBLE * largest);
        self.last = next;
        self.last.iter().map(|known| known.contact.with_strength(known.used)).collect()
    }
}

/// A contact that the last round used with strength `used`, and that now has `strength`.
fn entry(strength: f64, contact: FrictionContact, used: f64, before: f64, secant: &mut (f64, f64)) -> Known {
    let change = strength - used;
    secant.0 += before * (change - before);
    secant.1 += (change - before) * (change - before);
    Known { contact, used, change }
}

/// The entry of `contact`, mostly the one after that taken last.
fn take(known: &mut [Option<Known>], at: &mut usize, contact: &Contact) -> Option<Known> {
    let is_same = |k: &Option<Known>| k.as_ref().is_some_and(|k| k.contact.contact.is_between_same(contact));
    let n = known.len();
    let index = (0..n).map(|i| (*at + i) % n).find(|&i| is_same(&known[i]))?;
    *at = index + 1;
    known[index].take()
}
