//! What a step tells about itself.

use rigor_math::Vec3;
use rigor_scene::{BodyId, ContactReport, PhaseTime, Scene, StepReport};

use crate::contact::Contact;
use crate::newton::Iterate;
use crate::objective::{Objective, points};
use crate::placement::Placement;
use crate::terms::merged;

pub(crate) fn report(
    objective: &Objective,
    iterate: &Iterate,
    scene: &Scene,
    start: &[Placement],
    dt: f64,
    seconds: f64,
) -> StepReport {
    let near = iterate.min_distance();
    let terms = merged(&iterate.contacts, &iterate.places);
    StepReport {
        iterations: iterate.cost.iterations,
        residual: Some(iterate.residual),
        contacts: terms.iter().filter_map(|c| contact(objective, c, iterate, scene, start, dt)).collect(),
        min_distance: near.is_finite().then_some(near),
        ccd_queries: iterate.cost.queries,
        phases: vec![PhaseTime { phase: "solve", seconds }],
        path: iterate.path.pieces.clone(),
    }
}

/// f = −κ ∇(m b)/h² and the friction on the same primitives.
fn contact(
    objective: &Objective,
    contact: &Contact,
    iterate: &Iterate,
    scene: &Scene,
    start: &[Placement],
    dt: f64,
) -> Option<ContactReport> {
    let places = &iterate.places;
    let x = points(contact, places);
    let before = points(contact, start);
    let (weights, separation) = contact.nearest(&x);
    let (n_a, _) = contact.kind.sizes();
    let distance = separation.norm();
    let normal_world = separation.try_normalize(0.0)?;
    let gradient = contact.gradient(&objective.barrier, &x);
    let force: Vec3 = (0..n_a).map(|i| -gradient.fixed_rows::<3>(3 * i).into_owned()).sum::<Vec3>();
    let normal_force = force.dot(&normal_world) * objective.kappa / (dt * dt);
    let rubbing = objective.friction.iter().find(|f| f.contact.is_between_same(contact));
    let slip: Vec3 = (0..4).map(|i| weights[i] * (x[i] - before[i])).sum::<Vec3>() / dt;
    let mu = scene.friction_between(BodyId(contact.bodies[0]), BodyId(contact.bodies[1])).dynamic;
    (normal_force > 0.0).then(|| ContactReport {
        body_a: BodyId(contact.bodies[0]),
        body_b: BodyId(contact.bodies[1]),
        point_world: (0..n_a).map(|i| weights[i] * x[i]).sum(),
        normal_world,
        distance,
        normal_force,
        friction_force_world: rubbing.map_or_else(Vec3::zeros, |f| f.force(&x) / (dt * dt)),
        slip_velocity_world: slip - slip.dot(&normal_world) * normal_world,
        friction: (mu, mu),
    })
}
