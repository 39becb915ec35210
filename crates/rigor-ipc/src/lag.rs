//! Friction that agrees with its normal forces: updated from the last iterate in several rounds.

use rayon::prelude::*;
use rigor_scene::{BodyId, Scene};

use crate::barriers::Barriers;
use crate::contact::{Identity, PrimitivePair};
use crate::friction::FrictionContact;
use crate::groups::Groups;
use crate::newton::Iterate;
use crate::pair_map::{PairIndex, PairMap};
use crate::slip::Movements;

/// Minimum body pairs per rayon task.
const GRAIN: usize = 16;
/// Number of initial rounds that take friction as it is found; most steps need no more.
const PLAIN: u32 = 3;
/// Bounds of the relaxation ω. A map that contracts slowly converges faster with ω > 1.
const MIN_RELAXATION: f64 = 0.05;
const MAX_RELAXATION: f64 = 2.0;
/// Contacts whose friction is below this fraction of the largest are dropped.
const NEGLIGIBLE: f64 = 1e-9;

/// The friction of a pair of bodies.
pub(crate) type OfPair = ([usize; 2], Vec<FrictionContact>);

/// Returns the friction of `groups` with the normal forces and directions of `iterate`, in ascending order of the
/// pairs of bodies; `eps_v` in m/s.
pub(crate) fn friction(
    scene: &Scene,
    iterate: &Iterate,
    groups: &Groups,
    movements: &Movements,
    barriers: &Barriers,
    kappa: f64,
    eps_v: f64,
) -> Vec<OfPair> {
    let of_pair = |spot: &PairIndex| -> Option<OfPair> {
        let mu = scene.friction_between(BodyId(spot.bodies[0]), BodyId(spot.bodies[1])).dynamic;
        let pair = iterate.near.pairs.at(*spot).filter(|_| mu != 0.0)?;
        let barrier = barriers.between(spot.bodies);
        let eps = eps_v * movements.span(spot.bodies);
        let of = |contact: &PrimitivePair| {
            FrictionContact::new(contact, barrier, kappa, mu, eps, &iterate.places, movements)
        };
        let mut all = Vec::with_capacity(pair.terms.len());
        all.extend(pair.terms.iter().filter_map(of));
        (!all.is_empty()).then_some((spot.bodies, all))
    };
    let spots = iterate.near.pairs.of(groups.bodies(), |body| groups.has(body));
    let all: Vec<_> = spots.par_iter().with_min_len(GRAIN).map(of_pair).collect();
    all.into_iter().flatten().collect()
}

/// The rounds of one step.
///
/// A round maps the strengths s = μλ of all contacts of a group to those of the minimum found with them,
/// s ↦ s + r(s). Friction agrees where r = 0. If the map overshoots, because contacts load and unload each
/// other, plain rounds cycle. Relaxed ones, s ← s + ω r, converge near a solution for small enough ω if the
/// eigenvalues of the map's derivative have real parts below 1. ω is Aitken's: the secant through the last two
/// rounds,
///
/// ```text
/// ω ← −(s − s₋)·(r − r₋)/‖r − r₋‖², s − s₋ = ω₋ r₋
/// ```
///
/// Source: \[Kuettler2008\] §4.3 (Aitken's relaxation of a vector). Deviation: applied to the strengths of
/// friction, group by group, and ω is kept within [0.05, 2].
#[derive(Debug, Default)]
pub(crate) struct Lag {
    rounds: u32,
    /// Whether the last round of the group of each body used ω = 1, and whether the next one uses it regardless
    /// of the secant.
    was_whole: Vec<bool>,
    is_whole_next: Vec<bool>,
    /// What is known of each contact of the last round.
    last: PairMap<Vec<Change>>,
}

/// How the strength of a contact changed in the last round.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    /// The change r found after it.
    change: f64,
    /// The last increase of the strength, ω₋ r₋.
    step: f64,
}

