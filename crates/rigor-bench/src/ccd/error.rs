//! What is wrong with a file of queries, and where.

use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong with a file of queries, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1; `None` if it is about the whole file.
    pub row: Option<usize>,
    /// What was found, and what was expected.
    pub what: String,
}

impl FileError {
    /// About the file as a whole.
    pub fn whole(path: &Path, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), row: None, what: what.into() }
    }

    /// About one line of it, counted from 1.
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
