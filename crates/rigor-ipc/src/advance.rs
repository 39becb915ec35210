//! How far each group of bodies goes in one Newton step: free of contact, and with f decreasing.
//!
//! Groups that do not come within reach of each other have step lengths of their own. All bodies move from
//! t = 0 to t = 1 by the steps that they take, so each pair of bodies is looked at in exactly that motion, or
//! in one of which it is the first part (`docs/methods/ipc.md` has the proof).

use nalgebra::Vector6;
use rayon::prelude::*;
use rigor_scene::StepError;

use crate::contact::PrimitivePair;
use crate::friction::FrictionContact;
use crate::groups::Groups;
use crate::line_search::{Meeting, Surroundings};
use crate::objective::Objective;
use crate::phase::{Phase, Phases};
use crate::placement::Placement;

/// Growth of the part of a step that is searched while it is free.
const GROWTH: f64 = 4.0;
/// Maximum number of values of α that a line search tries.
const HALVINGS: usize = 40;
/// Minimum groups, or pairs of bodies, per rayon task.
const GRAIN: usize = 8;

/// Where one Newton step has led.
pub(crate) struct Advance {
    /// The groups, those joined that share a step length.
    pub groups: Groups,
    /// f of each of these groups (J s²).
    pub values: Vec<f64>,
    /// The part of its whole step that each body has gone: 0 if no part of it decreases f.
    pub gone: Vec<f64>,
    /// The part that is free of contact.
    pub free: Vec<f64>,
    /// The step that each body has gone.
    pub steps: Vec<Vector6<f64>>,
    pub places: Vec<Placement>,
    /// The contacts that may act at `places` between bodies of which one has moved, pair by pair.
    pub contacts: Vec<Vec<PrimitivePair>>,
    pub queries: u64,
}

/// The steps that all bodies are to make.
pub(crate) struct Proposal {
    /// p of each body; zero for bodies of no group.
    pub p: Vec<Vector6<f64>>,
    /// The part of its step at which each body looks first.
    pub trials: Vec<f64>,
}

/// Moves `groups` from `places` along the proposed steps. `known`, given a group, returns f of it if that is known;
/// `phases` gets the time of collision detection and of the search for a decrease.
///
/// # Errors
/// Those of [`Surroundings::free`] and [`Surroundings::meetings`].
pub(crate) fn advance(
    objective: &Objective,
    surroundings: &mut Surroundings,
    places: &[Placement],
    groups: &Groups,
    proposal: Proposal,
    known: impl Fn(&[usize]) -> Option<f64>,
    phases: &mut Phases,
) -> Result<Advance, StepError> {
    let search = Search::new(surroundings, places, groups, proposal)?;
    let Search { step, meetings, trials, free, queries, mut groups, .. } = search;
    phases.lap(Phase::CollisionDetection);
    let n = places.len();
    let mut descent = Descent {
        objective,
        from: places,
        step: &step,
        meetings: &meetings,
        places: places.to_vec(),
        gone: vec![0.0; n],
        before: Vec::new(),
        values: Vec::new(),
    };
    let mut is_open: Vec<bool> = (0..n).map(|body| groups.of(body).is_some()).collect();
    descent.start(&groups, known);
    while is_open.contains(&true) {
        descent.go(&groups, &is_open, &free);
        phases.lap(Phase::LineSearch);
        is_open = descent.join_all(surroundings, &mut groups, is_open)?;
        phases.lap(Phase::CollisionDetection);
    }
    let Descent { places, gone, values, .. } = descent;
    let steps = step.iter().zip(&gone).map(|(step, gone)| step * *gone).collect();
    let has_moved = |meeting: &Meeting| meeting.bodies.iter().any(|&body| gone[body] > 0.0);
    let contacts = meetings.into_iter().filter(has_moved).map(|meeting| meeting.contacts).collect();
    let times = |parts: Vec<f64>| parts.iter().zip(&trials).map(|(part, trial)| part * trial).collect();
    let (gone, free) = (times(gone.clone()), times(free));
    Ok(Advance { groups, values, gone, free, steps, places, contacts, queries })
}

/// The parts of the steps that are free of contact.
struct Search {
    /// The groups, those joined that come within reach of each other.
    groups: Groups,
    /// The part of its step that each body has searched, and the step so far.
    trials: Vec<f64>,
    step: Vec<Vector6<f64>>,
    /// The part of `step` that is free, the same for all bodies of a group.
    free: Vec<f64>,
    /// In ascending order of the bodies.
    meetings: Vec<Meeting>,
    queries: u64,
    /// Bodies whose step is new, and bodies whose free part is not known yet.
    is_new: Vec<bool>,
    is_stale: Vec<bool>,
}

