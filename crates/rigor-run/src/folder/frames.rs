//! `frames.bin`: frames, appended one after another, little-endian.
//!
//! Header: the eight bytes `RIGORFR2`, then the numbers of bodies and particles as `u32`. Frame: step as
//! `u64`, time (s); per body position, quaternion (w, x, y, z), linear and angular velocity; per particle
//! position and velocity; per body contact and friction force (N, world) of the step that ended in the frame,
//! 0 at the start. All numbers except the step are `f64` and equal those of the [`State`]: body poses are of
//! the principal frame. Strains are in a file of their own, [`strains`]. A truncated frame at the end, as a killed process leaves it, is ignored.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{BodyForce, BodyId, BodyState, ParticleState, State};

use crate::error::{Fault, RunError};
use crate::folder::append::{Appender, FileMark};
use crate::folder::strains::{self, strain_numbers};

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

/// Returns the BLAKE3 hash of step, time, poses and velocities, and strains if there are any.
pub fn hash(state: &State) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&state.step.to_le_bytes()).update(&state.time.to_le_bytes());
    let numbers = state.bodies.iter().flat_map(body_numbers);
    let strains = state.strains.iter().flat_map(strain_numbers);
    for number in numbers.chain(state.particles.iter().flat_map(particle_numbers)).chain(strains) {
        hasher.update(&number.to_le_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Appends frames to a file, and their strains to another from the first frame with strains on.
#[derive(Debug)]
pub struct Writer {
    file: Appender,
    strains: Option<strains::Writer>,
    /// Number of frames in the file.
    n_frames: u64,
}

impl Writer {
    /// Creates a file for these numbers of bodies and particles.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn create(path: &Path, bodies: usize, particles: usize) -> Result<Self, RunError> {
        remove(&strains::beside(path))?;
        let mut file = Appender::create(path)?;
        file.push(MAGIC)?;
        file.push(&(bodies as u32).to_le_bytes())?;
        file.push(&(particles as u32).to_le_bytes())?;
        Ok(Self { file, strains: None, n_frames: 0 })
    }

    /// Resumes behind the frames of `mark`, and the strains of their mark if there were some, without a change of a file before
    /// [`Writer::cut`].
    ///
    /// # Errors
    /// [`RunError`] when a file is damaged, or cannot be read or written.
    pub fn resume(path: &Path, mark: &FileMark, strains: Option<&FileMark>) -> Result<Self, RunError> {
        let file = Appender::resume(path, mark)?;
        let n_frames = mark.length.saturating_sub(HEADER) / Reader::open(path)?.frame_bytes();
        let of_mark = |mark: &FileMark| strains::Writer::resume(&strains::beside(path), mark);
        Ok(Self { file, strains: strains.map(of_mark).transpose()?, n_frames })
    }

    /// Drops what follows the mark.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn cut(&mut self) -> Result<(), RunError> {
        match &mut self.strains {
            Some(strains) => strains.cut()?,
            // What was written after the checkpoint.
            None => remove(&strains::beside(self.file.path()))?,
        }
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
        if self.strains.is_none() && !state.strains.is_empty() {
            let path = strains::beside(self.file.path());
            self.strains = Some(strains::Writer::create(&path, self.n_frames, state.bodies.len())?);
        }
        if let Some(strains) = &mut self.strains {
            strains.push((0..state.bodies.len()).map(|b| state.strain(BodyId(b))))?;
        }
        self.n_frames += 1;
        self.file.push(&bytes)
    }

    /// Flushes all frames to the file and returns what it then holds.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<FileMark, RunError> {
        self.file.flush()
    }

    /// Flushes the strains to their file and returns what it then holds; `None` if no frame had any.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush_strains(&mut self) -> Result<Option<FileMark>, RunError> {
        self.strains.as_mut().map(strains::Writer::flush).transpose()
    }
}

/// Removes a file, if there is one.
fn remove(path: &Path) -> Result<(), RunError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RunError::new(path, error)),
        _ => Ok(()),
    }
}

