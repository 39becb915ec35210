//! Scene files: read, checked, and turned into a [`Scene`].
//!
//! Nothing here touches the disk: every file comes through [`Files`].

mod deserialize;
pub mod document;
mod error;
mod json;
mod toml;
mod tree;

use std::path::Path;

pub use document::Document;
pub use error::{Finding, Place, SceneError, Warning};

/// Where files come from: a disk, memory, or the program itself.
pub trait Files {
    /// The bytes of the file at `path`.
    ///
    /// # Errors
    /// As the disk would: `NotFound` when there is none.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>>;
}
