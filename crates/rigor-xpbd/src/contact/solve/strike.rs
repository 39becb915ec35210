//! Impacts with e = 0 of bodies on joints: on other bodies, and on the bounds of joints.
//!
//! A contact stops its own body in a sweep over positions, not what joints hold to it. The joint that is then open by h v would be
//! closed in the next substep, with velocity: bodies on joints rebounded from impacts without restitution. So where such a body is
//! struck:
//!
//! 1. contacts, joints and bounds of all bodies that these connect [agree](Agreement) on velocities: v_n = 0 and J v = 0, each a
//!    projection that takes energy, and no contact or bound that pulls;
//! 2. what the contacts have opened of joints is [closed in poses alone](crate::joint::Joints::follow), at the end of the substep;
//! 3. the multipliers of its contacts are no forces, from which the next substep would start.

use std::collections::BTreeMap;

use rigor_math::disjoint_sets::DisjointSets;

use super::agreement::Agreement;
use super::block::Block;
use super::impact::ImpactRule;
use crate::body::{SolverBody, two};
use crate::constraint::rows::WHOLE;
use crate::contact::pair::Pair;
use crate::joint::{Joints, StiffRows};

/// Maximum sweeps over contacts and joints.
const SWEEPS: usize = 1000;

/// Relative change of impulses and velocities below which they stop.
const TOLERANCE: f64 = 1e-5;

/// Bodies that an impact reaches through joints and contacts; scratch memory.
#[derive(Debug, Default)]
pub(super) struct Strikes {
    /// Per body, whether one does; empty if none was struck.
    is_struck: Vec<bool>,
    /// Per body, one of those that struck pairs and stiff joints connect to it.
    names: Vec<usize>,
}

impl Strikes {
    /// Returns, per body, whether an impact reaches it through joints and contacts; empty if none does.
    pub fn bodies(&self) -> &[bool] {
        &self.is_struck
    }

    /// Lets contacts and joints agree on velocities where an impact without restitution reaches bodies on joints.
    pub(super) fn solve(
        &mut self,
        block: &mut Block,
        pairs: &mut [Pair],
        (bodies, joints): (&mut [SolverBody], &mut Joints),
        rule: ImpactRule,
    ) {
        self.find(pairs, bodies, joints, rule);
        if self.is_struck.is_empty() {
            return;
        }
        joints.note_sides();
        for (name, (members, rows)) in self.components(pairs, bodies, joints, rule.h) {
            let agreement = Agreement::new(pairs, &members, &rows, bodies, rule.h);
            if agreement.n_rows() > WHOLE || !agreement.solve(pairs, (joints, &rows), bodies, rule.h) {
                self.sweep(block, pairs, (&members, name), (bodies, joints), rule);
            }
        }
    }

    /// Sweeps over the contacts of the pairs `members` and the joints of the bodies called `name` until they agree.
    fn sweep(
        &self,
        block: &mut Block,
        pairs: &mut [Pair],
        (members, name): (&[usize], usize),
        (bodies, joints): (&mut [SolverBody], &mut Joints),
        rule: ImpactRule,
    ) {
        let is_member = |body: usize| self.names[body] == name;
        let mut fastest = None;
        for _ in 0..SWEEPS {
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for &i in members {
                let pair = &mut pairs[i];
                let touched = two(bodies, pair.a.0, pair.b.0);
                let [_, of_pair, impulse] = rule.solve(block, pair, touched, true);
                (change, largest) = (change.max(of_pair), largest.max(impulse));
            }
            let held = joints.hold_stiff_velocities(bodies, is_member, rule.h);
            let fastest = *fastest.get_or_insert(held.change);
            if change <= TOLERANCE * largest && held.change <= TOLERANCE * fastest {
                break;
            }
        }
    }

