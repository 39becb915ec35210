//! Projected Newton's method in which every step is free of contact, for each group of bodies by itself.

use rayon::prelude::*;
use rigor_scene::StepError;

use crate::advance::{Advance, Proposal, advance};
use crate::body_slots::{BodySlots, Step};
use crate::config;
use crate::contact_set::{ContactSet, MinDistances};
use crate::direction::{Direction, direction};
use crate::groups::Groups;
use crate::line_search::StepContext;
use crate::linear_solve::{LinearSolver, Solvers};
use crate::objective::{Derivatives, Fresh, Objective, Slope};
use crate::path::RecordedPath;
use crate::phase::{Phase, Phases};
use crate::placement::Placement;
use crate::stiffness::Stiffness;

/// Part of a step that collision detection looks at first, relative to what was free of the last step.
const AHEAD: f64 = 2.0;
/// Relative rounding error of f, a sum of many terms: smaller decreases cannot be detected.
const ROUNDING: f64 = 1e-11;
/// Minimum groups per rayon task.
const GRAIN: usize = 4;

/// Termination criterion of Newton's method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending {
    pub rule: config::Ending,
    /// Maximum displacement (m): of a point by the unbalanced forces in one step or, with the rule of the
    /// reference program, of a vertex coordinate in the next iteration.
    pub tolerance: f64,
    pub max_iterations: u32,
}

/// Statistics of all solves of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// Number of iterations of the group that needed most.
    pub iterations: u64,
    /// Number of bodies moved, summed over the iterations.
    pub moves: u64,
    pub queries: u64,
    pub cuts: u64,
    pub shifts: u64,
    pub repaired: u64,
    pub kappa_raises: u64,
    pub factorizations: u64,
    pub friction_rounds: u64,
    /// Number of bodies whose friction did not agree with its normal forces when their solve ended.
    pub disagreements: u64,
    /// The largest residual, over its tolerance, of a group that ended above it because rounding hides any decrease of f.
    pub rounded: f64,
}

impl Cost {
    fn count<const N: usize>(&mut self, direction: &Direction<N>) {
        self.repaired += direction.repaired;
        self.shifts += direction.shifts;
        self.factorizations += direction.factorizations;
    }
}

/// State of a solve: the placements, and the pairs of primitives near each other there.
pub(crate) struct Iterate {
    pub places: Vec<Placement>,
    pub near: ContactSet,
    pub cost: Cost,
    /// What each body has done in this solve.
    pub bodies: Vec<BodyStatistics>,
    /// Whether the part of f of each body may not be at its minimum.
    is_awake: Vec<bool>,
    /// Whether a body that sleeps may have to move.
    pub is_roused: bool,
    /// The largest pull (kg m) on a kinematic body at a minimum.
    pub pull: f64,
    /// The joint that is held worst, and its error over the allowed one, if that is more than 1.
    pub joint_error: Option<(usize, f64)>,
    /// How many updates of their multipliers in a row brought it no nearer, and the multipliers before the first of them.
    pub in_vain: u32,
    pub before_in_vain: Vec<f64>,
    /// Whether joints cannot hold, and went back to these multipliers.
    pub is_jammed: bool,
    /// Path of the bodies so far.
    pub path: RecordedPath,
    pub phases: Phases,
}

/// What a body has done in a solve.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyStatistics {
    /// The displacement (m) of its group that the termination criterion compares with its tolerance.
    residual: f64,
    /// Whether it takes no part, because this step repeats the last one for it.
    pub sleeps: bool,
    /// How often it has moved.
    pub moves: u32,
    /// In how many iterations it has taken part, and in how many of them its step was shortened.
    turns: u64,
    cuts: u64,
}

impl BodyStatistics {
    const START: Self = Self { residual: 0.0, sleeps: false, moves: 0, turns: 0, cuts: 0 };
}

