//! `path.bin`: the path of the bodies between the states, appended piece by piece, little-endian.
//!
//! Header: the eight bytes `RIGORPA1`, then the number of bodies as `u32`. Piece: its step as `u64`, counted
//! as in the state after that step; the number of bodies that moved as `u32`; for each of them its index as
//! `u32`, the kind of its turn as `u32` (0: about an axis, 1: straight in rotation vectors, 2: affine), and 23 `f64`:
//! `from` as position and quaternion (w, x, y, z), displacement, θ and Δθ (for kind 0: zero and the rotation
//! vector of the turn), `to` like `from`. For kind 2, A₀ and ΔA, each row by row, stand for θ and Δθ: 35 `f64`. A truncated piece at the end, as a killed process leaves it, is
//! ignored. See [`rigor_scene::PathPiece`].

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3};
use rigor_scene::{BodyId, PathPiece, Travel, Turn};

use crate::error::{Fault, RunError};
use crate::folder::append::{Appender, FileMark};

const MAGIC: &[u8; 8] = b"RIGORPA1";
/// Numbers of a pose.
const POSE: usize = 7;
/// The kind of an affine travel.
const AFFINE: u32 = 2;

/// Returns the numbers of both vectors or matrices of a kind of turn.
fn turn_numbers(kind: u32) -> usize {
    if kind == AFFINE { 18 } else { 6 }
}

/// Appends pieces to a file.
#[derive(Debug)]
pub struct Writer {
    file: Appender,
}

impl Writer {
    /// Creates a file for this number of bodies.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn create(path: &Path, bodies: usize) -> Result<Self, RunError> {
        let mut file = Appender::create(path)?;
        file.push(MAGIC)?;
        file.push(&(bodies as u32).to_le_bytes())?;
        Ok(Self { file })
    }

    /// Resumes behind the pieces of `mark`, without a change of the file before [`Writer::cut`].
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

    /// Appends the pieces of step number `step`.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written, for example because the disk is full.
    pub fn push(&mut self, step: u64, pieces: &[PathPiece]) -> Result<(), RunError> {
        let mut bytes = Vec::new();
        for piece in pieces {
            bytes.extend(step.to_le_bytes());
            bytes.extend((piece.travels.len() as u32).to_le_bytes());
            for travel in &piece.travels {
                let (kind, numbers) = numbers_of(travel);
                bytes.extend((travel.body.0 as u32).to_le_bytes());
                bytes.extend(kind.to_le_bytes());
                bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
            }
        }
        self.file.push(&bytes)
    }

    /// Flushes all pieces to the file and returns what it then holds.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<FileMark, RunError> {
        self.file.flush()
    }
}

/// Reads pieces one after another.
#[derive(Debug)]
pub struct Reader {
    file: BufReader<File>,
    path: PathBuf,
    /// Number of bodies of the scene.
    pub bodies: usize,
}

impl Reader {
    /// Opens a file of pieces; `None` if the file does not exist.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be read or is not a path file.
    pub fn open(path: &Path) -> Result<Option<Self>, RunError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(RunError::new(path, error)),
        };
        let mut reader = Self { file: BufReader::new(file), path: path.to_owned(), bodies: 0 };
        let mut magic = [0; 8];
        let is_ours = reader.fill(&mut magic)? && magic == *MAGIC;
        let bodies = reader.word()?.filter(|_| is_ours);
        reader.bodies = bodies.ok_or_else(|| RunError::new(path, Fault::NotAPath))? as usize;
        Ok(Some(reader))
    }

    /// Returns the next piece and its step; `None` at the end or at a truncated piece.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read or is damaged.
    pub fn read(&mut self) -> Result<Option<(u64, PathPiece)>, RunError> {
        let mut step = [0; 8];
        if !self.fill(&mut step)? {
            return Ok(None);
        }
        let Some(n) = self.word()? else { return Ok(None) };
        if n as usize > self.bodies {
            return Err(RunError::new(&self.path, Fault::TooManyBodies { listed: n, bodies: self.bodies }));
        }
        let mut travels = Vec::with_capacity(n as usize);
        for _ in 0..n {
            let (Some(body), Some(kind)) = (self.word()?, self.word()?) else { return Ok(None) };
            let mut bytes = vec![0; 8 * (2 * POSE + 3 + turn_numbers(kind))];
            if !self.fill(&mut bytes)? {
                return Ok(None);
            }
            let travel = travel_of(BodyId(body as usize), kind, &bytes);
            travels.push(travel.ok_or_else(|| RunError::new(&self.path, Fault::UnknownTurn))?);
        }
        Ok(Some((u64::from_le_bytes(step), PathPiece { travels })))
    }

    fn word(&mut self) -> Result<Option<u32>, RunError> {
        let mut bytes = [0; 4];
        Ok(self.fill(&mut bytes)?.then(|| u32::from_le_bytes(bytes)))
    }

    /// Fills `bytes` from the file; returns whether there were enough.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<bool, RunError> {
        match self.file.read_exact(bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(RunError::new(&self.path, error)),
        }
    }
}

