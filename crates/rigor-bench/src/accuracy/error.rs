//! What is wrong with a table of cases, methods or results.

/// What is wrong with a table of cases, methods or results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table that comes with the program is wrong.
    #[error("{file}: {source}")]
    Toml {
        /// Its file.
        file: &'static str,
        /// What is wrong, and where.
        source: toml::de::Error,
    },
    /// The first line is not the heading.
    #[error("the first line is not that of a table of results")]
    Heading,
    /// A line is no row.
    #[error("line {line}: not a row of results")]
    Row {
        /// Which, counted from 1.
        line: usize,
    },
}
