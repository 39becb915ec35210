//! The report of a step.

use rayon::prelude::*;
use rigor_math::Vec3;
use rigor_scene::{BodyId, ContactReport, Flaw, FlawKind, Quantity, Scene, StepReport, Subject};

use crate::barriers::Barriers;
use crate::contact::PrimitivePair;
use crate::contact::points;
use crate::contact_set::ContactSet;
use crate::friction::FrictionContact;
use crate::newton::Iterate;
use crate::objective::Objective;
use crate::phase::Phase;
use crate::placement::Placement;
use crate::slip::Movements;

/// Minimum contacts per rayon task.
const GRAIN: usize = 32;

pub(crate) fn report(
    objective: &Objective,
    iterate: &mut Iterate,
    scene: &Scene,
    movements: &Movements,
    pressed: f64,
) -> StepReport {
    let held = barrier_of(&objective.barriers, &iterate.near, &iterate.places);
    let released = objective.kappa * (pressed - held) / (movements.h * movements.h);
    let near = iterate.near.min_distance();
    let contacts = contacts(objective, iterate, scene, movements);
    iterate.phases.lap(Phase::Rest);
    StepReport {
        iterations: iterate.cost.iterations,
        residual: Some(iterate.residual()),
        contacts,
        particle_contacts: Vec::new(),
        min_distance: near.is_finite().then_some(near),
        joints: Vec::new(),
        ccd_queries: iterate.cost.queries,
        phases: iterate.phases.times(),
        quantities: quantities(iterate, objective.kappa),
        flaws: disagreement(iterate.cost.disagreements)
            .into_iter()
            .chain(rounded(iterate.cost.rounded))
            .chain(loose(iterate.joint_error))
            .collect(),
        released: Some(released),
        path: iterate.path.pieces.clone(),
    }
}

/// Returns B (m⁴), the barrier of all contacts `near` between bodies at `places`, without κ.
pub(crate) fn barrier_of(barriers: &Barriers, near: &ContactSet, places: &[Placement]) -> f64 {
    near.pairs.values().map(|pair| pair.barrier(barriers, places)).sum()
}

/// Returns the barrier of the contacts of each pair of bodies (m⁴), without κ.
pub(crate) fn barrier_by_pair(
    barriers: &Barriers,
    near: &ContactSet,
    places: &[Placement],
) -> Vec<([usize; 2], f64)> {
    near.pairs.values().map(|pair| (pair.bodies, pair.barrier(barriers, places))).collect()
}

/// The flaw of a step in which the friction of so many bodies did not agree with its normal forces.
fn disagreement(bodies: u64) -> Option<Flaw> {
    (bodies > 0).then(|| Flaw::new(FlawKind::FrictionDisagrees, Subject::Scene, bodies as f64))
}

/// The flaw of a step whose joints do not hold, with the worst of them.
fn loose(worst: Option<(usize, f64)>) -> Option<Flaw> {
    worst.map(|(joint, excess)| Flaw::new(FlawKind::Unconverged, Subject::Joint(joint), excess))
}

/// The flaw of a step in which rounding kept a group of bodies from its tolerance, by this factor.
fn rounded(excess: f64) -> Option<Flaw> {
    (excess > 1.0).then(|| Flaw::new(FlawKind::Unconverged, Subject::Scene, excess))
}

fn quantities(iterate: &Iterate, kappa: f64) -> Vec<Quantity> {
    let cost = &iterate.cost;
    let counts = [
        ("moves", cost.moves),
        ("cuts", cost.cuts),
        ("shifts", cost.shifts),
        ("repaired", cost.repaired),
        ("factorizations", cost.factorizations),
        ("friction_rounds", cost.friction_rounds),
        ("kappa_raises", cost.kappa_raises),
        ("substeps", 1),
    ];
    let counts = counts.map(|(name, count)| Quantity { name, unit: "1", value: count as f64 });
    counts.into_iter().chain([Quantity { name: "kappa", unit: "J s²/m⁴", value: kappa }]).collect()
}

