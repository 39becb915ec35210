//! `frames.bin`: frames, appended one after another, little-endian.
//!
//! Header: the eight bytes `RIGORFR2`, then the numbers of bodies and particles as `u32`. Frame: step as
//! `u64`, time (s); per body position, quaternion (w, x, y, z), linear and angular velocity; per particle
//! position and velocity; per body contact and friction force (N, world) of the step that ended in the frame,
//! 0 at the start. All numbers except the step are `f64` and equal those of the [`State`]: body poses are of
//! the principal frame. A truncated frame at the end, as a killed process leaves it, is ignored.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{BodyForce, BodyState, ParticleState, State};

use crate::error::{Fault, RunError};
use crate::folder::append::{Appender, FileMark};

const MAGIC: &[u8; 8] = b"RIGORFR2";
const HEADER: u64 = 16;

/// Numbers per body.
pub const BODY: usize = 13;
/// Numbers per particle.
pub const PARTICLE: usize = 6;
/// Numbers per body for forces.
const FORCE: usize = 6;

/// A frame of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Poses and velocities, without the method's memory.
    pub state: State,
    /// The forces on each body in the step that ended in the frame.
    pub forces: Vec<BodyForce>,
}

/// Converts a body's state to numbers: position, quaternion (w, x, y, z), linear and angular velocity.
pub fn body_numbers(body: &BodyState) -> [f64; BODY] {
    let (p, q) = (&body.pose.position, &body.pose.rotation);
    let (v, o) = (&body.linear_velocity, &body.angular_velocity);
    [p.x, p.y, p.z, q.w, q.i, q.j, q.k, v.x, v.y, v.z, o.x, o.y, o.z]
}

/// Converts numbers to a body's state, bit for bit.
pub fn body_of(n: &[f64]) -> BodyState {
    let vector = |at: usize| Vec3::new(n[at], n[at + 1], n[at + 2]);
    let rotation = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(n[3], n[4], n[5], n[6]));
    BodyState {
        pose: Pose::new(vector(0), rotation),
        linear_velocity: vector(7),
        angular_velocity: vector(10),
    }
}

/// Converts a particle's state to numbers: position, velocity.
pub fn particle_numbers(particle: &ParticleState) -> [f64; PARTICLE] {
    let (p, v) = (&particle.position, &particle.velocity);
    [p.x, p.y, p.z, v.x, v.y, v.z]
}

/// Converts numbers to the particle's state.
pub fn particle_of(n: &[f64]) -> ParticleState {
    ParticleState { position: Vec3::new(n[0], n[1], n[2]), velocity: Vec3::new(n[3], n[4], n[5]) }
}

fn force_numbers(force: &BodyForce) -> [f64; FORCE] {
    let (c, f) = (&force.contact, &force.friction);
    [c.x, c.y, c.z, f.x, f.y, f.z]
}

fn force_of(n: &[f64]) -> BodyForce {
    BodyForce { contact: Vec3::new(n[0], n[1], n[2]), friction: Vec3::new(n[3], n[4], n[5]) }
}

