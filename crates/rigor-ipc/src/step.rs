//! One step: minimizes the incremental potential of \[Ferguson2021\] without ever touching.

use rigor_joint::{Joints, Progress};
use rigor_scene::{
    Body, BodyId, BodyState, Clock, ConfigError, ContactReport, Feature, Flaw, FlawKind, Method, Notice,
    Quantity, Scene, State, StepError, StepReport, Subject, Unsupported,
};

use crate::barrier::Barrier;
use crate::config::{Bodies, Config, Integrator, Restitution};
use crate::contact_set::StoredContacts;
use crate::energy::Released;
use crate::flight::{FlightEnds, Flights};
use crate::halving::Halved;
use crate::impact::{Impacts, Rebound};
use crate::joined::JoinedEnds;
use crate::joint_forces::JointForces;
use crate::joint_terms::JointTerms;
use crate::kinematic::{PullEnd, absent, follow, spin};
use crate::line_search::{StepContext, refused};
use crate::linear_solve::Solvers;
use crate::newton::{Cost, Iterate};
use crate::objective::Objective;
use crate::pace::Pace;
use crate::pair_map::PairMap;
use crate::path::RecordedPath;
use crate::phase::{Phase, Phases};
use crate::placement::{Coordinates, Placement};
use crate::prediction::Push;
use crate::rounds::{RoundContext, agree};
use crate::scale::Scale;
use crate::shapes::ShapeCache;
use crate::slip::Movements;
use crate::span::Span;
use crate::stiffness::Stiffness;
use crate::substep_reports::SubstepReports;
use crate::widths::Widths;
use crate::{angular_momentum, detour, energy, flung, intersection, joined, memory, notice, report, strains};

/// Maximum number of impacts at which a step is split; those after them happen at its end.
const MAX_IMPACTS: u32 = 8;

/// Part of a step that is not worth a split.
const LEAST_LEFT: f64 = 1e-2;

/// Rigid-body dynamics by incremental potential contact.
///
/// Source: \[Ferguson2021\]. Deviations: see `docs/methods/ipc.md`.
#[derive(Debug)]
pub struct Ipc {
    config: Config,
    clock: Clock,
    shapes: ShapeCache,
    solvers: Solvers,
    /// The bodies at the start of the step, which its parts have in common.
    begun: Vec<BodyState>,
}

impl Ipc {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config,
            clock,
            shapes: ShapeCache::default(),
            solvers: Solvers::default(),
            begun: Vec::new(),
        })
    }

    /// The settings in use.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The tolerance (m/s) in force in `scene` with steps of `dt` (s): the one that the settings ask for, but at most 10⁻⁴ of
    /// what gravity and forces add to a velocity in one step, and at most 0.1 d̂/h, unless `ending` is that of the reference program.
    pub fn tolerance(&self, scene: &Scene, dt: f64) -> f64 {
        let bounds: Vec<_> = scene.bodies.iter().map(Body::bounds).collect();
        Scale::new(scene, &bounds, &self.config, dt).tolerance
    }
}

impl Method for Ipc {
    fn name(&self) -> &str {
        "ipc"
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let lacks = |what| Err(Unsupported { method: "ipc".into(), what });
        if !scene.joints.is_empty() && self.config.integrator == Integrator::ImplicitEuler {
            return lacks(Feature::Other { what: "joints with `integrator = \"implicit_euler\"`".into() });
        }
        if !scene.particles.is_empty() {
            return lacks(Feature::Particles);
        }
        match self.config.bodies {
            Bodies::Rigid => Ok(()),
            Bodies::Affine => match scene.bodies.iter().find(|body| strains::turns_about_two_axes(body)) {
                Some(body) => {
                    let what =
                        format!("affine bodies that turn about two axes of three (in {:?})", body.name);
                    lacks(Feature::Other { what })
                }
                None => Ok(()),
            },
        }
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
        self.shapes.update(scene, self.config.pairs);
        if memory::is_empty(state) {
            intersection::refuse(scene, &places(scene, state, &self.config))?;
        }
        let scale = self.scale(scene, dt)?;
        self.begun.clone_from(&state.bodies);
        let end = state.time + dt;
        let clusters = self.pace(scene, state, &scale, end).clusters(dt);
        let whole = Span { h: dt, end, dt, bodies: None, impacts: 0 };
        let may_fail = self.config.max_substeps > 1;
        if !clusters.all.is_empty() {
            return self.divide(scene, state, &scale, dt, clusters, Halved::NOT);
        }
        match self.advance(scene, state, &scale, whole, may_fail) {
            Ok(Some(report)) => Ok(report),
            Ok(None) => self.divide(scene, state, &scale, dt, clusters, Halved::BY_ENERGY),
            Err(error) if self.config.halves(&error, 0) => {
                self.divide(scene, state, &scale, dt, clusters, Halved::BY_NEWTON)
            }
            Err(error) => Err(error),
        }
    }
}

