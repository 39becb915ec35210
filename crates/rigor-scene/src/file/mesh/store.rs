//! The mesh files of a scene, each read once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::{Path, PathBuf};

use rigor_geometry::Mesh;

use super::{Location, MeshFile, MeshFileError, MeshWarning};
use crate::file::Files;

/// Meshes by the name that the scene gives them: the path of a file relative to the scene's folder, unless an importer
/// has put another mesh under that name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshStore {
    folder: PathBuf,
    meshes: BTreeMap<String, MeshFile>,
}

impl MeshStore {
    /// An empty store for a scene file in `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), meshes: BTreeMap::new() }
    }

    /// The mesh called `name`, read from the scene's folder unless it is there already.
    ///
    /// # Errors
    /// [`MeshFileError`] when the file cannot be read or holds no mesh.
    pub fn get(&mut self, name: &str, files: &dyn Files) -> Result<&MeshFile, MeshFileError> {
        match self.meshes.entry(name.to_owned()) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(slot) => {
                let path = self.folder.join(name);
                let bytes = files.read(&path).map_err(|error| unreadable(&path, &error))?;
                Ok(slot.insert(super::read(&path, &bytes, files)?))
            }
        }
    }

    /// Puts a mesh under a name, whatever the scene's folder holds.
    pub fn insert(&mut self, name: impl Into<String>, file: MeshFile) {
        self.meshes.insert(name.into(), file);
    }

    /// The meshes that were read or put here, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Mesh)> {
        self.meshes.iter().map(|(name, file)| (name.as_str(), &file.mesh))
    }

    /// What is to be known of the files, with their names.
    pub fn warnings(&self) -> impl Iterator<Item = (&str, &MeshWarning)> {
        self.meshes.iter().flat_map(|(name, file)| file.warnings.iter().map(move |w| (name.as_str(), w)))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> MeshFileError {
    let what = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    };
    MeshFileError { path: path.to_owned(), location: Location::File, what }
}