impl Iterate {
    pub fn new(
        places: Vec<Placement>,
        near: ContactSet,
        path: RecordedPath,
        phases: Phases,
        cost: Cost,
    ) -> Self {
        let (bodies, is_awake) = (vec![BodyStatistics::START; places.len()], vec![true; places.len()]);
        Self {
            places,
            near,
            cost,
            bodies,
            is_awake,
            is_roused: false,
            pull: 0.0,
            joint_error: None,
            in_vain: 0,
            before_in_vain: Vec::new(),
            is_jammed: false,
            path,
            phases,
        }
    }

    /// Returns the largest displacement (m) of any body by which Newton's method ended.
    pub fn residual(&self) -> f64 {
        self.bodies.iter().map(|body| body.residual).fold(0.0, f64::max)
    }

    /// Adds the iterations of the body that took part in most of them to the cost, and the shortened steps of
    /// the one that had most.
    pub fn count_iterations(&mut self) {
        self.cost.iterations += self.bodies.iter().map(|body| body.turns).max().unwrap_or(0);
        self.cost.cuts += self.bodies.iter().map(|body| body.cuts).max().unwrap_or(0);
    }

    /// Notes that f has changed for a body.
    pub fn wake(&mut self, body: usize) {
        self.is_awake[body] = true;
        self.is_roused |= self.bodies[body].sleeps;
    }

    /// Lets these bodies take no part.
    pub fn put_to_sleep(&mut self, bodies: &[usize]) {
        self.rest(bodies);
        bodies.iter().for_each(|&body| self.bodies[body].sleeps = true);
    }

    /// Notes that the part of f of these bodies is at its minimum.
    fn rest(&mut self, bodies: &[usize]) {
        bodies.iter().for_each(|&body| self.is_awake[body] = false);
    }

    /// Notes the displacement (m) that the termination criterion compares with its tolerance.
    fn note(&mut self, bodies: &[usize], residual: f64) {
        bodies.iter().for_each(|&body| self.bodies[body].residual = residual);
    }

    /// Returns the bodies whose part of f may not be at its minimum.
    fn awake(&self, objective: &Objective) -> impl Iterator<Item = usize> {
        let awake = self.is_awake.iter().enumerate().filter(|(_, is_awake)| **is_awake);
        awake.map(|(body, _)| body).filter(|&body| objective.drives[body].is_free())
    }

    /// Returns the groups of these bodies, which have coordinates: those tied to them by terms.
    pub fn groups(
        &self,
        objective: &Objective,
        rule: config::Ending,
        seeds: impl Iterator<Item = usize>,
    ) -> Groups {
        let is_free = |body: &usize| objective.drives[*body].is_free();
        let n = self.places.len();
        let mut seeds = seeds.peekable();
        // The rule of the reference program is about all bodies.
        if rule == config::Ending::Reference {
            let all: Vec<usize> = (0..n).filter(is_free).collect();
            return Groups::of(if seeds.peek().is_some() { vec![all] } else { Vec::new() }, n);
        }
        let ties_of = |body: usize, found: &mut dyn FnMut(usize)| {
            let others = self.near.pairs.others(body).chain(objective.friction.others(body));
            let others = others.chain(objective.joints.others(body));
            others.filter(is_free).for_each(found);
        };
        Groups::new(n, seeds, ties_of)
    }
}

/// What Newton's method remembers about a body from one iteration to the next.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// After a shortened step the repaired matrix is used: a nearly singular ∇²f gives useless directions, and
    /// where friction changes sign the step of ∇²f is too long.
    repairs: bool,
    /// The repaired matrix is stiffer than f, so steps along directions of negative curvature are short. Each
    /// full step doubles the stretch of the next one.
    stretch: f64,
    is_cut: bool,
    /// The part of the next step that collision detection looks at first.
    trial: f64,
    iterations: u32,
}

impl Progress {
    const START: Self = Self { repairs: false, stretch: 1.0, is_cut: false, trial: 1.0, iterations: 0 };

    /// Returns the most cautious of all.
    fn of(bodies: &[usize], all: &[Self]) -> Self {
        let join = |a: Self, b: Self| Self {
            repairs: a.repairs || b.repairs,
            stretch: a.stretch.min(b.stretch),
            is_cut: a.is_cut || b.is_cut,
            trial: a.trial.min(b.trial),
            iterations: a.iterations.max(b.iterations),
        };
        bodies.iter().map(|&body| all[body]).reduce(join).unwrap_or(Self::START)
    }
}

