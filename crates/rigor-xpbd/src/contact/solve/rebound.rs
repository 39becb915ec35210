//! Restitution over all pairs of bodies.

use rigor_math::Vec3;

use super::cascade::{self, Passage};
use super::impact::ImpactRule;
use super::precedence::{Direction, Precedence};
use super::strike::Strikes;
use crate::body::{SolverBody, two};
use crate::contact::energy::{PairImpulse, part_within};
use crate::contact::pair::Pair;
use crate::joint::Joints;

/// Maximum sweeps over the pairs that bounce.
const SWEEPS: usize = 100;

/// Relative change of impulses below which sweeps stop.
const TOLERANCE: f64 = 1e-10;

/// Approach of a pair, over the fastest of its group, up to which the pair only touches.
const TOUCHING: f64 = 1e-3;

/// Scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Rebounds {
    /// Per body, the group of bodies among which an impact spreads, named by its first body; [`NONE`] for
    /// bodies that no impact reaches.
    group: Vec<usize>,
    /// Energies per group, indexed by the body that names it.
    energies: Vec<Energies>,
    /// Per body that names a group: whether an impact passes there through touching bodies, or bodies that joints hold.
    cascades: Vec<bool>,
    /// Per body that names a group: the speed (m/s) of its fastest approach.
    fastest: Vec<f64>,
    strikes: Strikes,
    /// Velocities (m/s, rad/s) of bodies before restitution.
    before: Vec<(Vec3, Vec3)>,
}

/// The group of bodies that no impact reaches.
const NONE: usize = usize::MAX;

/// Energies (J) of a group of bodies.
#[derive(Debug, Clone, Copy, Default)]
struct Energies {
    /// Energy taken by the position solve.
    taken: f64,
    /// Energy returned by restitution.
    given: f64,
    /// The part of `given` that is linear in the impulses.
    linear: f64,
}

impl Rebounds {
    /// Returns, per body, whether an impact without restitution reached it through joints; empty if none did.
    pub fn struck(&self) -> &[bool] {
        self.strikes.bodies()
    }

