//! Particles and bonds on the device.

use std::ops::Range;

use rigor_gpu::wgpu::{BindGroup, Buffer, BufferUsages, ComputePass};
use rigor_gpu::{Bytes, DeviceError, Program, Session, float_at};
use rigor_math::Vec3;

use crate::elastic::Arrangement;
use crate::gpu::error::GpuError;
use crate::gpu::kernels::{Kernel, PART};
use crate::particle::SolverParticle;

/// Distance of two parts in their array: the largest alignment that an adapter may ask for (bytes).
const STRIDE: u64 = 256;
/// Bytes of a particle and of a bond.
const PARTICLE: usize = 48;
const BOND: u64 = 20;
/// Numbers beyond this would leave the range of single precision when they are multiplied.
const LARGEST: f64 = 1e15;
/// Maximum compliance (m/N): a softer bond has no effect that single precision shows.
const SOFTEST: f64 = 1e30;

/// What a substep needs besides particles and bonds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepParameters {
    /// Gain of velocity (m/s) before and after the motion.
    pub fall: Vec3,
    pub rest: Vec3,
    /// Length (s).
    pub h: f64,
    pub per_h_sq: f64,
    pub share: f64,
}

/// Arrays of a scene on the device.
#[derive(Debug)]
pub(crate) struct DeviceScene {
    version: u64,
    n_particles: u32,
    n_bonds: u32,
    colours: Vec<Range<u32>>,
    is_jacobi: bool,
    settings: Buffer,
    particles: Buffer,
    lambdas: Buffer,
    staging: Buffer,
    group: BindGroup,
}

impl DeviceScene {
    /// Creates the arrays of `n_particles` particles and their bonds.
    pub fn new(
        session: &Session,
        program: &Program,
        n_particles: usize,
        bonds: &Arrangement<'_>,
    ) -> Result<Self, DeviceError> {
        let (n, m) = (n_particles as u64, bonds.distance.len() as u64);
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let both = storage | BufferUsages::COPY_SRC;
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        // An array of no bytes cannot be bound.
        let make = |what, size: u64, usage| session.buffer(what, size.max(PART), usage);
        let ends = ends(n_particles, bonds);
        let settings = make("settings", 48, uniform)?;
        let parts = make("parts", STRIDE * (bonds.colours.len() as u64 + 1), uniform)?;
        let particles = make("particles", PARTICLE as u64 * n, both)?;
        let moved = make("displacements", 16 * n, storage)?;
        let table = make("bonds", BOND * m, storage)?;
        let apart = make("lengths", 16 * m, storage)?;
        let lambdas = make("multipliers", 4 * m, both)?;
        let corrections = make("corrections", if bonds.jacobi.is_some() { 16 * m } else { 0 }, storage)?;
        let places = make("ends of bonds", ends.0.len() as u64, storage)?;
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging = make("staging", PARTICLE as u64 * n + 4 * m, usage)?;
        let arrays = [&settings, &parts, &particles, &moved, &table, &apart, &lambdas, &corrections, &places];
        let group = program.bind(session, &arrays);
        let queue = &session.queue;
        queue.write_buffer(&table, 0, &table_of(bonds).0);
        queue.write_buffer(&places, 0, &ends.0);
        for (k, colour) in bonds.colours.iter().enumerate() {
            let mut part = Bytes::default();
            part.integers([colour.start, colour.len() as u32, 0, 0]);
            queue.write_buffer(&parts, STRIDE * k as u64, &part.0);
        }
        session.check()?;
        Ok(Self {
            version: bonds.version,
            n_particles: n as u32,
            n_bonds: m as u32,
            colours: bonds.colours.clone(),
            is_jacobi: bonds.jacobi.is_some(),
            settings,
            particles,
            lambdas,
            staging,
            group,
        })
    }

    /// Whether this is the twin of these bonds of `n_particles` particles.
    pub fn is_of(&self, n_particles: usize, bonds: &Arrangement<'_>) -> bool {
        self.version == bonds.version && self.n_particles as usize == n_particles
    }

    /// Number of invocations in a sweep, and of dispatches.
    pub fn sweep_size(&self) -> (u64, u64) {
        let (n, m) = (u64::from(self.n_particles), u64::from(self.n_bonds));
        if self.is_jacobi { (n + m, 2) } else { (m, self.colours.len() as u64) }
    }

    /// Number of invocations before the sweeps.
    pub fn prediction_size(&self) -> u64 {
        u64::from(self.n_particles) + u64::from(self.n_bonds)
    }