impl Search {
    /// Looks at a part of each step first, and at longer ones only where all of it is free: where steps are
    /// cut far short, only little of them must be searched.
    fn new(
        surroundings: &mut Surroundings,
        places: &[Placement],
        groups: &Groups,
        Proposal { p, trials }: Proposal,
    ) -> Result<Self, StepError> {
        let n = places.len();
        let is_new: Vec<bool> = (0..n).map(|body| groups.of(body).is_some()).collect();
        let mut search = Self {
            groups: groups.clone(),
            trials,
            step: vec![Vector6::zeros(); n],
            free: vec![1.0; n],
            meetings: Vec::new(),
            queries: 0,
            is_stale: is_new.clone(),
            is_new,
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
        surroundings: &mut Surroundings,
        places: &[Placement],
        p: &[Vector6<f64>],
    ) -> Result<(), StepError> {
        let is_new = &self.is_new;
        for body in (0..p.len()).filter(|&body| is_new[body]) {
            self.step[body] = p[body] * self.trials[body];
        }
        let concerns = |bodies: [usize; 2]| bodies.iter().any(|&body| is_new[body]);
        let found = surroundings.meetings(places, &self.step, concerns)?;
        let ties: Vec<[usize; 2]> =
            found.iter().map(|meeting| meeting.bodies).filter(|pair| self.groups.parts(*pair)).collect();
        if !ties.is_empty() {
            self.groups = self.groups.joined(ties.into_iter());
        }
        self.meetings.retain(|meeting| !concerns(meeting.bodies));
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
            let least = bodies.iter().map(|&body| self.trials[body]).fold(f64::INFINITY, f64::min);
            for &body in bodies {
                if self.trials[body] > least {
                    (self.trials[body], self.is_new[body], self.is_stale[body]) = (least, true, true);
                    has_changed = true;
                }
            }
        }
        has_changed
    }

    /// Computes the free part of each group that has a stale body; lets groups look farther whose whole part
    /// is free. Returns whether any does.
    fn measure(&mut self, surroundings: &Surroundings, places: &[Placement]) -> Result<bool, StepError> {
        let stale = |bodies: &Vec<usize>| bodies.iter().any(|&body| self.is_stale[body]);
        let stale: Vec<usize> =
            (0..self.groups.all.len()).filter(|&group| stale(&self.groups.all[group])).collect();
        let mut of_group: Vec<Vec<&Meeting>> = vec![Vec::new(); self.groups.all.len()];
        for meeting in &self.meetings {
            if let Some(group) = self.groups.of_pair(meeting.bodies) {
                of_group[group].push(meeting);
            }
        }
        let of = |&group: &usize| surroundings.free(places, &self.step, of_group[group].iter().copied());
        let found: Vec<_> = stale.par_iter().with_min_len(GRAIN).map(of).collect();
        self.is_new.fill(false);
        self.is_stale.fill(false);
        let mut goes_on = false;
        for (&group, found) in stale.iter().zip(found) {
            let (alpha, queries) = found?;
            self.queries += queries;
            for &body in &self.groups.all[group] {
                self.free[body] = alpha;
                if alpha >= 1.0 && self.trials[body] < 1.0 {
                    self.trials[body] = (GROWTH * self.trials[body]).min(1.0);
                    (self.is_new[body], self.is_stale[body], goes_on) = (true, true, true);
                }
            }
        }
        Ok(goes_on)
    }
}

/// The contacts and the friction of a pair of bodies in a group.
type Terms<'a> = (usize, &'a [PrimitivePair], &'a [FrictionContact]);

/// The search for a decrease of f along the steps.
struct Descent<'a> {
    objective: &'a Objective,
    from: &'a [Placement],
    step: &'a [Vector6<f64>],
    meetings: &'a [Meeting],
    places: Vec<Placement>,
    /// The part of `step` that each body has gone.
    gone: Vec<f64>,
    /// f of each group (J s²), before its step and where its bodies are.
    before: Vec<f64>,
    values: Vec<f64>,
}

