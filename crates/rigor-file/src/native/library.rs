//! The mesh files of a scene, each read once.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rigor_geometry::Mesh;
use rigor_geometry::split::Part;

use super::super::Files;
use super::super::at::At;
use super::super::error::{SceneError, Warning};
use super::super::include::tidy;
use super::super::mesh::{self, MeshWarning};

/// Finds and caches mesh files.
pub struct Library<'a> {
    files: &'a dyn Files,
    folders: Vec<PathBuf>,
    read: BTreeMap<String, Arc<MeshSource>>,
    components: BTreeMap<String, Arc<[Mesh]>>,
}

/// A mesh file used by a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshSource {
    /// The path at which it was found.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its mesh (m).
    pub mesh: Mesh,
    /// Number of closed parts inside of others with matter on both sides.
    pub nested: usize,
    /// What was decided and left out.
    pub notes: Vec<MeshWarning>,
}

/// Returns a note about the mesh `whose` as a warning about the scene.
pub fn told(note: &MeshWarning, whose: &str, at: &At<'_>) -> Warning {
    let finding = at.finding(format!("{}: {whose}: {note}", note.grade().name()));
    match note.help() {
        None => finding,
        Some(help) => finding.with_help(help),
    }
}

impl<'a> Library<'a> {
    /// Creates a library that searches the folder of the scene file `scene`, then `folders`.
    pub fn new(files: &'a dyn Files, scene: &Path, folders: &[PathBuf]) -> Self {
        let first = scene.parent().unwrap_or(Path::new("")).to_owned();
        Self {
            files,
            folders: [&[first], folders].concat(),
            read: BTreeMap::new(),
            components: BTreeMap::new(),
        }
    }

    /// Returns the mesh file `name`, requested by the scene at `at`.
    ///
    /// # Errors
    /// The file is not found, or it contains no mesh.
    pub fn get(
        &mut self,
        name: &str,
        at: &At<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Arc<MeshSource>, SceneError> {
        if let Some(file) = self.read.get(name) {
            return Ok(Arc::clone(file));
        }
        let (path, bytes) = self.find(name, at)?;
        let read = mesh::read(&path, &bytes, self.files).map_err(|error| at.error(error.to_string()))?;
        warnings.extend(read.warnings.iter().map(|note| told(note, &path.display().to_string(), at)));
        let file =
            Arc::new(MeshSource { path, bytes, mesh: read.mesh, nested: read.nested, notes: read.warnings });
        self.read.insert(name.to_owned(), Arc::clone(&file));
        Ok(file)
    }

    /// Returns the connected components of the mesh file `name`.
    ///
    /// # Errors
    /// As [`Library::get`].
    pub fn components(
        &mut self,
        name: &str,
        at: &At<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Arc<[Mesh]>, SceneError> {
        if let Some(components) = self.components.get(name) {
            return Ok(Arc::clone(components));
        }
        let parts = self.get(name, at, warnings)?.mesh.split_components();
        // A hollow alone is a body.
        let outwards = |part: Part| mesh::facing_outwards(&part.mesh).unwrap_or(part.mesh);
        let components: Arc<[Mesh]> = parts.into_iter().map(outwards).collect();
        self.components.insert(name.to_owned(), Arc::clone(&components));
        Ok(components)
    }

    fn find(&self, name: &str, at: &At<'_>) -> Result<(PathBuf, Vec<u8>), SceneError> {
        let mut tried: Vec<String> = Vec::new();
        for folder in &self.folders {
            let path = tidy(&folder.join(name));
            match self.files.read(&path) {
                Ok(bytes) => return Ok((path, bytes)),
                Err(error) if error.kind() == ErrorKind::NotFound => tried.push(path.display().to_string()),
                Err(error) => return Err(at.error(format!("{} cannot be read: {error}", path.display()))),
            }
        }
        tried.dedup();
        Err(at.error(format!("there is no mesh file `{name}`; looked for {}", tried.join(", "))))
    }

    /// Returns every file used, by its name in the scene.
    pub fn into_files(self) -> BTreeMap<String, Arc<MeshSource>> {
        self.read
    }
}
