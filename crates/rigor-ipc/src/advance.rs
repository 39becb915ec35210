//! How far each group of bodies goes in one Newton step: free of contact, and with f decreasing.
//!
//! Groups that do not come within reach of each other have step lengths of their own. All bodies move from
//! t = 0 to t = 1 by the steps that they take, so each pair of bodies is looked at in exactly that motion, or
//! in one of which it is the first part (`docs/methods/ipc.md` has the proof).

use rayon::prelude::*;
use rigor_scene::StepError;

use crate::body_slots::{BodySlots, Step, Steps};
use crate::contact::PrimitivePair;
use crate::friction::FrictionContact;
use crate::groups::Groups;
use crate::line_search::{Meeting, StepContext};
use crate::neighbours::BodySelection;
use crate::objective::Objective;
use crate::phase::{Phase, Phases};
use crate::placement::Placement;

/// Growth of the part of a step that is searched while it is free.
const GROWTH: f64 = 4.0;
/// Maximum number of values of α that a line search tries.
const HALVINGS: usize = 40;
/// Minimum groups, or pairs of bodies, per rayon task.
const GRAIN: usize = 8;
/// Minimum bodies per rayon task.
const FEW_BODIES: usize = 256;

/// Where one Newton step has led. What is known of bodies is by their slots.
pub(crate) struct Advance<const N: usize> {
    pub movers: BodySlots,
    /// The groups, those joined that share a step length.
    pub groups: Groups,
    /// f of each of these groups (J s²).
    pub values: Vec<f64>,
    /// The part of its whole step that each body has gone: 0 if no part of it decreases f.
    pub gone: Vec<f64>,
    /// The part that is free of contact.
    pub free: Vec<f64>,
    /// Where each body was, and the step that it has gone.
    pub from: Vec<Placement>,
    pub steps: Vec<Step<N>>,
    /// The contacts that may act at the end between bodies of which one has moved, pair by pair.
    pub contacts: Vec<Vec<PrimitivePair>>,
    pub queries: u64,
}

impl<const N: usize> Advance<N> {
    /// Returns the part of its whole step that a body has gone, and the part that is free of contact.
    pub fn parts(&self, body: usize) -> (f64, f64) {
        self.movers.slot(body).map_or((0.0, 1.0), |slot| (self.gone[slot], self.free[slot]))
    }
}

/// The steps that bodies are to make.
pub(crate) struct Proposal<const N: usize> {
    pub movers: BodySlots,
    /// p of each of them.
    pub p: Vec<Step<N>>,
    /// The part of its step at which each looks first.
    pub trials: Vec<f64>,
}

/// Moves `groups` along the proposed steps, in `places`. `known`, given a group, returns f of it if that is known;
/// `phases` gets the time of collision detection and of the search for a decrease.
///
/// # Errors
/// Those of [`StepContext::free`] and [`StepContext::meetings`].
pub(crate) fn advance<const N: usize>(
    objective: &Objective,
    surroundings: &mut StepContext,
    places: &mut [Placement],
    groups: Groups,
    proposal: Proposal<N>,
    known: impl Fn(&[usize]) -> Option<f64>,
    phases: &mut Phases,
) -> Result<Advance<N>, StepError> {
    let search = Search::new(surroundings, places, groups, proposal)?;
    let Search { movers, step, meetings, trials, free, queries, mut groups, .. } = search;
    phases.lap(Phase::CollisionDetection);
    let from = movers.bodies.iter().map(|&body| places[body]).collect();
    let gone = vec![0.0; movers.bodies.len()];
    let (before, values) = (Vec::new(), Vec::new());
    let mut descent =
        Descent { objective, movers, step, meetings: &meetings, places, from, gone, before, values };
    let mut is_open = vec![true; descent.gone.len()];
    descent.start(&groups, known);
    while is_open.contains(&true) {
        descent.go(&groups, &is_open, &free);
        phases.lap(Phase::LineSearch);
        is_open = descent.join_all(surroundings, &mut groups, is_open)?;
        phases.lap(Phase::CollisionDetection);
    }
    let steps = descent.steps();
    let Descent { movers, from, gone, values, .. } = descent;
    let has_moved = |&body: &usize| movers.slot(body).is_some_and(|slot| gone[slot] > 0.0);
    let meetings = meetings.into_iter().filter(|meeting| meeting.bodies.iter().any(has_moved));
    let contacts = meetings.map(|meeting| meeting.contacts).collect();
    let times = |parts: &[f64]| parts.iter().zip(&trials).map(|(part, trial)| part * trial).collect();
    let (gone, free) = (times(&gone), times(&free));
    Ok(Advance { movers, groups, values, gone, free, from, steps, contacts, queries })
}