/// Returns the BLAKE3 hash of step, time, poses and velocities.
pub fn hash(state: &State) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&state.step.to_le_bytes()).update(&state.time.to_le_bytes());
    let numbers = state.bodies.iter().flat_map(body_numbers);
    for number in numbers.chain(state.particles.iter().flat_map(particle_numbers)) {
        hasher.update(&number.to_le_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Appends frames to a file.
#[derive(Debug)]
pub struct Writer {
    file: Appender,
}

impl Writer {
    /// Creates a file for these numbers of bodies and particles.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn create(path: &Path, bodies: usize, particles: usize) -> Result<Self, RunError> {
        let mut file = Appender::create(path)?;
        file.push(MAGIC)?;
        file.push(&(bodies as u32).to_le_bytes())?;
        file.push(&(particles as u32).to_le_bytes())?;
        Ok(Self { file })
    }

    /// Resumes behind the frames of `mark`, without a change of the file before [`Writer::cut`].
    ///
    /// # Errors
    /// [`RunError`] when the file is damaged, or cannot be read or written.
    pub fn resume(path: &Path, mark: &FileMark) -> Result<Self, RunError> {
        Ok(Self { file: Appender::resume(path, mark)? })
    }

    /// Drops what follows the mark.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn cut(&mut self) -> Result<(), RunError> {
        self.file.cut()
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written, for example because the disk is full.
    pub fn push(&mut self, state: &State, forces: &[BodyForce]) -> Result<(), RunError> {
        let mut bytes = state.step.to_le_bytes().to_vec();
        bytes.extend(state.time.to_le_bytes());
        bytes.extend(state.bodies.iter().flat_map(body_numbers).flat_map(f64::to_le_bytes));
        bytes.extend(state.particles.iter().flat_map(particle_numbers).flat_map(f64::to_le_bytes));
        bytes.extend(forces.iter().flat_map(force_numbers).flat_map(f64::to_le_bytes));
        self.file.push(&bytes)
    }

    /// Flushes all frames to the file and returns what it then holds.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<FileMark, RunError> {
        self.file.flush()
    }
}

/// Reads frames one after another.
#[derive(Debug)]
pub struct Reader {
    file: BufReader<File>,
    path: std::path::PathBuf,
    /// Number of bodies in a frame.
    pub bodies: usize,
    /// Number of particles in a frame.
    pub particles: usize,
}

impl Reader {
    /// Opens a file of frames.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be read or is not a frames file.
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let fail = |error: std::io::Error| RunError::new(path, error);
        let mut file = BufReader::new(File::open(path).map_err(fail)?);
        let mut header = [0; HEADER as usize];
        let is_ours = file.read_exact(&mut header).is_ok() && header.starts_with(MAGIC);
        if !is_ours {
            return Err(RunError::new(path, Fault::NotFrames));
        }
        let count = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize
        };
        Ok(Self { file, path: path.to_owned(), bodies: count(8), particles: count(12) })
    }

    /// Returns the size of a frame in bytes.
    pub fn frame_bytes(&self) -> u64 {
        16 + 8 * ((BODY + FORCE) * self.bodies + PARTICLE * self.particles) as u64
    }

    /// Returns the number of complete frames in the file.
    ///
    /// # Errors
    /// [`RunError`] when its size cannot be determined.
    pub fn count(&self) -> Result<u64, RunError> {
        let length = self.file.get_ref().metadata().map_err(|error| RunError::new(&self.path, error))?.len();
        Ok(length.saturating_sub(HEADER) / self.frame_bytes())
    }

    /// Makes the next frame that of this index, from 0.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read.
    pub fn seek(&mut self, frame: u64) -> Result<(), RunError> {
        let place = SeekFrom::Start(HEADER + frame * self.frame_bytes());
        self.file.seek(place).map(|_| ()).map_err(|error| RunError::new(&self.path, error))
    }

    /// Returns the next frame; `None` at the end or at a truncated frame.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read.
    pub fn read(&mut self) -> Result<Option<Frame>, RunError> {
        let mut bytes = vec![0; self.frame_bytes() as usize];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(RunError::new(&self.path, error)),
        }
        let (step, numbers) = bytes.split_at(8);
        let step = u64::from_le_bytes(step.try_into().expect("eight bytes"));
        let numbers: Vec<f64> =
            numbers.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
        let (bodies, rest) = numbers[1..].split_at(BODY * self.bodies);
        let (particles, forces) = rest.split_at(PARTICLE * self.particles);
        let state = State {
            step,
            time: numbers[0],
            bodies: bodies.chunks_exact(BODY).map(body_of).collect(),
            particles: particles.chunks_exact(PARTICLE).map(particle_of).collect(),
            ..State::default()
        };
        Ok(Some(Frame { state, forces: forces.chunks_exact(FORCE).map(force_of).collect() }))
    }
}
