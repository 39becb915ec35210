//! Tables of comma-separated values, appended line by line, with the step in the first column.

use std::marker::PhantomData;
use std::path::Path;

use rigor_math::Vec3;
use rigor_scene::State;

use crate::error::RunError;
use crate::folder::append::{Appender, FileMark};

/// Appends lines to a file.
#[derive(Debug)]
pub struct Writer {
    file: Appender,
}

impl Writer {
    /// Creates a file with the line `header`.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path, header: &str) -> Result<Self, RunError> {
        let mut writer = Self { file: Appender::create(path)? };
        writer.push(header)?;
        Ok(writer)
    }

    /// Resumes behind the lines of `mark`, without a change of the file before [`Writer::cut`].
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

    /// Appends a line.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written, for example because the disk is full.
    pub fn push(&mut self, line: &str) -> Result<(), RunError> {
        self.file.push(format!("{line}\n").as_bytes())
    }

    /// Flushes all lines to the file and returns what it then holds.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<FileMark, RunError> {
        self.file.flush()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
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

    /// Resumes behind the rows of `mark`, without a change of the file before [`Rows::cut`].
    ///
    /// # Errors
    /// [`RunError`] when the file is damaged, or cannot be read or written.
    pub fn resume(path: &Path, mark: &FileMark) -> Result<Self, RunError> {
        Ok(Self { table: Writer::resume(path, mark)?, of: PhantomData })
    }

    /// Drops what follows the mark.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn cut(&mut self) -> Result<(), RunError> {
        self.table.cut()
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

    /// Flushes all rows to the file and returns what it then holds.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<FileMark, RunError> {
        self.table.flush()
    }
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
    fn rows_start_with_their_step_and_a_resumed_table_goes_on_behind_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let at = |step: u64| State { step, time: 0.5 * step as f64, ..State::default() };
        let mut rows = Rows::create(&path).unwrap();
        rows.push(&at(1), &[Named("a"), Named("b")]).unwrap();
        let mark = rows.flush().unwrap();
        rows.push(&at(2), &[Named("lost")]).unwrap();
        rows.flush().unwrap();
        let mut rows = Rows::<Named>::resume(&path, &mark).unwrap();
        rows.cut().unwrap();
        rows.push(&at(2), &[Named("c")]).unwrap();
        rows.flush().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "step,time_s,name\n1,0.5,a\n1,0.5,b\n2,1,c\n");
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