/// The parts of the steps that are free of contact. What is known of bodies is by their slots.
struct Search<const N: usize> {
    movers: BodySlots,
    /// The groups, those joined that come within reach of each other.
    groups: Groups,
    /// The part of its step that each body has searched, and the step so far.
    trials: Vec<f64>,
    step: Vec<Step<N>>,
    /// The part of `step` that is free, the same for all bodies of a group.
    free: Vec<f64>,
    /// In ascending order of the bodies.
    meetings: Vec<Meeting>,
    queries: u64,
    /// Bodies whose step is new, and bodies whose free part is not known yet.
    is_new: Vec<bool>,
    is_stale: Vec<bool>,
}

impl<const N: usize> Search<N> {
    /// Looks at a part of each step first, and at longer ones only where all of it is free: where steps are
    /// cut far short, only little of them must be searched.
    fn new(
        surroundings: &mut StepContext,
        places: &[Placement],
        groups: Groups,
        Proposal { movers, p, trials }: Proposal<N>,
    ) -> Result<Self, StepError> {
        let n = movers.bodies.len();
        let mut search = Self {
            movers,
            groups,
            trials,
            step: vec![Step::zeros(); n],
            free: vec![1.0; n],
            meetings: Vec::new(),
            queries: 0,
            is_stale: vec![true; n],
            is_new: vec![true; n],
        };
        loop {
            search.look(surroundings, places, &p)?;
            if !search.even_out() && !search.measure(surroundings, places)? {
                return Ok(search);
            }
        }
    }

    /// Finds the meetings of bodies that have new steps, and joins the groups that meet.
    fn look(
        &mut self,
        surroundings: &mut StepContext,
        places: &[Placement],
        p: &[Step<N>],
    ) -> Result<(), StepError> {
        let (movers, is_new) = (&self.movers, &self.is_new);
        let mut bodies = Vec::with_capacity(movers.bodies.len());
        for (slot, &body) in movers.bodies.iter().enumerate().filter(|(slot, _)| is_new[*slot]) {
            self.step[slot] = p[slot] * self.trials[slot];
            bodies.push(body);
        }
        let concerns = |body: usize| movers.slot(body).is_some_and(|slot| is_new[slot]);
        let look = BodySelection { bodies: &bodies, has: &concerns };
        let found = surroundings.meetings(places, Steps::of(movers, &self.step), look, |_| true)?;
        let ties: Vec<[usize; 2]> =
            found.iter().map(|meeting| meeting.bodies).filter(|pair| self.groups.parts(*pair)).collect();
        if !ties.is_empty() {
            self.groups = self.groups.joined(ties.into_iter());
        }
        self.meetings.retain(|meeting| !meeting.bodies.into_iter().any(concerns));
        if self.meetings.is_empty() {
            self.meetings = found;
        } else {
            self.meetings.extend(found);
            self.meetings.sort_by_key(|meeting| meeting.bodies);
        }
        Ok(())
    }

    /// Gives all bodies of a group the smallest part among them; returns whether any has another part now.
    fn even_out(&mut self) -> bool {
        self.is_new.fill(false);
        let mut has_changed = false;
        for bodies in &self.groups.all {
            let slots = || bodies.iter().filter_map(|&body| self.movers.slot(body));
            let least = slots().map(|slot| self.trials[slot]).fold(f64::INFINITY, f64::min);
            for slot in slots().filter(|&slot| self.trials[slot] > least).collect::<Vec<_>>() {
                (self.trials[slot], self.is_new[slot], self.is_stale[slot]) = (least, true, true);
                has_changed = true;
            }
        }
        has_changed
    }

