//! The direction of a Newton step of one group of bodies.

use rigor_scene::StepError;

use crate::body::without_fixed;
use crate::body_slots::Step;
use crate::linear_solve::LinearSolver;
use crate::objective::{Derivatives, Objective};
use crate::placement::Coordinates;
use crate::placement::Placement;

/// First shift ξ of the diagonal; doubled until the matrix can be factorized.
const FIRST_SHIFT: f64 = 1e-8;
/// Maximum shift ξ_max.
const MAX_SHIFT: f64 = 1e12;

/// Part of the descent of a Newton step that its turn, as one by a rotation, must have at least.
const TURNED: f64 = 0.5;

/// A Newton step, and what it took.
pub(crate) struct Direction<const N: usize> {
    /// p of each body of the group.
    pub p: Vec<Step<N>>,
    pub repaired: u64,
    pub shifts: u64,
    pub factorizations: u64,
}

impl<const N: usize> Direction<N> {
    /// Multiplies the steps of the bodies that are `touched` by `by`.
    pub fn lengthen(&mut self, touched: &[bool], by: f64) {
        self.p.iter_mut().zip(touched).filter(|(_, touched)| **touched).for_each(|(p, _)| *p *= by);
    }
}

/// Returns p: from ∇²f if it is positive definite, else from the repaired matrix, shifted if rounding requires
/// it.
///
/// # Errors
/// [`StepError::Singular`] when no shift helps.
pub(crate) fn direction<const N: usize>(
    objective: &Objective,
    places: &[Placement],
    derivatives: &Derivatives<N>,
    repairs: bool,
    solver: &mut LinearSolver,
) -> Result<Direction<N>, StepError> {
    solver.factorizations = 0;
    let down: Vec<Step<N>> = derivatives.gradient.iter().map(|g| -g).collect();
    let (mut hessian, mut all_repaired) = objective.hessian(places, derivatives, repairs);
    let (mut shift, mut shifts, mut is_repaired) = (0.0, 0, repairs);
    let x = loop {
        if let Ok(x) = solver.solve(&hessian, shift, &down) {
            break x;
        }
        if !is_repaired {
            let repaired;
            (hessian, repaired) = objective.hessian(places, derivatives, true);
            (is_repaired, all_repaired) = (true, all_repaired + repaired);
            continue;
        }
        shifts += 1;
        shift = if shift == 0.0 { FIRST_SHIFT } else { 2.0 * shift };
        if shift > MAX_SHIFT {
            return Err(StepError::Singular { shift: MAX_SHIFT });
        }
    };
    // Joined bodies fly together, or not at all.
    let mut is_touched = derivatives.is_touched();
    let flown = |b: usize| objective.drives[b].goal().unwrap_or_else(|| places[b].pose());
    let is_joined = |b: &usize| objective.joints.ties(*b);
    if derivatives.bodies.iter().any(is_joined)
        && (is_touched.contains(&true) || objective.joints.is_loaded(&derivatives.bodies, &flown))
    {
        let joined = derivatives.bodies.iter().map(is_joined);
        is_touched.iter_mut().zip(joined).for_each(|(touched, joined)| *touched |= joined);
    }
    let goals: Vec<Option<Placement>> = derivatives
        .bodies
        .iter()
        .zip(is_touched)
        .map(|(&b, is_touched)| {
            let is_straight = places[b].coordinates != Coordinates::RotationVector;
            // A body that nothing touches goes straight to the minimum of its own part of f.
            objective.drives[b].placed(&places[b]).filter(|_| !is_touched && is_straight)
        })
        .collect();
    let goes = leads_down(objective, places, derivatives, &goals, repairs);
    let bodies = derivatives.bodies.iter().zip(goals).zip(x).zip(&derivatives.gradient);
    let of = |(((&b, goal), x), gradient): (((&usize, Option<Placement>), Step<N>), &Step<N>)| {
        let step = goal.filter(|_| goes).map_or_else(
            || {
                let turned = places[b].turned_by(&x);
                turned.filter(|turned| gradient.dot(turned) <= TURNED * gradient.dot(&x)).unwrap_or(x)
            },
            |goal| places[b].step_to(&goal),
        );
        without_fixed(step, &objective.drives[b].fixed(), &places[b])
    };
    let p = bodies.map(of).collect();
    Ok(Direction { p, repaired: all_repaired, shifts, factorizations: solver.factorizations })
}

/// Returns whether f falls on the ways of bodies to their `goals`: always, if they are rigid. The straight way of an affine body leads past stretches
/// that may cost more than the way gains, so that it is taken while it was not cut, or falls at the start by as much as the goal promises.
fn leads_down<const N: usize>(
    objective: &Objective,
    places: &[Placement],
    derivatives: &Derivatives<N>,
    goals: &[Option<Placement>],
    repairs: bool,
) -> bool {
    let (mut slope, mut gain) = (0.0, 0.0);
    let goals = derivatives.bodies.iter().zip(goals).zip(&derivatives.gradient);
    for ((&b, goal), gradient) in goals {
        let Some(goal) = goal.filter(Placement::is_affine) else { continue };
        let step = without_fixed(places[b].step_to(&goal), &objective.drives[b].fixed(), &places[b]);
        slope -= gradient.dot(&step);
        gain += objective.own_value(b, &places[b]) - objective.own_value(b, &goal);
    }
    slope >= gain || !repairs && slope > 0.0
}
