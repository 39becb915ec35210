//! One step: the incremental potential of [Ferguson2021], minimized without ever touching.

use nalgebra::Vector6;
use rayon::prelude::*;
use rigor_ccd::broad_phase::Shape;
use rigor_math::{Mat3, Pose, rotation_vector};
use rigor_scene::{
    BodyId, BodyState, Clock, Method, Notice, Scene, State, StepError, StepReport, Unsupported,
};

use crate::barrier::Barrier;
use crate::body::{Drive, Inertia};
use crate::config::{Config, Coordinates};
use crate::contact::Contact;
use crate::friction::FrictionContact;
use crate::kinematic::Target;
use crate::line_search::{Surroundings, too_far};
use crate::linear_solve::LinearSolver;
use crate::newton::{Cost, Ending, Iterate, minimize};
use crate::objective::{Objective, points};
use crate::path::Path;
use crate::phase::{Phase, Phases};
use crate::placement::Placement;
use crate::scale::Scale;
use crate::shapes::ShapeCache;
use crate::stiffness::Stiffness;
use crate::terms::merged;
use crate::{memory, notice, report};

/// Friction forces are found anew as many times at the most in one step.
const MAX_LAGS: i32 = 100;
/// As many times the prescriptions of kinematic bodies are pulled harder in one step.
const MAX_PULLS: usize = 200;

/// Friction between as many pairs of bodies is worth a thread of its own.
const GRAIN: usize = 16;

/// Rigid bodies by incremental potential contact.
///
/// Source: [Ferguson2021]. Deviations: see `docs/methods/ipc.md`.
#[derive(Debug)]
pub struct Ipc {
    config: Config,
    clock: Clock,
    shapes: ShapeCache,
    solver: LinearSolver,
}

impl Ipc {
    /// The method with these settings.
    ///
    /// # Errors
    /// A sentence naming the setting that is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, String> {
        config.validate()?;
        Ok(Self { config, clock, shapes: ShapeCache::default(), solver: LinearSolver::default() })
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }
}

impl Method for Ipc {
    fn name(&self) -> &str {
        "ipc"
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let lacks = |what: &str| Err(Unsupported { method: "ipc".into(), what: what.into() });
        if !scene.joints.is_empty() {
            return lacks("joints");
        }
        if !scene.particles.is_empty() {
            return lacks("particles");
        }
        Ok(())
    }