    /// Gives every impact the normal velocity −e v̄_n.
    ///
    /// Source: \[Mueller2020\] §3.5. Deviations: if e > 0, pairs are swept until convergence, and resting
    /// pairs that transmit an impact take part, so that impacts from two sides are symmetric. Bodies that only
    /// touch, and that an impact reaches, receive it as a [sequence of impacts](cascade) of pairs. Among the
    /// bodies that one impact reaches, restitution returns at most the energy that the position solve took:
    /// an impulse p adds p·v + ½ p·w p. If it would return more, which friction and rotating bodies can
    /// cause, all restitution impulses among these bodies are scaled down by one factor.
    pub fn solve(
        &mut self,
        precedence: &mut Precedence,
        pairs: &mut [Pair],
        (bodies, joints): (&mut [SolverBody], &mut Joints),
        resting_speed: f64,
        h: f64,
    ) {
        let rule = ImpactRule { resting_speed, h };
        if !pairs.iter().any(|pair| pair.law.restitution > 0.0 && rule.has_impact(pair)) {
            precedence.run(pairs, bodies, Direction::Ascending, |block, pair, a, b| {
                if rule.has_impact(pair) {
                    rule.solve(block, pair, (a, b), false);
                }
            });
            self.strikes.solve(precedence.block(), pairs, (bodies, joints), rule);
            return;
        }
        let block = precedence.block();
        self.spread(pairs, bodies, rule);
        self.find_cascades(pairs, bodies.len(), rule);
        self.find_held(joints);
        self.join(joints);
        for pair in pairs.iter_mut().filter(|pair| self.is_cascade(pair)) {
            cascade::undo(pair, bodies, h);
            pair.budget.taken = 0.0;
        }
        if self.cascades.contains(&true) {
            let passed = |body: usize| self.passes(body);
            joints.undo_impulses(bodies, passed, h);
            cascade::hold(joints, bodies, passed, h);
        }
        self.before.clear();
        self.before.extend(bodies.iter().map(|b| (b.linear_velocity, b.angular_velocity)));
        self.energies.clear();
        self.energies.resize(bodies.len(), Energies::default());
        pairs.iter_mut().for_each(|pair| pair.budget.blow = PairImpulse::default());
        for _ in 0..SWEEPS {
            let (mut most, mut largest) = (0.0_f64, 0.0_f64);
            for pair in pairs.iter_mut().filter(|pair| !pair.contacts.is_empty()) {
                let group = self.group_of(pair);
                if (group == NONE && !rule.has_impact(pair)) || self.is_cascade(pair) {
                    continue;
                }
                let touched = two(bodies, pair.a.0, pair.b.0);
                let [work, change, impulse] = rule.solve(block, pair, touched, group != NONE);
                if let Some(energies) = self.energies.get_mut(group) {
                    energies.given += work;
                }
                (most, largest) = (most.max(change), largest.max(impulse));
            }
            if most <= TOLERANCE * largest {
                break;
            }
        }
        for group in (0..self.cascades.len()).filter(|&group| self.cascades[group]) {
            let is_member = |i: &usize| !pairs[*i].contacts.is_empty() && self.group_of(&pairs[*i]) == group;
            let members: Vec<usize> = (0..pairs.len()).filter(is_member).collect();
            let passage =
                Passage { members: &members, joints: &mut *joints, group: |i| self.group[i] == group };
            self.energies[group].given = cascade::collide(block, pairs, passage, bodies, rule);
        }
        self.limit(pairs, bodies);
        for pair in pairs.iter_mut().filter(|pair| self.is_cascade(pair)) {
            cascade::subtract_positions(pair, h);
        }
        self.strikes.solve(precedence.block(), pairs, (bodies, joints), rule);
    }

    /// Finds the groups in which a pair pushes that did not approach, or a thousand times slower than the fastest: what
    /// reaches it passes through touching bodies.
    fn find_cascades(&mut self, pairs: &[Pair], n_bodies: usize, rule: ImpactRule) {
        self.cascades.clear();
        self.cascades.resize(n_bodies, false);
        self.fastest.clear();
        self.fastest.resize(n_bodies, 0.0);
        for pair in pairs {
            let group = self.group_of(pair);
            // The group of bodies that no impact reaches has no place.
            if let Some(fastest) = self.fastest.get_mut(group) {
                *fastest = fastest.max(approach(pair));
            }
        }
        for pair in pairs {
            let group = self.group_of(pair);
            let pushes = || pair.contacts.iter().any(|c| c.lambda_n > 0.0);
            if group != NONE && pushes() {
                let slow = rule.resting_speed.max(TOUCHING * self.fastest[group]);
                self.cascades[group] |= approach(pair) <= slow;
            }
        }
    }

    /// Adds the groups of bodies that joints hold: an impulse along an oblique normal would leave them with velocities that the joints
    /// do not allow, and the projection of the next substep would take that energy away.
    fn find_held(&mut self, joints: &Joints) {
        for body in joints.held() {
            if let Some(is_cascade) = self.cascades.get_mut(self.group[body]) {
                *is_cascade = true;
            }
        }
    }

    /// Extends the groups in which an impact passes through touching bodies by those that joints hold to them.
    fn join(&mut self, joints: &Joints) {
        let mut was_any = self.cascades.contains(&true);
        while std::mem::take(&mut was_any) {
            for [a, b] in joints.links() {
                let groups = [a, b].map(|i| self.group[i]);
                if groups[0] == groups[1] || !(self.passes(a) || self.passes(b)) {
                    continue;
                }
                let name = groups[0].min(groups[1]);
                // Two groups become one; a body without a group joins alone.
                for (i, old) in [(a, groups[0]), (b, groups[1])] {
                    if old == NONE {
                        self.group[i] = name;
                    } else if old != name {
                        self.group.iter_mut().filter(|group| **group == old).for_each(|group| *group = name);
                    }
                }
                self.cascades[name] = true;
                was_any = true;
            }
        }
    }

