//! One step: the algorithm box of \[Mueller2020\].

use rigor_scene::{
    Clock, ConfigError, Flaw, Method, Notice, PhaseTime, Scene, State, StepError, StepReport, Stopwatch,
    Unsupported,
};

use crate::body::{self, SolverBody, predict};
use crate::config::{Config, ContactSolver};
use crate::contact::course::Course;
use crate::contact::detect::Collisions;
use crate::contact::rest::Rest;
use crate::contact::solve::{Direction, PairSweep, Precedence, Rebounds, Squeeze, velocity, warm_start};
use crate::contact::{carried, fall, pace, report, sunk};
use crate::elastic::{Elastic, Stiffness, bond_set};
use crate::joint::{self, Gain, Joints};
use crate::notice;
use crate::particle;
use crate::particle_contact::{ParticleContacts, Setting};
#[cfg(feature = "gpu")]
use crate::{config::Device, gpu};

/// Part of the largest motion of a substep below which it is not looked at again within a step.
const NOTABLE: f64 = 0.25;

/// How many times as fast a body must have become for the rest of a step to be looked at again.
const FASTER: f64 = 1.25;

/// Maximum number of times in a substep that contacts are added after a solve.
const COMPLETIONS: u32 = 8;

/// Rigid bodies by extended position-based dynamics.
///
/// Source: \[Mueller2020\] Procedures 1 and 3. Deviations: see `docs/methods/xpbd.md`.
#[derive(Debug)]
pub struct Xpbd {
    config: Config,
    clock: Clock,
    collisions: Collisions,
    bodies: Vec<SolverBody>,
    rest: Rest,
    joints: Joints,
    precedence: Precedence,
    rebounds: Rebounds,
    elastic: Elastic,
    pair_sweep: PairSweep,
    squeeze: Squeeze,
    /// Per body, its speed (m/s) when the substeps were last chosen.
    speeds: Vec<f64>,
    /// Sweeps of the step beyond those that are set.
    n_more: u64,
    particle_contacts: ParticleContacts,
    #[cfg(feature = "gpu")]
    device: gpu::Solver,
    #[cfg(feature = "gpu")]
    body_device: gpu::bodies::BodySolver,
}