/// Returns one contact for each point and each body near it, and one for each pair of edges.
fn contacts(
    objective: &Objective,
    iterate: &Iterate,
    scene: &Scene,
    movements: &Movements,
) -> Vec<ContactReport> {
    let mut groups: Vec<(&[PrimitivePair], Vec<&FrictionContact>)> = Vec::new();
    for pair in iterate.near.pairs.values() {
        let mut rubbing = FrictionLookup { all: objective.friction_between(pair.bodies), at: 0 };
        for terms in pair.terms.chunk_by(PrimitivePair::has_same_point) {
            groups.push((terms, terms.iter().filter_map(|term| rubbing.of(term)).collect()));
        }
    }
    let report = |(terms, rubbing): &(&[PrimitivePair], Vec<&FrictionContact>)| {
        let friction = rubbing.iter().map(|f| f.force(&iterate.places)).sum();
        contact(objective, terms, iterate, scene, movements, friction)
    };
    let reports: Vec<_> = groups.par_iter().with_min_len(GRAIN).map(report).collect();
    reports.into_iter().flatten().collect()
}

/// Looks up the friction of a pair of bodies by contact. Both are in the order of the barrier terms, so the next entry usually
/// matches.
struct FrictionLookup<'a> {
    all: &'a [FrictionContact],
    at: usize,
}

impl<'a> FrictionLookup<'a> {
    fn of(&mut self, contact: &PrimitivePair) -> Option<&'a FrictionContact> {
        let (passed, ahead) = self.all.split_at(self.at);
        let asked = contact.identity();
        let found = ahead.iter().chain(passed).position(|f| f.at == asked)?;
        let index = (self.at + found) % self.all.len();
        self.at = index + 1;
        Some(&self.all[index])
    }
}

/// Returns a contact with f = −κ ∇(m b)/h² summed over the terms of one point, some of which subtract, and
/// their friction.
fn contact(
    objective: &Objective,
    terms: &[PrimitivePair],
    iterate: &Iterate,
    scene: &Scene,
    movements: &Movements,
    friction: Vec3,
) -> Option<ContactReport> {
    let places = &iterate.places;
    let of = |c| {
        let x = points(c, places);
        (c, c.distance_sq(&x), x)
    };
    let (nearest, _, x) = terms.iter().map(of).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (dt, span) = (movements.h, movements.span(nearest.bodies));
    let (weights, separation) = nearest.nearest(&x);
    let force = terms.iter().map(|term| push(objective, term, places)).sum::<Vec3>() / (dt * dt);
    let normal_world = force.try_normalize(0.0)?;
    let touching = nearest.surface_points(&weights, &separation.try_normalize(0.0)?, places);
    let (point_world, slip) = match nearest.offset() == 0.0 {
        true => {
            let before = movements.origins(nearest, places);
            let slip = (0..4).map(|i| weights[i] * (x[i] - before[i])).sum::<Vec3>() / span;
            ((0..nearest.kind.sizes().0).map(|i| weights[i] * x[i]).sum(), slip)
        }
        false => {
            let [a, b] = std::array::from_fn(|side| places[nearest.bodies[side]].point(&touching[side]));
            let before = movements.separation(nearest, &weights, &touching, places);
            (a, (a - b - before) / span)
        }
    };
    let mu = scene.friction_between(BodyId(nearest.bodies[0]), BodyId(nearest.bodies[1])).dynamic;
    Some(ContactReport {
        body_a: BodyId(nearest.bodies[0]),
        body_b: BodyId(nearest.bodies[1]),
        point_world,
        normal_world,
        distance: separation.norm() - nearest.offset(),
        normal_force: force.norm(),
        friction_force_world: friction / (dt * dt),
        slip_velocity_world: slip - slip.dot(&normal_world) * normal_world,
        friction: (mu, mu),
    })
}

/// Returns the force of a term on A along its normals, times h² (kg m, world).
fn push(objective: &Objective, term: &PrimitivePair, places: &[Placement]) -> Vec3 {
    term.push(objective.barriers.between(term.bodies), &points(term, places)) * objective.kappa
}
