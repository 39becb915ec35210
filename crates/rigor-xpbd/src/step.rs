//! One step: the algorithm box of [Mueller2020].

use rigor_scene::{
    Clock, Method, PhaseTime, Quantity, Scene, State, StepError, StepReport, Stopwatch, Unsupported,
};

use crate::attachment::{self, SolverAttachment};
use crate::block::Block;
use crate::body::{self, SolverBody};
use crate::bond::Rule;
use crate::bonds::Bonds;
use crate::broad_phase::BroadPhase;
use crate::config::{Config, ContactSolver};
use crate::feature::FeatureCache;
use crate::particle::{self, SolverParticle};
use crate::{contact, predict, project, report, velocity, warm_start};

/// Rigid bodies by extended position-based dynamics.
///
/// Source: [Mueller2020] Procedures 1 and 3. Deviations: see `docs/methods/xpbd.md`.
#[derive(Debug)]
pub struct Xpbd {
    config: Config,
    clock: Clock,
    features: FeatureCache,
    bodies: Vec<SolverBody>,
    broad_phase: BroadPhase,
    block: Block,
    particles: Vec<SolverParticle>,
    bonds: Bonds,
    attachments: Vec<SolverAttachment>,
}

impl Xpbd {
    /// The method with these settings.
    ///
    /// # Errors
    /// A sentence naming the setting that is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, String> {
        config.validate()?;
        Ok(Self {
            config,
            clock,
            features: FeatureCache::default(),
            bodies: Vec::new(),
            broad_phase: BroadPhase::default(),
            block: Block::default(),
            particles: Vec::new(),
            bonds: Bonds::default(),
            attachments: Vec::new(),
        })
    }

    /// Positions, then velocities, of one substep.
    fn solve(&mut self, scene: &Scene, h: f64) {
        let (pairs, bodies) = (&mut self.broad_phase.pairs, &mut self.bodies);
        let resting_speed = velocity::resting_speed(scene, h);
        let together = self.config.contacts == ContactSolver::Block;
        if together {
            warm_start::apply(pairs, bodies);
        }
        self.bonds.reset();
        self.attachments.iter_mut().for_each(|a| a.lambda = 0.0);
        let rule = Rule { per_h_sq: 1.0 / (h * h), share: 1.0 };
        for iteration in 0..self.config.iterations {
            self.bonds.sweep(&mut self.particles, &self.config, iteration, rule);
            for a in &mut self.attachments {
                a.project(&mut self.particles[a.particle], &mut bodies[a.body], rule);
            }
            if together {
                self.block.solve_positions(pairs, bodies);
            } else {
                project::solve_positions(pairs, bodies);
            }
        }
        velocity::update_velocities(scene, bodies, h);
        particle::update_velocities(&mut self.particles, self.config.integrator, &scene.gravity, h);
        if together {
            self.block.solve_velocities(pairs, bodies, resting_speed, h);
            self.block.stabilize(pairs, bodies);
        } else {
            velocity::solve_velocities(pairs, bodies, resting_speed, h);
        }
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }
}

impl Method for Xpbd {
    fn name(&self) -> &str {
        "xpbd"
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let lacks = |what: &str| Err(Unsupported { method: "xpbd".into(), what: what.into() });
        if !scene.joints.is_empty() {
            return lacks("joints");
        }
        Ok(())
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start(self.clock);
        let mut seconds = [0.0; 3];
        let broad_phase = &mut self.broad_phase;
        broad_phase.collect_collision_pairs(scene, state, dt, &self.config, &mut self.features)?;
        warm_start::load(state, &mut broad_phase.pairs);
        body::load(scene, state, &mut self.bodies);
        particle::load(scene, state, &mut self.particles);
        self.bonds.prepare(scene, &self.config, false)?;
        attachment::load(scene, &mut self.attachments)?;
        let started = particle::has_started(state);
        seconds[0] += watch.lap();

        let h = dt / f64::from(self.config.substeps);
        let mut deepest = f64::INFINITY;
        for substep in 1..=self.config.substeps {
            let time = state.time + dt * (f64::from(substep) / f64::from(self.config.substeps));
            predict::integrate(scene, &mut self.bodies, h, time);
            let started = started || substep > 1;
            particle::integrate(&mut self.particles, self.config.integrator, started, &scene.gravity, h);
            contact::detect(&self.features, &self.bodies, &mut self.broad_phase.pairs);
            seconds[1] += watch.lap();

            self.solve(scene, h);
            warm_start::remember(&mut self.broad_phase.pairs);
            report::collect(&mut self.broad_phase.pairs, h);
            deepest = deepest.min(report::smallest_distance(&self.broad_phase.pairs));
            seconds[2] += watch.lap();
        }

        particle::store(&self.particles, self.config.integrator, state)?;
        body::store(&self.bodies, state);
        warm_start::store(&self.broad_phase.pairs, state);
        let per_h_sq = 1.0 / (h * h);
        let violation = self.bonds.violation(&self.particles, per_h_sq).max(attachment::violation(
            &self.attachments,
            &self.particles,
            &self.bodies,
            per_h_sq,
        ));
        let energy = self.bonds.energy(&self.particles)
            + attachment::energy(&self.attachments, &self.particles, &self.bodies);
        let phases = ["broad phase", "contacts", "solve"]
            .into_iter()
            .zip(seconds)
            .map(|(phase, seconds)| PhaseTime { phase, seconds })
            .collect();
        Ok(StepReport {
            iterations: u64::from(self.config.substeps) * u64::from(self.config.iterations),
            residual: Some(report::residual(&self.broad_phase.pairs, &self.bodies).max(violation.length)),
            contacts: report::contacts(&self.broad_phase.pairs, &self.bodies, dt),
            min_distance: (deepest < f64::INFINITY).then_some(deepest),
            ccd_queries: 0,
            phases,
            quantities: vec![
                Quantity { name: "bond_error", unit: "1", value: violation.error },
                Quantity { name: "bond_residual", unit: "1", value: violation.residual },
                Quantity { name: "elastic_energy", unit: "J", value: energy },
                Quantity { name: "colours", unit: "1", value: self.bonds.n_colours() as f64 },
            ],
            path: None,
        })
    }
}