/// The end of a step.
struct End {
    iterate: Iterate,
    objective: Objective,
    /// The widths of pairs that started within d̂, for the next step.
    widths: Widths,
    movements: Movements,
    /// The joints at the end of the flight.
    joints: Joints,
    pull: PullEnd,
    /// Distance (m) below which κ is raised.
    low: f64,
    /// Two bodies that went round each other, in a substep.
    round: Option<[usize; 2]>,
    /// The barrier (m⁴) of the contacts at the start of the step, without κ: of all, and by pair of bodies.
    pressed: f64,
    pressed_by_pair: Vec<([usize; 2], f64)>,
}

impl End {
    /// Returns what the barrier gave over `h` (s), of which `all` (J) is the sum.
    fn released(&self, scene: &Scene, all: f64, h: f64) -> Released {
        if !energy::may_be_given(scene) {
            return Released { all, by_pair: Vec::new() };
        }
        let held =
            report::barrier_by_pair(&self.objective.barriers, &self.iterate.near, &self.iterate.places);
        let held = held.into_iter().map(|(pair, held)| (pair, -held));
        let share = self.objective.kappa / (h * h);
        let given = self.pressed_by_pair.iter().copied().chain(held);
        let rubbed = self.objective.friction.all().map(|spot| (spot.bodies, 0.0));
        Released { all, by_pair: given.map(|(pair, b)| (pair, share * b)).chain(rubbed).collect() }
    }
}