    /// Computes the free part of each group that has a stale body; lets groups look farther whose whole part
    /// is free. Returns whether any does.
    fn measure(&mut self, surroundings: &StepContext, places: &[Placement]) -> Result<bool, StepError> {
        let movers = &self.movers;
        let is_stale = |&body: &usize| movers.slot(body).is_some_and(|slot| self.is_stale[slot]);
        let stale: Vec<usize> =
            (0..self.groups.all.len()).filter(|&group| self.groups.all[group].iter().any(is_stale)).collect();
        let mut of_group: Vec<Vec<&Meeting>> = vec![Vec::new(); self.groups.all.len()];
        for meeting in &self.meetings {
            if let Some(group) = self.groups.of_pair(meeting.bodies) {
                of_group[group].push(meeting);
            }
        }
        let steps = Steps::of(movers, &self.step);
        let of = |&group: &usize| surroundings.free(places, steps, of_group[group].iter().copied());
        let found: Vec<_> = stale.par_iter().with_min_len(GRAIN).map(of).collect();
        self.is_new.fill(false);
        self.is_stale.fill(false);
        let mut goes_on = false;
        for (&group, found) in stale.iter().zip(found) {
            let (alpha, queries) = found?;
            self.queries += queries;
            for slot in self.groups.all[group].iter().filter_map(|&body| movers.slot(body)) {
                self.free[slot] = alpha;
                if alpha >= 1.0 && self.trials[slot] < 1.0 {
                    self.trials[slot] = (GROWTH * self.trials[slot]).min(1.0);
                    (self.is_new[slot], self.is_stale[slot], goes_on) = (true, true, true);
                }
            }
        }
        Ok(goes_on)
    }
}

/// The contacts and the friction of a pair of bodies in a group.
type Terms<'a> = (usize, &'a [PrimitivePair], &'a [FrictionContact]);

/// The search for a decrease of f along the steps. What is known of bodies is by their slots.
struct Descent<'a, const N: usize> {
    objective: &'a Objective,
    movers: BodySlots,
    step: Vec<Step<N>>,
    meetings: &'a [Meeting],
    /// Where all bodies are.
    places: &'a mut [Placement],
    /// Where the movers were.
    from: Vec<Placement>,
    /// The part of `step` that each body has gone.
    gone: Vec<f64>,
    /// f of each group (J s²), before its step and where its bodies are.
    before: Vec<f64>,
    values: Vec<f64>,
}

