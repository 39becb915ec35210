//! One step: augmented vertex block descent.

use rayon::prelude::*;
use rigor_math::Pose;
use rigor_scene::{
    Attribute, BodyId, Clock, ConfigError, Feature, Flaw, FlawKind, Method, Notice, PhaseTime, Quantity,
    Scene, State, StepError, StepReport, Stopwatch, Subject, Unsupported,
};

use crate::block::Block;
use crate::body::{self, SolverBody};
use crate::config::{Config, Stabilization};
use crate::contact::Contacts;
use crate::joint::Joints;
use crate::order::{Link, Order};
use crate::{notice, pace};

/// Maximum number of times in a substep that contacts are added after the sweeps.
const COMPLETIONS: usize = 8;

/// Motion of a body by forces out of balance, over its radius, that may be rounding.
const ROUNDED: f64 = 1e-9;

/// Minimum number of bodies of a colour to solve in parallel.
const PARALLEL: usize = 64;

/// Rigid bodies by augmented vertex block descent.
///
/// Source: \[Giles2025\] algorithm 1. Deviations: see `docs/methods/avbd.md`.
#[derive(Debug)]
pub struct Avbd {
    config: Config,
    clock: Clock,
    bodies: Vec<SolverBody>,
    contacts: Contacts,
    joints: Joints,
    order: Order,
    moves: Vec<Pose>,
}

impl Avbd {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config,
            clock,
            bodies: Vec::new(),
            contacts: Contacts::default(),
            joints: Joints::default(),
            order: Order::default(),
            moves: Vec::new(),
        })
    }

    /// The settings in use.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A substep of `h` (s) that ends at `time` (s), one of so many.
    ///
    /// Returns the residual.
    fn substep(&mut self, scene: &Scene, (substeps, h): (u32, f64), time: f64) -> (f64, Option<usize>) {
        for (body, moving) in scene.bodies.iter().zip(&mut self.bodies) {
            moving.begin(body, &scene.gravity, h, time);
        }
        self.contacts.detect(&self.bodies, &self.config, (substeps, h));
        let mut residual = self.solve(scene, h);
        for _ in 0..COMPLETIONS {
            if !self.contacts.complete(&self.bodies, &self.config, (substeps, h)) {
                break;
            }
            residual = self.solve(scene, h);
        }
        self.contacts.keep(&self.bodies, h);
        self.joints.finish(scene, &self.bodies, h);
        residual
    }

    /// Moves the bodies to where constraints leave them, and finds their velocities. Returns the residual.
    fn solve(&mut self, scene: &Scene, h: f64) -> (f64, Option<usize>) {
        let Config { start, alpha, stabilization, iterations, .. } = self.config;
        for moving in self.bodies.iter_mut().filter(|body| body.moves()) {
            moving.start(start, &scene.gravity, h);
        }
        self.joints.begin(scene, &self.bodies, h, &self.config);
        let holds = |joint: usize| !self.joints.progress[joint].broken;
        self.order.find(scene, &self.bodies, &self.contacts.list, holds);
        let left = match stabilization {
            Stabilization::Alpha => alpha,
            Stabilization::Post => 1.0,
        };
        for _ in 0..iterations {
            self.sweep(scene, left);
            self.update(scene, left);
        }
        let residual = self.residual(scene, h);
        for (body, moving) in scene.bodies.iter().zip(&mut self.bodies) {
            moving.finish(body, h);
        }
        if stabilization == Stabilization::Post {
            self.sweep(scene, 0.0);
        }
        residual
    }

    /// Primal: one block after another is moved to the minimum of its own energy.
    fn sweep(&mut self, scene: &Scene, left: f64) {
        let Self { bodies, contacts, joints, order, moves, .. } = self;
        for colour in &order.colours {
            let solve = |i: usize| {
                let mut block = Block::new(&bodies[i]);
                for (link, end) in &order.links[i] {
                    match *link {
                        Link::Contact(j) => contacts.list[j].add(&mut block, *end, bodies, left),
                        Link::Joint(j) => joints.add(&mut block, (j, *end), scene, bodies, left),
                    }
                }
                block.solve(&bodies[i])
            };
            moves.clear();
            if colour.len() < PARALLEL {
                moves.extend(colour.iter().map(|i| solve(*i)));
            } else {
                moves.par_extend(colour.par_iter().with_min_len(PARALLEL / 4).map(|i| solve(*i)));
            }
            for (i, pose) in colour.iter().zip(&*moves) {
                bodies[*i].place(*pose);
            }
        }
    }

    /// Dual: multipliers take the forces, stiffnesses grow.
    fn update(&mut self, scene: &Scene, left: f64) {
        let Self { bodies, contacts, joints, config, .. } = self;
        bodies.iter_mut().for_each(SolverBody::balance);
        for contact in &mut contacts.list {
            contact.update(bodies, left, config);
        }
        for i in 0..scene.joints.len() {
            if !joints.progress[i].broken {
                joints.update(i, scene, bodies, left, config);
            }
        }
    }

    /// The largest force on a body that is not balanced, over its mass and the largest of any body's constraints, and that body.
    fn residual(&self, scene: &Scene, h: f64) -> (f64, Option<usize>) {
        let bodies = self.bodies.iter().zip(&scene.bodies).enumerate();
        let moving = bodies.filter(|(_, (moving, _))| moving.moves());
        let (mut worst, mut largest) = ((0.0, None), 0.0_f64);
        for (i, (moving, body)) in moving {
            let (off, pushed) = moving.off_balance(h, body.radius);
            largest = largest.max(pushed);
            if off > worst.0 && off > ROUNDED * body.radius {
                worst = (off, Some(i));
            }
        }
        if largest > 0.0 { (worst.0 / largest, worst.1) } else { (0.0, None) }
    }
}