impl Ipc {
    /// Minimizes the incremental potential over a span: again where a first attempt shows how contact acts, where a body
    /// at rest is roused, or where bodies are hit. Returns `None`, with `state` as it was, if it made energy, changed angular
    /// momentum or let bodies go round each other, and `may_fail`.
    pub(crate) fn advance(
        &mut self,
        scene: &Scene,
        state: &mut State,
        scale: &Scale,
        span: Span,
        may_fail: bool,
    ) -> Result<Option<StepReport>, StepError> {
        let mut phases = Phases::start(self.clock);
        let mut flights = Flights::new(scene, state, &self.config, span, self.shapes.volumes());
        let mut cost = Cost::default();
        if flights.is_first() {
            flights.begin_resting(&self.contacts_at_start(&flights, scale)?);
        }
        let mut is_attempt = flights.is_first();
        let Config { kappa, minimum_separation: d_min, .. } = self.config;
        let terms = |kappa| [span.dt, kappa, scale.d_hat, d_min, scale.eps_v, scale.tolerance];
        let known = kappa.or_else(|| memory::kappa(state));
        let mut rests = flights.resting(&terms(known.unwrap_or(0.0)));
        loop {
            let mut is_pulled = false;
            let solved = match self.config.bodies {
                Bodies::Rigid => self.solve::<6>(&flights, &rests, scale, (phases, cost), &mut is_pulled),
                Bodies::Affine => self.solve::<12>(&flights, &rests, scale, (phases, cost), &mut is_pulled),
            };
            let mut end = match solved {
                Ok(end) => end,
                Err(_) if (is_pulled || flights.may_jam()) && flights.hold_all() => {
                    (phases, cost) = (Phases::start(self.clock), Cost::default());
                    continue;
                }
                Err(error) => return Err(error),
            };
            // A prescribed body cannot pull what hangs on it through others.
            if end.iterate.is_jammed && flights.hold_all() {
                (phases, cost) = (end.iterate.phases, end.iterate.cost);
                continue;
            }
            if end.iterate.is_roused {
                rests.fill(false);
                (phases, cost) = (end.iterate.phases, Cost::default());
                continue;
            }
            let mut arrivals = flights.arrivals(&end.iterate, &end.objective);
            if flights.hold(&end.pull, &arrivals) {
                (phases, cost) = (end.iterate.phases, end.iterate.cost);
                continue;
            }
            let is_again = std::mem::take(&mut is_attempt) && flights.begin_with(&arrivals);
            let mut is_hit = || flights.first_where_hit(&arrivals) | flights.first_where_tied(&arrivals);
            if is_again || is_hit() {
                (phases, cost) = (end.iterate.phases, end.iterate.cost);
                continue;
            }
            let mut joints = std::mem::take(&mut end.joints);
            end.objective.joints.record(&mut joints, &end.iterate.places, span.h);
            let holds = flights.hold_velocities(&mut arrivals.states, &mut joints, &arrivals.is_touched);
            if !holds && flights.hold_all() {
                (phases, cost) = (end.iterate.phases, end.iterate.cost);
                continue;
            }
            let coarse = self.too_coarse(&end, &flights, &mut arrivals);
            if may_fail && coarse.is_some() {
                return Ok(None);
            }
            let mut report =
                report::report(&end.objective, &mut end.iterate, scene, &end.movements, end.pressed);
            report.flaws.extend(coarse);
            report.flaws.extend(flights.joined.start_flaw(scene, state));
            if may_fail {
                let released = end.released(scene, report.released.unwrap_or(0.0), span.h);
                if energy::excess(scene, &state.bodies, &arrivals.states, &span, &released) > 1.0 {
                    return Ok(None);
                }
            }
            let mut rebound = self.rebound(&flights, &mut arrivals, &mut report.contacts);
            let left = rebound.left.filter(|left| *left > LEAST_LEFT * span.dt && span.impacts < MAX_IMPACTS);
            if let Some((reached, report)) = left.and_then(|left| self.split(scene, state, scale, span, left))
            {
                (state.bodies, state.strains, state.memory) =
                    (reached.bodies, reached.strains, reached.memory);
                return Ok(Some(report));
            }
            report.flaws.append(&mut rebound.flaws);
            let has_struck = rebound.has_struck(scene.bodies.len());
            let _ = flights.hold_velocities(&mut arrivals.states, &mut joints, &has_struck);
            let pose = |b: usize| arrivals.states[b].pose;
            report.joints = Progress::reports(&mut joints.list, scene, pose, span.h);
            // What an encounter needed is no measure for what rests, unless surfaces still are too near.
            let found = end.objective.kappa / span.share();
            let is_passing = span.h < span.dt && end.iterate.near.min_distance() >= end.low;
            let kappa = if is_passing { known.unwrap_or(found) } else { found };
            strains::refuse_crushed(scene, &end.iterate.places)?;
            // From here on the state changes.
            let mut memory = flights.remembered(&arrivals, &end.iterate, kappa, terms(kappa));
            memory.restart(&rebound.bodies, &arrivals.states);
            memory.store(&mut state.memory);
            end.widths.store(&mut state.memory);
            let mut forces = JointForces::read(scene, state);
            end.objective.joints.forces(&mut forces, span.h);
            forces.store(state);
            joined::store(&joints, state);
            strains::store(state, &end.iterate.places);
            state.bodies = arrivals.states;
            if !scene_is_dead(scene) {
                rebound.store(state);
            }
            let reach = end.objective.barriers.reach();
            self.shapes.keep(StoredContacts::new(end.iterate.places, reach, end.iterate.near));
            return Ok(Some(report));
        }
    }

    /// Gives bodies that struck each other the velocities of the law of impact.
    fn rebound(
        &self,
        flights: &Flights,
        arrivals: &mut FlightEnds,
        contacts: &mut [ContactReport],
    ) -> Rebound {
        let Flights { scene, state, span, .. } = *flights;
        match self.config.restitution {
            Restitution::Law if !scene_is_dead(scene) => {}
            Restitution::Law | Restitution::None => return Rebound::default(),
        }
        let rebound = Impacts { scene, before: state, span, joined: &flights.joined }
            .rebound(&mut arrivals.states, contacts);
        // The levers of impulses are those at the end, of momenta those when the surfaces met.
        let touching = contacts.iter().filter(|contact| contact.normal_force > 0.0);
        let touching = touching.map(|contact| [contact.body_a.0, contact.body_b.0]);
        if !rebound.bodies.is_empty() {
            let has_struck = rebound.has_struck(scene.bodies.len());
            let pushed = (&flights.joined, &has_struck[..]);
            angular_momentum::restore(scene, &state.bodies, &mut arrivals.states, &span, touching, pushed);
        }
        // Their velocities are those of flight from now on: no part of a push is still to come.
        for body in &rebound.bodies {
            arrivals.pushes[*body] = Push::default();
        }
        rebound
    }

