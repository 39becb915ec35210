//! A step on the device.

use rigor_gpu::{DeviceError, Session, Timing, float_at};
use rigor_math::{UnitQuaternion, Vec3};
use rigor_scene::{
    Clock, Feature, Flaw, FlawKind, ParticleId, ParticleState, PhaseTime, Quantity, Scene, State, StepError,
    StepReport, Subject,
};

use crate::config::Config;
use crate::gpu::error::GpuError;
use crate::gpu::kernels::{Kernels, N_BUFFERS, STAGES};
use crate::gpu::scenery::{DeviceInput, MOTION};
use crate::gpu::twin::{DeviceScene, MOST, Progress};
use crate::grain::kind::Kinds;
use crate::mover::{Mover, Origin};
use crate::world::World;
use crate::{memory, report};

/// The device and the scene on it; opened at the first step.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    open: Option<Open>,
    kinds: Kinds,
    /// Substeps of the last step. The next step first submits the same number.
    expected: u32,
}

#[derive(Debug)]
struct Open {
    session: Session,
    kernels: Kernels,
    timing: Option<Timing>,
    twin: Option<DeviceScene>,
}

/// What the device lacks for a scene.
pub(crate) fn unsupported(scene: &Scene, config: &Config) -> Option<Feature> {
    use crate::config::Device;
    if config.device != Device::Gpu {
        return None;
    }
    if scene.has_pairs_apart() {
        let what = "pairs of bodies without contact on the device \"gpu\"; give them the same group";
        return Some(Feature::Other { what: what.into() });
    }
    if !scene.fluids.is_empty() {
        return Some(Feature::Other { what: "fluids on the device \"gpu\"".into() });
    }
    rigor_gpu::find(config.adapter.as_deref()).err().map(|error| GpuError::from(error).into())
}

impl Open {
    fn new(config: &Config, clock: Clock) -> Result<Self, DeviceError> {
        let session = Session::open(config.adapter.as_deref(), N_BUFFERS)?;
        let kernels = Kernels::compile(&session)?;
        // A clock that stands still asks for no times.
        let is_timed = session.has_timestamps && (clock.0)() > 0.0;
        let timing = if is_timed { Some(Timing::new(&session, MOST * STAGES.len() as u32)?) } else { None };
        Ok(Self { session, kernels, timing, twin: None })
    }

    /// The twin of `scenery`.
    fn twin(&mut self, scenery: DeviceInput) -> Result<&mut DeviceScene, DeviceError> {
        let known =
            self.twin.take().and_then(|mut twin| twin.update(&self.session, &scenery).then_some(twin));
        let twin = match known {
            Some(twin) => twin,
            None => DeviceScene::new(&self.session, &self.kernels, scenery)?,
        };
        Ok(self.twin.insert(twin))
    }
}

impl Solver {
    /// Advances the bodies of `world`, which is loaded from the state, and the grains by `dt` (s).
    pub fn step(
        &mut self,
        world: &mut World,
        (scene, state): (&Scene, &mut State),
        config: &Config,
        clock: Clock,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.admit(world, scene, state, config);
        let mut seconds = [0.0; STAGES.len()];
        let mut progress = None;
        if !world.movers.is_empty() {
            let outcome = self.advance(world, scene, config, clock, dt, &mut seconds);
            if outcome.is_err() {
                // A lost device is not used again.
                self.open = None;
            }
            progress = Some(outcome?);
            check(world, scene)?;
        }
        store(world, scene, state, state.time + dt);
        Ok(report(progress, world, seconds))
    }

    /// Adds a mover for each grain.
    fn admit(&mut self, world: &mut World, scene: &Scene, state: &State, config: &Config) {
        self.kinds.find(scene);
        self.kinds.stiffen(scene, config, world.speed);
        let spins = memory::spins(state);
        for (i, now) in state.particles.iter().enumerate() {
            let omega = spins.get(3 * i..3 * i + 3).map_or_else(Vec3::zeros, Vec3::from_column_slice);
            let kappa = self.kinds.all[self.kinds.of[i] as usize].kappa;
            world.admit(scene, ParticleId(i), now, omega, kappa);
        }
    }