impl<const N: usize> Descent<'_, N> {
    /// Returns the smallest part that any of these bodies has `of` its step, at most 1.
    fn least(&self, bodies: &[usize], of: &[f64]) -> f64 {
        bodies.iter().filter_map(|&body| self.movers.slot(body)).map(|slot| of[slot]).fold(1.0, f64::min)
    }

    /// Returns the steps that the bodies have gone.
    fn steps(&self) -> Vec<Step<N>> {
        self.step.iter().zip(&self.gone).map(|(step, gone)| step * *gone).collect()
    }

    /// Notes f of each group before its step; `known`, given a group, returns it if that is known.
    fn start(&mut self, groups: &Groups, known: impl Fn(&[usize]) -> Option<f64>) {
        let known: Vec<Option<f64>> = groups.all.iter().map(|bodies| known(bodies)).collect();
        let is_unknown: Vec<bool> = known.iter().map(Option::is_none).collect();
        let computed = self.evaluate(groups, &is_unknown);
        self.before = known.iter().zip(computed).map(|(known, new)| known.unwrap_or(new)).collect();
        self.values = self.before.clone();
    }

    /// Moves each group that has an open body by the first of α, α/2, α/4, … for which its part of f becomes
    /// smaller; leaves it where it was if there is none. α is the part that it has gone or, if that is zero,
    /// its `free` part.
    fn go(&mut self, groups: &Groups, is_open: &[bool], free: &[f64]) {
        let slot = |bodies: &[usize]| bodies.first().and_then(|&body| self.movers.slot(body));
        let is_tried = |bodies: &Vec<usize>| slot(bodies).is_some_and(|slot| is_open[slot]);
        let first = |bodies: &Vec<usize>| match slot(bodies).map_or(0.0, |slot| self.gone[slot]) {
            0.0 => self.least(bodies, free),
            gone => gone,
        };
        let mut alphas: Vec<f64> = groups.all.iter().map(first).collect();
        let mut is_tried: Vec<bool> = groups.all.iter().map(is_tried).collect();
        for _ in 0..HALVINGS {
            if !is_tried.contains(&true) {
                return;
            }
            let tried = (0..alphas.len()).filter(|&group| is_tried[group]);
            self.place(tried.map(|group| (&*groups.all[group], alphas[group])));
            let values = self.evaluate(groups, &is_tried);
            for group in (0..values.len()).filter(|&group| is_tried[group]).collect::<Vec<_>>() {
                if values[group] < self.before[group] {
                    (self.values[group], is_tried[group]) = (values[group], false);
                }
                alphas[group] *= 0.5;
            }
        }
        for (group, bodies) in groups.all.iter().enumerate().filter(|(group, _)| is_tried[*group]) {
            self.place(std::iter::once((&**bodies, 0.0)));
            self.values[group] = self.before[group];
        }
    }

    /// Puts the bodies of groups to these parts of their steps.
    fn place<'b>(&mut self, groups: impl Iterator<Item = (&'b [usize], f64)>) {
        let slots = |(bodies, part): (&'b [usize], f64)| {
            bodies.iter().filter_map(|&body| self.movers.slot(body)).map(move |slot| (slot, part))
        };
        let parts: Vec<(usize, f64)> = groups.flat_map(slots).collect();
        let of = |&(slot, part): &(usize, f64)| {
            let from = &self.from[slot];
            if part > 0.0 { from.moved(&(self.step[slot] * part)) } else { *from }
        };
        let placed: Vec<Placement> = parts.par_iter().with_min_len(FEW_BODIES).map(of).collect();
        for ((slot, part), place) in parts.into_iter().zip(placed) {
            self.gone[slot] = part;
            self.places[self.movers.bodies[slot]] = place;
        }
    }

    /// Returns f of each group that `is_asked`, where its bodies are (J s²).
    fn evaluate(&self, groups: &Groups, is_asked: &[bool]) -> Vec<f64> {
        let mut values = vec![0.0; is_asked.len()];
        if !is_asked.contains(&true) {
            return values;
        }
        let asked = || groups.all.iter().enumerate().filter(|(group, _)| is_asked[*group]);
        let bodies: Vec<usize> = asked().flat_map(|(_, bodies)| bodies).copied().collect();
        let value_of = |&body: &usize| self.objective.value_of(body, self.places);
        let own: Vec<f64> = bodies.par_iter().with_min_len(FEW_BODIES).map(value_of).collect();
        let mut own = own.into_iter();
        for (group, bodies) in asked() {
            values[group] = own.by_ref().take(bodies.len()).sum();
        }
        let group = |bodies| groups.of_pair(bodies).filter(|&group| is_asked[group]);
        let pressed = self.meetings.iter().filter_map(|m| Some((group(m.bodies)?, &*m.contacts, &[][..])));
        let friction = &self.objective.friction;
        let rubbed = friction.of(asked().flat_map(|(_, bodies)| bodies), |body| groups.has(body));
        let rubbed = rubbed
            .into_iter()
            .filter_map(|spot| Some((group(spot.bodies)?, &[][..], friction.at(spot)?.as_slice())));
        let joints = &self.objective.joints;
        for spot in joints.of(asked().flat_map(|(_, bodies)| bodies), |body| groups.has(body)) {
            if let Some(group) = group(spot.bodies) {
                values[group] += joints.value_between(spot.bodies, self.places);
            }
        }
        let terms: Vec<Terms> = pressed.chain(rubbed).collect();
        let of =
            |(_, contacts, friction): &Terms| self.objective.value_between(contacts, friction, self.places);
        let sums: Vec<f64> = terms.par_iter().with_min_len(GRAIN).map(of).collect();
        for ((group, ..), sum) in terms.iter().zip(sums) {
            values[*group] += sum;
        }
        values
    }

    /// Joins groups that may come within reach of each other because one has gone a smaller part of its step
    /// than the other, until there are none; bodies that `have_moved` are looked at. All bodies of a joined
    /// group go the smallest part among them: each group has come that far without the other. Returns which
    /// bodies are of joined groups.
    fn join_all(
        &mut self,
        surroundings: &mut StepContext,
        groups: &mut Groups,
        mut have_moved: Vec<bool>,
    ) -> Result<Vec<bool>, StepError> {
        let mut are_joined = vec![false; have_moved.len()];
        loop {
            let ties = self.ties(surroundings, groups, &have_moved)?;
            if ties.is_empty() {
                return Ok(are_joined);
            }
            have_moved.fill(false);
            for slot in self.join(groups, &ties) {
                (have_moved[slot], are_joined[slot]) = (true, true);
            }
        }
    }

    /// Returns the pairs of bodies of different groups that may come within reach of each other because one
    /// has gone a smaller part of its step than the other; one of them must have moved.
    fn ties(
        &mut self,
        surroundings: &mut StepContext,
        groups: &Groups,
        have_moved: &[bool],
    ) -> Result<Vec<[usize; 2]>, StepError> {
        if self.gone.iter().all(|gone| Some(gone) == self.gone.first()) {
            return Ok(Vec::new());
        }
        let steps = self.steps();
        self.swap();
        let (movers, gone) = (&self.movers, &self.gone);
        let gone_of = |body: usize| movers.slot(body).map_or(0.0, |slot| gone[slot]);
        let parts = |[a, b]: [usize; 2]| groups.parts([a, b]) && gone_of(a) != gone_of(b);
        let has_moved = |body: usize| movers.slot(body).is_some_and(|slot| have_moved[slot]);
        let bodies: Vec<usize> = movers.bodies.iter().copied().filter(|&body| has_moved(body)).collect();
        let look = BodySelection { bodies: &bodies, has: &has_moved };
        let found = surroundings.meetings(self.places, Steps::of(movers, &steps), look, parts);
        self.swap();
        Ok(found?.into_iter().map(|meeting| meeting.bodies).collect())
    }

    /// Exchanges where the movers are and where they were.
    fn swap(&mut self) {
        for (&body, from) in self.movers.bodies.iter().zip(&mut self.from) {
            std::mem::swap(&mut self.places[body], from);
        }
    }

    /// Joins groups; returns the slots of the bodies of those that have changed.
    fn join(&mut self, groups: &mut Groups, ties: &[[usize; 2]]) -> Vec<usize> {
        let joined = groups.joined(ties.iter().copied());
        let (mut before, mut values) = (vec![0.0; joined.all.len()], vec![0.0; joined.all.len()]);
        for (group, bodies) in groups.all.iter().enumerate() {
            if let Some(into) = joined.of_body(bodies[0]) {
                before[into] += self.before[group];
                values[into] += self.values[group];
            }
        }
        (self.before, self.values) = (before, values);
        let is_own =
            |bodies: &Vec<usize>| groups.of_body(bodies[0]).is_some_and(|g| groups.all[g] == *bodies);
        let changed: Vec<&Vec<usize>> = joined.all.iter().filter(|bodies| !is_own(bodies)).collect();
        let least: Vec<f64> = changed.iter().map(|bodies| self.least(bodies, &self.gone)).collect();
        self.place(changed.iter().map(|bodies| &***bodies).zip(least));
        let changed = changed.into_iter().flatten();
        let changed = changed.filter_map(|&body| self.movers.slot(body)).collect();
        *groups = joined;
        changed
    }
}
