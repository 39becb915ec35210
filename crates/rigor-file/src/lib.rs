//! Scene files: reading, checking, and conversion to a [`Scene`].
//!
//! ```text
//! bytes ─► tree (with the place of every value) ─► includes merged ─► overrides ─► Document ─► Scene
//!          or a foreign tree, translated ──────────┘
//! ```
//! Nothing here accesses the disk: every file comes through [`Files`]. No file content makes a reader panic;
//! every mistake is a [`SceneError`] with line, column and key.

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod at;
pub mod cases;
pub mod check;
mod closest;
mod deserialize;
pub mod document;
mod document_type;
mod error;
mod export;
mod grade;
mod include;
mod json;
pub mod mesh;
mod native;
mod overrides;
mod read;
pub mod rigid_ipc;
pub mod robot;
mod schema;
pub mod setting;
mod toml;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rigor_scene::scene::Scene;

pub use closest::closest;
pub use document::Document;
pub use error::{Finding, SceneError, SourcePosition, Warning};
pub use export::{ExportError, Exported, export};
pub use grade::Grade;
pub use native::MeshSource;
pub use schema::schema;

/// A source of files: a disk, memory, or the program itself.
pub trait Files {
    /// The bytes of the file at `path`.
    ///
    /// # Errors
    /// An I/O error as from a disk, for example `NotFound` if there is no such file.
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>>;

    /// Returns `path` as an absolute path if the files have a working directory; by default returns it
    /// unchanged.
    fn absolute(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }
}

/// How to load a scene.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoadOptions {
    /// Changes to the file before it is interpreted, each `KEY=VALUE`, for example `body.box.friction=0.5`.
    pub overrides: Vec<String>,
    /// Folders searched for mesh files after the scene's own folder.
    pub mesh_folders: Vec<PathBuf>,
}

/// A scene with its sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    /// The scene as authored, with includes merged and overrides applied.
    pub document: Document,
    /// The mesh files that the document names, by name.
    pub meshes: BTreeMap<String, Arc<MeshSource>>,
    /// Legal but suspicious content.
    pub warnings: Vec<Warning>,
}

/// Loads the scene file at `path`: TOML or JSON in the native format, JSON of the reference program ([`rigid_ipc`]), or a robot
/// ([`robot`]), with warnings about what was left out of it.
///
/// Overrides use the keys of the native format even if the file is in the other one.
///
/// # Errors
/// The first mistake in the file, its includes, the overrides or its meshes, with its place.
pub fn load(path: &Path, files: &dyn Files, options: &LoadOptions) -> Result<Loaded, SceneError> {
    if robot::is_one(path) {
        let (mut loaded, dropped) = robot::load_robot(path, files, options, robot::Options::default())?;
        loaded.warnings.extend(robot::warnings(&dropped));
        return Ok(loaded);
    }
    load_amended(path, files, options, |_| ())
}

/// Loads a scene file that is no robot, and changes its document before it becomes a scene.
pub(crate) fn load_amended(
    path: &Path,
    files: &dyn Files,
    options: &LoadOptions,
    amend: impl FnOnce(&mut Document),
) -> Result<Loaded, SceneError> {
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
    amend(&mut document);
    let native::Translation { scene, warnings: more } = native::scene(&document, &tree, &mut library)?;
    warnings.extend(more);
    Ok(Loaded { scene, document, meshes: library.into_files(), warnings })
}