    fn advance(
        &mut self,
        world: &mut World,
        scene: &Scene,
        config: &Config,
        clock: Clock,
        dt: f64,
        seconds: &mut [f64; STAGES.len()],
    ) -> Result<Progress, StepError> {
        if self.open.is_none() {
            self.open = Some(Open::new(config, clock).map_err(GpuError::from)?);
        }
        let Some(open) = &mut self.open else { return Err(GpuError::from(DeviceError::NoAdapter).into()) };
        open.twin(DeviceInput::new(world, scene, config, dt)).map_err(GpuError::from)?;
        let Open { session, kernels, timing, twin: Some(twin) } = open else {
            return Err(GpuError::from(DeviceError::NoAdapter).into());
        };
        twin.begin(session, kernels, dt);
        let (mut expected, mut submitted) = (self.expected, 0);
        let progress = loop {
            let n = twin.batch(expected);
            let progress = twin.advance(session, kernels, n, timing.as_ref()).map_err(GpuError::from)?;
            if let Some(timing) = timing {
                let passes = timing.read(session, n * STAGES.len() as u32).map_err(GpuError::from)?;
                passes.iter().enumerate().for_each(|(k, time)| seconds[k % STAGES.len()] += time);
            }
            submitted += u64::from(n);
            match progress.status {
                1 => break progress,
                2 => return Err(too_many(&progress, config, dt)),
                // Every substep counts, unless numbers are none.
                _ if submitted > u64::from(progress.substeps) => {
                    return Err(GpuError::Overflow { substeps: progress.substeps }.into());
                }
                _ => expected = (progress.needed - f64::from(progress.substeps)).max(1.0) as u32,
            }
        };
        self.expected = progress.substeps;
        let motions = twin.read(session).map_err(GpuError::from)?;
        for (mover, bytes) in world.movers.iter_mut().zip(motions.chunks_exact(MOTION)) {
            receive(mover, bytes);
        }
        Ok(progress)
    }
}

fn too_many(progress: &Progress, config: &Config, dt: f64) -> StepError {
    if !progress.needed.is_finite() {
        return GpuError::Overflow { substeps: progress.substeps }.into();
    }
    StepError::TooManySubsteps {
        dt,
        substep: progress.longest,
        needed: progress.needed,
        maximum: config.max_substeps,
    }
}

/// Takes over what the device computed.
fn receive(mover: &mut Mover, bytes: &[u8]) {
    // What is pinned stays where it was given, not where single precision rounds it to.
    if mover.inverse_mass == 0.0 {
        return;
    }
    let vector = |at: usize| Vec3::new(float_at(bytes, at), float_at(bytes, at + 1), float_at(bytes, at + 2));
    (mover.x, mover.v) = (vector(0) + vector(16), vector(8) + vector(20));
    mover.omega = vector(12);
    let q = vector(4).push(float_at(bytes, 7));
    mover.q = UnitQuaternion::new_normalize(q.into());
}

fn check(world: &World, scene: &Scene) -> Result<(), StepError> {
    use rigor_scene::Attribute::{Pose, PositionOrVelocity};
    let is_finite = |mover: &&Mover| {
        let all = [mover.x, mover.v, mover.omega, mover.q.vector().into_owned()];
        all.iter().all(|v| v.iter().all(|x| x.is_finite()))
    };
    match world.movers.iter().find(|mover| !is_finite(mover)).map(|mover| mover.origin) {
        Some(Origin::Body(id)) => Err(StepError::not_finite(scene, id, Pose)),
        Some(Origin::Grain(id)) => Err(StepError::particle_not_finite(scene, id, PositionOrVelocity)),
        None => Ok(()),
    }
}

/// Stores bodies and grains in `state` as they are at `end` (s).
fn store(world: &World, scene: &Scene, state: &mut State, end: f64) {
    world.store(scene, state, end);
    if state.particles.is_empty() {
        return;
    }
    let mut spins = vec![0.0; 3 * state.particles.len()];
    for mover in &world.movers {
        if let Origin::Grain(ParticleId(i)) = mover.origin {
            state.particles[i] = ParticleState { position: mover.x, velocity: mover.v };
            spins[3 * i..3 * i + 3].copy_from_slice(mover.omega.as_slice());
        }
    }
    memory::store_spins(spins, state);
}

/// The flaw of positions so far from the origin that single precision resolves them to a thousandth of a diameter only.
fn coarse(world: &World) -> Option<Flaw> {
    let farthest = world.movers.iter().map(|mover| mover.x.amax()).fold(0.0, f64::max);
    let resolution = 0.5 * f64::from(f32::EPSILON) * farthest / world.smallest;
    (resolution > 1e-3).then(|| Flaw::new(FlawKind::CoarsePositions, Subject::Scene, resolution))
}

