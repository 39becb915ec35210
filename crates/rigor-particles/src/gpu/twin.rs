//! The copy of a scene on the device, which stays there from step to step.

use rigor_gpu::wgpu::{BindGroup, Buffer, BufferUsages, CommandEncoder, ComputePassDescriptor};
use rigor_gpu::{Bytes, DeviceError, Session, Timing, float_at, integer_at};

use crate::gpu::kernels::{Counts, Kernel, Kernels, STAGES};
use crate::gpu::scenery::{DeviceInput, MOTION, MOTION_OF_STATE};

/// Bytes of the control structure.
const CONTROL: u64 = 64;
/// Maximum number of substeps in one submission, and of particles times substeps, so that no submission lasts long
/// enough for a driver to give up.
pub(crate) const MOST: u32 = 256;
const WORK: u32 = 1 << 22;

/// Arrays of a scene on the device, and what was last written into them.
#[derive(Debug)]
pub(crate) struct DeviceScene {
    counts: Counts,
    settings: Buffer,
    control: Buffer,
    motions: Buffer,
    geometry: Buffer,
    staging: Buffer,
    group: BindGroup,
    /// What the arrays hold.
    held: DeviceInput,
}

/// Where the device stands in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Progress {
    pub substeps: u32,
    /// 0: running, 1: complete, 2: too many substeps.
    pub status: u32,
    /// The longest stable substep (s), and how many the step needs.
    pub longest: f64,
    pub needed: f64,
    pub shortest: f64,
    /// Maximum overlap (m), and over the diameter.
    pub overlap: f64,
    pub relative_overlap: f64,
}

impl DeviceScene {
    /// Creates the arrays of a scene.
    pub fn new(session: &Session, kernels: &Kernels, scenery: DeviceInput) -> Result<Self, DeviceError> {
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let both = storage | BufferUsages::COPY_SRC;
        let DeviceInput { n_bodies, n_particles, n_buckets, .. } = scenery;
        let (particles, buckets) = (u64::from(n_particles), u64::from(n_buckets));
        let size = |bytes: &Bytes| bytes.0.len() as u64;
        let make = |what, size, usage| session.buffer(what, size, usage);
        let uniform = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
        let settings = make("settings", size(&scenery.settings), uniform)?;
        let control = make("control", CONTROL, both)?;
        let bodies = make("bodies", size(&scenery.bodies), storage)?;
        let motions = make("motions", size(&scenery.motions), both)?;
        let locals = make("particles", size(&scenery.particles), storage)?;
        let values = make("values of particles", 32 * particles, storage)?;
        let forces = make("forces on particles", 32 * particles, storage)?;
        let grid = make("cells", 4 * (2 * buckets + buckets.div_ceil(1024)), storage)?;
        let sorted = make("sorted particles", 4 * particles, storage)?;
        let geometry = make("triangles", size(&scenery.obstacles) + size(&scenery.rest), storage)?;
        let staging = make(
            "staging",
            size(&scenery.motions).max(CONTROL),
            BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        )?;
        let arrays =
            [&settings, &control, &bodies, &motions, &locals, &values, &forces, &grid, &sorted, &geometry];
        let group = kernels.bind(session, arrays);
        let queue = &session.queue;
        queue.write_buffer(&settings, 0, &scenery.settings.0);
        queue.write_buffer(&bodies, 0, &scenery.bodies.0);
        queue.write_buffer(&motions, 0, &scenery.motions.0);
        queue.write_buffer(&locals, 0, &scenery.particles.0);
        queue.write_buffer(&geometry, 0, &scenery.obstacles.0);
        queue.write_buffer(&geometry, size(&scenery.obstacles), &scenery.rest.0);
        session.check()?;
        let counts = Counts { bodies: n_bodies, particles: n_particles, buckets: n_buckets };
        Ok(Self { counts, settings, control, motions, geometry, staging, group, held: scenery })
    }