    /// Names the bodies that joints and contacts connect by one of them, and returns for each name the struck pairs and the rows of
    /// joints, in a substep of `h` (s).
    fn components(
        &mut self,
        pairs: &[Pair],
        bodies: &[SolverBody],
        joints: &Joints,
        h: f64,
    ) -> BTreeMap<usize, (Vec<usize>, Vec<StiffRows>)> {
        let rows = joints.stiff_rows(bodies, |body| self.is_struck[body], h);
        let struck = || pairs.iter().enumerate().filter(|(_, pair)| pair.is_struck);
        let moved = |body: Option<usize>| body.filter(|body| bodies[*body].is_moved());
        let mut connected = DisjointSets::new(bodies.len());
        let of_pairs = struck().map(|(_, pair)| [Some(pair.a.0), Some(pair.b.0)]);
        for ends in rows.iter().map(|joint| [Some(joint.a), joint.b]).chain(of_pairs) {
            if let [Some(a), Some(b)] = ends.map(moved) {
                connected.join(a, b);
            }
        }
        self.names.clear();
        self.names.extend((0..bodies.len()).map(|body| connected.first(body)));
        let name = |ends: [Option<usize>; 2]| ends.into_iter().find_map(moved).map(|body| self.names[body]);
        let mut components: BTreeMap<usize, (Vec<usize>, Vec<StiffRows>)> = BTreeMap::new();
        for (i, pair) in struck() {
            if let Some(name) = name([Some(pair.a.0), Some(pair.b.0)]) {
                components.entry(name).or_default().0.push(i);
            }
        }
        for joint in rows {
            if let Some(name) = name([Some(joint.a), joint.b]) {
                components.entry(name).or_default().1.push(joint);
            }
        }
        components
    }

    /// Finds the bodies that impacts reach, and their pairs.
    fn find(&mut self, pairs: &mut [Pair], bodies: &[SolverBody], joints: &Joints, rule: ImpactRule) {
        self.is_struck.clear();
        let strikes = |pair: &Pair| pair.law.restitution == 0.0 && rule.has_impact(pair);
        let pushes = |pair: &Pair| pair.contacts.iter().any(|contact| contact.lambda_n > 0.0);
        let touches =
            |body: usize| pairs.iter().any(|pair| pushes(pair) && [pair.a.0, pair.b.0].contains(&body));
        let mut hit = joints.hit(rule.resting_speed, touches).peekable();
        let is_hit = hit.peek().is_some();
        if joints.stiff().next().is_none() || !(is_hit || pairs.iter().any(strikes)) {
            return;
        }
        let mut reached = vec![false; bodies.len()];
        for (a, b) in hit {
            std::iter::once(a).chain(b).for_each(|body| reached[body] = bodies[body].is_moved());
        }
        let mut is_any = reached.contains(&true);
        let mut on_joint = vec![false; bodies.len()];
        for body in joints.stiff().flat_map(|(a, b)| std::iter::once(a).chain(b)) {
            on_joint[body] = bodies[body].is_moved();
        }
        for pair in pairs.iter().filter(|pair| strikes(pair)) {
            let ends = [pair.a.0, pair.b.0];
            if ends.iter().any(|&body| on_joint[body]) {
                ends.into_iter()
                    .filter(|&body| bodies[body].is_moved())
                    .for_each(|body| reached[body] = true);
                is_any = true;
            }
        }
        if !is_any {
            return;
        }
        let mut was_any = true;
        while std::mem::take(&mut was_any) {
            let of_joints = joints.stiff().filter_map(|(a, b)| Some([a, b?]));
            let of_pairs = pairs.iter().filter(|pair| pushes(pair)).map(|pair| [pair.a.0, pair.b.0]);
            for [a, b] in of_joints.chain(of_pairs) {
                if reached[a] != reached[b] && bodies[a].is_moved() && bodies[b].is_moved() {
                    (reached[a], reached[b]) = (true, true);
                    was_any = true;
                }
            }
        }
        // Pairs with e > 0 have their own velocities.
        for pair in pairs.iter_mut().filter(|pair| pair.law.restitution == 0.0 && pushes(pair)) {
            pair.is_struck = reached[pair.a.0] || reached[pair.b.0];
        }
        self.is_struck = reached;
    }
}