impl Xpbd {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        Self::with_stiffness(config, clock, Stiffness::Compliance)
    }

    /// Creates the method with these settings and this stiffness of particle constraints.
    pub(crate) fn with_stiffness(
        config: Config,
        clock: Clock,
        stiffness: Stiffness,
    ) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            precedence: Precedence::new(config.contact_sweeps),
            config,
            clock,
            collisions: Collisions::default(),
            bodies: Vec::new(),
            rest: Rest::default(),
            joints: Joints::default(),
            rebounds: Rebounds::default(),
            elastic: Elastic::new(stiffness),
            pair_sweep: PairSweep::default(),
            squeeze: Squeeze::default(),
            speeds: Vec::new(),
            n_more: 0,
            particle_contacts: ParticleContacts::default(),
            #[cfg(feature = "gpu")]
            device: gpu::Solver::default(),
            #[cfg(feature = "gpu")]
            body_device: gpu::bodies::BodySolver::default(),
        })
    }

    /// Solves one substep: positions, then velocities.
    fn solve(&mut self, scene: &Scene, h: f64) {
        let resting_speed = velocity::resting_speed(scene, h);
        let together = self.config.contacts == ContactSolver::Block;
        self.precedence.arrange(&self.collisions.pairs, &self.bodies);
        if together {
            let pairs = &mut self.collisions.pairs;
            warm_start::apply(&mut self.precedence, pairs, &mut self.bodies, resting_speed, h);
        }
        self.particle_contacts.warm_start(&mut self.elastic.particles, &mut self.bodies);
        self.joints.begin_substep(&mut self.bodies, h);
        self.solve_positions(scene, h);
        for _ in 0..COMPLETIONS {
            let of_bodies = self.collisions.complete(&self.bodies, &self.config, h);
            let of_particles = self.particle_contacts.complete(scene, &self.elastic.particles, &self.bodies);
            if !of_bodies && !of_particles {
                break;
            }
            self.precedence.arrange(&self.collisions.pairs, &self.bodies);
            self.solve_positions(scene, h);
        }
        let (pairs, joints, bodies) = (&mut self.collisions.pairs, &mut self.joints, &mut self.bodies);
        let precedence = &mut self.precedence;
        body::velocity::update_velocities(scene, bodies, h);
        let touching = self.particle_contacts.touching();
        self.elastic.update_velocities(scene, &self.config, h, touching);
        if together {
            self.rebounds.solve(precedence, pairs, (&mut *bodies, &mut *joints), resting_speed, h);
        } else {
            velocity::solve_velocities(precedence, pairs, bodies, resting_speed, h);
        }
        self.particle_contacts.finish(scene, &mut self.elastic.particles, bodies, h);
        joints.solve_velocities(bodies, h);
        joints.end_substep(bodies, h);
        if together {
            joints.note(bodies, self.rebounds.struck());
            precedence.run(pairs, bodies, Direction::Ascending, |block, pair, a, b| {
                block.stabilize(pair, a, b);
            });
            joints.follow(scene, bodies, self.rebounds.struck(), h);
        }
    }

    /// Sweeps over the positions of a substep: as often as set, or as the load of bodies between others needs.
    fn solve_positions(&mut self, scene: &Scene, h: f64) {
        let (pairs, joints, bodies) = (&mut self.collisions.pairs, &mut self.joints, &mut self.bodies);
        self.pair_sweep.prepare(pairs, bodies, &self.config);
        let together = self.config.contacts == ContactSolver::Block;
        let has_contacts_only = scene.joints.is_empty() && scene.particles.is_empty();
        let least = if together {
            fall::sweeps(scene, pairs, h).max(carried::sweeps(scene, pairs, joints))
        } else {
            1
        };
        let set = self.config.iterations.max(least);
        let (mut iteration, mut sweeps) = (0, set);
        while iteration < sweeps {
            self.elastic.sweep(scene, bodies, &self.config, iteration, h);
            joints.solve_positions(scene, bodies, &self.config, iteration, h);
            self.particle_contacts.solve_positions(&mut self.elastic.particles, bodies);
            let both = (&mut pairs[..], &mut bodies[..]);
            let was_any = self.pair_sweep.sweep(&mut self.precedence, both, &self.config, iteration, h);
            if has_contacts_only && !was_any {
                break;
            }
            iteration += 1;
            self.n_more += u64::from(iteration > self.config.iterations);
            if together && iteration == set {
                sweeps = sweeps.max(self.squeeze.sweeps(scene, pairs, h));
            }
        }
    }

    /// Returns the settings in use.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the substeps of a step of `dt` (s) from `time` (s), with the flaws of what they do not resolve: fast bodies, stacks and soft bodies.
    fn pace(
        &mut self,
        scene: &Scene,
        time: f64,
        dt: f64,
    ) -> (Course, Option<Flaw>, Option<Flaw>, Option<Flaw>) {
        let set = self.config.substeps;
        let gains = self.gains(scene, dt / f64::from(set));
        let turning = self.joints.turning(scene, &mut self.bodies);
        let Collisions { pairs, features, .. } = &self.collisions;
        let motion = pace::Motion { features, bodies: &self.bodies, pairs, turning, gains: &gains };
        let (substeps, paced) = motion.substeps(&self.config, dt);
        let largest = if self.is_fixed() { 0.0 } else { f64::from(self.config.max_substeps) };
        let limit = (!self.is_fixed()).then_some(self.config.max_substeps);
        let (of_falls, falls) = match self.config.contacts {
            ContactSolver::Block => fall::substeps(scene, pairs, (set, limit), dt),
            ContactSolver::Sequential => (set, None),
        };
        let pace = (substeps.max(of_falls), largest);
        let (particles, bodies) = (&self.elastic.particles, &self.bodies);
        let (substeps, late) = self.particle_contacts.pace(scene, particles, bodies, pace, dt);
        (Course::new(time, dt, substeps), paced, falls, late)
    }

    /// Whether the number of substeps stays as it is set: with `max_motion` without a bound, as in `pbd`.
    fn is_fixed(&self) -> bool {
        self.config.max_motion == f64::MAX
    }

    /// Returns what forces and drives may give each body in a substep of `h` (s).
    fn gains(&mut self, scene: &Scene, h: f64) -> Vec<Gain> {
        self.joints.gains(scene, &mut self.bodies, h, self.config.max_motion.min(1.0))
    }

    /// Notes how fast bodies are, for [`Self::pace_again`].
    fn note_speeds(&mut self) {
        self.speeds.clear();
        let features = &self.collisions.features;
        let speed = |(i, body): (usize, &SolverBody)| speed(body, features.of(i).radius);
        self.speeds.extend(self.bodies.iter().enumerate().map(speed));
    }

    /// Divides the rest of a step further where bodies have become so fast that it should be, and returns a flaw if that takes more substeps than there may be.
    fn pace_again(&mut self, scene: &Scene, course: &mut Course) -> Option<Flaw> {
        if self.is_fixed() || self.config.max_substeps <= self.config.substeps {
            return None;
        }
        let features = &self.collisions.features;
        let fine = (0..self.bodies.len()).map(|i| features.of(i).radius).filter(|radius| *radius > 0.0);
        let little = NOTABLE * self.config.max_motion * fine.fold(f64::INFINITY, f64::min);
        let h = course.h();
        let is_faster = |(i, body): (usize, &SolverBody)| {
            let now = speed(body, features.of(i).radius);
            h * now > little && now > FASTER * self.speeds[i]
        };
        if !self.bodies.iter().enumerate().any(is_faster) {
            return None;
        }
        self.note_speeds();
        let turning = self.joints.turning(scene, &mut self.bodies);
        let Collisions { pairs, features, .. } = &self.collisions;
        let motion = pace::Motion { features, bodies: &self.bodies, pairs, turning, gains: &[] };
        let limit = self.config.max_substeps.saturating_sub(course.over());
        let (n, flaw) = motion.more(&self.config, course.rest(), (course.left(), limit))?;
        course.divide(n);
        warm_start::rescale(&mut self.collisions.pairs, course.h() / h);
        flaw
    }
}

