//! Scene files: read, checked, and turned into a [`Scene`].
//!
//! ```text
//! bytes ─► tree (with the place of every value) ─► includes merged ─► overrides ─► Document ─► Scene
//!          or a foreign tree, translated ──────────┘
//! ```
//! Nothing here touches the disk: every file comes through [`Files`]. No content makes a reader panic; what is wrong is a
//! [`SceneError`] with its line, column and key.

mod at;
pub mod cases;
pub mod check;
mod deserialize;
pub mod document;
mod error;
mod export;
mod include;
mod json;
pub mod mesh;
mod native;
mod overrides;
mod read;
pub mod rigid_ipc;
mod schema;
pub mod setting;
mod toml;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rigor_scene::scene::Scene;

pub use document::Document;
pub use error::{Finding, Place, SceneError, Warning};
pub use export::{ExportError, Exported, export};
pub use native::MeshSource;
pub use schema::schema;

/// Where files come from: a disk, memory, or the program itself.
pub trait Files {
    /// The bytes of the file at `path`.
    ///
    /// # Errors
    /// As the disk would: `NotFound` when there is none.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>>;

    /// `path` from the root on: where the files have a working directory, relative paths begin there.
    fn absolute(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }
}

/// How to load a scene.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoadOptions {
    /// Changes to the file before it is understood, each `KEY=VALUE`, as `body.box.friction=0.5`.
    pub overrides: Vec<String>,
    /// Folders in which mesh files are looked for after the scene's own.
    pub mesh_folders: Vec<PathBuf>,
}

/// A scene with what it was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    /// The scene as authored, with includes merged and overrides applied.
    pub document: Document,
    /// The mesh files that the document names, by those names.
    pub meshes: BTreeMap<String, Arc<MeshSource>>,
    /// What is allowed but deserves a look.
    pub warnings: Vec<Warning>,
}

/// Loads the scene file at `path`: TOML or JSON in the native format, or JSON of the reference program ([`rigid_ipc`]).
///
/// Overrides name keys of the native format, whatever the file's own.
///
/// # Errors
/// The first thing wrong with the file, its includes, the overrides or its meshes, with its place.
pub fn load(path: &Path, files: &dyn Files, options: &LoadOptions) -> Result<Loaded, SceneError> {
    let bytes = read::bytes(path, files).map_err(|why| Finding::of_file(path, why))?;
    let tree = read::tree(path, bytes)?;
    let is_foreign = rigid_ipc::is_one(&tree);
    let own = if is_foreign { rigid_ipc::mesh_folders(&files.absolute(path)) } else { vec![] };
    let mut library = native::Library::new(files, path, &[&own[..], &options.mesh_folders[..]].concat());
    let (mut tree, mut warnings) = if is_foreign {
        rigid_ipc::translate(tree, &mut library)?
    } else {
        (include::expand(tree, files)?, vec![])
    };
    for line in &options.overrides {
        overrides::apply(&mut tree, line)?;
    }
    tree.check_finite()?;
    let mut document: Document = deserialize::read(&tree)?;
    if document.name.is_empty() {
        document.name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    let native::Translation { scene, warnings: more } = native::scene(&document, &tree, &mut library)?;
    warnings.extend(more);
    Ok(Loaded { scene, document, meshes: library.into_files(), warnings })
}
