//! Projected Newton's method in which every step is free of contact.

use nalgebra::Vector6;
use rigor_scene::StepError;

use crate::body::without_fixed;
use crate::config::{self, Coordinates};
use crate::contact::PrimitivePair;
use crate::line_search::Surroundings;
use crate::linear_solve::LinearSolver;
use crate::near::Near;
use crate::objective::{Derivatives, Objective};
use crate::path::RecordedPath;
use crate::phase::{Phase, Phases};
use crate::placement::Placement;
use crate::stiffness::Stiffness;

/// Part of a step that collision detection looks at first, relative to what was free of the last step.
const AHEAD: f64 = 2.0;
/// First shift ξ of the diagonal; doubled until the matrix can be factorized.
const FIRST_SHIFT: f64 = 1e-8;
/// Maximum shift ξ_max.
const LARGEST_SHIFT: f64 = 1e12;
/// Relative rounding error of f, a sum of many terms: smaller decreases cannot be detected.
const ROUNDING: f64 = 1e-11;
/// Maximum number of values of α that a line search tries.
const HALVINGS: usize = 40;

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
    pub iterations: u64,
    pub queries: u64,
    pub cuts: u64,
    pub shifts: u64,
    pub repaired: u64,
    pub kappa_raises: u64,
    pub factorizations: u64,
    pub friction_rounds: u64,
    /// Number of solves that ended before friction agreed with its normal forces.
    pub disagreements: u64,
}

/// State of a solve: the placements, and the pairs of primitives near each other there.
pub(crate) struct Iterate {
    pub places: Vec<Placement>,
    pub near: Near,
    pub cost: Cost,
    /// The displacement (m) that the termination criterion compares with its tolerance.
    pub residual: f64,
    /// Path of the bodies so far.
    pub path: RecordedPath,
    pub phases: Phases,
}

impl Iterate {
    /// Moves the bodies to `places`, where at most these `contacts` act.
    fn move_to(&mut self, places: Vec<Placement>, contacts: Vec<PrimitivePair>, reach: f64) {
        self.near = Near::new(contacts, &places, reach);
        self.places = places;
    }
}

/// Minimizes `objective` from `iterate`, in place.
///
/// Source: \[Ferguson2021\] §4.2: solve H p = −∇f, shifted if necessary; take the largest α free of contact;
/// halve it until f decreases.
///
/// # Errors
/// [`StepError::NotConverged`], [`StepError::NoDescent`] when no step decreases f, [`StepError::Singular`]
/// when no shift helps, and those of [`Surroundings::way`].
pub(crate) fn minimize(
    objective: &mut Objective,
    iterate: &mut Iterate,
    surroundings: &mut Surroundings,
    stiffness: Option<&Stiffness>,
    solver: &mut LinearSolver,
    ending: Ending,
) -> Result<(), StepError> {
    // After a shortened step the repaired matrix is used: a nearly singular ∇²f gives useless directions, and
    // where friction changes sign the step of ∇²f is too long.
    let mut repairs = false;
    // The repaired matrix is stiffer than f, so steps along directions of negative curvature are short. Each
    // full step doubles the stretch of the next one.
    let mut stretch = 1.0;
    let mut is_cut = false;
    // The part of the next step that collision detection looks at first.
    let mut trial = 1.0;
    // f at the iterate, if it is known.
    let mut value = None;
    for iteration in 0..ending.max_iterations {
        let derivatives = objective.derivatives(&iterate.places, &mut iterate.near, repairs);
        iterate.residual = objective.imbalance(&derivatives, &iterate.places, surroundings.bounds);
        iterate.phases.lap(Phase::Derivatives);
        let is_balanced = ending.rule == config::Ending::Balance && iterate.residual <= ending.tolerance;
        // At least one iteration per step, however small the imbalance: otherwise slow bodies would never
        // start to move.
        if is_balanced && !is_cut && iterate.cost.iterations > 0 {
            return Ok(());
        }
        let repaired_before = iterate.cost.repaired;
        let mut p = direction(objective, &iterate.places, &derivatives, repairs, solver, &mut iterate.cost)?;
        let is_repaired = iterate.cost.repaired > repaired_before;
        iterate.phases.lap(Phase::LinearSolve);
        if ending.rule == config::Ending::Reference {
            iterate.residual = largest_step(&iterate.places, &p, surroundings);
            if iteration > 0 && iterate.residual <= ending.tolerance {
                return Ok(());
            }
        }
        // Only rounding is left: the placements have no more digits.
        let is_noise = descent(&derivatives, objective, &p) <= derivatives.rounding(&iterate.places);
        if is_noise || is_balanced && hidden_by_rounding(&derivatives, objective, &p, iterate) {
            return Ok(());
        }
        iterate.cost.iterations += 1;
        if is_repaired {
            lengthen(&mut p, &derivatives, stretch);
        }
        let way = surroundings.way_ahead(&iterate.places, &p, trial)?;
        trial = (AHEAD * way.alpha).min(1.0);
        iterate.cost.queries += way.queries;
        iterate.phases.lap(Phase::CollisionDetection);
        let before = value.unwrap_or_else(|| objective.value(&iterate.places, &way.contacts));
        let lower = descend(objective, iterate, &way.contacts, &p, way.alpha, before);
        iterate.phases.lap(Phase::LineSearch);
        let Some(Lower { places, alpha, value: after }) = lower else {
            // f does not decrease along a descent direction: either rounding hides the decrease, or ∇²f gave
            // a bad direction.
            if hidden_by_rounding(&derivatives, objective, &p, iterate)
                || iterate.residual <= ending.tolerance
            {
                return Ok(());
            }
            if repairs {
                let (residual, tolerance) = (iterate.residual, ending.tolerance);
                return Err(StepError::NoDescent { residual, tolerance });
            }
            repairs = true;
            continue;
        };
        iterate.cost.cuts += u64::from(alpha < 1.0);
        is_cut = alpha < 1.0;
        repairs = is_cut;
        stretch = if is_repaired && alpha >= 1.0 { 2.0 * stretch } else { 1.0 };
        iterate.path.push(&iterate.places, &p, alpha, &places);
        value = Some(after);
        let near = iterate.near.min_distance;
        iterate.move_to(places, way.contacts, surroundings.reach);
        iterate.phases.lap(Phase::Contacts);
        if let Some(stiffness) = stiffness {
            let kappa = stiffness.raised(objective.kappa, near, iterate.near.min_distance);
            value = value.filter(|_| kappa == objective.kappa);
            iterate.cost.kappa_raises += u64::from(kappa > objective.kappa);
            objective.kappa = kappa;
        }
    }
    let Ending { max_iterations: iterations, tolerance, .. } = ending;
    Err(StepError::NotConverged { iterations, residual: iterate.residual, tolerance })
}