/// A contact, which was in the last round or is new, or both.
#[derive(Debug)]
struct Known {
    /// The contact of the present round or, if it is no longer pressed, of the last one.
    contact: FrictionContact,
    /// The strength found in the present round, and that used in the last one.
    strength: f64,
    used: f64,
    last: Change,
}

impl Known {
    fn new(contact: FrictionContact, strength: f64, before: Option<(f64, Change)>) -> Self {
        let (used, last) = before.unwrap_or_default();
        Self { contact, strength, used, last }
    }

    /// r.
    fn change(&self) -> f64 {
        self.strength - self.used
    }
}

/// The contacts of a pair of bodies: those that press, then those that no longer do.
struct KnownOfPair {
    bodies: [usize; 2],
    pressed: Vec<Known>,
    lost: Vec<Known>,
}

/// The friction found for a pair of bodies, that of the last round, and what is known of each contact of the latter.
type Rounds = ([usize; 2], Vec<FrictionContact>, (Vec<FrictionContact>, Vec<Change>));

/// What a group's contacts say about ω: (s − s₋)·(r − r₋) and ‖r − r₋‖².
#[derive(Debug, Clone, Copy, Default)]
struct Secant {
    product: f64,
    square: f64,
    /// Largest strength found.
    largest: f64,
}

impl Lag {
    /// Creates the first round of a step of `n` bodies.
    pub fn new(n: usize) -> Self {
        Self { was_whole: vec![false; n], is_whole_next: vec![false; n], ..Self::default() }
    }

    /// Returns whether the next round is one of the first, which take friction as it is found.
    pub fn is_plain(&self) -> bool {
        self.rounds < PLAIN
    }

    /// Returns whether the last round of these bodies, a group, took friction as it was found (ω = 1).
    pub fn was_whole(&self, bodies: &[usize]) -> bool {
        bodies.iter().all(|&body| self.was_whole[body])
    }

    /// Makes the next round of these bodies take friction as it is found (ω = 1).
    pub fn go_whole(&mut self, bodies: &[usize]) {
        bodies.iter().for_each(|&body| self.is_whole_next[body] = true);
    }

    /// Returns the friction of `groups` for the next round, where `found` is that of the last iterate and `used` that of the last
    /// round; all in ascending order of the pairs of bodies. The contacts of a pair have the order of the barrier's in all rounds.
    pub fn relaxed(&mut self, found: Vec<OfPair>, used: Vec<OfPair>, groups: &Groups) -> Vec<OfPair> {
        let spots = self.last.of(groups.bodies(), |body| groups.has(body));
        debug_assert!(spots.iter().map(|spot| spot.bodies).eq(used.iter().map(|(bodies, _)| *bodies)));
        let changes: Vec<Vec<Change>> = spots
            .iter()
            .map(|&spot| self.last.at_mut(spot).map(std::mem::take).unwrap_or_default())
            .collect();
        let used = used.into_iter().zip(changes).map(|((bodies, used), changes)| (bodies, (used, changes)));
        let rounds = by_pair(found, used);
        let known: Vec<KnownOfPair> =
            rounds.into_par_iter().with_min_len(GRAIN).map(KnownOfPair::new).collect();
        let secants = secants(&known, groups);
        let relaxations = self.relaxations(&secants, groups);
        self.rounds += 1;
        let relaxed = |known: KnownOfPair| {
            let group = groups.of_pair(known.bodies)?;
            known.relaxed(relaxations[group], NEGLIGIBLE * secants[group].largest)
        };
        let all: Vec<_> = known.into_par_iter().with_min_len(GRAIN).map(relaxed).collect();
        let (mut friction, mut last) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
        for (bodies, contacts, changes) in all.into_iter().flatten() {
            friction.push((bodies, contacts));
            last.push((bodies, changes));
        }
        self.last.exchange(spots, last.into_iter());
        friction
    }

