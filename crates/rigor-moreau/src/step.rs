//! One step: Moreau and Jean's.

use rigor_joint::{
    CLOSED, CLOSES, FlyingBody, Isolated, Joints, Mobility, RowInput, Rows, Velocity, follow_the_way,
};
use rigor_math::Vec3;
use rigor_nonsmooth::Cone;
use rigor_nonsmooth::solver::Goal;
use rigor_scene::{
    BodyId, Clock, ConfigError, Feature, Flaw, FlawKind, Method, PhaseTime, Quantity, Scene, State,
    StepError, StepReport, Stopwatch, Subject, Unsupported,
};

use crate::body;
use crate::config::{Config, Impacts, Stabilization};
use crate::impact::{self, Blow, Collision};
use crate::mechanics::{Impulses, Mechanics};
use crate::pair::Pairs;
use crate::row::Block;
use crate::{pace, projection, report};

/// Slip (m/s, over that of gravity in a substep) above which a contact has the friction of sliding.
const SLIDES: f64 = 1e-6;

/// Memory key: what each joint remembers.
const JOINTS: &str = "nonsmooth/joints";

/// Maximum number of times in a substep that contacts are added after a solve.
const COMPLETIONS: usize = 8;

/// Times that a step is made again in more substeps.
const AGAIN: usize = 4;

/// Times that the impulses of a substep are corrected so that joints hold where bodies end.
const CORRECTIONS: usize = 8;

/// Gap (in slops, of 10⁻⁴ radii) up to which a contact is closed at the start of a substep: then it follows what its surfaces do.
const NEAR: f64 = 0.1;

/// Rigid bodies by Moreau–Jean time stepping.
///
/// Source: \[Jean1999\], \[Acary2013\], \[Smith2012\]. Deviations: see `docs/methods/nonsmooth.md`.
#[derive(Debug)]
pub struct Nonsmooth {
    config: Config,
    clock: Clock,
    bodies: Vec<FlyingBody>,
    /// What each body has left of the energy that may lift it out of an old overlap (J).
    purses: Vec<f64>,
    pairs: Pairs,
    joints: Joints,
}

/// What a substep took.
#[derive(Debug, Default)]
struct Account {
    iterations: u64,
    /// Largest residual over its tolerance, and the body where it is.
    residual: f64,
    worst: Option<usize>,
    /// Number of impacts that did not end.
    open: u64,
}

/// A step that was made, and may be made again.
struct Attempt {
    account: Account,
    /// Smallest gap (m) of contacts.
    deepest: f64,
    /// How fast (rad/s) bodies turned about a joint, and about which.
    turning: (f64, Option<usize>),
}

