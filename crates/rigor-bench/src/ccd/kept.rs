//! The query set that comes with the program; `benchmarks/ccd/README.md` describes how it was made.

use std::path::Path;

use super::{FileError, QuerySet, read};

const FILES: [(&str, &str); 2] = [
    ("benchmarks/ccd/linear.csv", include_str!("../../../../benchmarks/ccd/linear.csv")),
    ("benchmarks/ccd/rigid.csv", include_str!("../../../../benchmarks/ccd/rigid.csv")),
];

/// Returns the built-in set: generated queries of every family, each with its proven truth.
///
/// # Errors
/// [`FileError`] if a file was edited by hand and is invalid.
pub fn kept() -> Result<QuerySet, FileError> {
    let mut set = QuerySet::default();
    for (path, text) in FILES {
        read::read_bytes(Path::new(path), text.as_bytes(), &mut set)?;
    }
    Ok(set)
}
