//! `frames.bin`: frames appended one after the other, little-endian.
//!
//! Header: the eight bytes `RIGORFR2`, then bodies and particles as `u32`. Frame: step as `u64`, time (s); per body
//! position, quaternion (w, x, y, z), linear and angular velocity; per particle position and velocity; per body contact
//! and friction force (N, world) of the step that ended in the frame, 0 at the start. All numbers but the step are `f64`,
//! exactly those of the [`State`]: body poses are of the principal frame. A frame that is cut off at the end, as a killed
//! process leaves it, is not read.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{BodyForce, BodyState, ParticleState, State};

use crate::error::{Fault, RunError};

const MAGIC: &[u8; 8] = b"RIGORFR2";
const HEADER: u64 = 16;

/// How many numbers a body takes.
pub const BODY: usize = 13;
/// How many numbers a particle takes.
pub const PARTICLE: usize = 6;
/// How many numbers the forces on a body take.
const FORCE: usize = 6;

/// A moment of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Poses and velocities; the method's memory is not kept.
    pub state: State,
    /// What pushed each body in the step that ended there.
    pub forces: Vec<BodyForce>,
}

/// A body's state as numbers: position, quaternion (w, x, y, z), linear and angular velocity.
pub fn body_numbers(body: &BodyState) -> [f64; BODY] {
    let (p, q) = (&body.pose.position, &body.pose.rotation);
    let (v, o) = (&body.linear_velocity, &body.angular_velocity);
    [p.x, p.y, p.z, q.w, q.i, q.j, q.k, v.x, v.y, v.z, o.x, o.y, o.z]
}

/// The body's state with these numbers, bit for bit.
pub fn body_of(n: &[f64]) -> BodyState {
    let vector = |at: usize| Vec3::new(n[at], n[at + 1], n[at + 2]);
    let rotation = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(n[3], n[4], n[5], n[6]));
    BodyState {
        pose: Pose::new(vector(0), rotation),
        linear_velocity: vector(7),
        angular_velocity: vector(10),
    }
}

/// A particle's state as numbers: position, velocity.
pub fn particle_numbers(particle: &ParticleState) -> [f64; PARTICLE] {
    let (p, v) = (&particle.position, &particle.velocity);
    [p.x, p.y, p.z, v.x, v.y, v.z]
}

/// The particle's state with these numbers.
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

/// Appends frames.
#[derive(Debug)]
pub struct Writer {
    file: BufWriter<File>,
    path: std::path::PathBuf,
}

impl Writer {
    /// A new file for so many bodies and particles.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn create(path: &Path, bodies: usize, particles: usize) -> Result<Self, RunError> {
        let fail = |error| RunError::new(path, error);
        let mut file = BufWriter::new(File::create(path).map_err(fail)?);
        file.write_all(MAGIC).map_err(fail)?;
        file.write_all(&(bodies as u32).to_le_bytes()).map_err(fail)?;
        file.write_all(&(particles as u32).to_le_bytes()).map_err(fail)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Goes on after the last frame whose step is at most `step`; later ones are dropped.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read or written.
    pub fn resume(path: &Path, step: u64) -> Result<Self, RunError> {
        let mut reader = Reader::open(path)?;
        let mut kept = 0;
        while let Some(frame) = reader.read()? {
            if frame.state.step > step {
                break;
            }
            kept += 1;
        }
        let length = HEADER + kept * reader.frame_bytes();
        let fail = |error| RunError::new(path, error);
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(fail)?;
        file.set_len(length).map_err(fail)?;
        file.seek(SeekFrom::End(0)).map_err(fail)?;
        Ok(Self { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// [`RunError`] when the disk is full, for one.
    pub fn push(&mut self, state: &State, forces: &[BodyForce]) -> Result<(), RunError> {
        let mut bytes = state.step.to_le_bytes().to_vec();
        bytes.extend(state.time.to_le_bytes());
        bytes.extend(state.bodies.iter().flat_map(body_numbers).flat_map(f64::to_le_bytes));
        bytes.extend(state.particles.iter().flat_map(particle_numbers).flat_map(f64::to_le_bytes));
        bytes.extend(forces.iter().flat_map(force_numbers).flat_map(f64::to_le_bytes));
        self.file.write_all(&bytes).map_err(|error| RunError::new(&self.path, error))
    }

    /// Sees to it that all frames are on disk.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.flush().map_err(|error| RunError::new(&self.path, error))
    }
}

/// Reads frames one after the other.
#[derive(Debug)]
pub struct Reader {
    file: BufReader<File>,
    path: std::path::PathBuf,
    /// How many bodies a frame has.
    pub bodies: usize,
    /// How many particles a frame has.
    pub particles: usize,
}

impl Reader {
    /// Opens a file of frames.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be read or is no such file.
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

    /// Bytes of a frame.
    pub fn frame_bytes(&self) -> u64 {
        16 + 8 * ((BODY + FORCE) * self.bodies + PARTICLE * self.particles) as u64
    }

    /// How many whole frames the file has.
    ///
    /// # Errors
    /// [`RunError`] when its size cannot be told.
    pub fn count(&self) -> Result<u64, RunError> {
        let length = self.file.get_ref().metadata().map_err(|error| RunError::new(&self.path, error))?.len();
        Ok(length.saturating_sub(HEADER) / self.frame_bytes())
    }

    /// The next frame; `None` at the end, or where a frame is cut off.
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
