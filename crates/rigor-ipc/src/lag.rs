//! Friction that agrees with its normal forces: updated from the last iterate in several rounds.

use rayon::prelude::*;
use rigor_scene::{BodyId, Scene};

use crate::barrier::Barrier;
use crate::contact::{PrimitivePair, points, sorted};
use crate::friction::FrictionContact;
use crate::newton::Iterate;
use crate::slip::Movements;

/// Minimum body pairs per rayon task.
const GRAIN: usize = 16;
/// Number of initial rounds that take friction as it is found; most steps need no more.
const PLAIN: u32 = 3;
/// Bounds of the relaxation ω. A map that contracts slowly converges faster with ω > 1.
const LEAST: f64 = 0.05;
const MOST: f64 = 2.0;
/// Contacts whose friction is below this fraction of the largest are dropped.
const NEGLIGIBLE: f64 = 1e-9;

/// Returns friction with the normal forces and directions of `iterate`; `eps_v` in m/s.
pub(crate) fn friction(
    scene: &Scene,
    iterate: &Iterate,
    movements: &Movements,
    barrier: &Barrier,
    kappa: f64,
    eps_v: f64,
) -> Vec<FrictionContact> {
    let of = |contact: &PrimitivePair| {
        let [a, b] = contact.bodies.map(BodyId);
        let mu = scene.friction_between(a, b).dynamic;
        let (x, before) = (points(contact, &iterate.places), movements.origins(contact, &iterate.places));
        let eps = eps_v * movements.span(contact.bodies);
        FrictionContact::new(contact, barrier, kappa, mu, eps, &x, &before)
    };
    let rubs = |group: &&[PrimitivePair]| {
        let [a, b] = group[0].bodies.map(BodyId);
        scene.friction_between(a, b).dynamic != 0.0
    };
    let groups = iterate.near.terms.chunk_by(PrimitivePair::has_same_bodies).filter(rubs);
    let groups: Vec<&[PrimitivePair]> = groups.collect();
    let of_pair =
        |group: &&[PrimitivePair]| -> Vec<FrictionContact> { group.iter().filter_map(of).collect() };
    let all: Vec<_> = groups.par_iter().with_min_len(GRAIN).map(of_pair).collect();
    all.concat()
}

/// The rounds of one step.
///
/// A round maps the strengths s = μλ of all contacts to those of the minimum found with them, s ↦ s + r(s).
/// Friction agrees where r = 0. If the map overshoots, because contacts load and unload each other, plain
/// rounds cycle. Relaxed ones, s ← s + ω r, converge near a solution for small enough ω if the eigenvalues of
/// the map's derivative have real parts below 1. ω is Aitken's: the secant through the last two rounds,
///
/// ```text
/// ω ← −ω r₋·(r − r₋)/‖r − r₋‖²
/// ```
///
/// Source: \[Kuettler2008\] §4.3 (Aitken's relaxation of a vector). Deviation: applied to the strengths of
/// friction, and ω is kept within [0.05, 2].
#[derive(Debug, Default)]
pub(crate) struct Lag {
    rounds: u32,
    relaxation: f64,
    /// Whether the next round uses ω = 1, regardless of the secant.
    is_whole_next: bool,
    /// Contacts of the last round, with the strength used in it and the change r found after it.
    last: Vec<Known>,
}

#[derive(Debug, Clone)]
struct Known {
    contact: FrictionContact,
    used: f64,
    change: f64,
}

impl Lag {
    /// Returns whether the next round is one of the first, which take friction as it is found.
    pub fn is_plain(&self) -> bool {
        self.rounds < PLAIN
    }

    /// Returns whether the last round took friction as it was found (ω = 1).
    pub fn was_whole(&self) -> bool {
        self.relaxation == 1.0
    }

    /// Makes the next round take friction as it is found (ω = 1).
    pub fn go_whole(&mut self) {
        self.is_whole_next = true;
    }

