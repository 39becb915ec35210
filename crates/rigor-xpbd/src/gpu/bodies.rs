//! Rigid bodies with joints and contacts on a graphics processor, in single precision.
//!
//! A step writes bodies to the device, runs all its substeps there, the search for contacts too, and reads bodies and the
//! impulses of joints and contacts back. Pairs of bodies that may touch are those of the processor, once per step.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `body.wgsl`, `joint.wgsl`, `detect.wgsl`, `push.wgsl` | the kernels |
//! | `kernels` | their names and arrays |
//! | `batches` | what is solved at the same time |
//! | `shapes` | surfaces on the device |
//! | `twin` | bodies, joints and pairs on the device |
//! | `lack` | what the device lacks |

mod batches;
mod kernels;
mod lack;
mod shapes;
mod twin;

use rigor_gpu::{DeviceError, Program, Session, Timing};
use rigor_scene::{Clock, PhaseTime, Scene, State, StepError, StepReport};

use crate::body::{self, SolverBody};
use crate::config::{Config, Solver as Sweeps};
use crate::contact::detect::Collisions;
use crate::contact::pace;
use crate::contact::report;
use crate::contact::solve::warm_start;
use crate::elastic::Elastic;
use crate::gpu::error::GpuError;
use crate::gpu::passes::{self, Passes};
use crate::joint::{self, Joints};
use batches::Batches;
use kernels::{N_BUFFERS, STAGES};
use twin::{DeviceScene, Outcome, Size, StepParameters};

/// Invocations that the search of a pair is worth, at least.
const SEARCH: u64 = 256;

/// What the processor prepares for a step.
pub(crate) struct HostData<'a> {
    pub bodies: &'a mut Vec<SolverBody>,
    pub collisions: &'a mut Collisions,
    pub joints: &'a mut Joints,
    pub elastic: &'a mut Elastic,
}

/// The device and the bodies on it; opened at the first step.
#[derive(Debug, Default)]
pub(crate) struct BodySolver {
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    session: Session,
    program: Program,
    timing: Option<Timing>,
    twin: Option<DeviceScene>,
}

/// Returns what the device lacks for the bodies of a scene.
pub(crate) fn lacking(scene: &Scene, config: &Config) -> Option<String> {
    lack::of_motion(scene, config).or_else(|| lack::of_shapes(scene))
}

impl Open {
    fn new(config: &Config, clock: Clock) -> Result<Self, DeviceError> {
        let session = Session::open(config.adapter.as_deref(), N_BUFFERS)?;
        let program = kernels::compile(&session)?;
        let timing = passes::timing(&session, clock)?;
        Ok(Self { session, program, timing, twin: None })
    }

    /// Computes the `substeps` of a step; returns what it left, and the time (s) of each stage.
    fn step(
        &mut self,
        host: &mut HostData<'_>,
        scene: &Scene,
        config: &Config,
        pace: &StepParameters,
        plan: &Plan,
    ) -> Result<(Outcome, Vec<f64>), GpuError> {
        let Self { session, program, timing, twin } = self;
        let size = Size {
            bodies: scene.bodies.len(),
            joints: scene.joints.len(),
            pairs: plan.pairs.order.len().next_power_of_two(),
            batches: (plan.joints.ranges.len() + plan.pairs.ranges.len()).next_power_of_two(),
        };
        let twin = match twin.take().filter(|twin| twin.fits(scene, &size)) {
            Some(known) => twin.insert(known),
            None => {
                if let Some(what) = lack::of_shapes(scene) {
                    return Err(GpuError::Lacks { what });
                }
                let features = plan.has_contacts.then_some(&host.collisions.features);
                twin.insert(DeviceScene::new(session, program, scene, features, size)?)
            }
        };
        let share = |i| if pace.is_jacobi { host.joints.share(scene, config, i) } else { 1.0 };
        twin.write_joints(session, host.joints, &plan.joints, share);
        twin.write_pairs(session, &host.collisions.pairs, &plan.pairs);
        twin.write_parts(session);
        twin.write_bodies(session, scene, host.bodies, pace)?;
        let mut passes = Passes::new(session, timing.as_ref(), STAGES);
        let n = scene.bodies.len() as u64;
        let search = SEARCH * plan.pairs.order.len() as u64;
        let sweep = twin.sweep_size();
        for _ in 0..pace.substeps {
            passes.add(0, n, |pass| twin.predict(program, pass))?;
            passes.add(1, search, |pass| twin.detect(program, pass))?;
            let mut left = config.iterations;
            while left > 0 {
                let sweeps = left.min(Passes::sweeps(sweep));
                let work = sweep.0 * u64::from(sweeps);
                passes.add(2, work, |pass| {
                    (0..sweeps).for_each(|_| twin.sweep(program, pace.is_jacobi, pass));
                })?;
                left -= sweeps;
            }
            passes.add(3, sweep.0, |pass| twin.finish(program, pass))?;
        }
        passes.submit()?;
        let seconds = std::mem::take(&mut passes.seconds);
        Ok((twin.read(session, host.bodies)?, seconds))
    }
}