impl Descent<'_> {
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
        let mut is_tried: Vec<bool> = groups.all.iter().map(|bodies| is_open[bodies[0]]).collect();
        let first = |bodies: &Vec<usize>| match self.gone[bodies[0]] {
            0.0 => bodies.iter().map(|&body| free[body]).fold(1.0, f64::min),
            gone => gone,
        };
        let mut alphas: Vec<f64> = groups.all.iter().map(first).collect();
        for _ in 0..HALVINGS {
            if !is_tried.contains(&true) {
                return;
            }
            for (group, bodies) in groups.all.iter().enumerate().filter(|(group, _)| is_tried[*group]) {
                self.place(bodies, alphas[group]);
            }
            let values = self.evaluate(groups, &is_tried);
            for group in (0..values.len()).filter(|&group| is_tried[group]).collect::<Vec<_>>() {
                if values[group] < self.before[group] {
                    (self.values[group], is_tried[group]) = (values[group], false);
                }
                alphas[group] *= 0.5;
            }
        }
        for (group, bodies) in groups.all.iter().enumerate().filter(|(group, _)| is_tried[*group]) {
            self.place(bodies, 0.0);
            self.values[group] = self.before[group];
        }
    }

    /// Puts bodies to the part `alpha` of their steps.
    fn place(&mut self, bodies: &[usize], alpha: f64) {
        for &body in bodies {
            self.gone[body] = alpha;
            let from = &self.from[body];
            self.places[body] = if alpha > 0.0 { from.moved(&(self.step[body] * alpha)) } else { *from };
        }
    }

    /// Returns f of each group that `is_asked`, where its bodies are (J s²).
    fn evaluate(&self, groups: &Groups, is_asked: &[bool]) -> Vec<f64> {
        let mut values = vec![0.0; is_asked.len()];
        if !is_asked.contains(&true) {
            return values;
        }
        for (group, bodies) in groups.all.iter().enumerate().filter(|(group, _)| is_asked[*group]) {
            values[group] = bodies.iter().map(|&body| self.objective.value_of(body, &self.places)).sum();
        }
        let group = |bodies| groups.of_pair(bodies).filter(|&group| is_asked[group]);
        let pressed = self.meetings.iter().filter_map(|m| Some((group(m.bodies)?, &*m.contacts, &[][..])));
        let rubbed = self.objective.friction_by_pair();
        let rubbed = rubbed.filter_map(|(bodies, friction)| Some((group(bodies)?, &[][..], friction)));
        let terms: Vec<Terms> = pressed.chain(rubbed).collect();
        let of =
            |(_, contacts, friction): &Terms| self.objective.value_between(contacts, friction, &self.places);
        let sums: Vec<f64> = terms.par_iter().with_min_len(GRAIN).map(of).collect();
        for ((group, ..), sum) in terms.iter().zip(sums) {
            values[*group] += sum;
        }
        values
    }

    /// Joins groups that may come within reach of each other because one has gone a smaller part of its step
    /// than the other, until there are none; bodies that `have_moved` are looked at. All bodies of a joined
    /// group go the smallest part among them: each group has come that far without the other. Returns the
    /// bodies of joined groups.
    fn join_all(
        &mut self,
        surroundings: &mut Surroundings,
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
            for body in self.join(groups, &ties) {
                (have_moved[body], are_joined[body]) = (true, true);
            }
        }
    }

    /// Returns the pairs of bodies of different groups that may come within reach of each other because one
    /// has gone a smaller part of its step than the other; one of them must have moved.
    fn ties(
        &self,
        surroundings: &mut Surroundings,
        groups: &Groups,
        have_moved: &[bool],
    ) -> Result<Vec<[usize; 2]>, StepError> {
        let parts = |[a, b]: [usize; 2]| {
            groups.parts([a, b]) && self.gone[a] != self.gone[b] && (have_moved[a] || have_moved[b])
        };
        let gone = || groups.all.iter().flatten().map(|&body| self.gone[body]);
        let first = gone().next();
        if gone().all(|gone| Some(gone) == first) {
            return Ok(Vec::new());
        }
        let steps: Vec<Vector6<f64>> =
            self.step.iter().zip(&self.gone).map(|(step, gone)| step * *gone).collect();
        let found = surroundings.meetings(self.from, &steps, parts)?;
        Ok(found.into_iter().map(|meeting| meeting.bodies).collect())
    }

    /// Joins groups; returns the bodies of those that have changed.
    fn join(&mut self, groups: &mut Groups, ties: &[[usize; 2]]) -> Vec<usize> {
        let joined = groups.joined(ties.iter().copied());
        let (mut before, mut values) = (vec![0.0; joined.all.len()], vec![0.0; joined.all.len()]);
        for (group, bodies) in groups.all.iter().enumerate() {
            if let Some(into) = joined.of(bodies[0]) {
                before[into] += self.before[group];
                values[into] += self.values[group];
            }
        }
        (self.before, self.values) = (before, values);
        let is_own = |bodies: &Vec<usize>| groups.of(bodies[0]).is_some_and(|g| groups.all[g] == *bodies);
        let changed: Vec<&Vec<usize>> = joined.all.iter().filter(|bodies| !is_own(bodies)).collect();
        for bodies in &changed {
            let least = bodies.iter().map(|&body| self.gone[body]).fold(1.0, f64::min);
            self.place(bodies, least);
        }
        let changed = changed.into_iter().flatten().copied().collect();
        *groups = joined;
        changed
    }
}
