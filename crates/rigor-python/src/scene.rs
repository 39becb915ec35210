//! Scenes: from files, from the case library, from a document.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rigor_audit::energy;
use rigor_file::{Files, LoadOptions, Loaded, cases as library, export, load, robot};
use rigor_run::disk::{Disk, load_scene};
use rigor_run::registry;
use rigor_scene::BodyId;

use crate::body::Body;
use crate::error;
use crate::state::State;

/// A scene: bodies, particles and joints with their environment. It is constant, and independent of methods and judges.
#[pyclass(subclass, frozen, module = "rigor")]
pub struct Scene {
    pub(crate) loaded: Arc<Loaded>,
}

/// Files in memory, and those on the disk around them.
struct FileOverlay {
    path: PathBuf,
    text: Vec<u8>,
    meshes: BTreeMap<PathBuf, Vec<u8>>,
}

impl Files for FileOverlay {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.path {
            return Ok(self.text.clone());
        }
        self.meshes.get(path).map_or_else(|| Disk.read(path), |bytes| Ok(bytes.clone()))
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Disk.absolute(path)
    }
}

fn from_text(
    text: &str,
    meshes: BTreeMap<String, Vec<u8>>,
    folder: &Path,
    options: &LoadOptions,
) -> PyResult<Loaded> {
    let is_json = text.trim_start().starts_with('{');
    let path = folder.join(if is_json { "scene.json" } else { "scene.toml" });
    let meshes = meshes.into_iter().map(|(name, bytes)| (folder.join(name), bytes)).collect();
    let shelf = FileOverlay { path: path.clone(), text: text.into(), meshes };
    load(&path, &shelf, options).map_err(error::scene)
}

/// Loads a robot whose base is fixed to the world.
fn fixed_robot(source: &str, options: &LoadOptions) -> PyResult<Loaded> {
    let fixed = robot::Options { base: robot::Base::Fixed, ..robot::Options::default() };
    let (mut loaded, dropped) =
        robot::load_robot(Path::new(source), &Disk, options, fixed).map_err(error::scene)?;
    loaded.warnings.extend(robot::warnings(&dropped));
    Ok(loaded)
}

/// Returns the names of all cases of the library.
#[pyfunction]
pub fn cases() -> Vec<&'static str> {
    library::names().collect()
}

#[pymethods]
impl Scene {
    /// Makes a scene: `kind` says whether `source` is a path or a case ("any"), a case, the text of a scene file, a robot with a fixed base,
    /// or a scene ("of").
    #[new]
    #[pyo3(signature = (kind, source, changes = Vec::new(), meshes = BTreeMap::new(), folder = PathBuf::new()))]
    fn new(
        py: Python<'_>,
        kind: &str,
        source: &Bound<'_, PyAny>,
        changes: Vec<String>,
        meshes: BTreeMap<String, Vec<u8>>,
        folder: PathBuf,
    ) -> PyResult<Self> {
        if kind == "of" {
            return Ok(Self { loaded: Arc::clone(&source.cast::<Self>()?.get().loaded) });
        }
        let options = LoadOptions { overrides: changes, mesh_folders: vec![] };
        let source: String = source.extract()?;
        let source = source.as_str();
        let loaded = py.detach(|| match kind {
            "text" => from_text(source, meshes, &folder, &options),
            "case" => match library::find(source) {
                Some(case) => load(Path::new(case), &library::files(), &options).map_err(error::scene),
                None => {
                    let meant = rigor_file::closest(source, library::names());
                    let hint = meant.map_or(String::new(), |name| format!(" (did you mean {name:?}?)"));
                    Err(error::scene(format!("there is no case {source:?}{hint}")))
                }
            },
            "fixed robot" => fixed_robot(source, &options),
            _ => load_scene(source, &options.overrides).map_err(|why| error::disk(&why)),
        })?;
        Ok(Self { loaded: Arc::new(loaded) })
    }

    /// Short name, such as `erleben/wedges`.
    #[getter]
    fn name(&self) -> &str {
        &self.loaded.scene.name
    }

