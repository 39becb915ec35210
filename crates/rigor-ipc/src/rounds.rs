//! Rounds of friction: each minimizes f with the friction of the last iterate, until both agree.
//!
//! Each group of bodies agrees by itself, and takes part in no further round while nothing moves it.

use rayon::prelude::*;
use rigor_geometry::Aabb;
use rigor_scene::{BodyId, Scene, StepError};

use crate::config::{Config, Ending};
use crate::friction::FrictionContact;
use crate::groups::Groups;
use crate::kinematic::{absent, precision, pull};
use crate::lag::{Lag, OfPair, friction};
use crate::line_search::StepContext;
use crate::linear_solve::Solvers;
use crate::newton::{self, Iterate, minimize};
use crate::objective::{Derivatives, Objective};
use crate::phase::Phase;
use crate::scale::Scale;
use crate::slip::Movements;
use crate::stiffness::Stiffness;

/// Maximum friction rounds per step.
const MAX_ROUNDS: i32 = 100;
/// ‖∇f‖ over mean mass and scene diagonal at which the reference program accepts friction.
const REFERENCE_AGREES: f64 = 1e-2;
/// Maximum number of updates of the multipliers of kinematic bodies and joints per friction round.
const MAX_PULLS: usize = 200;

/// An update of joints is in vain if more than this part of their error is left.
const SHRINKS: f64 = 0.9;
/// Updates in vain, one after the other, from which joints count as jammed.
const PATIENCE: u32 = 6;

/// The friction of a group, in ascending order of the pairs of bodies.
type OfGroup<'a> = Vec<([usize; 2], &'a [FrictionContact])>;

/// What does not change in the rounds of a step.
pub(crate) struct RoundContext<'a> {
    pub scene: &'a Scene,
    pub movements: &'a Movements,
    pub config: &'a Config,
    pub scale: &'a Scale,
    /// Length (s) of the step or substep.
    pub h: f64,
    /// Bodies that rest unless something else moves them.
    pub rests: &'a [bool],
    /// How κ adapts, if it does.
    pub stiffness: Option<&'a Stiffness>,
}

/// Minimizes f in rounds of friction, in place. Ends early if a body that sleeps is roused.
///
/// # Errors
/// Those of [`minimize`].
pub(crate) fn agree<const N: usize>(
    rules: &RoundContext,
    objective: &mut Objective,
    iterate: &mut Iterate,
    surroundings: &mut StepContext,
    solvers: &mut Solvers,
) -> Result<(), StepError> {
    let given = rules.config.friction_iterations;
    let n_rounds = if given < 0 { MAX_ROUNDS } else { given.max(1) };
    let mut lag = Lag::new(iterate.places.len());
    let mut has_agreed = vec![false; iterate.places.len()];
    rules.put_to_sleep(objective, iterate);
    for round in 0..n_rounds {
        // Without friction there is nothing to agree with.
        if round > 0 && objective.friction.is_empty() && !rules.rubs(iterate) {
            has_agreed.fill(true);
            break;
        }
        let is_open = |body: &usize| !has_agreed[*body] && objective.drives[*body].is_free();
        let seeds = (0..has_agreed.len()).filter(is_open);
        let mut groups = iterate.groups(objective, rules.config.ending, seeds);
        if given != 0 {
            rules.rub::<N>(round, objective, iterate, surroundings.bounds, &mut groups, &mut lag);
        }
        let is_open = |body: usize| groups.has(body);
        (0..has_agreed.len())
            .for_each(|body| has_agreed[body] = !is_open(body) || iterate.bodies[body].sleeps);
        if round > 0 && groups.all.is_empty() {
            break;
        }
        let before: Vec<u32> = iterate.bodies.iter().map(|body| body.moves).collect();
        rules.minimize::<N>(objective, iterate, surroundings, solvers)?;
        // Where a kinematic body is blocked, the step is solved again without its motion.
        if iterate.is_roused || absent(&objective.drives).next().is_some() {
            return Ok(());
        }
        let stays = |&body: &usize| iterate.bodies[body].moves == before[body];
        for bodies in groups.all.iter().filter(|bodies| round > 0 && bodies.iter().all(stays)) {
            // Nothing was left to do: friction agrees up to rounding, provided it was taken as it was found.
            if given == 0 || rules.is_reference() || lag.was_whole(bodies) {
                bodies.iter().for_each(|&body| has_agreed[body] = true);
            } else {
                lag.go_whole(bodies);
            }
        }
        (0..before.len()).filter(|body| !stays(body)).for_each(|body| has_agreed[body] = false);
    }
    let is_free = |body: &usize| objective.drives[*body].is_free();
    if given < 0 {
        let astray = (0..has_agreed.len()).filter(is_free).filter(|&body| !has_agreed[body]);
        iterate.cost.disagreements += astray.count() as u64;
    }
    iterate.count_iterations();
    Ok(())
}