    /// Writes particles and settings.
    ///
    /// # Errors
    /// [`GpuError::Range`] if a number exceeds the range of single precision.
    pub fn write(
        &self,
        session: &Session,
        particles: &[SolverParticle],
        pace: &StepParameters,
    ) -> Result<(), GpuError> {
        let is_small = |p: &SolverParticle| p.x.amax() < LARGEST && p.v.amax() < LARGEST && p.w < LARGEST;
        if let Some(particle) = particles.iter().position(|p| !is_small(p)) {
            return Err(GpuError::Range { particle });
        }
        let mut bytes = Bytes::default();
        for particle in particles {
            let high = particle.x.map(|x| f64::from(x as f32));
            bytes.vector(&high, particle.w);
            bytes.vector(&(particle.x - high), 0.0);
            bytes.vector(&particle.v, 0.0);
        }
        session.queue.write_buffer(&self.particles, 0, &bytes.0);
        let mut settings = Bytes::default();
        settings.vector_and_bits(&pace.fall, self.n_particles);
        settings.vector_and_bits(&pace.rest, self.n_bonds);
        settings.floats([pace.h, 1.0 / pace.h, pace.per_h_sq, pace.share]);
        session.queue.write_buffer(&self.settings, 0, &settings.0);
        Ok(())
    }

    /// Adds the motion under gravity alone.
    pub fn predict(&self, program: &Program, pass: &mut ComputePass<'_>) {
        pass.set_bind_group(0, &self.group, &[0]);
        program.run(Kernel::Predict as usize, self.n_particles.div_ceil(64), pass);
        program.run(Kernel::Separate as usize, self.n_bonds.div_ceil(64), pass);
    }

    /// Adds a sweep over all bonds.
    pub fn sweep(&self, program: &Program, pass: &mut ComputePass<'_>) {
        if self.is_jacobi {
            pass.set_bind_group(0, &self.group, &[0]);
            program.run(Kernel::Note as usize, self.n_bonds.div_ceil(64), pass);
            program.run(Kernel::Gather as usize, self.n_particles.div_ceil(64), pass);
            return;
        }
        for (k, colour) in self.colours.iter().enumerate() {
            pass.set_bind_group(0, &self.group, &[STRIDE as u32 * k as u32]);
            program.run(Kernel::Project as usize, (colour.len() as u32).div_ceil(64), pass);
        }
    }

    /// Adds velocities from positions.
    pub fn finish(&self, program: &Program, pass: &mut ComputePass<'_>) {
        pass.set_bind_group(0, &self.group, &[0]);
        program.run(Kernel::Finish as usize, self.n_particles.div_ceil(64), pass);
    }

    /// Reads particles and multipliers back. A pinned particle stays where it is, in double precision.
    pub fn read(
        &self,
        session: &Session,
        particles: &mut [SolverParticle],
        bonds: &mut Arrangement<'_>,
    ) -> Result<(), DeviceError> {
        let (n, m) = (PARTICLE as u64 * u64::from(self.n_particles), 4 * u64::from(self.n_bonds));
        let mut encoder = session.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.particles, 0, &self.staging, 0, n);
        encoder.copy_buffer_to_buffer(&self.lambdas, 0, &self.staging, n, m);
        session.queue.submit([encoder.finish()]);
        let bytes = session.read(&self.staging, n + m)?;
        let (moved, lambdas) = bytes.split_at(n as usize);
        for (particle, bytes) in particles.iter_mut().zip(moved.chunks_exact(PARTICLE)) {
            let vector = |at: usize| Vec3::from_fn(|i, _| float_at(bytes, at + i));
            if particle.w > 0.0 {
                (particle.x, particle.v) = (vector(0) + vector(4), vector(8));
            }
        }
        for (k, bond) in bonds.distance.iter_mut().enumerate() {
            bond.lambda = float_at(lambdas, k);
        }
        Ok(())
    }
}

fn table_of(bonds: &Arrangement<'_>) -> Bytes {
    let mut bytes = Bytes::default();
    for (k, bond) in bonds.distance.iter().enumerate() {
        bytes.integers(bond.particles);
        let share = bonds.jacobi.map_or(1.0, |jacobi| jacobi.shares()[k]);
        bytes.floats([bond.rest, bond.alpha.min(SOFTEST), share]);
    }
    bytes
}

/// First places of all particles, the place behind the last one, and the ends of bonds; a bond has two places.
fn ends(n_particles: usize, bonds: &Arrangement<'_>) -> Bytes {
    let mut bytes = Bytes::default();
    if let Some(jacobi) = bonds.jacobi {
        let (starts, places) = jacobi.incidence();
        debug_assert_eq!(starts.len(), n_particles + 1, "one for each particle, and the end");
        starts.iter().chain(places).for_each(|n| bytes.integer(*n));
    }
    bytes
}