/// Returns whether a decrease of −∇f·p is lost in the rounding of f: of its terms, or of the placements.
fn hidden_by_rounding(
    derivatives: &Derivatives,
    objective: &Objective,
    p: &[Vector6<f64>],
    iterate: &Iterate,
) -> bool {
    let f = objective.value(&iterate.places, &iterate.near.contacts).abs();
    descent(derivatives, objective, p) <= ROUNDING * f + derivatives.rounding(&iterate.places)
}

/// Returns −∇f·p (J s²).
fn descent(derivatives: &Derivatives, objective: &Objective, p: &[Vector6<f64>]) -> f64 {
    let free = p.iter().zip(&objective.blocks).filter_map(|(p, block)| block.map(|_| p));
    derivatives.gradient.iter().zip(free).map(|(g, p)| -g.dot(p)).sum()
}

/// Multiplies the steps of the bodies that touch others by `by`.
fn lengthen(p: &mut [Vector6<f64>], derivatives: &Derivatives, by: f64) {
    let touched = derivatives.is_touched(p.len());
    p.iter_mut().zip(touched).filter(|(_, touched)| *touched).for_each(|(p, _)| *p *= by);
}

/// Returns p for every body, zero for those that stay: from ∇²f if it is positive definite, else from the
/// repaired matrix, shifted if rounding requires it.
fn direction(
    objective: &Objective,
    places: &[Placement],
    derivatives: &Derivatives,
    repairs: bool,
    solver: &mut LinearSolver,
    cost: &mut Cost,
) -> Result<Vec<Vector6<f64>>, StepError> {
    let down: Vec<Vector6<f64>> = derivatives.gradient.iter().map(|g| -g).collect();
    let (mut hessian, repaired) = objective.hessian(places, derivatives, repairs);
    cost.repaired += repaired;
    let (mut shift, mut is_repaired) = (0.0, repairs);
    let x = loop {
        if let Ok(x) = solver.solve(&hessian, shift, &down) {
            break x;
        }
        if !is_repaired {
            let repaired;
            (hessian, repaired) = objective.hessian(places, derivatives, true);
            (is_repaired, cost.repaired) = (true, cost.repaired + repaired);
            continue;
        }
        cost.shifts += 1;
        shift = if shift == 0.0 { FIRST_SHIFT } else { 2.0 * shift };
        if shift > LARGEST_SHIFT {
            return Err(StepError::Singular { shift: LARGEST_SHIFT });
        }
    };
    let touched = derivatives.is_touched(places.len());
    let of = |b: usize| {
        let drive = &objective.drives[b];
        let Some(block) = objective.blocks[b] else { return Vector6::zeros() };
        // A body that nothing touches goes straight to the minimum of its own part of f.
        let goal = drive.goal().filter(|_| !touched[b] && places[b].coordinates == Coordinates::Local);
        let step = goal.map_or(x[block], |goal| places[b].step_to(&goal));
        without_fixed(step, &drive.fixed())
    };
    Ok((0..places.len()).map(of).collect())
}

/// Returns the largest change (m) of any coordinate of any vertex in the step `p`.
///
/// Source: the reference program of \[Ferguson2021\].
fn largest_step(places: &[Placement], p: &[Vector6<f64>], surroundings: &Surroundings) -> f64 {
    let of = |b: usize| {
        let (from, to) = (&places[b], places[b].moved(&p[b]));
        let vertices = surroundings.shapes[b].mesh().vertices();
        vertices.iter().map(|x| (to.point(x) - from.point(x)).amax()).fold(0.0, f64::max)
    };
    (0..places.len()).filter(|&b| p[b] != Vector6::zeros()).map(of).fold(0.0, f64::max)
}

/// Returns the first of α, α/2, α/4, … for which f is smaller than `before`.
fn descend(
    objective: &Objective,
    iterate: &Iterate,
    contacts: &[PrimitivePair],
    p: &[Vector6<f64>],
    alpha: f64,
    before: f64,
) -> Option<Lower> {
    let tries = std::iter::successors(Some(alpha), |alpha| Some(0.5 * alpha)).take(HALVINGS);
    tries
        .map(|alpha| {
            let moved = iterate.places.iter().zip(p).map(|(place, p)| place.moved(&(p * alpha)));
            let places: Vec<Placement> = moved.collect();
            let value = objective.value(&places, contacts);
            Lower { places, alpha, value }
        })
        .find(|lower| lower.value < before)
}

/// Where f is smaller, after the part α of a step.
struct Lower {
    places: Vec<Placement>,
    alpha: f64,
    /// f (J s²).
    value: f64,
}