/// Updates the multipliers of joints that do not hold; returns whether f must be minimized again.
fn hold(objective: &mut Objective, iterate: &mut Iterate) -> bool {
    if objective.joints.is_empty() {
        return false;
    }
    if iterate.is_jammed {
        // How far off it is now is told.
        (_, iterate.joint_error) = objective.joints.update(&iterate.places);
        objective.joints.return_to(&iterate.before_in_vain);
        return false;
    }
    let multipliers = objective.joints.multipliers();
    let (bodies, worst) = objective.joints.update(&iterate.places);
    let error = |worst: Option<(usize, f64)>| worst.map_or(0.0, |(_, error)| error);
    let is_in_vain = error(worst) > SHRINKS * error(iterate.joint_error) && iterate.joint_error.is_some();
    if !is_in_vain {
        (iterate.in_vain, iterate.before_in_vain) = (0, multipliers);
    }
    iterate.in_vain += u32::from(is_in_vain);
    iterate.joint_error = worst;
    if iterate.in_vain >= PATIENCE {
        return give_up(objective, iterate);
    }
    let free = |body: &usize| objective.drives[*body].is_free();
    bodies.iter().copied().filter(free).for_each(|body| iterate.wake(body));
    !bodies.is_empty()
}

/// Lets joints that cannot hold push as they did before they tried in vain: forces that contradict each other would grow from update
/// to update, and from step to step. Returns whether any did so.
fn give_up(objective: &mut Objective, iterate: &mut Iterate) -> bool {
    if iterate.in_vain == 0 || iterate.is_jammed {
        return false;
    }
    objective.joints.return_to(&iterate.before_in_vain);
    iterate.is_jammed = true;
    let free = |body: &usize| objective.drives[*body].is_free();
    (0..iterate.places.len())
        .filter(free)
        .filter(|&body| objective.joints.ties(body))
        .for_each(|body| iterate.wake(body));
    true
}