    /// Returns the friction for the next round, where `found` is that of the last iterate. Contacts have the
    /// same order in all rounds: by bodies, then as in the barrier.
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
        // Contacts that are no longer pressed lose their strength.
        for known in missing.into_iter().flatten() {
            next.push(entry(0.0, known.contact, known.used, known.change, &mut secant));
        }
        next.sort_by_key(|known| sorted(known.contact.contact.bodies));
        let secant_root = -self.relaxation * secant.0 / secant.1;
        // A secant with a root of the wrong sign, or of zero length, carries no information.
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

/// Creates the entry of a contact that the last round used with strength `used`, and that now has `strength`.
fn entry(strength: f64, contact: FrictionContact, used: f64, before: f64, secant: &mut (f64, f64)) -> Known {
    let change = strength - used;
    secant.0 += before * (change - before);
    secant.1 += (change - before) * (change - before);
    Known { contact, used, change }
}

/// Takes the entry of `contact` from `known`; usually it follows the one taken last.
fn take(known: &mut [Option<Known>], at: &mut usize, contact: &PrimitivePair) -> Option<Known> {
    let is_same = |k: &Option<Known>| k.as_ref().is_some_and(|k| k.contact.contact.is_between_same(contact));
    let n = known.len();
    let index = (0..n).map(|i| (*at + i) % n).find(|&i| is_same(&known[i]))?;
    *at = index + 1;
    known[index].take()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::tests::between_points;

    /// Returns the strengths after `rounds` rounds; `map` maps the strengths used to those found.
    /// Contact i is between bodies 2i and 2i + 1.
    fn after<const N: usize>(rounds: usize, map: impl Fn(&[f64; N]) -> [f64; N]) -> [f64; N] {
        let mut lag = Lag::default();
        let mut used = [0.0; N];
        for _ in 0..rounds {
            let strengths = map(&used).into_iter().zip(0..);
            let pressed = strengths.filter(|(strength, _)| *strength > 0.0);
            let found = pressed.map(|(strength, i)| between_points([2 * i, 2 * i + 1], strength, 1.0));
            used = [0.0; N];
            for contact in lag.relaxed(found.collect()) {
                used[contact.contact.bodies[0] / 2] = contact.strength();
            }
        }
        used
    }

    /// Plain rounds leave 0.9ⁿ of the error: a third after ten rounds.
    #[test]
    fn a_map_that_overshoots_is_solved_in_a_few_rounds() {
        let [s] = after(10, |[s]| [1.9 - 0.9 * s]);
        assert!((s - 1.0).abs() < 1e-9, "{s}");
    }

    /// Plain rounds cycle between 0.1 and 2.35.
    #[test]
    fn a_map_on_which_plain_rounds_cycle_is_solved() {
        let [s] = after(30, |[s]| [(2.5 - 1.5 * s).max(0.1)]);
        assert!((s - 1.0).abs() < 1e-9, "{s}");
    }

    /// Plain rounds leave 0.9ⁿ of the error, all on one side of the solution: ω exceeds 1.
    #[test]
    fn a_map_that_contracts_slowly_is_solved_sooner_than_by_plain_rounds() {
        let [s] = after(40, |[s]| [0.1 + 0.9 * s]);
        assert!((s - 1.0).abs() < 1e-3, "{s}: plain rounds give {}", 1.0 - 0.9_f64.powi(40));
    }

    /// Two contacts that unload each other, as the feet of a body do.
    #[test]
    fn contacts_that_unload_each_other_agree() {
        let found = after(40, |[a, b]| [2.2 - 1.2 * b, 2.2 - 1.2 * a]);
        assert!(found.iter().all(|s| (s - 1.0).abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn a_round_can_take_friction_as_it_is_found() {
        let mut lag = Lag::default();
        let strengths = |lag: &mut Lag, s| lag.relaxed(vec![between_points([0, 1], s, 1.0)])[0].strength();
        for s in [1.0, 0.5, 0.9] {
            assert!(lag.is_plain());
            assert_eq!(strengths(&mut lag, s), s);
        }
        assert!(!lag.is_plain() && lag.was_whole());
        // r₋ = 0.4 and r = −0.3: ω = 0.4/0.7.
        assert!((strengths(&mut lag, 0.6) - (0.9 - 0.3 * 0.4 / 0.7)).abs() < 1e-14 && !lag.was_whole());
        lag.go_whole();
        assert!((strengths(&mut lag, 0.8) - 0.8).abs() < 1e-14);
        assert!(lag.was_whole());
    }
}