fn report(progress: Option<Progress>, world: &World, seconds: [f64; STAGES.len()]) -> StepReport {
    let quantity = |name, unit, value| Quantity { name, unit, value };
    let substeps = progress.map_or(0, |p| u64::from(p.substeps));
    let relative = progress.map_or(0.0, |p| p.relative_overlap);
    let phase = |((name, _), seconds): (&(&'static str, _), f64)| PhaseTime { phase: name, seconds };
    StepReport {
        iterations: substeps,
        min_distance: progress.filter(|p| p.overlap > 0.0).map(|p| -p.overlap),
        // Contacts are springs, whose energy is not summed.
        released: progress.filter(|p| p.overlap > 0.0).map(|_| f64::INFINITY),
        phases: STAGES.iter().zip(seconds).map(phase).collect(),
        quantities: vec![
            quantity("particles", "1", world.particles.owner.len() as f64),
            quantity("grids", "1", substeps as f64),
            quantity("dropped", "1", 0.0),
            quantity("relative_overlap", "1", relative),
            quantity("shortest_substep", "s", progress.map_or(0.0, |p| p.shortest)),
        ],
        flaws: report::flaws(relative).into_iter().chain(coarse(world)).collect(),
        ..StepReport::default()
    }
}

#[cfg(test)]
mod tests {
    use rigor_gpu::wgpu::BufferUsages;
    use rigor_scene::{Method, Particle};

    use super::*;
    use crate::config::{Device, Model};
    use crate::population::Population;

    fn step(solver: &mut Solver, scene: &Scene, state: &mut State) -> Result<StepReport, StepError> {
        timed_step(solver, scene, state, Clock::default())
    }

    fn timed_step(
        solver: &mut Solver,
        scene: &Scene,
        state: &mut State,
        clock: Clock,
    ) -> Result<StepReport, StepError> {
        let config = Config { device: Device::Gpu, model: Model::Harada, ..Config::default() };
        let (mut world, mut population) = (World::default(), Population::default());
        population.prepare(scene, &config).expect("no bodies");
        world.load(scene, state, &population, &config);
        solver.step(&mut world, (scene, state), &config, clock, 1e-3)
    }

    fn falling() -> Scene {
        let particles = vec![Particle { radius: 0.1, ..Particle::new(1.0, Vec3::zeros()) }];
        Scene { particles, gravity: -Vec3::y(), ..Scene::default() }
    }

    #[test]
    #[ignore = "needs an adapter"]
    fn stages_are_timed_where_the_adapter_has_timestamps_and_a_clock_is_lent() {
        let scene = falling();
        let run = |clock| {
            let (mut solver, mut state) = (Solver::default(), State::initial(&scene));
            let report = timed_step(&mut solver, &scene, &mut state, clock).expect("a step");
            assert_eq!(report.phases.len(), 5);
            let seconds: f64 = report.phases.iter().map(|phase| phase.seconds).sum();
            (state, seconds, solver.open.expect("it is open").session.has_timestamps)
        };
        let (still, lent) = (run(Clock::default()), run(Clock(|| 1.0)));
        assert_eq!(still.0, lent.0, "times change no result");
        assert!(still.1 == 0.0 && (lent.1 > 0.0) == lent.2, "{} s", lent.1);
    }

    #[test]
    #[ignore = "needs an adapter"]
    fn rows_of_workgroups_compute_what_the_processor_does() {
        let at = |i: u32| 0.19 * Vec3::new(f64::from(i % 13), f64::from(i / 13 % 13), f64::from(i / 169));
        let grain = |i| Particle { radius: 0.1, restitution: 0.5, ..Particle::new(1.0, at(i)) };
        let scene = Scene { particles: (0..1500).map(grain).collect(), ..Scene::default() };
        let (mut on_gpu, mut on_cpu) = (State::initial(&scene), State::initial(&scene));
        let config = Config { model: Model::Harada, ..Config::default() };
        let mut method = crate::Particles::new(config, Clock::default()).expect("valid settings");
        let mut solver = Solver::default();
        let mut worst = (0.0_f64, 0.0_f64);
        for _ in 0..5 {
            step(&mut solver, &scene, &mut on_gpu).expect("a step");
            method.step(&scene, &mut on_cpu, 1e-3).expect("a step");
            for (a, b) in on_gpu.particles.iter().zip(&on_cpu.particles) {
                worst.0 = worst.0.max((a.velocity - b.velocity).norm());
                worst.1 = worst.1.max(b.velocity.norm());
            }
        }
        assert!(worst.1 > 1e-5 && worst.0 < 1e-2 * worst.1, "{:e} of {:e} m/s", worst.0, worst.1);
    }

    #[test]
    #[ignore = "needs an adapter"]
    fn a_lost_device_is_an_error_and_the_next_step_opens_it_again() {
        let scene = falling();
        let (mut solver, mut state) = (Solver::default(), State::initial(&scene));
        step(&mut solver, &scene, &mut state).expect("a step");
        solver.open.as_ref().expect("it is open").session.device.destroy();
        let before = state.clone();
        let error = step(&mut solver, &scene, &mut state).expect_err("it is lost").to_string();
        assert!(error.contains("failed") && error.contains("resume the run"), "{error}");
        assert_eq!(state, before);
        step(&mut solver, &scene, &mut state).expect("a new device");
        assert!((state.particles[0].velocity.y + 2e-3).abs() < 1e-9, "{:?}", state.particles[0]);
    }

    #[test]
    #[ignore = "needs an adapter"]
    fn an_array_beyond_the_limits_is_refused_with_its_size() {
        let session = Session::open(None, N_BUFFERS).expect("an adapter");
        let error = session.buffer("triangles", 1 << 50, BufferUsages::STORAGE).expect_err("it is large");
        let is_told = matches!(error, DeviceError::TooLarge { needed, maximum, .. } if needed == 1 << 50 && maximum < needed);
        assert!(is_told, "{error}");
    }
}