fn numbers_of(travel: &Travel) -> (u32, Vec<f64>) {
    let vector = |v: &Vec3| vec![v.x, v.y, v.z];
    let rows = |m: &Mat3| m.transpose().iter().copied().collect();
    let (kind, turn): (u32, [Vec<f64>; 2]) = match &travel.turn {
        Turn::About(turn) => (0, [vector(&Vec3::zeros()), vector(turn)]),
        Turn::Straight { theta, by } => (1, [vector(theta), vector(by)]),
        Turn::Affine { from, by } => (AFFINE, [rows(from), rows(by)]),
    };
    let [from, to] = [&travel.from, &travel.to].map(|pose| {
        let (p, q) = (&pose.position, &pose.rotation);
        [p.x, p.y, p.z, q.w, q.i, q.j, q.k]
    });
    let moved = vector(&travel.by).into_iter().chain(turn.into_iter().flatten());
    (kind, from.into_iter().chain(moved).chain(to).collect())
}

fn travel_of(body: BodyId, kind: u32, bytes: &[u8]) -> Option<Travel> {
    let n: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
    let vector = |at: usize| Vec3::new(n[at], n[at + 1], n[at + 2]);
    let pose = |at: usize| {
        let q = nalgebra::Quaternion::new(n[at + 3], n[at + 4], n[at + 5], n[at + 6]);
        Pose::new(vector(at), UnitQuaternion::new_unchecked(q))
    };
    let turn = match kind {
        0 => Turn::About(vector(13)),
        1 => Turn::Straight { theta: vector(10), by: vector(13) },
        AFFINE => {
            let [from, by] = [10, 19].map(|at| Mat3::from_row_slice(&n[at..at + 9]));
            Turn::Affine { from, by }
        }
        _ => return None,
    };
    let to = pose(POSE + 3 + turn_numbers(kind));
    Some(Travel { body, from: pose(0), by: vector(POSE), turn, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(size: f64) -> PathPiece {
        let pose = |x: f64| Pose::from_rotation_vector(Vec3::new(x, 0.1, -0.0), &Vec3::new(0.3, x, 1.0));
        let travel = |body, turn| Travel {
            body: BodyId(body),
            from: pose(size),
            by: Vec3::new(size, 1e-300, -7.0),
            turn,
            to: pose(-size),
        };
        let straight = Turn::Straight { theta: Vec3::new(size, 2.0, 3.0), by: Vec3::z() };
        let [from, by] = [size, -size].map(|x| Mat3::new(1.0, x, -0.0, 2.0, 3e-300, 4.0, 5.0, 6.0, x));
        let affine = Turn::Affine { from, by };
        let about = Turn::About(Vec3::new(0.1, 0.2, size));
        PathPiece { travels: vec![travel(2, about), travel(1, affine), travel(0, straight)] }
    }

    fn read(path: &Path) -> Vec<(u64, PathPiece)> {
        let mut reader = Reader::open(path).unwrap().unwrap();
        std::iter::from_fn(|| reader.read().unwrap()).collect()
    }

    #[test]
    fn pieces_are_read_back_bit_for_bit_and_a_resumed_file_goes_on_behind_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("path.bin");
        assert!(Reader::open(&path).unwrap().is_none());
        let mut writer = Writer::create(&path, 3).unwrap();
        writer.push(1, &[piece(0.1), PathPiece::default()]).unwrap();
        let mark = writer.flush().unwrap();
        writer.push(2, &[piece(0.2)]).unwrap();
        writer.flush().unwrap();
        let whole = [(1, piece(0.1)), (1, PathPiece::default()), (2, piece(0.2))];
        assert_eq!(read(&path), whole);
        drop(writer);
        // Truncated, as by a killed process.
        let length = std::fs::metadata(&path).unwrap().len();
        File::options().write(true).open(&path).unwrap().set_len(length - 5).unwrap();
        assert_eq!(read(&path), whole[..2]);
        let mut writer = Writer::resume(&path, &mark).unwrap();
        writer.cut().unwrap();
        writer.push(2, &[piece(0.2)]).unwrap();
        writer.flush().unwrap();
        assert_eq!(read(&path), whole);
        std::fs::write(&path, b"something else").unwrap();
        assert!(Reader::open(&path).is_err());
    }
}