    /// Makes a span in two parts, with an impact where the second one, of `left` (s), begins. `None` if one of them made energy or cannot be solved.
    fn split(
        &mut self,
        scene: &Scene,
        state: &State,
        scale: &Scale,
        span: Span,
        left: f64,
    ) -> Option<(State, StepReport)> {
        let mut reached = state.clone();
        let mut sum = SubstepReports::default();
        for (h, end) in [(span.h - left, span.end - left), (left, span.end)] {
            let part = Span { h, end, impacts: span.impacts + 1, ..span };
            let report = self.advance(scene, &mut reached, scale, part, true).ok()??;
            sum.add(report, h / span.h);
        }
        Some((reached, sum.whole()))
    }

    /// Gives isolated bodies their angular momentum back, and returns the flaw of a span in which bodies went round each other, which
    /// changed too much of it, or which flung a body away.
    fn too_coarse(&self, end: &End, flights: &Flights, arrivals: &mut FlightEnds) -> Option<Flaw> {
        let FlightEnds { states: after, is_touched: is_pushed, .. } = arrivals;
        let Flights { scene, span, joined, .. } = flights;
        let before = &flights.state.bodies;
        let touching = || {
            let spots = end.iterate.near.pairs.all().chain(end.objective.friction.all());
            spots.map(|spot| spot.bodies)
        };
        let flung =
            flung::find(scene, [&self.begun, before, &after[..]], span, touching(), |b| joined.has(b));
        let turned = match self.config.integrator {
            Integrator::ImplicitEuler => None,
            Integrator::Impulse | Integrator::Bdf2 => {
                angular_momentum::restore(scene, before, after, span, touching(), (joined, is_pushed))
            }
        };
        let turned = turned.map(|(change, pair)| (change / angular_momentum::MAX_CHANGE, pair));
        // Half of the span, at least, would have been needed.
        let turned = turned.filter(|(excess, _)| *excess > 1.0);
        let (excess, [a, b]) = turned.or(end.round.map(|pair| (2.0, pair))).or(flung)?;
        Some(Flaw::new(FlawKind::TooFast, Subject::Pair(BodyId(a), BodyId(b)), excess))
    }