    /// Returns ω of each group.
    fn relaxations(&mut self, secants: &[Secant], groups: &Groups) -> Vec<f64> {
        let is_plain = self.is_plain();
        let mut relaxations = Vec::with_capacity(secants.len());
        for (bodies, secant) in groups.all.iter().zip(secants) {
            let root = -secant.product / secant.square;
            let is_whole = is_plain || bodies.iter().any(|&body| self.is_whole_next[body]);
            // A secant with a root of the wrong sign, or of zero length, carries no information.
            let relaxation = if is_whole || root.is_nan() || root <= 0.0 {
                1.0
            } else {
                root.clamp(MIN_RELAXATION, MAX_RELAXATION)
            };
            for &body in bodies {
                (self.was_whole[body], self.is_whole_next[body]) = (relaxation == 1.0, false);
            }
            relaxations.push(relaxation);
        }
        relaxations
    }
}

/// Groups the friction found and that `used` in the last round by pair of bodies; both must be in ascending order of these pairs.
fn by_pair(
    found: Vec<OfPair>,
    used: impl Iterator<Item = ([usize; 2], (Vec<FrictionContact>, Vec<Change>))>,
) -> Vec<Rounds> {
    let mut used = used.peekable();
    let mut all = Vec::with_capacity(found.len());
    for (bodies, contacts) in found {
        while let Some((lost, last)) = used.next_if(|(next, _)| *next < bodies) {
            all.push((lost, Vec::new(), last));
        }
        let last = used.next_if(|(next, _)| *next == bodies).map(|(_, last)| last).unwrap_or_default();
        all.push((bodies, contacts, last));
    }
    all.extend(used.map(|(lost, last)| (lost, Vec::new(), last)));
    all
}

/// Sums up what the contacts of each group say about ω: first those that press, then the others.
fn secants(known: &[KnownOfPair], groups: &Groups) -> Vec<Secant> {
    let mut secants = vec![Secant::default(); groups.all.len()];
    let mut add = |bodies: [usize; 2], contacts: &[Known]| {
        let Some(group) = groups.of_pair(bodies) else { return };
        let secant = &mut secants[group];
        for known in contacts {
            let Change { change: last, step } = known.last;
            let change = known.change();
            secant.product += step * (change - last);
            secant.square += (change - last) * (change - last);
            secant.largest = secant.largest.max(known.strength);
        }
    };
    known.iter().for_each(|pair| add(pair.bodies, &pair.pressed));
    known.iter().for_each(|pair| add(pair.bodies, &pair.lost));
    secants
}

impl KnownOfPair {
    /// Finds each contact in the last round.
    fn new((bodies, found, (used, changes)): Rounds) -> Self {
        let mut missing: Vec<_> = used.into_iter().zip(changes).map(Some).collect();
        let mut at = 0;
        let of = |contact: FrictionContact| {
            let before = take(&mut missing, &mut at, contact.at);
            let strength = contact.strength();
            Known::new(contact, strength, before.map(|(used, change)| (used.strength(), change)))
        };
        let pressed = found.into_iter().map(of).collect();
        // Contacts that are no longer pressed lose their strength.
        let lost = |(used, change): (FrictionContact, Change)| {
            let strength = used.strength();
            Known::new(used, 0.0, Some((strength, change)))
        };
        Self { bodies, pressed, lost: missing.into_iter().flatten().map(lost).collect() }
    }

    /// Returns the contacts with strengths s + ω r above `negligible` (kg m); `None` if there are none.
    fn relaxed(
        self,
        relaxation: f64,
        negligible: f64,
    ) -> Option<([usize; 2], Vec<FrictionContact>, Vec<Change>)> {
        let n = self.pressed.len() + self.lost.len();
        let (mut friction, mut changes) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for known in self.pressed.into_iter().chain(self.lost) {
            let change = known.change();
            let strength = (known.used + relaxation * change).max(0.0);
            if strength > negligible {
                changes.push(Change { change, step: strength - known.used });
                friction.push(known.contact.with_strength(strength));
            }
        }
        (!friction.is_empty()).then_some((self.bodies, friction, changes))
    }
}