impl Method for Avbd {
    fn name(&self) -> &str {
        "avbd"
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let lacks = |what| Err(Unsupported { method: self.name().into(), what });
        if !scene.fluids.is_empty() {
            return lacks(Feature::Fluids);
        }
        if !scene.bonds.is_empty() || !scene.attachments.is_empty() {
            return lacks(Feature::BondsAndAttachments);
        }
        if !scene.particles.is_empty() {
            return lacks(Feature::Particles);
        }
        Ok(())
    }

    fn notices(&self, scene: &Scene, _dt: f64) -> Vec<Notice> {
        notice::notices(scene)
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start(self.clock);
        self.contacts.collect(scene, state, dt, &self.config)?;
        body::load(scene, state, &mut self.bodies);
        self.joints.load(scene, state);
        let start = self.joints.start_flaw(scene, state);
        let (substeps, too_fast) = pace::substeps(scene, &self.contacts, &self.bodies, &self.config, dt);
        let seconds = watch.lap();
        let h = dt / f64::from(substeps);
        let (mut deepest, mut worst) = (f64::INFINITY, (0.0, None));
        for substep in 1..=substeps {
            let time = state.time + dt * (f64::from(substep) / f64::from(substeps));
            let residual = self.substep(scene, (substeps, h), time);
            deepest = deepest.min(self.contacts.smallest_gap(&self.bodies));
            if residual.0 > worst.0 {
                worst = residual;
            }
        }
        let joints = self.joints.reports(scene, &self.bodies, dt);
        if let Some(id) = scene.body_ids().find(|id| !self.bodies[id.0].is_finite()) {
            return Err(StepError::not_finite(scene, id, Attribute::Extent));
        }
        let outrun = self.contacts.meetings.outrun(scene, state, |i| self.bodies[i].now.pose);
        body::store(&self.bodies, state);
        self.contacts.store(state);
        self.joints.store(state);
        let tolerance = self.config.tolerance;
        let unconverged = (worst.0 > tolerance).then(|| {
            let subject = worst.1.map_or(Subject::Scene, |body| Subject::Body(BodyId(body)));
            Flaw::new(FlawKind::Unconverged, subject, worst.0 / tolerance)
        });
        let mut quantities = vec![Quantity { name: "substeps", unit: "1", value: f64::from(substeps) }];
        if !joints.is_empty() {
            let largest =
                |error: fn(&rigor_scene::JointReport) -> f64| joints.iter().map(error).fold(0.0, f64::max);
            let (gap, angle) = (largest(|r| r.position_error), largest(|r| r.angle_error));
            quantities.push(Quantity { name: "joint_error", unit: "m", value: gap });
            quantities.push(Quantity { name: "joint_angle_error", unit: "rad", value: angle });
        }
        Ok(StepReport {
            iterations: u64::from(substeps) * u64::from(self.config.iterations),
            residual: Some(worst.0),
            contacts: self.contacts.reports(&self.bodies, dt),
            joints,
            min_distance: (deepest < f64::INFINITY).then_some(deepest),
            phases: vec![
                PhaseTime { phase: "broad phase", seconds },
                PhaseTime { phase: "substeps", seconds: watch.lap() },
            ],
            quantities,
            flaws: too_fast.into_iter().chain(outrun).chain(unconverged).chain(start).collect(),
            ..StepReport::default()
        })
    }
}
