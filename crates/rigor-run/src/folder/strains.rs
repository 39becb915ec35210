//! `strains.bin`: the strains of bodies in the frames of `frames.bin`, little-endian; only of a run that has any.
//!
//! Header: the eight bytes `RIGORST1`, the index f of the first frame with strains, from 0, as `u64`, and the number of bodies as `u32`. Then
//! for frame f and each one after it, per body six `f64`: E_xx, E_xy, E_xz, E_yy, E_yz, E_zz, in the principal frame, as in
//! [`State::strains`](rigor_scene::State::strains). A truncated frame at the end, as a killed process leaves it, is ignored, and so is
//! the frame of `frames.bin` that it belongs to.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rigor_math::Mat3;

use crate::error::{Fault, RunError};
use crate::folder::append::{Appender, FileMark};

const MAGIC: &[u8; 8] = b"RIGORST1";
const HEADER: u64 = 20;

/// Numbers per body.
pub const STRAIN: usize = 6;

/// Returns the path of the strains of the frames in `frames`.
pub(super) fn beside(frames: &Path) -> PathBuf {
    frames.with_file_name("strains.bin")
}

/// Converts a strain, which is symmetric, to numbers.
pub fn strain_numbers(strain: &Mat3) -> [f64; STRAIN] {
    let e = |i: usize, k: usize| strain[(i, k)];
    [e(0, 0), e(0, 1), e(0, 2), e(1, 1), e(1, 2), e(2, 2)]
}

/// Converts numbers to a strain, bit for bit.
pub fn strain_of(n: &[f64]) -> Mat3 {
    Mat3::new(n[0], n[1], n[2], n[1], n[3], n[4], n[2], n[4], n[5])
}

/// Appends the strains of frames to a file.
#[derive(Debug)]
pub(super) struct Writer {
    file: Appender,
}

impl Writer {
    /// Creates a file whose first frame has the index `first`.
    pub(super) fn create(path: &Path, first: u64, bodies: usize) -> Result<Self, RunError> {
        let mut file = Appender::create(path)?;
        file.push(MAGIC)?;
        file.push(&first.to_le_bytes())?;
        file.push(&(bodies as u32).to_le_bytes())?;
        Ok(Self { file })
    }

    /// As [`super::frames::Writer::resume`].
    pub(super) fn resume(path: &Path, mark: &FileMark) -> Result<Self, RunError> {
        Ok(Self { file: Appender::resume(path, mark)? })
    }

    pub(super) fn cut(&mut self) -> Result<(), RunError> {
        self.file.cut()
    }

    /// Appends the strains of the next frame; those of rigid bodies are 0.
    pub(super) fn push(&mut self, strains: impl Iterator<Item = Mat3>) -> Result<(), RunError> {
        let numbers = strains.flat_map(|strain| strain_numbers(&strain));
        self.file.push(&numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
    }

    pub(super) fn flush(&mut self) -> Result<FileMark, RunError> {
        self.file.flush()
    }
}

/// Reads the strains of frames.
#[derive(Debug)]
pub(super) struct Reader {
    file: BufReader<File>,
    path: PathBuf,
    bodies: usize,
    /// The first frame with strains.
    first: u64,
    /// The frame that is read next without a search.
    next: u64,
}

impl Reader {
    /// Opens the file; `None` if there is none, or no whole header yet.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be read, is no file of strains, or one of another number of bodies.
    pub(super) fn open(path: &Path, bodies: usize) -> Result<Option<Self>, RunError> {
        let fail = |error: std::io::Error| RunError::new(path, error);
        let mut file = match File::open(path) {
            Ok(file) => BufReader::new(file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let mut header = [0; HEADER as usize];
        match file.read_exact(&mut header) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(fail(error)),
        }
        let (magic, rest) = header.split_at(8);
        let (first, count) = rest.split_at(8);
        let first = u64::from_le_bytes(first.try_into().expect("eight bytes"));
        let count = u32::from_le_bytes(count.try_into().expect("four bytes"));
        if magic != MAGIC {
            return Err(RunError::new(path, Fault::NotStrains));
        }
        if count as usize != bodies {
            return Err(RunError::new(path, Fault::OtherScene));
        }
        Ok(Some(Self { file, path: path.to_owned(), bodies, first, next: first }))
    }

    fn frame_bytes(&self) -> u64 {
        (8 * STRAIN * self.bodies) as u64
    }

    /// Returns how many frames have all that belongs to them, of `found` in `frames.bin`.
    pub(super) fn count(&self, found: u64) -> Result<u64, RunError> {
        let length = self.file.get_ref().metadata().map_err(|error| RunError::new(&self.path, error))?.len();
        let strained = length.saturating_sub(HEADER).checked_div(self.frame_bytes());
        Ok(strained.map_or(found, |strained| found.min(self.first + strained)))
    }

    /// Returns the strains of a frame: empty before the first that has some; `None` if they are not whole.
    pub(super) fn read(&mut self, frame: u64) -> Result<Option<Vec<Mat3>>, RunError> {
        let Some(index) = frame.checked_sub(self.first) else { return Ok(Some(Vec::new())) };
        let fail = |path: &Path, error: std::io::Error| RunError::new(path, error);
        if frame != self.next {
            let place = SeekFrom::Start(HEADER + index * self.frame_bytes());
            self.file.seek(place).map_err(|error| fail(&self.path, error))?;
        }
        // Wherever a failed read leaves the file.
        self.next = u64::MAX;
        let mut bytes = vec![0; self.frame_bytes() as usize];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(fail(&self.path, error)),
        }
        self.next = frame + 1;
        let numbers: Vec<f64> =
            bytes.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
        Ok(Some(numbers.chunks_exact(STRAIN).map(strain_of).collect()))
    }
}