impl Nonsmooth {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range, or the solver does not know the law.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        config.validate()?;
        let (bodies, purses) = (Vec::new(), Vec::new());
        Ok(Self { config, clock, bodies, purses, pairs: Pairs::default(), joints: Joints::default() })
    }

    /// The settings in use.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Makes a step of `dt` (s) in so many substeps.
    fn attempt(&mut self, scene: &Scene, state: &State, substeps: u32, dt: f64) -> Attempt {
        let h = dt / f64::from(substeps);
        let mut account = Account::default();
        let mut deepest = f64::INFINITY;
        let mut turning = (0.0, None);
        for substep in 1..=substeps {
            let time = state.time + dt * (f64::from(substep) / f64::from(substeps));
            self.substep(scene, (substeps, h), time, &mut account);
            deepest = deepest.min(report::smallest_gap(&self.pairs, &self.bodies));
            let now = rigor_joint::turning(scene, |body| &self.bodies[body].end);
            if now.0 > turning.0 {
                turning = now;
            }
        }
        Attempt { account, deepest, turning }
    }

    /// A substep of `h` (s) that ends at `time` (s), one of so many.
    fn substep(&mut self, scene: &Scene, (substeps, h): (u32, f64), time: f64, account: &mut Account) {
        for (body, flying) in scene.bodies.iter().zip(&mut self.bodies) {
            flying.begin(body, &scene.gravity, h, time);
        }
        self.pairs.detect(&self.bodies, &self.config, (substeps, h));
        let mobilities: Vec<Mobility> = self.bodies.iter().map(FlyingBody::mobility).collect();
        let closing = self.config.closing();
        let input = RowInput { bodies: &self.bodies, mobilities: &mobilities, closing, h };
        let mut rows = self.joints.rows(scene, &input);
        let mut impulses = self.solve(scene, &mobilities, &rows, h, account);
        self.finish(scene, &impulses, h);
        for _ in 0..COMPLETIONS {
            if !self.pairs.complete(&self.bodies, &self.config, (substeps, h)) {
                break;
            }
            impulses = self.solve(scene, &mobilities, &rows, h, account);
            self.finish(scene, &impulses, h);
        }
        let left = self.close(scene, &mobilities, &mut rows, &mut impulses, h, account);
        let n_contacts = impulses.blocks.len() - rows.bounds.len();
        self.pairs.keep(&impulses.blocks[..n_contacts]);
        let of_bounds = impulses.blocks[n_contacts..].iter().map(|r| r.x);
        self.joints.keep(&rows, &impulses.equalities, of_bounds);
        self.joints.follow(scene, &self.bodies, h);
        if self.config.stabilization == Stabilization::Projection {
            let touching = self.pairs.contacts().map(|(pair, _)| [pair.a.0, pair.b.0]);
            let isolated = Isolated::of(scene, &self.joints, |_| true, touching);
            let spins = isolated.spins(scene, &self.bodies);
            let poses = || self.bodies.iter().map(|body| body.end.pose).collect::<Vec<_>>();
            let unclosed = (left > CLOSED).then(poses);
            let both = (&self.pairs, &mut self.joints);
            let is_moved =
                projection::project(scene, (&mut self.bodies, &mut self.purses), both, &self.config, h);
            if !scene.joints.is_empty() {
                // What rebounds is turned back by more than joints; contacts without restitution turn nothing back.
                let mut is_thrown = vec![false; scene.bodies.len()];
                for ((pair, _), r) in self.pairs.contacts().zip(&impulses.blocks) {
                    if pair.restitution > 0.0 && *r != Vec3::zeros() {
                        (is_thrown[pair.a.0], is_thrown[pair.b.0]) = (true, true);
                    }
                }
                let thrown = (|b: usize| is_thrown[b], unclosed.as_deref().filter(|_| is_moved));
                follow_the_way(scene, &self.joints, &mut self.bodies, thrown, h);
                let both = (&self.pairs, &self.joints);
                let held = projection::hold_velocities(scene, &mut self.bodies, both, &self.config);
                self.joints.keep_more(&held.equalities);
                self.joints.keep_bounds(&held.bounds);
                self.pairs.keep_more(&held.contacts);
            }
            if is_moved {
                isolated.restore(scene, &mut self.bodies, &spins);
            }
        }
    }

    /// Corrects the impulses until joints hold where bodies end. Returns the error that is left, over the radius of the smaller body or in rad.
    fn close(
        &mut self,
        scene: &Scene,
        mobilities: &[Mobility],
        rows: &mut Rows,
        impulses: &mut Impulses,
        h: f64,
        account: &mut Account,
    ) -> f64 {
        let (mut before, mut last) = (f64::INFINITY, None);
        for correction in 0..=CORRECTIONS {
            let n_contacts = impulses.blocks.len() - rows.bounds.len();
            let pushes = |bound: usize| impulses.blocks[n_contacts + bound].x > 0.0;
            let error = self.joints.correct(scene, &self.bodies, rows, pushes, h);
            // Joints that contradict each other cannot close, and would only be pulled harder.
            if let Some(last) = last.take_if(|_| error >= before) {
                *impulses = last;
                self.finish(scene, impulses, h);
                break;
            }
            if error <= CLOSED || error > CLOSES * before || correction == CORRECTIONS {
                return error;
            }
            let found = self.solve(scene, mobilities, rows, h, account);
            self.finish(scene, &found, h);
            last = Some(std::mem::replace(impulses, found));
            before = error;
        }
        before
    }

    /// Moves the bodies to the end of the substep.
    fn finish(&mut self, scene: &Scene, impulses: &Impulses, h: f64) {
        for ((body, flying), kick) in scene.bodies.iter().zip(&mut self.bodies).zip(&impulses.kicks) {
            flying.finish(body, &scene.gravity, kick, h);
        }
    }

    /// The impulses of a substep: impacts, then all that holds and pushes.
    fn solve(
        &self,
        scene: &Scene,
        mobilities: &[Mobility],
        rows: &Rows,
        h: f64,
        account: &mut Account,
    ) -> Impulses {
        let config = &self.config;
        let goal =
            Goal { tolerance: config.tolerance, iterations: u64::from(config.iterations), ..Goal::default() };
        let (mut blocks, mut start) = (Vec::new(), Vec::new());
        self.pairs.blocks(&mut blocks, &mut start);
        let collisions: Vec<Collision> = self
            .pairs
            .contacts()
            .map(|(pair, contact)| Collision {
                gap: contact.touch.gap,
                restitution: pair.restitution,
                friction: pair.friction.dynamic,
            })
            .collect();
        let mut free: Vec<Velocity> = self.bodies.iter().map(FlyingBody::free_velocity).collect();
        for (block, (pair, contact)) in blocks.iter_mut().zip(self.pairs.contacts()) {
            let u = block.velocity(|body| free[body]);
            block.target = match config.stabilization {
                Stabilization::Projection => contact.target(&u, NEAR * pair.detection.margins.slop, h),
                Stabilization::Baumgarte | Stabilization::None => {
                    Vec3::x() * config.closing().approach(contact.touch.gap, h)
                }
            };
        }
        blocks.extend(rows.bounds.iter().map(Block::of_bound));
        start.resize(blocks.len(), Vec3::zeros());

        let before: Vec<Velocity> = self.bodies.iter().map(FlyingBody::middle_velocity).collect();
        let resting = scene.gravity.norm() * h;
        let (both, contacts) = ((mobilities, &before[..]), (&blocks[..], &collisions[..]));
        let blow = impact::rebound(both, contacts, &rows.equalities, (resting, h), config, &goal);
        if let Some(blow) = &blow {
            account.iterations += blow.iterations;
            account.open += u64::from(blow.is_open);
            for i in 0..free.len() {
                free[i].linear += blow.kicks[i].linear;
                free[i].angular += blow.kicks[i].angular;
            }
            // After a kick bodies do not move on as they did.
            let is_kicked = |body: usize| blow.kicks[body] != Velocity::default();
            for block in blocks.iter_mut().filter(|block| !block.is_bound()) {
                if block.ends.bodies().any(|(body, ..)| is_kicked(body)) {
                    block.target = Vec3::x() * block.target.x.min(0.0);
                }
            }
            // What was struck leaves as the impacts say. By reflections it is only kept from coming back: asked for that velocity, it would push again
            // where another contact slows it down, and make energy.
            for (i, block) in blocks.iter_mut().enumerate().filter(|(i, _)| blow.struck[*i]) {
                let leaves = match config.impacts {
                    Impacts::Reflections => 0.0,
                    Impacts::Newton => block.ends.velocity(&block.axes[0], |body| free[body]).max(0.0),
                };
                block.target = Vec3::x() * leaves;
                start[i] = Vec3::zeros();
            }
        }
        let mut found =
            self.settle(mobilities, &free, rows, &mut blocks, &start, &goal, h * scene.gravity.norm());
        account.iterations += found.iterations;
        if found.residual > account.residual {
            (account.residual, account.worst) = (found.residual, found.worst);
        }
        if let Some(blow) = blow {
            add(&mut found, &blow);
        }
        found
    }

    /// Solves for what holds and pushes; contacts that slide have the friction of sliding.
    #[expect(clippy::too_many_arguments, reason = "a part of `solve`")]
    fn settle(
        &self,
        mobilities: &[Mobility],
        free: &[Velocity],
        rows: &Rows,
        blocks: &mut [Block],
        start: &[Vec3],
        goal: &Goal,
        speed: f64,
    ) -> Impulses {
        let frictions: Vec<_> = self.pairs.contacts().map(|(pair, _)| pair.friction).collect();
        let solve = |blocks: &[Block], start: &[Vec3]| {
            let equalities = &rows.equalities;
            Mechanics { mobilities, free, equalities, blocks }.solve(start, &self.config, goal)
        };
        let found = solve(blocks, start);
        let mut slides = false;
        for (i, friction) in frictions.iter().enumerate().filter(|(_, f)| f.dynamic < f.static_) {
            let after = |body: usize| Velocity {
                linear: free[body].linear + found.kicks[body].linear,
                angular: free[body].angular + found.kicks[body].angular,
            };
            let u = blocks[i].velocity(after) - blocks[i].target;
            if found.blocks[i].x > 0.0 && (u.y * u.y + u.z * u.z).sqrt() > SLIDES * speed {
                blocks[i].cone = Cone::Friction(friction.dynamic);
                slides = true;
            }
        }
        if !slides {
            return found;
        }
        let again = solve(blocks, &found.blocks);
        Impulses { iterations: found.iterations + again.iterations, ..again }
    }
}

