//! One step: minimizes the incremental potential of \[Ferguson2021\] without ever touching.

use rigor_scene::{
    BodyId, BodyState, Clock, ConfigError, Feature, Method, Notice, Quantity, Scene, State, StepError,
    StepReport, Unsupported,
};

use crate::barrier::Barrier;
use crate::config::{Config, Coordinates};
use crate::contact_set::StoredContacts;
use crate::flight::Flights;
use crate::kinematic::follow;
use crate::line_search::{StepContext, refused};
use crate::linear_solve::Solvers;
use crate::newton::{Cost, Iterate};
use crate::objective::Objective;
use crate::pair_map::PairMap;
use crate::path::RecordedPath;
use crate::phase::{Phase, Phases};
use crate::placement::Placement;
use crate::rounds::{RoundContext, agree};
use crate::scale::Scale;
use crate::shapes::ShapeCache;
use crate::slip::Movements;
use crate::stiffness::Stiffness;
use crate::{intersection, memory, notice, report};

/// Rigid-body dynamics by incremental potential contact.
///
/// Source: \[Ferguson2021\]. Deviations: see `docs/methods/ipc.md`.
#[derive(Debug)]
pub struct Ipc {
    config: Config,
    clock: Clock,
    shapes: ShapeCache,
    solvers: Solvers,
}

impl Ipc {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self { config, clock, shapes: ShapeCache::default(), solvers: Solvers::default() })
    }

    /// The settings in use.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The tolerance (m/s) in force in `scene` with steps of `dt` (s): the one that the settings ask for, but at most 10⁻⁴ of
    /// what gravity and forces add to a velocity in one step, and at most 0.1 d̂/h, unless `ending` is that of the reference program.
    pub fn tolerance(&self, scene: &Scene, dt: f64) -> f64 {
        let bounds: Vec<_> = scene.bodies.iter().map(|body| body.mesh.bounds()).collect();
        Scale::new(scene, &bounds, &self.config, dt).tolerance
    }
}

impl Method for Ipc {
    fn name(&self) -> &str {
        "ipc"
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let lacks = |what| Err(Unsupported { method: "ipc".into(), what });
        if !scene.joints.is_empty() {
            return lacks(Feature::Joints);
        }
        if !scene.particles.is_empty() {
            return lacks(Feature::Particles);
        }
        Ok(())
    }

    fn notices(&self, scene: &Scene, dt: f64) -> Vec<Notice> {
        notice::notices(scene, &self.config, dt)
    }

    fn derived(&mut self, scene: &Scene, dt: f64) -> Vec<Quantity> {
        self.shapes.update(scene, self.config.pairs);
        let Ok(scale) = self.scale(scene, dt) else { return Vec::new() };
        let quantity = |name, unit, value| Quantity { name, unit, value };
        vec![
            quantity("d_hat", "m", scale.d_hat),
            quantity("eps_v", "m/s", scale.eps_v),
            quantity("velocity_tolerance", "m/s", scale.tolerance),
        ]
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let mut phases = Phases::start(self.clock);
        self.shapes.update(scene, self.config.pairs);
        let mut flights = Flights::new(scene, state, self.config.integrator, dt);
        if flights.is_first() {
            intersection::refuse(scene, &places(scene, state, self.config.coordinates))?;
        }
        let scale = self.scale(scene, dt)?;
        let mut cost = Cost::default();
        if flights.is_first() {
            flights.begin_resting(&self.contacts_at_start(&flights, &scale)?);
        }
        let mut is_attempt = flights.is_first();
        let Config { kappa, minimum_separation: d_min, .. } = self.config;
        let terms = |kappa| [dt, kappa, scale.d_hat, d_min, scale.eps_v, scale.tolerance];
        let kappa = kappa.or_else(|| memory::kappa(state)).unwrap_or(0.0);
        let mut rests = flights.resting(&terms(kappa));
        loop {
            let mut end = self.solve(&flights, &rests, &scale, phases, cost)?;
            if end.iterate.is_roused {
                rests.fill(false);
                (phases, cost) = (end.iterate.phases, Cost::default());
                continue;
            }
            let arrivals = flights.arrivals(&end.iterate, &end.objective);
            let is_again = std::mem::take(&mut is_attempt) && flights.begin_with(&arrivals);
            if is_again || flights.first_where_hit(&arrivals) {
                (phases, cost) = (end.iterate.phases, end.iterate.cost);
                continue;
            }
            let report = report::report(&end.objective, &mut end.iterate, scene, &end.movements, end.pressed);
            flights.remembered(&arrivals, &end.iterate, terms(end.objective.kappa)).store(&mut state.memory);
            state.bodies = arrivals.states;
            let reach = end.objective.barrier.reach_sq().sqrt();
            self.shapes.keep(StoredContacts::new(end.iterate.places, reach, end.iterate.near));
            return Ok(report);
        }
    }
}

/// The end of a step.
struct End {
    iterate: Iterate,
    objective: Objective,
    movements: Movements,
    /// The barrier (m⁴) of the contacts at the start of the step, without κ.
    pressed: f64,
}