/// Returns the speed (m/s) of the fastest point of a body of this `radius` (m).
fn speed(body: &SolverBody, radius: f64) -> f64 {
    body.linear_velocity.norm() + radius * body.angular_velocity.norm()
}

/// Returns the flaw with the larger amount.
fn worse(known: Option<Flaw>, other: Flaw) -> Option<Flaw> {
    match known {
        Some(flaw) if flaw.amount >= other.amount => Some(flaw),
        Some(_) | None => Some(other),
    }
}

impl Method for Xpbd {
    fn name(&self) -> &str {
        "xpbd"
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let missing = bond_set::unsupported(scene);
        #[cfg(feature = "gpu")]
        let missing = missing.or_else(|| gpu::unsupported(scene, &self.config));
        match missing {
            Some(what) => Err(Unsupported { method: self.name().into(), what }),
            None => Ok(()),
        }
    }

    fn notices(&self, scene: &Scene, _dt: f64) -> Vec<Notice> {
        let mut notices = notice::of_contact(scene);
        notices.extend(notice::of_joints(scene, self.config.joints));
        #[cfg(feature = "gpu")]
        if self.config.device == Device::Gpu && self.config.keep_angular_momentum && !scene.bonds.is_empty() {
            let names = (0..scene.bonds.len()).map(|bond| scene.bond_name(bond));
            let instead = "not used: substeps on the device gpu are as printed";
            notices.extend(Notice::of_named("keep_angular_momentum", names, instead));
        }
        notices
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        #[cfg(feature = "gpu")]
        if self.config.device == Device::Gpu {
            let Self { config, clock, collisions, bodies, joints, elastic, .. } = self;
            if scene.bodies.is_empty() {
                return self.device.step(elastic, (scene, state), config, *clock, dt);
            }
            let host = gpu::bodies::HostData { collisions, bodies, joints, elastic };
            return self.body_device.step(host, (scene, state), config, *clock, dt);
        }
        let mut watch = Stopwatch::start(self.clock);
        let mut seconds = [0.0; 3];
        self.collisions.collect(scene, state, dt, &self.config)?;
        warm_start::load(state, &mut self.collisions.pairs);
        self.collisions.load(state);
        body::load(scene, state, &mut self.bodies);
        body::lead(scene, &mut self.bodies, state.time, dt);
        self.joints.load(scene, state, &mut self.bodies, &self.config);
        self.elastic.load(scene, state, &self.config)?;
        self.particle_contacts.start(scene, state, &self.elastic.particles, &self.bodies, dt)?;
        seconds[0] += watch.lap();

        self.rest.start(scene, &self.collisions.pairs);
        let (mut course, mut paced, falls, late) = self.pace(scene, state.time, dt);
        let mut gains = self.gains(scene, course.h());
        let mut deepest = f64::INFINITY;
        self.n_more = 0;
        self.squeeze.start(self.config.substeps, course.substeps());
        self.note_speeds();
        while course.left() > 0 {
            if course.over() > 0 {
                gains.clear();
                if let Some(flaw) = self.pace_again(scene, &mut course) {
                    paced = worse(paced, flaw);
                }
            }
            let (h, rest) = (course.h(), course.rest());
            let setting = (scene, &*state, &self.config);
            if !self.is_fixed() && self.collisions.widen(setting, &self.bodies, &gains, (rest, h))? {
                self.rest.start(scene, &self.collisions.pairs);
                self.rest.wake(&mut self.bodies, &mut self.collisions.pairs);
            }
            let time = course.next();
            predict::integrate(scene, &mut self.bodies, h, time);
            self.elastic.integrate(scene, &self.config, h);
            self.particle_contacts.detect(scene, &self.elastic.particles, &self.bodies, rest)?;
            let lead = particle::lead(self.config.integrator);
            let setting = Setting { scene, lead, resting_speed: velocity::resting_speed(scene, h), h };
            self.particle_contacts.exchange(&setting, &mut self.elastic.particles, &mut self.bodies);
            self.collisions.detect(&self.bodies, &self.config, (course.substeps(), h));
            seconds[1] += watch.lap();

            self.solve(scene, h);
            self.joints.close(scene, &mut self.bodies, self.config.closing_time, (time, h));
            let gap = self.particle_contacts.smallest_gap(&self.elastic.particles, &self.bodies);
            let pairs = &mut self.collisions.pairs;
            deepest = deepest.min(report::end_substep(pairs, &self.bodies, h)).min(gap);
            course.advance();
            if course.left() > 0 {
                self.rest.update(scene, &mut self.bodies, &mut self.collisions.pairs, h);
            }
            seconds[2] += watch.lap();
        }
        let (substeps, h) = (course.total(), course.h());

        let joints = self.joints.end_step(scene, &mut self.bodies, dt)?;
        self.elastic.check(scene, state, dt, h)?;
        self.elastic.store(&self.config, state);
        let outrun = self.collisions.outrun(scene, state, &self.bodies);
        body::store(&self.bodies, state);
        warm_start::store(&self.collisions.pairs, state);
        self.collisions.store(state);
        self.joints.store(state);
        self.particle_contacts.store(state);
        let violation = self.elastic.violation(&self.bodies, h);
        let unconverged = self.elastic.flaw(scene, &violation, h);
        let inverted = self.elastic.inverted(scene);
        let sunk = sunk::flaw(scene, &self.collisions.features, &self.bodies, &self.collisions.pairs);
        let n_colours = self.pair_sweep.n_colours() + self.joints.n_colours();
        let mut quantities = joint::quantities(&joints);
        quantities.extend(self.elastic.quantities(&self.bodies, &violation, n_colours));
        let phases = ["broad phase", "contacts", "solve"]
            .into_iter()
            .zip(seconds)
            .map(|(phase, seconds)| PhaseTime { phase, seconds })
            .collect();
        Ok(StepReport {
            iterations: u64::from(substeps) * u64::from(self.config.iterations) + self.n_more,
            residual: Some(report::residual(&self.collisions.pairs, &self.bodies).max(violation.length)),
            contacts: report::contacts(&self.collisions.pairs, &self.bodies, dt),
            particle_contacts: self.particle_contacts.reports(&self.elastic.particles, &self.bodies, dt),
            min_distance: (deepest < f64::INFINITY).then_some(deepest),
            ccd_queries: 0,
            phases,
            quantities,
            joints,
            flaws: paced
                .into_iter()
                .chain(outrun)
                .chain(late)
                .chain(falls)
                .chain(unconverged)
                .chain(inverted)
                .chain(sunk)
                .chain(self.squeeze.flaw())
                .chain(self.joints.flaws())
                .collect(),
            released: None,
            path: None,
        })
    }
}

#[cfg(test)]
mod tests;