/// A group on its way to its minimum.
struct ActiveGroup<const N: usize> {
    slope: Slope<N>,
    progress: Progress,
    /// The displacement (m) that the termination criterion compares with its tolerance.
    residual: f64,
    direction: Direction<N>,
}

/// Minimizes `objective` from `iterate`, in place. Each group of bodies ends by itself: it takes part again
/// only after one of its bodies has moved or its part of f has changed. Ends early if it rouses a body that
/// sleeps.
///
/// Source: \[Ferguson2021\] §4.2: solve H p = −∇f, shifted if necessary; take the largest α free of contact;
/// halve it until f decreases. Deviation: all of this group by group.
///
/// # Errors
/// [`StepError::NotConverged`], [`StepError::NoDescent`] when no step decreases f, [`StepError::Singular`]
/// when no shift helps, and those of [`StepContext::way`].
pub(crate) fn minimize<const N: usize>(
    objective: &mut Objective,
    iterate: &mut Iterate,
    surroundings: &mut StepContext,
    stiffness: Option<&Stiffness>,
    solvers: &mut Solvers,
    ending: Ending,
) -> Result<(), StepError> {
    let mut progress = vec![Progress::START; iterate.places.len()];
    // f of the groups of the last iteration.
    let mut known = Known::default();
    while iterate.awake(objective).next().is_some() {
        let mut groups = iterate.groups(objective, ending.rule, iterate.awake(objective));
        // One that is awake wakes its group, whose bodies may part from it before they have ended.
        groups.bodies().for_each(|&body| iterate.wake(body));
        if iterate.is_roused {
            return Ok(());
        }
        let moving =
            directions::<N>(objective, iterate, surroundings, solvers, &mut groups, &mut progress, ending)?;
        if moving.is_empty() {
            continue;
        }
        groups.bodies().for_each(|&body| iterate.bodies[body].turns += 1);
        let proposal = propose(&moving, &groups, iterate.places.len());
        let value = |bodies: &[usize]| known.value(bodies);
        let Iterate { places, phases, .. } = &mut *iterate;
        let advance = advance(objective, surroundings, places, groups, proposal, value, phases)?;
        iterate.phases.lap(Phase::LineSearch);
        conclude(objective, iterate, &advance, &moving, &mut progress, ending)?;
        let low = stiffness.map_or(0.0, Stiffness::low);
        let (advanced, least) = iterate.follow(advance, surroundings.reach, low);
        known = advanced;
        iterate.phases.lap(Phase::Contacts);
        if let (Some(stiffness), Some(least)) = (stiffness, least) {
            let kappa = stiffness.raised(objective.kappa, least.before, least.now);
            if kappa > objective.kappa {
                iterate.cost.kappa_raises += 1;
                (0..iterate.bodies.len()).for_each(|body| iterate.wake(body));
                known = Known::default();
                objective.kappa = kappa;
            }
        }
    }
    Ok(())
}

/// Returns the steps of the groups.
fn propose<const N: usize>(moving: &[ActiveGroup<N>], groups: &Groups, n: usize) -> Proposal<N> {
    let movers = BodySlots::of(groups, n);
    let (mut p, mut trials) = (vec![Step::zeros(); movers.bodies.len()], vec![1.0; movers.bodies.len()]);
    for group in moving {
        for (&body, step) in group.slope.bodies.iter().zip(&group.direction.p) {
            if let Some(slot) = movers.slot(body) {
                (p[slot], trials[slot]) = (*step, group.progress.trial);
            }
        }
    }
    Proposal { movers, p, trials }
}

/// f of groups (J s²), where they are.
#[derive(Default)]
struct Known {
    groups: Groups,
    values: Vec<f64>,
}

impl Known {
    fn value(&self, bodies: &[usize]) -> Option<f64> {
        let group = self.groups.of_body(*bodies.first()?)?;
        (self.groups.all[group] == bodies).then(|| self.values[group])
    }
}