    /// One paragraph on what the scene shows.
    #[getter]
    fn description(&self) -> &str {
        &self.loaded.scene.description
    }

    /// Gravity (m/s², world).
    #[getter]
    fn gravity(&self) -> [f64; 3] {
        self.loaded.scene.gravity.into()
    }

    /// Time step that the author suggests (s).
    #[getter]
    fn dt(&self) -> f64 {
        self.loaded.scene.time.dt
    }

    /// Simulated time that the author suggests (s).
    #[getter]
    fn duration(&self) -> f64 {
        self.loaded.scene.time.duration
    }

    /// The bodies; the index of a body is its row in the arrays of a state.
    #[getter]
    fn bodies(&self) -> Vec<Body> {
        let body = |index| Body { loaded: Arc::clone(&self.loaded), index };
        (0..self.loaded.scene.bodies.len()).map(body).collect()
    }

    /// Names of the joints.
    #[getter]
    fn joints(&self) -> Vec<&str> {
        self.loaded.scene.joints.iter().map(|joint| joint.name.as_str()).collect()
    }

    /// Number of particles.
    #[getter]
    fn n_particles(&self) -> usize {
        self.loaded.scene.particles.len()
    }

    /// Legal but suspicious content of the scene file, as text.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.loaded.warnings.iter().map(ToString::to_string).collect()
    }

    /// Whether the bodies with these indices can collide.
    fn can_collide(&self, a: usize, b: usize) -> PyResult<bool> {
        let [a, b] = [self.id(a)?, self.id(b)?];
        Ok(self.loaded.scene.can_collide(a, b))
    }

    /// Coulomb coefficients of a contact between two bodies: static, dynamic.
    fn friction_between(&self, a: usize, b: usize) -> PyResult<(f64, f64)> {
        let friction = self.loaded.scene.friction_between(self.id(a)?, self.id(b)?);
        Ok((friction.static_, friction.dynamic))
    }

    /// Coefficient of restitution of a contact between two bodies.
    fn restitution_between(&self, a: usize, b: usize) -> PyResult<f64> {
        Ok(self.loaded.scene.restitution_between(self.id(a)?, self.id(b)?))
    }

    /// The state at time 0.
    fn initial(&self, py: Python<'_>) -> PyResult<State> {
        State::of(py, &rigor_scene::State::initial(&self.loaded.scene))
    }

    /// Kinetic and potential energy (J) of a state.
    fn energy(&self, py: Python<'_>, state: &State) -> PyResult<(f64, f64)> {
        let state = state.read(py, &self.loaded.scene)?;
        Ok(energy::of_step(&self.loaded.scene, &state, None))
    }

    /// What a method ignores of the scene, as lines of text.
    #[pyo3(signature = (method, dt = None))]
    fn notices(&self, method: &str, dt: Option<f64>) -> PyResult<Vec<String>> {
        let scene = &self.loaded.scene;
        let found = registry::notices(method, scene, dt.unwrap_or(scene.time.dt));
        let notices = found.map_err(|why| error::method(&why))?.map_err(|why| error::unsupported(&why))?;
        Ok(notices.iter().map(ToString::to_string).collect())
    }

    /// The scene file in TOML, and its mesh files by name.
    fn export<'py>(&self, py: Python<'py>) -> PyResult<(String, Bound<'py, PyDict>)> {
        let exported = py.detach(|| export(&self.loaded)).map_err(error::scene)?;
        let meshes = PyDict::new(py);
        for (name, bytes) in &exported.meshes {
            meshes.set_item(name, PyBytes::new(py, bytes))?;
        }
        Ok((exported.scene, meshes))
    }

    /// Whether both scenes are equal, bit for bit.
    fn is_equal(&self, other: &Self) -> bool {
        self.loaded.scene == other.loaded.scene
    }
}

impl Scene {
    fn id(&self, index: usize) -> PyResult<BodyId> {
        let n = self.loaded.scene.bodies.len();
        let none = || pyo3::exceptions::PyIndexError::new_err(format!("there is no body {index} of {n}"));
        (index < n).then_some(BodyId(index)).ok_or_else(none)
    }
}