    fn notices(&self, scene: &Scene, dt: f64) -> Vec<Notice> {
        notice::notices(scene, &self.config, dt)
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let mut phases = Phases::start(self.clock);
        self.shapes.update(scene, self.config.pairs);
        let d_min = self.config.minimum_separation;
        let mut scale = Scale::new(scene, self.shapes.bounds(), &self.config, dt);
        if self.config.d_hat.is_none() {
            let near = self.shapes.start_distance(scene, d_min + scale.d_hat).map_err(too_far)?;
            scale = scale.starting_at(near, d_min);
        }
        let scale = scale.resolving(dt);
        let (shapes, skins, nearby) = self.shapes.parts();
        let barrier = Barrier::new(scale.d_hat, d_min);
        let may_collide = |a: usize, b: usize| scene.can_collide(BodyId(a), BodyId(b));
        let mut surroundings = Surroundings {
            shapes,
            skins,
            reach: barrier.reach_sq().sqrt(),
            d_min,
            may_collide: &may_collide,
            nearby,
        };

        let q_dots = memory::q_dots(scene, state);
        let mut places = places(scene, state, self.config.coordinates);
        let mut drives = drives(scene, state, &q_dots, dt);
        let start = places.clone();
        let mut path = Path::new(self.config.record_path);
        phases.lap(Phase::Rest);
        follow(scene, state, dt, &mut surroundings, &mut places, &mut drives, &mut path)?;
        phases.lap(Phase::CollisionDetection);
        let contacts = surroundings.contacts(&places)?;
        phases.lap(Phase::Contacts);

        let mut iterate = Iterate { places, contacts, cost: Cost::default(), residual: 0.0, path, phases };
        let fall = dt * dt * scene.gravity.norm();
        refuse_too_near(&iterate, d_min)?;
        let stiffness = Stiffness::new(scale.mass, fall, scale.d_hat, d_min);
        let known = self.config.kappa.or_else(|| memory::kappa(state));
        let kappa = known.unwrap_or_else(|| stiffness.at_start(iterate.min_distance()));
        let adapts = self.config.kappa.is_none().then_some(&stiffness);
        let mut objective = Objective::new(drives, barrier, kappa);
        let mut ending =
            Ending { tolerance: scale.tolerance, max_iterations: self.config.max_newton_iterations };
        let lags = match self.config.friction_iterations {
            -1 => MAX_LAGS,
            given => given.max(1),
        };
        let factorizations = self.solver.factorizations;
        iterate.phases.lap(Phase::Rest);
        for _ in 0..lags {
            let before = iterate.cost.iterations;
            if self.config.friction_iterations != 0 {
                let eps = scale.eps_v * dt;
                objective.friction = friction(scene, &iterate, &start, &barrier, objective.kappa, eps);
                iterate.cost.friction_rounds += 1;
                iterate.phases.lap(Phase::Friction);
            }
            for _ in 0..MAX_PULLS {
                ending.tolerance = scale.tolerance.min(precision(&objective.drives, shapes));
                minimize(&mut objective, &mut iterate, &mut surroundings, adapts, &mut self.solver, ending)?;
                if !pull(&mut objective, &iterate.places) {
                    break;
                }
            }
            if iterate.cost.iterations == before {
                break;
            }
        }
        iterate.cost.factorizations = self.solver.factorizations - factorizations;
        let report = report::report(&objective, &mut iterate, scene, &start, dt);
        finish(scene, state, &iterate, objective.kappa, dt);
        Ok(report)
    }
}

fn places(scene: &Scene, state: &State, coordinates: Coordinates) -> Vec<Placement> {
    let of = |(body, state): (&rigor_scene::Body, &BodyState)| {
        // An axis of the world can be held fixed in local coordinates only.
        let is_held = body.fixed.rotation != [false; 3];
        Placement::new(&state.pose, if is_held { Coordinates::Local } else { coordinates })
    };
    scene.bodies.iter().zip(&state.bodies).map(of).collect()
}

fn drives(scene: &Scene, state: &State, q_dots: &[Mat3], dt: f64) -> Vec<Drive> {
    let bodies = scene.bodies.iter().zip(&state.bodies).zip(q_dots);
    bodies
        .map(|((body, now), q_dot)| match body.prescribed(state.time + dt) {
            None => {
                let v = now.linear_velocity;
                Drive::Inertia(Inertia::new(body, &now.pose, &v, q_dot, &scene.gravity, dt))
            }
            Some(then) if then.pose == now.pose => Drive::Still,
            Some(then) => Drive::Target(Target::new(body.mass, &body.inertia, &now.pose, &then.pose)),
        })
        .collect()
}

/// Moves prescribed bodies to where they are to end, if nothing is in their way; then they stay there.
fn follow(
    scene: &Scene,
    state: &State,
    dt: f64,
    surroundings: &mut Surroundings,
    places: &mut [Placement],
    drives: &mut [Drive],
    path: &mut Path,
) -> Result<(), StepError> {
    if !drives.iter().any(|drive| matches!(drive, Drive::Target(_))) {
        return Ok(());
    }
    let target = |b: usize| scene.bodies[b].prescribed(state.time + dt).map(|s| s.pose);
    let steps: Vec<Vector6<f64>> = (0..places.len())
        .map(|b| match (&drives[b], target(b)) {
            (Drive::Target(_), Some(pose)) => step_to(&places[b], &pose),
            _ => Vector6::zeros(),
        })
        .collect();
    let mut local: Vec<Placement> = places.to_vec();
    for place in &mut local {
        *place = Placement::new(&place.pose(), Coordinates::Local);
    }
    if surroundings.way(&local, &steps).is_ok_and(|way| way.alpha >= 1.0) {
        for b in 0..places.len() {
            if let (Drive::Target(_), Some(pose)) = (&drives[b], target(b)) {
                places[b] = Placement::new(&pose, places[b].coordinates);
                drives[b] = Drive::Still;
            }
        }
        path.push(&local, &steps, 1.0, places);
    }
    Ok(())
}