    /// Writes what has changed; `false` if the twin is one of another scene.
    pub fn update(&mut self, session: &Session, scenery: &DeviceInput) -> bool {
        let held = &self.held;
        let same = held.bodies == scenery.bodies
            && held.particles == scenery.particles
            && held.rest == scenery.rest
            && held.obstacles.0.len() == scenery.obstacles.0.len();
        if !same {
            return false;
        }
        let queue = &session.queue;
        if held.settings != scenery.settings {
            queue.write_buffer(&self.settings, 0, &scenery.settings.0);
        }
        if held.obstacles != scenery.obstacles {
            queue.write_buffer(&self.geometry, 0, &scenery.obstacles.0);
        }
        let of_state = |bytes: &'_ Bytes| {
            bytes.0.chunks_exact(MOTION).map(|m| m[..MOTION_OF_STATE].to_vec()).collect::<Vec<_>>()
        };
        if of_state(&held.motions) != of_state(&scenery.motions) {
            queue.write_buffer(&self.motions, 0, &scenery.motions.0);
        }
        self.held.settings.0.clone_from(&scenery.settings.0);
        self.held.obstacles.0.clone_from(&scenery.obstacles.0);
        true
    }

    /// Starts a step of `dt` (s).
    pub fn begin(&self, session: &Session, kernels: &Kernels, dt: f64) {
        let mut control = Bytes::default();
        control.floats([dt, 0.0, dt, dt]);
        control.integers([0; 12]);
        session.queue.write_buffer(&self.control, 0, &control.0);
        let mut encoder = session.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_bind_group(0, &self.group, &[]);
        kernels.run(Kernel::Begin, self.counts, &mut pass);
        drop(pass);
        session.queue.submit([encoder.finish()]);
    }

    /// The number of substeps to submit together if `n` are needed.
    pub fn batch(&self, n: u32) -> u32 {
        n.clamp(1, MOST).min((WORK / self.counts.particles.max(1)).max(1))
    }

    /// Runs `n` substeps, of which those after the end of the step do nothing.
    pub fn advance(
        &self,
        session: &Session,
        kernels: &Kernels,
        n: u32,
        timing: Option<&Timing>,
    ) -> Result<Progress, DeviceError> {
        let mut encoder = session.device.create_command_encoder(&Default::default());
        for substep in 0..n {
            self.add_substep(kernels, &mut encoder, substep, timing);
        }
        if let Some(timing) = timing {
            timing.resolve(&mut encoder, n * STAGES.len() as u32);
        }
        encoder.copy_buffer_to_buffer(&self.control, 0, &self.staging, 0, CONTROL);
        session.queue.submit([encoder.finish()]);
        let bytes = session.read(&self.staging, CONTROL)?;
        let float = |i| float_at(&bytes, i);
        Ok(Progress {
            longest: float(2),
            shortest: float(3),
            substeps: integer_at(&bytes, 4),
            status: integer_at(&bytes, 5),
            needed: float(6),
            overlap: float(12),
            relative_overlap: float(13),
        })
    }

    fn add_substep(
        &self,
        kernels: &Kernels,
        encoder: &mut CommandEncoder,
        substep: u32,
        timing: Option<&Timing>,
    ) {
        for (stage, (name, members)) in STAGES.iter().enumerate() {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor {
                label: Some(name),
                timestamp_writes: timing
                    .map(|timing| timing.writes(substep * STAGES.len() as u32 + stage as u32)),
            });
            pass.set_bind_group(0, &self.group, &[]);
            for kernel in *members {
                kernels.run(*kernel, self.counts, &mut pass);
            }
        }
    }

    /// Reads the motions of all bodies.
    pub fn read(&mut self, session: &Session) -> Result<&[u8], DeviceError> {
        let size = self.held.motions.0.len() as u64;
        let mut encoder = session.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.motions, 0, &self.staging, 0, size);
        session.queue.submit([encoder.finish()]);
        self.held.motions.0 = session.read(&self.staging, size)?;
        Ok(&self.held.motions.0)
    }
}