impl Iterate {
    /// Follows the bodies, which have advanced: brings all that depends on their places up to date. Returns f of the
    /// groups, and the smallest distances if they can have fallen below `low` (m).
    fn follow<const N: usize>(
        &mut self,
        advance: Advance<N>,
        reach: f64,
        low: f64,
    ) -> (Known, Option<MinDistances>) {
        let Advance { movers, groups, values, gone, from, steps, contacts, queries, .. } = advance;
        self.cost.queries += queries;
        let mut least = None;
        if gone.iter().any(|gone| *gone > 0.0) {
            let ways = movers.bodies.iter().zip(&from).zip(&steps);
            self.path.push(ways.map(|((&body, from), step)| (body, from, *step, &self.places[body])));
            let has_moved = |body: usize| movers.slot(body).is_some_and(|slot| gone[slot] > 0.0);
            let moved: Vec<usize> = movers.bodies.iter().copied().filter(|&body| has_moved(body)).collect();
            least = self.near.renew(&moved, has_moved, contacts, &self.places, reach, low);
            for &body in &moved {
                self.bodies[body].moves += 1;
                self.cost.moves += 1;
            }
        }
        (Known { groups, values }, least)
    }
}

/// Returns the groups that have not ended, each with its direction; only these are left in `groups`, and the
/// bodies of the others are no longer awake.
fn directions<const N: usize>(
    objective: &Objective,
    iterate: &mut Iterate,
    surroundings: &StepContext,
    solvers: &mut Solvers,
    groups: &mut Groups,
    progress: &mut [Progress],
    ending: Ending,
) -> Result<Vec<ActiveGroup<N>>, StepError> {
    let turns = GroupTasks { objective, iterate, surroundings, groups, progress, ending };
    let solvers_of: Vec<LinearSolver> = groups.all.iter().map(|bodies| solvers.take(bodies)).collect();
    let of = |(group, solver)| turns.turn(group, solver);
    let all: Vec<GroupResult<N>> =
        solvers_of.into_par_iter().enumerate().with_min_len(GRAIN).map(of).collect();
    let sum = |of: fn(&GroupResult<N>) -> f64| all.iter().map(of).sum::<f64>();
    let shares =
        [(Phase::Derivatives, sum(|turn| turn.deriving)), (Phase::LinearSolve, sum(|turn| turn.solving))];
    iterate.phases.divide(shares);
    let mut moving = Vec::with_capacity(all.len());
    for (bodies, turn) in groups.all.iter().zip(all) {
        iterate.near.keep(turn.fresh, objective.kappa);
        solvers.keep(bodies, turn.solver);
        iterate.note(bodies, turn.residual);
        let next = turn.next?;
        next.iter().for_each(|(group, _)| iterate.cost.count(&group.direction));
        match next {
            Some((group, false)) => moving.push(group),
            _ => iterate.rest(bodies),
        }
    }
    groups.retain(|bodies| iterate.is_awake[bodies[0]]);
    for group in &moving {
        for &body in &group.slope.bodies {
            progress[body].iterations = group.progress.iterations + 1;
        }
    }
    Ok(moving)
}

/// What the turns of groups in an iteration depend on.
struct GroupTasks<'a> {
    objective: &'a Objective,
    iterate: &'a Iterate,
    surroundings: &'a StepContext<'a>,
    groups: &'a Groups,
    progress: &'a [Progress],
    ending: Ending,
}

/// What a group found in its turn.
struct GroupResult<const N: usize> {
    fresh: Fresh,
    residual: f64,
    /// Its direction and whether it has ended with it; `None` if it has ended by its residual.
    next: Result<Option<(ActiveGroup<N>, bool)>, StepError>,
    solver: LinearSolver,
    /// Time (s) for the derivatives, and for the direction.
    deriving: f64,
    solving: f64,
}