/// Which constraints are solved at the same time in a step.
struct Plan {
    joints: Batches,
    pairs: Batches,
    has_contacts: bool,
}

impl Plan {
    fn new(host: &HostData<'_>, scene: &Scene, has_contacts: bool) -> Self {
        let n = scene.bodies.len();
        let pairs = &host.collisions.pairs;
        let near = (0..pairs.len()).filter(|&i| has_contacts && pairs[i].detection.is_near);
        let dynamic = |i: usize| {
            [pairs[i].a.0, pairs[i].b.0].into_iter().filter(|&body| scene.bodies[body].is_dynamic())
        };
        Self {
            joints: Batches::new(host.joints.order().iter().copied(), n, |i| host.joints.moved(scene, i)),
            pairs: Batches::new(near, n, dynamic),
            has_contacts,
        }
    }

    fn n_batches(&self) -> usize {
        self.joints.ranges.len() + self.pairs.ranges.len()
    }
}

impl BodySolver {
    /// Advances the bodies of `scene` by `dt` (s).
    pub fn step(
        &mut self,
        mut host: HostData<'_>,
        (scene, state): (&Scene, &mut State),
        config: &Config,
        clock: Clock,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        if let Some(what) = lack::of_motion(scene, config) {
            return Err(GpuError::Lacks { what }.into());
        }
        host.collisions.collect(scene, state, dt, config)?;
        warm_start::load(state, &mut host.collisions.pairs);
        body::load(scene, state, host.bodies);
        host.joints.load(scene, state, host.bodies, config);
        host.elastic.load(scene, state, config)?;
        let plan = Plan::new(&host, scene, lack::can_touch(scene));
        let pairs = &host.collisions.pairs;
        let turning = host.joints.turning(scene, host.bodies);
        let (features, bodies) = (&host.collisions.features, &*host.bodies);
        let (substeps, flaw) =
            pace::Motion { features, bodies, pairs, turning, gains: &[] }.substeps(config, dt);
        let h = dt / f64::from(substeps);
        let is_jacobi = config.solver == Sweeps::Jacobi;
        let pace = StepParameters { h, substeps, safety: config.safety, is_jacobi };
        let (outcome, seconds) =
            self.advance(&mut host, scene, config, clock, &pace, &plan).inspect_err(|_| {
                // A lost device is not used again.
                self.open = None;
            })?;

        for (&i, (linear, angular)) in plan.joints.order.iter().zip(&outcome.joints) {
            host.joints.list[i].set_step_impulses(*linear, *angular);
        }
        let (mut deepest, mut residual) = (f64::INFINITY, 0.0_f64);
        for (&i, left) in plan.pairs.order.iter().zip(outcome.pairs) {
            let pair = &mut host.collisions.pairs[i];
            let (a, b) = (&host.bodies[pair.a.0], &host.bodies[pair.b.0]);
            residual = left.now.iter().map(|contact| -report::gap(contact, a, b)).fold(residual, f64::max);
            deepest = deepest.min(left.distance);
            (pair.history.past, pair.history.pushed) = (left.past, left.pushed);
        }
        let joints = host.joints.end_step(scene, host.bodies, dt)?;
        body::store(host.bodies, state);
        warm_start::store(&host.collisions.pairs, state);
        host.joints.store(state);
        let mut quantities = joint::quantities(&joints);
        let violation = host.elastic.violation(host.bodies, h);
        quantities.extend(host.elastic.quantities(host.bodies, &violation, plan.n_batches()));
        let phase = |(phase, seconds): (&&'static str, f64)| PhaseTime { phase, seconds };
        Ok(StepReport {
            iterations: u64::from(substeps) * u64::from(config.iterations),
            residual: Some(residual.max(violation.length)),
            contacts: report::contacts(&host.collisions.pairs, host.bodies, dt),
            min_distance: (deepest < NONE).then_some(deepest),
            phases: STAGES.iter().zip(seconds).map(phase).collect(),
            quantities,
            joints,
            flaws: flaw.into_iter().collect(),
            ..StepReport::default()
        })
    }

    fn advance(
        &mut self,
        host: &mut HostData<'_>,
        scene: &Scene,
        config: &Config,
        clock: Clock,
        pace: &StepParameters,
        plan: &Plan,
    ) -> Result<(Outcome, Vec<f64>), GpuError> {
        let open = match self.open.take() {
            Some(open) => self.open.insert(open),
            None => self.open.insert(Open::new(config, clock)?),
        };
        open.step(host, scene, config, pace, plan)
    }
}

/// Separations (m) from this on say that there was no contact.
const NONE: f64 = 1e14;