/// Adds the impulses of impacts.
fn add(found: &mut Impulses, blow: &Blow) {
    for (kick, more) in found.kicks.iter_mut().zip(&blow.kicks) {
        kick.linear += more.linear;
        kick.angular += more.angular;
    }
    found.blocks.iter_mut().zip(&blow.impulses).for_each(|(r, more)| *r += more);
    found.equalities.iter_mut().zip(&blow.equalities).for_each(|(lambda, more)| *lambda += more);
}

impl Method for Nonsmooth {
    fn name(&self) -> &str {
        "nonsmooth"
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

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start(self.clock);
        self.pairs.collect(scene, state, dt, &self.config)?;
        body::load(scene, state, &mut self.bodies, &mut self.purses);
        self.joints.load(scene, state, JOINTS);
        let start = self.joints.start_flaw(scene, state, JOINTS);
        let mut pace = pace::substeps(scene, &self.pairs, &self.bodies, &self.config, dt);
        let seconds = watch.lap();
        let mut tried = self.attempt(scene, state, pace.substeps, dt);
        for _ in 0..AGAIN {
            let Some(more) = pace::again(&pace, tried.turning, &self.config, dt) else { break };
            pace = more;
            self.pairs.collect(scene, state, dt, &self.config)?;
            body::load(scene, state, &mut self.bodies, &mut self.purses);
            self.joints.load(scene, state, JOINTS);
            tried = self.attempt(scene, state, pace.substeps, dt);
        }
        let Attempt { account, deepest, .. } = tried;
        let pace::Pace { substeps, mut flaw } = pace;
        let joints = self.joints.reports(scene, &self.bodies, dt);
        if let Some(id) = scene.body_ids().find(|id| !is_finite(&self.bodies[id.0])) {
            return Err(StepError::not_finite(scene, id, rigor_scene::Attribute::Extent));
        }
        let outrun = self.pairs.meetings.outrun(scene, state, |i| self.bodies[i].end.pose);
        body::store(&self.bodies, &self.purses, state);
        self.pairs.store(state);
        self.joints.store(state, JOINTS);
        if account.residual > 1.0 || account.open > 0 {
            let subject = account.worst.map_or(Subject::Scene, |body| Subject::Body(BodyId(body)));
            let unconverged = Flaw::new(FlawKind::Unconverged, subject, account.residual.max(1.0));
            flaw = flaw.or(Some(unconverged));
        }
        let largest =
            |error: fn(&rigor_scene::JointReport) -> f64| joints.iter().map(error).fold(0.0, f64::max);
        let mut quantities = vec![Quantity { name: "substeps", unit: "1", value: f64::from(substeps) }];
        if !joints.is_empty() {
            quantities.push(Quantity {
                name: "joint_error",
                unit: "m",
                value: largest(|r| r.position_error),
            });
            quantities.push(Quantity {
                name: "joint_angle_error",
                unit: "rad",
                value: largest(|r| r.angle_error),
            });
        }
        Ok(StepReport {
            iterations: account.iterations,
            residual: Some(account.residual * self.config.tolerance),
            contacts: report::contacts(&self.pairs, &self.bodies, dt),
            joints,
            min_distance: (deepest < f64::INFINITY).then_some(deepest),
            phases: vec![
                PhaseTime { phase: "broad phase", seconds },
                PhaseTime { phase: "substeps", seconds: watch.lap() },
            ],
            quantities,
            flaws: flaw.into_iter().chain(outrun).chain(start).collect(),
            ..StepReport::default()
        })
    }
}

fn is_finite(body: &FlyingBody) -> bool {
    let end = &body.end;
    end.pose.is_finite()
        && end.linear_velocity.iter().chain(end.angular_velocity.iter()).all(|x| x.is_finite())
}