    /// Whether an impact passes through the body, among bodies that touch.
    fn passes(&self, body: usize) -> bool {
        self.cascades.get(self.group[body]).is_some_and(|is_cascade| *is_cascade)
    }

    /// Whether the pair belongs to a group in which an impact passes through touching bodies.
    fn is_cascade(&self, pair: &Pair) -> bool {
        let group = self.group_of(pair);
        group != NONE && self.cascades[group] && !pair.contacts.is_empty()
    }

    /// Scales down the impulses of every group that returns more energy than it took.
    fn limit(&mut self, pairs: &mut [Pair], bodies: &mut [SolverBody]) {
        for pair in pairs.iter().filter(|pair| !pair.contacts.is_empty()) {
            let group = self.group_of(pair);
            let Some(energies) = self.energies.get_mut(group) else { continue };
            let (a, b) = (pair.a.0, pair.b.0);
            let at_first = |i: usize| {
                let (linear, angular) = self.before[i];
                SolverBody { linear_velocity: linear, angular_velocity: angular, ..bodies[i].clone() }
            };
            energies.taken += pair.budget.taken;
            energies.linear += pair.budget.blow.work(&at_first(a), &at_first(b))[0];
        }
        let part = |e: &Energies| part_within(e.linear, e.given - e.linear, e.taken);
        for (i, body) in bodies.iter_mut().enumerate() {
            let Some(energies) = self.energies.get(self.group[i]) else { continue };
            let (part, (linear, angular)) = (part(energies), self.before[i]);
            if part < 1.0 {
                body.linear_velocity = linear + part * (body.linear_velocity - linear);
                body.angular_velocity = angular + part * (body.angular_velocity - angular);
            }
        }
        for pair in pairs.iter_mut().filter(|pair| !pair.contacts.is_empty()) {
            let Some(energies) = self.energies.get(self.group_of(pair)) else { continue };
            let part = part(energies);
            for contact in &mut pair.contacts {
                contact.normal_impulse *= part;
                contact.friction_impulse *= part;
            }
        }
    }

    /// Groups the bodies that an impact with e > 0 reaches, through pushing contacts with e > 0.
    fn spread(&mut self, pairs: &[Pair], bodies: &[SolverBody], rule: ImpactRule) {
        self.group.clear();
        self.group.resize(bodies.len(), NONE);
        let mut was_any = true;
        while std::mem::take(&mut was_any) {
            for pair in pairs.iter().filter(|pair| pair.law.restitution > 0.0) {
                let pushes = || pair.contacts.iter().any(|c| c.lambda_n > 0.0);
                if !(rule.has_impact(pair) || (self.group_of(pair) != NONE && pushes())) {
                    continue;
                }
                let moved = || [pair.a.0, pair.b.0].into_iter().filter(|&i| bodies[i].is_moved());
                let group = moved().map(|i| self.group[i].min(i)).min().unwrap_or(NONE);
                for i in moved() {
                    was_any |= group < self.group[i];
                    self.group[i] = group;
                }
            }
        }
    }

    /// Returns the group of a pair with e > 0, [`NONE`] for other pairs.
    fn group_of(&self, pair: &Pair) -> usize {
        if pair.law.restitution > 0.0 { self.group[pair.a.0].min(self.group[pair.b.0]) } else { NONE }
    }
}

/// Returns the greatest speed (m/s, ≥ 0) at which contacts of `pair` that push approached before the substep.
fn approach(pair: &Pair) -> f64 {
    let pushes = pair.contacts.iter().filter(|c| c.lambda_n > 0.0);
    pushes.map(|contact| -contact.approach_velocity).fold(0.0, f64::max)
}