impl GroupTasks<'_> {
    /// Computes the derivatives of a group and its direction, one after the other: what they share is still in the
    /// caches, and the memory is free again before the next group's turn.
    fn turn<const N: usize>(&self, group: usize, mut solver: LinearSolver) -> GroupResult<N> {
        let Self { objective, iterate, surroundings, groups, .. } = *self;
        let progress = Progress::of(&groups.all[group], self.progress);
        let mut watch = iterate.phases.watch();
        let (derivatives, fresh) =
            objective.derivatives(&iterate.places, &iterate.near, groups, group, progress.repairs);
        let mut residual = objective.imbalance(&derivatives, &iterate.places, surroundings.bounds);
        let deriving = watch.lap();
        let next = match self.has_ended(&derivatives.bodies, &progress, residual) {
            Ok(true) => Ok(None),
            Ok(false) => self.direction(derivatives, progress, &mut residual, &mut solver).map(Some),
            Err(error) => Err(error),
        };
        GroupResult { fresh, residual, next, solver, deriving, solving: watch.lap() }
    }

    /// Returns the direction of a group, and whether the group has ended with it.
    ///
    /// # Errors
    /// Those of [`direction`].
    fn direction<const N: usize>(
        &self,
        derivatives: Derivatives<N>,
        progress: Progress,
        residual: &mut f64,
        solver: &mut LinearSolver,
    ) -> Result<(ActiveGroup<N>, bool), StepError> {
        let Self { objective, iterate, surroundings, ending, .. } = *self;
        let direction = direction(objective, &iterate.places, &derivatives, progress.repairs, solver)?;
        let touched = if direction.repaired > 0 { derivatives.is_touched() } else { Vec::new() };
        let slope = derivatives.slope(&iterate.places);
        let mut group = ActiveGroup { slope, progress, residual: *residual, direction };
        let has_ended = group.has_ended(objective, iterate, surroundings, ending);
        group.direction.lengthen(&touched, progress.stretch);
        *residual = group.residual;
        Ok((group, has_ended))
    }

    /// Returns whether a group has ended by its residual (m).
    ///
    /// # Errors
    /// [`StepError::NotConverged`] after too many iterations.
    fn has_ended(&self, bodies: &[usize], progress: &Progress, residual: f64) -> Result<bool, StepError> {
        let Ending { rule, tolerance, max_iterations } = self.ending;
        // At least one iteration per step, however small the imbalance: otherwise slow bodies would never start
        // to move.
        let has_moved = bodies.iter().any(|&body| self.iterate.bodies[body].moves > 0);
        if rule == config::Ending::Balance && residual <= tolerance && !progress.is_cut && has_moved {
            return Ok(true);
        }
        if progress.iterations >= max_iterations {
            return Err(StepError::NotConverged { iterations: max_iterations, residual, tolerance });
        }
        Ok(false)
    }
}

impl<const N: usize> ActiveGroup<N> {
    /// Returns whether the group has ended by its next step.
    fn has_ended(
        &mut self,
        objective: &Objective,
        iterate: &Iterate,
        surroundings: &StepContext,
        ending: Ending,
    ) -> bool {
        if ending.rule == config::Ending::Reference {
            let Self { slope, direction, .. } = self;
            self.residual = largest_step(&iterate.places, &slope.bodies, &direction.p, surroundings);
            if self.progress.iterations > 0 && self.residual <= ending.tolerance {
                return true;
            }
        }
        // Only rounding is left: the placements have no more digits.
        let is_noise = self.descent() <= self.slope.rounding;
        let is_balanced = ending.rule == config::Ending::Balance && self.residual <= ending.tolerance;
        is_noise || is_balanced && self.is_hidden_by_rounding(objective, iterate)
    }

    /// Returns −∇f·p (J s²).
    fn descent(&self) -> f64 {
        self.slope.gradient.iter().zip(&self.direction.p).map(|(g, p)| -g.dot(p)).sum()
    }

    /// Returns whether a decrease of −∇f·p is lost in the rounding of f: of its terms, or of the placements.
    fn is_hidden_by_rounding(&self, objective: &Objective, iterate: &Iterate) -> bool {
        let f = objective.value(&self.slope, &iterate.places, &iterate.near).abs();
        self.descent() <= ROUNDING * f + self.slope.rounding
    }

