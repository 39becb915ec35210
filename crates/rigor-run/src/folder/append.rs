//! Files that grow during a run, with a running hash.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Fault, RunError};

/// Length and BLAKE3 hash of a file at a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Length (bytes).
    pub length: u64,
    /// Hash of those bytes, in hexadecimal digits.
    pub hash: String,
}

impl FileMark {
    /// The mark of a file that holds `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self { length: bytes.len() as u64, hash: blake3::hash(bytes).to_hex().to_string() }
    }
}

/// Appends bytes to a file and hashes them.
#[derive(Debug)]
pub struct Appender {
    file: BufWriter<File>,
    path: PathBuf,
    hasher: blake3::Hasher,
    length: u64,
}

impl Appender {
    /// Creates the file; replaces one that exists.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        let file = File::create(path).map_err(|error| RunError::new(path, error))?;
        let file = BufWriter::new(file);
        Ok(Self { file, path: path.to_owned(), hasher: blake3::Hasher::new(), length: 0 })
    }

    /// Opens a file to resume behind the bytes of `mark`. The file is unchanged until [`Appender::cut`] drops later bytes.
    ///
    /// # Errors
    /// [`RunError`] when the file is shorter than that, when its bytes are not those of the mark, or when it cannot be
    /// read or written.
    pub fn resume(path: &Path, mark: &FileMark) -> Result<Self, RunError> {
        let fail = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => RunError::new(path, Fault::Missing),
            _ => RunError::new(path, error),
        };
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(fail)?;
        let mut hasher = blake3::Hasher::new();
        let length = std::io::copy(&mut (&file).take(mark.length), &mut hasher).map_err(fail)?;
        if length != mark.length || hasher.finalize().to_hex().as_str() != mark.hash {
            return Err(RunError::new(path, Fault::NotAsCheckpoint));
        }
        file.seek(SeekFrom::Start(length)).map_err(fail)?;
        Ok(Self { file: BufWriter::new(file), path: path.to_owned(), hasher, length })
    }

    /// Drops the bytes behind those that this writer knows.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn cut(&mut self) -> Result<(), RunError> {
        self.flush()?;
        self.file.get_ref().set_len(self.length).map_err(|error| RunError::new(&self.path, error))
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written, for example because the disk is full.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| RunError::new(&self.path, error))
    }

    /// Flushes all bytes to the file and returns what it then holds.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<FileMark, RunError> {
        self.file.flush().map_err(|error| RunError::new(&self.path, error))?;
        Ok(FileMark { length: self.length, hash: self.hasher.finalize().to_hex().to_string() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_resumes_behind_its_mark_unless_a_bit_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = Appender::create(&path).unwrap();
        file.push(b"one").unwrap();
        let mark = file.flush().unwrap();
        file.push(b"lost").unwrap();
        file.flush().unwrap();
        drop(file);
        let mut file = Appender::resume(&path, &mark).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"onelost", "nothing changes before it is told to");
        file.cut().unwrap();
        file.push(b"two").unwrap();
        let whole = file.flush().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"onetwo");
        assert_eq!(whole.hash, blake3::hash(b"onetwo").to_hex().to_string());
        for damaged in [&b"onEtwo"[..], b"onetw"] {
            std::fs::write(&path, damaged).unwrap();
            let error = Appender::resume(&path, &whole).unwrap_err();
            assert!(matches!(error.why, Fault::NotAsCheckpoint), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), damaged);
        }
        std::fs::remove_file(&path).unwrap();
        let error = Appender::resume(&path, &whole).unwrap_err();
        assert!(matches!(error.why, Fault::Missing), "{error}");
    }
}
