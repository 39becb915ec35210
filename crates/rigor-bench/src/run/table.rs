//! Tables of comma-separated values, appended line by line, whose first column is the step.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::RunError;

/// Appends lines.
#[derive(Debug)]
pub struct Writer {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Writer {
    /// A new file with the line `header`.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path, header: &str) -> Result<Self, RunError> {
        let file = File::create(path).map_err(|error| RunError::new(path, error))?;
        let mut writer = Self { file: BufWriter::new(file), path: path.to_owned() };
        writer.push(header)?;
        Ok(writer)
    }

    /// Goes on after the lines of `step`; later ones, and one that is cut off at the end, are dropped. With it comes the
    /// header. `None` if there is no file.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read or written.
    pub fn resume(path: &Path, step: u64) -> Result<Option<(Self, String)>, RunError> {
        let fail = |error: std::io::Error| RunError::new(path, error);
        let file = match OpenOptions::new().read(true).append(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let mut reader = BufReader::new(file);
        let (mut header, mut line) = (String::new(), String::new());
        let mut length = reader.read_line(&mut header).map_err(fail)?;
        while reader.read_line(&mut line).map_err(fail)? > 0 && is_kept(&line, step) {
            length += line.len();
            line.clear();
        }
        let file = reader.into_inner();
        file.set_len(length as u64).map_err(fail)?;
        let writer = Self { file: BufWriter::new(file), path: path.to_owned() };
        Ok(Some((writer, header.trim_end().to_owned())))
    }

    /// Appends a line.
    ///
    /// # Errors
    /// [`RunError`] when the disk is full, for one.
    pub fn push(&mut self, line: &str) -> Result<(), RunError> {
        writeln!(self.file, "{line}").map_err(|error| RunError::new(&self.path, error))
    }

    /// Sees to it that all lines are on disk.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.flush().map_err(|error| RunError::new(&self.path, error))
    }
}

/// Whether a line is whole, and of `step` or one before.
fn is_kept(line: &str, step: u64) -> bool {
    let of = line.split(',').next().and_then(|first| first.parse::<u64>().ok());
    line.ends_with('\n') && of.is_some_and(|of| of <= step)
}

/// A number as it is read back bit for bit: whole ones without an exponent.
pub fn number(value: f64) -> String {
    let is_whole = value == value.trunc() && value.abs() < 1e15;
    if is_whole { format!("{value}") } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_table_goes_on_behind_its_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        assert!(Writer::resume(&path, 3).unwrap().is_none());
        let mut writer = Writer::create(&path, "step,a").unwrap();
        for line in ["1,0", "1,1", "2,0", "3,0"] {
            writer.push(line).unwrap();
        }
        writer.flush().unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        // Cut off, as by a killed process.
        std::fs::write(&path, whole.trim_end()).unwrap();
        for (step, kept) in [(3, "step,a\n1,0\n1,1\n2,0\n"), (1, "step,a\n1,0\n1,1\n"), (0, "step,a\n")] {
            let (mut writer, header) = Writer::resume(&path, step).unwrap().unwrap();
            assert_eq!(header, "step,a");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), kept);
            if step == 0 {
                writer.push("1,0").unwrap();
                writer.flush().unwrap();
                assert_eq!(std::fs::read_to_string(&path).unwrap(), "step,a\n1,0\n");
            }
        }
    }

    #[test]
    fn numbers_are_read_back_bit_for_bit() {
        for value in [0.0, -3.0, 0.1, 1e300, 1e-300, 5e-324, f64::MAX, 1e15, -0.0] {
            let read: f64 = number(value).parse().unwrap();
            assert_eq!(read.to_bits(), value.to_bits(), "{}", number(value));
        }
        assert_eq!((number(3.0), number(0.25)), ("3".to_owned(), "2.5e-1".to_owned()));
    }
}