impl Ipc {
    fn scale(&mut self, scene: &Scene, dt: f64) -> Result<Scale, StepError> {
        let scale = Scale::new(scene, self.shapes.bounds(), &self.config, dt);
        if self.config.d_hat.is_some() {
            return Ok(scale);
        }
        let d_min = self.config.minimum_separation;
        let near = self
            .shapes
            .start_distance(scene, d_min + scale.d_hat)
            .map_err(|error| refused(error, |body| self.shapes.resting(body)))?;
        Ok(scale.starting_at(near, d_min))
    }

    /// Returns the pairs of bodies in contact at the start of a step.
    fn contacts_at_start(&mut self, flights: &Flights, scale: &Scale) -> Result<Vec<[usize; 2]>, StepError> {
        let Flights { scene, state, .. } = *flights;
        let d_min = self.config.minimum_separation;
        let (shapes, skins, bounds, nearby) = self.shapes.parts();
        let may_collide = |a: usize, b: usize| scene.can_collide(BodyId(a), BodyId(b));
        let reach = Barrier::new(scale.d_hat, d_min).reach_sq().sqrt();
        let mut surroundings =
            StepContext { shapes, skins, bounds, reach, d_min, may_collide: &may_collide, nearby };
        let near = surroundings.near(&places(scene, state, self.config.coordinates))?;
        Ok(near.pairs.values().map(|pair| pair.bodies).collect())
    }

    /// Minimizes the incremental potential, with friction that agrees with its normal forces.
    fn solve(
        &mut self,
        flights: &Flights,
        rests: &[bool],
        scale: &Scale,
        mut phases: Phases,
        cost: Cost,
    ) -> Result<End, StepError> {
        let Flights { scene, state, dt, .. } = *flights;
        let d_min = self.config.minimum_separation;
        let barrier = Barrier::new(scale.d_hat, d_min);
        let kept = self.shapes.take_kept();
        let (shapes, skins, bounds, nearby) = self.shapes.parts();
        let may_collide = |a: usize, b: usize| scene.can_collide(BodyId(a), BodyId(b));
        let reach = barrier.reach_sq().sqrt();
        let mut surroundings =
            StepContext { shapes, skins, bounds, reach, d_min, may_collide: &may_collide, nearby };

        let mut places = places(scene, state, self.config.coordinates);
        let start = places.clone();
        let mut path = RecordedPath::new(self.config.record_path);
        let mut drives = flights.drives();
        phases.lap(Phase::Rest);
        follow(scene, state, dt, &mut surroundings, &mut places, &mut drives, &mut path)?;
        let movements = flights.movements(&drives, &start);
        surroundings.settle(&places)?;
        phases.lap(Phase::CollisionDetection);
        let near = match kept.and_then(|kept| kept.at(&places, reach)) {
            Some(near) => near,
            None => surroundings.near(&places)?,
        };
        phases.lap(Phase::Contacts);

        let pressed = report::barrier_of(&barrier, &near, &places);
        let mut iterate = Iterate::new(places, near, path, phases, cost);
        refuse_too_near(scene, &iterate, d_min)?;
        let stiffness = Stiffness::new(scale.mass, dt * dt * scene.gravity.norm(), scale.d_hat, d_min);
        let known = self.config.kappa.or_else(|| memory::kappa(state));
        let kappa = known.unwrap_or_else(|| stiffness.at_start(iterate.near.min_distance()));
        let mut objective = Objective { drives, barrier, kappa, friction: PairMap::default() };
        iterate.phases.lap(Phase::Rest);
        self.solvers.prune();
        let rules = RoundContext {
            scene,
            movements: &movements,
            config: &self.config,
            scale,
            dt,
            rests,
            stiffness: self.config.kappa.is_none().then_some(&stiffness),
        };
        agree(&rules, &mut objective, &mut iterate, &mut surroundings, &mut self.solvers)?;
        Ok(End { iterate, objective, movements, pressed })
    }
}

fn places(scene: &Scene, state: &State, coordinates: Coordinates) -> Vec<Placement> {
    let of = |(body, state): (&rigor_scene::Body, &BodyState)| {
        // A world axis can be held fixed in local coordinates only.
        let is_held = body.fixed.rotation != [false; 3];
        Placement::new(&state.pose, if is_held { Coordinates::Local } else { coordinates })
    };
    scene.bodies.iter().zip(&state.bodies).map(of).collect()
}

/// # Errors
/// [`StepError::TooNear`] where surfaces start at most `d_min` (m) apart: the barrier is infinite there.
fn refuse_too_near(scene: &Scene, iterate: &Iterate, d_min: f64) -> Result<(), StepError> {
    match iterate.near.pairs.values().find(|pair| pair.min_distance <= d_min) {
        Some(pair) => {
            let names = Box::new(pair.bodies.map(|body| scene.bodies[body].name.clone()));
            let (bodies, distance) = (pair.bodies.map(BodyId), pair.min_distance);
            Err(StepError::TooNear { bodies, names, distance, minimum: d_min })
        }
        None => Ok(()),
    }
}