    /// Returns how the bodies move from `state` until `end` (s).
    pub(crate) fn pace<'a>(&self, scene: &'a Scene, state: &State, scale: &Scale, end: f64) -> Pace<'a> {
        let reach = Barrier::new(scale.d_hat, self.config.minimum_separation).reach_sq().sqrt();
        Pace::new(scene, state, self.shapes.bounds(), reach, end, self.config.integrator)
    }

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
        let may_collide = |a: usize, b: usize| scene.can_collide(BodyId(a), BodyId(b));
        let reach = Barrier::new(scale.d_hat, d_min).reach_sq().sqrt();
        let mut surroundings = StepContext::new(&mut self.shapes, &self.config, reach, &may_collide);
        let near = surroundings.near(&places(scene, state, &self.config))?;
        Ok(near.pairs.values().map(|pair| pair.bodies).collect())
    }

    /// Minimizes the incremental potential, with friction that agrees with its normal forces; notes whether kinematic
    /// bodies had to be pulled.
    fn solve<const N: usize>(
        &mut self,
        flights: &Flights,
        rests: &[bool],
        scale: &Scale,
        (mut phases, cost): (Phases, Cost),
        is_pulled: &mut bool,
    ) -> Result<End, StepError> {
        let Flights { scene, state, span, .. } = *flights;
        let d_min = self.config.minimum_separation;
        let kept = self.shapes.take_kept();
        let may_collide = |a: usize, b: usize| scene.can_collide(BodyId(a), BodyId(b));
        let reach = Barrier::new(scale.d_hat, d_min).reach_sq().sqrt();
        let mut surroundings = StepContext::new(&mut self.shapes, &self.config, reach, &may_collide);

        let mut places = places(scene, state, &self.config);
        let start = places.clone();
        let mut path = RecordedPath::new(self.config.record_path);
        let leads = flights.leads();
        let joined_span = flights.joined_span(&leads);
        let joined = JoinedEnds::new(&joined_span);
        let mut drives = flights.drives(joined.as_ref());
        phases.lap(Phase::Rest);
        follow::<N>(|b| flights.led_to(b), &mut surroundings, &mut places, &mut drives, &mut path)?;
        if self.config.bodies == Bodies::Rigid {
            spin(&mut surroundings, &mut places, &drives, |b| flights.joined.has(b), &mut path)?;
        }
        *is_pulled = absent(&drives).next().is_some();
        let movements = flights.movements(&drives, &start);
        surroundings.settle(&places)?;
        phases.lap(Phase::CollisionDetection);
        let near = match kept.and_then(|kept| kept.at(&places, reach)) {
            Some(near) => near,
            None => surroundings.near(&places)?,
        };
        phases.lap(Phase::Contacts);

        let widths = Widths::new(&self.config, state, &near, scale.d_hat);
        let barriers = widths.barriers(scale.d_hat, d_min);
        let pressed = report::barrier_of(&barriers, &near, &places);
        let pressed_by_pair = match energy::may_be_given(scene) {
            true => report::barrier_by_pair(&barriers, &near, &places),
            false => Vec::new(),
        };
        let mut iterate = Iterate::new(places, near, path, phases, cost);
        refuse_too_near(scene, &iterate, d_min)?;
        let fall = span.dt * span.dt * scene.gravity.norm();
        let stiffness = Stiffness::new(scale.mass, fall, scale.d_hat, d_min);
        let known = self.config.kappa.or_else(|| memory::kappa(state));
        let kappa = known
            .unwrap_or_else(|| stiffness.at_start(widths.nearest(&iterate.near, scale.d_hat, d_min)))
            * span.share();
        let mut joints = joined.as_ref().map_or_else(JointTerms::default, |ends| ends.terms(&joined_span));
        if !joints.is_empty() {
            let is_touched = flights.joined.reached(iterate.near.pairs.all().map(|spot| spot.bodies));
            joints.begin(&JointForces::read(scene, state), span.h, |b| is_touched[b]);
        }
        let stretch = flights.stretch.clone();
        let mut objective =
            Objective { drives, barriers, kappa, friction: PairMap::default(), joints, stretch };
        iterate.phases.lap(Phase::Rest);
        self.solvers.prune();
        let rules = RoundContext {
            scene,
            movements: &movements,
            config: &self.config,
            scale,
            h: span.h,
            rests,
            stiffness: self.config.kappa.is_none().then_some(&stiffness),
        };
        agree::<N>(&rules, &mut objective, &mut iterate, &mut surroundings, &mut self.solvers)?;
        let absent: Vec<usize> = absent(&objective.drives).collect();
        let pull = match (*is_pulled, absent.is_empty()) {
            (false, _) => PullEnd::Free,
            (true, true) => PullEnd::Arrived { pull: iterate.pull },
            (true, false) => PullEnd::Blocked(absent),
        };
        let round = match span.h < span.dt {
            true => detour::find::<N>(&mut surroundings, &objective.drives, &start, &iterate.places)?,
            false => None,
        };
        let low = stiffness.low();
        let joints = joined.map_or_else(|| flights.joined.joints.clone(), |ends| ends.joints);
        let widths = widths.after(&iterate.near, scale.d_hat, d_min);
        Ok(End { iterate, objective, widths, movements, joints, pull, low, round, pressed, pressed_by_pair })
    }
}

/// Whether no body has a coefficient of restitution.
fn scene_is_dead(scene: &Scene) -> bool {
    scene.bodies.iter().all(|body| body.restitution == 0.0)
}

fn places(scene: &Scene, state: &State, config: &Config) -> Vec<Placement> {
    let of = |(b, (body, at)): (usize, (&Body, &BodyState))| {
        // A world axis can be held fixed in local coordinates only.
        let is_held = body.fixed.rotation != [false; 3];
        match config.bodies {
            Bodies::Affine => Placement::affine(&at.pose, state.matrix(BodyId(b))),
            Bodies::Rigid if is_held => Placement::new(&at.pose, Coordinates::Local),
            Bodies::Rigid => Placement::new(&at.pose, config.coordinates.into()),
        }
    };
    scene.bodies.iter().zip(&state.bodies).enumerate().map(of).collect()
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