    /// Returns whether a decrease of −∇f·p is lost in the rounding of the points in contact.
    fn is_hidden_by_contacts(&self, objective: &Objective, iterate: &Iterate) -> bool {
        let rounding = objective.contact_rounding(&self.slope, &iterate.places, &iterate.near);
        self.descent() <= rounding
    }

    /// Notes what the part `gone` of the step means for the next iteration.
    fn proceed(&self, gone: f64, progress: &mut [Progress]) {
        let is_cut = gone < 1.0;
        let is_stretched = self.direction.repaired > 0 && !is_cut;
        let stretch = if is_stretched { 2.0 * self.progress.stretch } else { 1.0 };
        for &body in &self.slope.bodies {
            progress[body] = Progress { repairs: is_cut, is_cut, stretch, ..progress[body] };
        }
    }
}

/// Notes how far each group has gone. Of those whose f does not decrease along a descent direction, either
/// rounding hides the decrease, and they have ended, or ∇²f gave a bad direction.
///
/// # Errors
/// [`StepError::NoDescent`] if f does not decrease with the repaired matrix either.
fn conclude<const N: usize>(
    objective: &Objective,
    iterate: &mut Iterate,
    advance: &Advance<N>,
    moving: &[ActiveGroup<N>],
    progress: &mut [Progress],
    ending: Ending,
) -> Result<(), StepError> {
    let gone = |group: &ActiveGroup<N>| advance.parts(group.slope.bodies[0]).0;
    for group in moving {
        for &body in &group.slope.bodies {
            progress[body].trial = (AHEAD * advance.parts(body).1).min(1.0);
        }
        if gone(group) > 0.0 {
            group.proceed(gone(group), progress);
        }
        if gone(group) > 0.0 && gone(group) < 1.0 {
            group.slope.bodies.iter().for_each(|&body| iterate.bodies[body].cuts += 1);
        }
    }
    // Of groups that share a step length, one may keep the others from moving.
    let mut stuck: Vec<Option<f64>> = vec![None; advance.groups.all.len()];
    let mut has_changed = vec![false; advance.groups.all.len()];
    for group in moving.iter().filter(|group| gone(group) == 0.0) {
        let bodies = &group.slope.bodies;
        let Some(joined) = advance.groups.of_body(bodies[0]) else { continue };
        if group.is_hidden_by_rounding(objective, iterate) || group.residual <= ending.tolerance {
            iterate.rest(bodies);
            has_changed[joined] = true;
        } else if group.progress.repairs && group.is_hidden_by_contacts(objective, iterate) {
            iterate.cost.rounded = iterate.cost.rounded.max(group.residual / ending.tolerance);
            iterate.rest(bodies);
            has_changed[joined] = true;
        } else if group.progress.repairs {
            stuck[joined] = Some(group.residual);
        } else {
            bodies.iter().for_each(|&body| progress[body].repairs = true);
            has_changed[joined] = true;
        }
    }
    match stuck.iter().zip(&has_changed).find_map(|(stuck, changed)| stuck.filter(|_| !changed)) {
        Some(residual) => Err(StepError::NoDescent { residual, tolerance: ending.tolerance }),
        None => Ok(()),
    }
}

/// Returns the largest change (m) of any coordinate of any vertex of `bodies` in their steps `p`.
///
/// Source: the reference program of \[Ferguson2021\].
fn largest_step<const N: usize>(
    places: &[Placement],
    bodies: &[usize],
    p: &[Step<N>],
    surroundings: &StepContext,
) -> f64 {
    let of = |(&b, p): (&usize, &Step<N>)| {
        let (from, to) = (&places[b], places[b].moved(p));
        let shape = &surroundings.shapes[b];
        let vertices = shape.mesh().vertices();
        // Points beside a vertex turn with the body.
        let turn = shape.max_offset() * from.turning(p);
        vertices.iter().map(|x| (to.point(x) - from.point(x)).amax()).fold(0.0, f64::max) + turn
    };
    bodies.iter().zip(p).filter(|(_, p)| **p != Step::<N>::zeros()).map(of).fold(0.0, f64::max)
}
