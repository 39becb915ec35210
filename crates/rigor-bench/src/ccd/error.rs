//! Errors in query files.

use std::fmt;
use std::path::{Path, PathBuf};

/// An error in a query file, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1; `None` for the file as a whole.
    pub row: Option<usize>,
    /// What was found, and what was expected.
    pub what: String,
}

impl FileError {
    /// An error in the file as a whole.
    pub fn whole(path: &Path, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), row: None, what: what.into() }
    }

    /// An error in line `row`, counted from 1.
    pub fn at(path: &Path, row: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), row: Some(row), what: what.into() }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.row {
            Some(row) => write!(f, "{path}:{row}: {}", self.what),
            None => write!(f, "{path}: {}", self.what),
        }
    }
}
