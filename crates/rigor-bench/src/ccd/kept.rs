//! The built-in query set; `crates/rigor-bench/queries/README.md` describes its origin.

use std::path::Path;

use super::{FileError, QuerySet, read};

const FILES: [(&str, &str); 2] = [
    ("crates/rigor-bench/queries/linear.csv", include_str!("../../queries/linear.csv")),
    ("crates/rigor-bench/queries/rigid.csv", include_str!("../../queries/rigid.csv")),
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