fn step_to(place: &Placement, pose: &Pose) -> Vector6<f64> {
    let by = pose.position - place.position;
    let turn = rotation_vector::log(&(pose.rotation * place.rotation.inverse()));
    Vector6::new(by.x, by.y, by.z, turn.x, turn.y, turn.z)
}

/// # Errors
/// [`StepError::Failed`] where surfaces begin no farther apart than `d_min` (m): the barrier is infinite there.
fn refuse_too_near(iterate: &Iterate, d_min: f64) -> Result<(), StepError> {
    let distance = |contact: &Contact| contact.distance(&iterate.places);
    let Some(contact) = iterate.contacts.iter().find(|contact| distance(contact) <= d_min) else {
        return Ok(());
    };
    let what = format!(
        "surfaces begin the step {:e} m apart, and must be farther apart than {d_min} m (minimum_separation)",
        distance(contact)
    );
    Err(StepError::Failed { what, bodies: contact.bodies.map(BodyId).to_vec() })
}

fn friction(
    scene: &Scene,
    iterate: &Iterate,
    start: &[Placement],
    barrier: &Barrier,
    kappa: f64,
    eps: f64,
) -> Vec<FrictionContact> {
    let of = |contact: &Contact| {
        let [a, b] = contact.bodies.map(BodyId);
        let mu = scene.friction_between(a, b).dynamic;
        let (x, before) = (points(contact, &iterate.places), points(contact, start));
        FrictionContact::new(contact, barrier, kappa, mu, eps, &x, &before)
    };
    let groups: Vec<&[Contact]> = iterate.contacts.chunk_by(Contact::has_same_bodies).collect();
    let of_pair = |group: &&[Contact]| -> Vec<FrictionContact> {
        merged(group, &iterate.places).iter().filter_map(of).collect()
    };
    let all: Vec<_> = groups.par_iter().with_min_len(GRAIN).map(of_pair).collect();
    all.concat()
}

/// How exactly (m) each minimum must be found for multipliers to converge: infinity without prescribed bodies under way.
fn precision(drives: &[Drive], shapes: &[Shape]) -> f64 {
    let of = |(drive, shape): (&Drive, &Shape)| match drive {
        Drive::Target(target) => target.precision(shape.radius()),
        _ => f64::INFINITY,
    };
    drives.iter().zip(shapes).map(of).fold(f64::INFINITY, f64::min)
}

/// Lets go of the prescribed bodies that have arrived and pulls the others harder; whether there is more to solve.
fn pull(objective: &mut Objective, places: &[Placement]) -> bool {
    let mut has_changed = false;
    for (drive, place) in objective.drives.iter_mut().zip(places) {
        let Drive::Target(target) = drive else { continue };
        has_changed = true;
        if target.is_met(&place.position, &place.matrix) {
            *drive = Drive::Still;
        } else {
            target.update(&place.position, &place.matrix);
        }
    }
    objective.number_blocks();
    has_changed
}

fn finish(scene: &Scene, state: &mut State, iterate: &Iterate, kappa: f64, dt: f64) {
    let mut q_dots = Vec::with_capacity(scene.bodies.len());
    for ((body, now), place) in scene.bodies.iter().zip(&mut state.bodies).zip(&iterate.places) {
        let before = now.pose.rotation.to_rotation_matrix().into_inner();
        q_dots.push((place.matrix - before) / dt);
        let turn = rotation_vector::log(&(place.rotation * now.pose.rotation.inverse()));
        let moved = BodyState {
            pose: place.pose(),
            linear_velocity: (place.position - now.pose.position) / dt,
            angular_velocity: turn / dt,
        };
        let then = body.prescribed(state.time + dt).filter(|then| then.pose == moved.pose);
        *now = then.unwrap_or(moved);
    }
    memory::store(state, &q_dots, kappa);
}
