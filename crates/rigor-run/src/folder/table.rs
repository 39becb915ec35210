//! Tables of comma-separated values, appended line by line, with the step in the first column.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use rigor_math::Vec3;
use rigor_scene::State;

use crate::error::RunError;

/// Appends lines to a file.
#[derive(Debug)]
pub struct Writer {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Writer {
    /// Creates a file with the line `header`.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path, header: &str) -> Result<Self, RunError> {
        let file = File::create(path).map_err(|error| RunError::new(path, error))?;
        let mut writer = Self { file: BufWriter::new(file), path: path.to_owned() };
        writer.push(header)?;
        Ok(writer)
    }

    /// Resumes after the lines of `step`; drops later lines and a truncated last one. Also returns the
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
    /// [`RunError`] when the file cannot be written, for example because the disk is full.
    pub fn push(&mut self, line: &str) -> Result<(), RunError> {
        writeln!(self.file, "{line}").map_err(|error| RunError::new(&self.path, error))
    }

    /// Flushes all lines to the file.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.flush().map_err(|error| RunError::new(&self.path, error))
    }
}

/// A row of a table with several rows per step.
pub trait TableRow {
    /// The names of its columns after `step` and `time_s`.
    const COLUMNS: &'static str;

    /// Returns the content of the columns.
    fn cells(&self) -> Vec<String>;
}

/// Appends rows to a file.
#[derive(Debug)]
pub struct Rows<R> {
    table: Writer,
    of: PhantomData<R>,
}

impl<R: TableRow> Rows<R> {
    /// Creates a file.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        let table = Writer::create(path, &format!("step,time_s,{}", R::COLUMNS))?;
        Ok(Self { table, of: PhantomData })
    }

    /// Resumes after the rows of `step`, and drops later ones; `None` if there is no file.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read or written.
    pub fn resume(path: &Path, step: u64) -> Result<Option<Self>, RunError> {
        Ok(Writer::resume(path, step)?.map(|(table, _)| Self { table, of: PhantomData }))
    }

    /// Appends the rows of the step that ended in `state`.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written, for example because the disk is full.
    pub fn push(&mut self, state: &State, rows: &[R]) -> Result<(), RunError> {
        rows.iter().try_for_each(|row| {
            self.table.push(&format!("{},{},{}", state.step, state.time, row.cells().join(",")))
        })
    }

    /// Flushes all rows to the file.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.table.flush()
    }
}

/// Returns whether a line is complete and belongs to `step` or an earlier one.
fn is_kept(line: &str, step: u64) -> bool {
    let of = line.split(',').next().and_then(|first| first.parse::<u64>().ok());
    line.ends_with('\n') && of.is_some_and(|of| of <= step)
}

/// Formats a number so that it is read back bit for bit; integers without an exponent.
pub fn number(value: f64) -> String {
    let is_whole = value == value.trunc() && value.abs() < 1e15;
    if is_whole { format!("{value}") } else { format!("{value:e}") }
}

/// Formats the components of a vector, one cell each.
pub fn vector(v: &Vec3) -> String {
    format!("{},{},{}", number(v.x), number(v.y), number(v.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named(&'static str);

    impl TableRow for Named {
        const COLUMNS: &'static str = "name";

        fn cells(&self) -> Vec<String> {
            vec![self.0.to_owned()]
        }
    }

    #[test]
    fn rows_stand_behind_their_step_and_those_after_a_resumed_one_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let at = |step: u64| State { step, time: 0.5 * step as f64, ..State::default() };
        assert!(Rows::<Named>::resume(&path, 1).unwrap().is_none());
        let mut rows = Rows::create(&path).unwrap();
        rows.push(&at(1), &[Named("a"), Named("b")]).unwrap();
        rows.push(&at(2), &[Named("lost")]).unwrap();
        rows.flush().unwrap();
        let mut rows = Rows::resume(&path, 1).unwrap().unwrap();
        rows.push(&at(2), &[Named("c")]).unwrap();
        rows.flush().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "step,time_s,name\n1,0.5,a\n1,0.5,b\n2,1,c\n");
    }

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
        // Truncated, as by a killed process.
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