impl RoundContext<'_> {
    fn is_reference(&self) -> bool {
        self.config.ending == Ending::Reference
    }

    /// Puts those groups to sleep all of whose bodies rest and touch only bodies that rest: the minimization
    /// repeats that of the last step.
    fn put_to_sleep(&self, objective: &Objective, iterate: &mut Iterate) {
        let rests = |body: usize| self.rests[body];
        let may_sleep = |body: usize| objective.drives[body].is_free() && rests(body);
        if self.is_reference() || !(0..self.rests.len()).any(may_sleep) {
            return;
        }
        let free = (0..self.rests.len()).filter(|&body| objective.drives[body].is_free());
        let groups = iterate.groups(objective, self.config.ending, free);
        let mut sleeps: Vec<bool> =
            groups.all.iter().map(|bodies| bodies.iter().all(|&b| rests(b))).collect();
        let ties = iterate.near.pairs.all().map(|spot| spot.bodies).chain(objective.joints.pairs());
        for bodies in ties {
            if let Some(group) = groups.of_pair(bodies) {
                sleeps[group] &= bodies.into_iter().all(rests);
            }
        }
        for (bodies, _) in groups.all.iter().zip(sleeps).filter(|(_, sleeps)| *sleeps) {
            iterate.put_to_sleep(bodies);
        }
    }

    /// Returns whether there is friction between any bodies in contact.
    fn rubs(&self, iterate: &Iterate) -> bool {
        let mu = |[a, b]: [usize; 2]| self.scene.friction_between(BodyId(a), BodyId(b)).dynamic;
        iterate.near.pairs.all().any(|spot| mu(spot.bodies) != 0.0)
    }

    /// Gives the groups whose friction does not agree that of the next round, and wakes them; leaves only
    /// these in `groups`.
    fn rub<const N: usize>(
        &self,
        round: i32,
        objective: &mut Objective,
        iterate: &mut Iterate,
        bounds: &[Aabb],
        groups: &mut Groups,
        lag: &mut Lag,
    ) {
        let eps_v = self.scale.eps_v;
        let (barriers, kappa) = (&objective.barriers, objective.kappa);
        let mut found = friction(self.scene, iterate, groups, self.movements, barriers, kappa, eps_v);
        if round > 0 {
            // Without friction there is nothing to agree with.
            let mut rubs = vec![false; groups.all.len()];
            let used = objective.friction_of(groups).into_iter().map(|spot| spot.bodies);
            let used = used.chain(found.iter().map(|(bodies, _)| *bodies));
            used.filter_map(|bodies| groups.of_pair(bodies)).for_each(|group| rubs[group] = true);
            let is_asked = self.config.friction_iterations < 0 && (self.is_reference() || !lag.is_plain());
            if is_asked {
                let agrees = self.agreement::<N>(&found, objective, iterate, bounds, groups);
                rubs.iter_mut().zip(agrees).for_each(|(rubs, agrees)| *rubs &= !agrees);
            }
            let mut rubs = rubs.into_iter();
            groups.retain(|_| rubs.next().unwrap_or_default());
            found.retain(|(bodies, _)| groups.of_pair(*bodies).is_some());
        }
        if groups.all.is_empty() {
            return;
        }
        let spots = objective.friction_of(groups);
        let used = spots.iter().map(|&spot| {
            (spot.bodies, objective.friction.at_mut(spot).map(std::mem::take).unwrap_or_default())
        });
        let used = used.collect();
        let next = if self.is_reference() { found } else { lag.relaxed(found, used, groups) };
        objective.friction.exchange(spots, next.into_iter());
        let is_first = round == 0;
        let mut has_woken = false;
        for &body in groups.all.iter().flatten() {
            // Friction of bodies that sleep is that of their last step.
            if !(is_first && iterate.bodies[body].sleeps) {
                iterate.wake(body);
                has_woken = true;
            }
        }
        iterate.cost.friction_rounds += u64::from(has_woken);
        iterate.phases.lap(Phase::Friction);
    }

    /// Returns for each group whether its forces balance with the friction `found` at `iterate`.
    fn agreement<const N: usize>(
        &self,
        found: &[OfPair],
        objective: &Objective,
        iterate: &mut Iterate,
        bounds: &[Aabb],
        groups: &Groups,
    ) -> Vec<bool> {
        let mut friction = vec![Vec::new(); groups.all.len()];
        for (bodies, contacts) in found {
            if let Some(group) = groups.of_pair(*bodies) {
                friction[group].push((*bodies, contacts.as_slice()));
            }
        }
        let agrees = |derivatives: &Derivatives<N>| match self.config.ending {
            Ending::Balance => {
                let imbalance = objective.imbalance(derivatives, &iterate.places, bounds);
                imbalance <= self.scale.tolerance * self.h
            }
            Ending::Reference => {
                derivatives.norm() <= REFERENCE_AGREES * self.scale.diagonal * self.scale.mass
            }
        };
        let Iterate { places, near, .. } = &*iterate;
        let of = |(group, friction): (usize, OfGroup)| {
            let friction = friction.into_iter();
            let (derivatives, fresh) =
                objective.derivatives_with(friction, places, near, groups, group, false);
            (agrees(&derivatives), fresh)
        };
        let all: Vec<_> = friction.into_par_iter().enumerate().map(of).collect();
        let kept = |(agrees, fresh)| {
            iterate.near.keep(fresh, objective.kappa);
            agrees
        };
        all.into_iter().map(kept).collect()
    }

    /// Minimizes f with its present friction, until kinematic bodies have arrived and joints hold.
    fn minimize<const N: usize>(
        &self,
        objective: &mut Objective,
        iterate: &mut Iterate,
        surroundings: &mut StepContext,
        solvers: &mut Solvers,
    ) -> Result<(), StepError> {
        let tolerance = self.scale.tolerance * self.h;
        for _ in 0..MAX_PULLS {
            let ending = newton::Ending {
                rule: self.config.ending,
                tolerance: tolerance.min(precision(&objective.drives, surroundings.shapes)),
                max_iterations: self.config.max_newton_iterations,
            };
            let solved = minimize::<N>(objective, iterate, surroundings, self.stiffness, solvers, ending);
            match solved {
                Ok(()) => {}
                Err(_) if give_up(objective, iterate) => continue,
                Err(error) => return Err(error),
            }
            let is_pulled = pull(objective, iterate);
            if !hold(objective, iterate) && !is_pulled {
                break;
            }
        }
        Ok(())
    }
}