/// Takes the entry of `contact` from `used`; usually it follows the one taken last.
fn take(
    used: &mut [Option<(FrictionContact, Change)>],
    at: &mut usize,
    contact: Identity,
) -> Option<(FrictionContact, Change)> {
    let is_same = |k: &Option<(FrictionContact, Change)>| k.as_ref().is_some_and(|(k, _)| k.at == contact);
    let n = used.len();
    let index = (0..n).map(|i| (*at + i) % n).find(|&i| is_same(&used[i]))?;
    *at = index + 1;
    used[index].take()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::tests::between_points;

    /// Bodies 2i and 2i + 1 for each i < `n`, all in one group.
    fn one_group(n: usize) -> Groups {
        Groups::of(vec![(0..2 * n).collect()], 2 * n)
    }

    /// Returns friction between bodies 2i and 2i + 1.
    fn of_points(i: usize, strength: f64) -> OfPair {
        let bodies = [2 * i, 2 * i + 1];
        (bodies, vec![between_points(bodies.map(|body| body as u32), strength, 1.0)])
    }

    /// Returns the strengths after `rounds` rounds; `map` maps the strengths used to those found.
    /// Contact i is between bodies 2i and 2i + 1.
    fn after<const N: usize>(rounds: usize, map: impl Fn(&[f64; N]) -> [f64; N]) -> [f64; N] {
        let (mut lag, groups) = (Lag::new(2 * N), one_group(N));
        let (mut used, mut last) = ([0.0; N], Vec::new());
        for _ in 0..rounds {
            let strengths = map(&used).into_iter().zip(0..);
            let pressed = strengths.filter(|(strength, _)| *strength > 0.0);
            let found = pressed.map(|(strength, i)| of_points(i, strength));
            used = [0.0; N];
            last = lag.relaxed(found.collect(), last, &groups);
            for (bodies, friction) in &last {
                used[bodies[0] / 2] = friction[0].strength();
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

    /// Two groups, one of which cycles with plain rounds and one of which is solved by them: each has the ω that
    /// it has alone.
    #[test]
    fn groups_are_relaxed_by_themselves() {
        let groups = Groups::of(vec![vec![0, 1], vec![2, 3]], 4);
        let (mut lag, mut used) = (Lag::new(4), [0.0_f64; 2]);
        let (mut alone, mut last) = (Vec::new(), Vec::new());
        for rounds in 1..12 {
            let found = [f64::max(2.5 - 1.5 * used[0], 0.1), 3.0];
            let found = found.into_iter().zip(0..).map(|(s, i)| of_points(i, s)).collect();
            used = [0.0; 2];
            last = lag.relaxed(found, last, &groups);
            for (bodies, friction) in &last {
                used[bodies[0] / 2] = friction[0].strength();
            }
            alone.push(after(rounds, |[s]| [(2.5 - 1.5 * s).max(0.1)])[0]);
            assert_eq!(used, [alone[rounds - 1], 3.0]);
        }
    }

    #[test]
    fn a_round_can_take_friction_as_it_is_found() {
        let (mut lag, groups, mut last) = (Lag::new(2), one_group(1), Vec::new());
        let mut strengths = |lag: &mut Lag, s| {
            last = lag.relaxed(vec![of_points(0, s)], std::mem::take(&mut last), &groups);
            last[0].1[0].strength()
        };
        for s in [1.0, 0.5, 0.9] {
            assert!(lag.is_plain());
            assert_eq!(strengths(&mut lag, s), s);
        }
        assert!(!lag.is_plain() && lag.was_whole(&[0, 1]));
        // r₋ = 0.4 and r = −0.3: ω = 0.4/0.7.
        assert!(
            (strengths(&mut lag, 0.6) - (0.9 - 0.3 * 0.4 / 0.7)).abs() < 1e-14 && !lag.was_whole(&[0, 1])
        );
        lag.go_whole(&[0, 1]);
        assert!((strengths(&mut lag, 0.8) - 0.8).abs() < 1e-14);
        assert!(lag.was_whole(&[0, 1]));
    }
}