/// Reads frames one after another.
#[derive(Debug)]
pub struct Reader {
    file: BufReader<File>,
    path: std::path::PathBuf,
    strains: Option<strains::Reader>,
    /// The index of the next frame.
    next: u64,
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
        let (bodies, particles) = (count(8), count(12));
        let strains = strains::Reader::open(&strains::beside(path), bodies)?;
        Ok(Self { file, path: path.to_owned(), strains, next: 0, bodies, particles })
    }

    /// Returns whether frames have strains, from one of them on.
    pub fn has_strains(&self) -> bool {
        self.strains.is_some()
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
        let found = length.saturating_sub(HEADER) / self.frame_bytes();
        self.strains.as_ref().map_or(Ok(found), |strains| strains.count(found))
    }

    /// Makes the next frame that of this index, from 0.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read.
    pub fn seek(&mut self, frame: u64) -> Result<(), RunError> {
        let place = SeekFrom::Start(HEADER + frame * self.frame_bytes());
        self.next = frame;
        self.file.seek(place).map(|_| ()).map_err(|error| RunError::new(&self.path, error))
    }

    /// Returns the next frame; `None` at the end or at a truncated frame.
    ///
    /// # Errors
    /// [`RunError`] when a file cannot be read, or a strain is not finite.
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
        // A run that goes on may have got its first strain since.
        if self.strains.is_none() {
            self.strains = strains::Reader::open(&strains::beside(&self.path), self.bodies)?;
        }
        let strains = match &mut self.strains {
            Some(strains) => strains.read(self.next)?,
            None => Some(Vec::new()),
        };
        self.next += 1;
        let Some(strains) = strains else { return Ok(None) };
        let state = State {
            step,
            time: numbers[0],
            bodies: bodies.chunks_exact(BODY).map(body_of).collect(),
            particles: particles.chunks_exact(PARTICLE).map(particle_of).collect(),
            strains,
            ..State::default()
        };
        if state.check_strains().is_err() {
            return Err(RunError::new(&strains::beside(&self.path), Fault::DamagedFrame { step }));
        }
        Ok(Some(Frame { state, forces: forces.chunks_exact(FORCE).map(force_of).collect() }))
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Mat3;

    use super::*;

    fn state(step: u64, strain: Option<f64>) -> State {
        let body = |x: f64| BodyState { pose: Pose::translation(Vec3::x() * x), ..BodyState::default() };
        let of = |e: f64| strain_of(&[e, -0.0, 3e-300, -e, 0.25 * e, 1e-4]);
        State {
            step,
            time: 0.1 * step as f64,
            bodies: vec![body(1.0), body(-0.0)],
            strains: strain.map_or(Vec::new(), |e| vec![Mat3::zeros(), of(e)]),
            ..State::default()
        }
    }

    fn strain_of(n: &[f64]) -> Mat3 {
        strains::strain_of(n)
    }

    fn write(path: &Path, states: &[State]) -> Writer {
        let mut writer = Writer::create(path, 2, 0).unwrap();
        states.iter().for_each(|state| writer.push(state, &[BodyForce::ZERO; 2]).unwrap());
        writer.flush_strains().unwrap();
        writer.flush().unwrap();
        writer
    }

    fn read(path: &Path) -> Vec<State> {
        let mut reader = Reader::open(path).unwrap();
        assert_eq!(reader.count().unwrap(), {
            let mut again = Reader::open(path).unwrap();
            std::iter::from_fn(|| again.read().unwrap()).count() as u64
        });
        std::iter::from_fn(|| reader.read().unwrap().map(|frame| frame.state)).collect()
    }

    #[test]
    fn strains_are_read_back_bit_for_bit_and_frames_without_have_no_file_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.bin");
        let rigid = [state(0, None), state(1, None)];
        write(&path, &rigid);
        assert!(!strains::beside(&path).exists() && !Reader::open(&path).unwrap().has_strains());
        assert_eq!(read(&path), rigid);
        let without = std::fs::read(&path).unwrap();
        // Magic, two numbers of four bytes, then step, time and nineteen numbers per body.
        assert_eq!(without.len(), 16 + 2 * (16 + 2 * 8 * 19));

        let strained = [state(0, None), state(1, Some(1e-4)), state(2, Some(-0.3))];
        write(&path, &strained);
        assert_eq!(read(&path), strained);
        assert_eq!(std::fs::read(&path).unwrap()[..without.len()], without, "frames.bin is the same");
        assert_eq!(std::fs::read(strains::beside(&path)).unwrap().len(), 20 + 2 * 2 * 48);
        let mut reader = Reader::open(&path).unwrap();
        for k in [2, 0, 1, 1] {
            reader.seek(k).unwrap();
            assert_eq!(reader.read().unwrap().unwrap().state, strained[k as usize]);
        }
        // Truncated, as by a killed process: the frame counts no more.
        let file = File::options().write(true).open(strains::beside(&path)).unwrap();
        file.set_len(20 + 2 * 2 * 48 - 1).unwrap();
        assert_eq!(read(&path), strained[..2]);
        write(&path, &rigid);
        assert!(!strains::beside(&path).exists(), "those of another run are removed");
        assert_ne!(hash(&strained[2]), hash(&State { strains: vec![], ..strained[2].clone() }));
    }

    #[test]
    fn a_resumed_file_goes_on_behind_its_marks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.bin");
        let whole = [state(0, None), state(1, Some(0.1)), state(2, Some(0.2))];
        for kept in 1..=2 {
            let mut writer = write(&path, &whole[..kept]);
            let [frames, strained] = [Some(writer.flush().unwrap()), writer.flush_strains().unwrap()];
            writer.push(&state(9, Some(0.9)), &[BodyForce::ZERO; 2]).unwrap();
            writer.flush_strains().unwrap();
            writer.flush().unwrap();
            drop(writer);
            assert_eq!(read(&path).len(), kept + 1);
            let mut writer = Writer::resume(&path, &frames.unwrap(), strained.as_ref()).unwrap();
            writer.cut().unwrap();
            assert_eq!(strains::beside(&path).exists(), kept == 2);
            whole[kept..].iter().for_each(|state| writer.push(state, &[BodyForce::ZERO; 2]).unwrap());
            writer.flush_strains().unwrap();
            writer.flush().unwrap();
            assert_eq!(read(&path), whole, "{kept}");
        }
    }

    #[test]
    fn strains_of_another_scene_or_no_numbers_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.bin");
        write(&path, &[state(0, Some(0.1))]);
        let beside = strains::beside(&path);
        let good = std::fs::read(&beside).unwrap();
        let with = |at: usize, bytes: &[u8]| {
            let mut bad = good.clone();
            bad[at..at + bytes.len()].copy_from_slice(bytes);
            std::fs::write(&beside, bad).unwrap();
            Reader::open(&path).and_then(|mut reader| reader.read()).map(|_| ()).unwrap_err().why
        };
        assert!(matches!(with(0, b"RIGORXX1"), Fault::NotStrains));
        assert!(matches!(with(16, &3u32.to_le_bytes()), Fault::OtherScene));
        assert!(matches!(with(20, &f64::NAN.to_le_bytes()), Fault::DamagedFrame { step: 0 }));
    }
}
