//! A step on the device.

use rigor_gpu::{DeviceError, Program, Session, Timing};
use rigor_scene::{BondKind, Clock, Feature, PhaseTime, Scene, State, StepError, StepReport};

use crate::config::{Config, Device, Integrator, Solver as Sweeps};
use crate::elastic::Elastic;
use crate::gpu::bodies;
use crate::gpu::error::GpuError;
use crate::gpu::kernels::{self, N_BUFFERS, STAGES};
use crate::gpu::passes::{self, Passes};
use crate::gpu::twin::{DeviceScene, StepParameters};
use crate::particle;

/// The device and the bonds on it; opened at the first step.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    session: Session,
    program: Program,
    timing: Option<Timing>,
    twin: Option<DeviceScene>,
}

/// What the device lacks for a scene.
pub(crate) fn unsupported(scene: &Scene, config: &Config) -> Option<Feature> {
    if config.device != Device::Gpu {
        return None;
    }
    let what = match scene.bodies.is_empty() {
        true => lacking(scene, config),
        false => bodies::lacking(scene, config),
    };
    match what {
        Some(what) => Some(GpuError::Lacks { what }.into()),
        None => rigor_gpu::find(config.adapter.as_deref()).err().map(|error| GpuError::from(error).into()),
    }
}

/// Returns what the device lacks for the particles of a scene.
fn lacking(scene: &Scene, config: &Config) -> Option<String> {
    if scene.bonds.iter().any(|bond| !matches!(bond.kind, BondKind::Distance { .. })) {
        return Some("bonds of angles, volumes and shapes".into());
    }
    if scene.particles.iter().any(|particle| particle.radius > 0.0) {
        return Some("particles with a radius".into());
    }
    let is_in_turn = config.solver == Sweeps::GaussSeidel;
    is_in_turn.then(|| {
        "solver = \"gauss_seidel\" for bonds (there are \"coloured\", \"red_black\" and \"jacobi\")".into()
    })
}

impl Open {
    fn new(config: &Config, clock: Clock) -> Result<Self, DeviceError> {
        let session = Session::open(config.adapter.as_deref(), N_BUFFERS)?;
        let program = kernels::compile(&session)?;
        let timing = passes::timing(&session, clock)?;
        Ok(Self { session, program, timing, twin: None })
    }

    /// Computes a step of `dt` (s); returns the time (s) of each stage.
    fn step(
        &mut self,
        elastic: &mut Elastic,
        scene: &Scene,
        config: &Config,
        dt: f64,
    ) -> Result<Vec<f64>, GpuError> {
        let pace = pace(elastic, scene, config, dt);
        let (particles, mut bonds) = elastic.arrangement();
        let Self { session, program, timing, twin } = self;
        let known = twin.take().filter(|twin| twin.is_of(particles.len(), &bonds));
        let twin = match known {
            Some(known) => twin.insert(known),
            None => twin.insert(DeviceScene::new(session, program, particles.len(), &bonds)?),
        };
        twin.write(session, particles, &pace)?;
        let mut passes = Passes::new(session, timing.as_ref(), STAGES);
        let size = twin.sweep_size();
        for _ in 0..config.substeps {
            passes.add(0, twin.prediction_size(), |pass| twin.predict(program, pass))?;
            let mut left = config.iterations;
            while left > 0 {
                let n = left.min(Passes::sweeps(size));
                let work = size.0 * u64::from(n);
                passes.add(1, work, |pass| (0..n).for_each(|_| twin.sweep(program, pass)))?;
                left -= n;
            }
            passes.add(2, twin.prediction_size(), |pass| twin.finish(program, pass))?;
        }
        passes.submit()?;
        let seconds = std::mem::take(&mut passes.seconds);
        twin.read(session, particles, &mut bonds)?;
        Ok(seconds)
    }
}

/// What a substep of the step `dt` (s) needs. Verlet gains half as much velocity in its first substep: it starts with
/// less.
fn pace(elastic: &mut Elastic, scene: &Scene, config: &Config, dt: f64) -> StepParameters {
    let h = dt / f64::from(config.substeps);
    let rule = elastic.rule(h);
    if config.integrator == Integrator::Verlet && !elastic.start() {
        for particle in elastic.particles.iter_mut().filter(|particle| particle.w > 0.0) {
            particle.v -= 0.5 * h * scene.gravity;
        }
    }
    let half = if config.integrator == Integrator::VelocityVerlet { 0.5 } else { 1.0 };
    let relaxation = if config.solver == Sweeps::Jacobi { config.relaxation } else { 1.0 };
    StepParameters {
        fall: half * h * scene.gravity,
        rest: particle::lead(config.integrator) * h * scene.gravity,
        h,
        per_h_sq: rule.per_h_sq,
        share: rule.share * relaxation,
    }
}

impl Solver {
    /// Advances the particles of `scene` by `dt` (s).
    pub fn step(
        &mut self,
        elastic: &mut Elastic,
        (scene, state): (&Scene, &mut State),
        config: &Config,
        clock: Clock,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        if let Some(what) = lacking(scene, config) {
            return Err(GpuError::Lacks { what }.into());
        }
        elastic.load(scene, state, config)?;
        let seconds = self.advance(elastic, scene, config, clock, dt).inspect_err(|_| {
            // A lost device is not used again.
            self.open = None;
        })?;
        let h = dt / f64::from(config.substeps);
        elastic.check(scene, state, dt, h)?;
        elastic.store(config, state);
        let violation = elastic.violation(&[], h);
        let phase = |(phase, seconds): (&&'static str, f64)| PhaseTime { phase, seconds };
        Ok(StepReport {
            iterations: u64::from(config.substeps) * u64::from(config.iterations),
            residual: Some(violation.length),
            phases: STAGES.iter().zip(seconds).map(phase).collect(),
            quantities: elastic.quantities(&[], &violation, 0).into(),
            ..StepReport::default()
        })
    }

    fn advance(
        &mut self,
        elastic: &mut Elastic,
        scene: &Scene,
        config: &Config,
        clock: Clock,
        dt: f64,
    ) -> Result<Vec<f64>, GpuError> {
        if elastic.particles.is_empty() {
            return Ok(vec![0.0; STAGES.len()]);
        }
        let open = match self.open.take() {
            Some(open) => self.open.insert(open),
            None => self.open.insert(Open::new(config, clock)?),
        };
        open.step(elastic, scene, config, dt)
    }
}
