//! What is wrong with the file of a paper.

use std::path::PathBuf;

/// A mistake in the file of a paper.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaperError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not TOML, or has an unknown key or a value of another type.
    #[error("{}: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, column and mistake.
        source: Box<toml::de::Error>,
    },
    /// A value that says nothing, or names something that does not exist.
    #[error("{}: {at}: {why}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The figure, study or run.
        at: String,
        /// What is wrong, and what is allowed.
        why: String,
    },
}
