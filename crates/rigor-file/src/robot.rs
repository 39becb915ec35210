//! Robots in URDF and in MJCF, the format of MuJoCo, translated into native scenes; with the feature `usd` also scenes in USD.
//!
//! Whatever of a file is not used is listed, with its line, or its prim in USD, and with its [grade](Grade): elements and attributes
//! are marked as they are read, and the rest is what was dropped.
//!
//! | in the file | in the scene |
//! | --- | --- |
//! | links, bodies | bodies; those that are welded together become one |
//! | mass and inertia | `mass`, `inertia`; in MJCF from the geoms, where there is no `inertial` |
//! | boxes, spheres, cylinders, capsules, planes, mesh files | shapes; what is for display only is left out |
//! | revolute, continuous, prismatic and ball joints | joints with their limits |
//! | several joints of one MJCF body | joints in a row, with bodies of [`GHOST_SHARE`] of the mass between them |
//! | damping, stiffness, position actuators | a drive to the rest position |
//! | friction, contact filters | `friction`, `group`, `contact_free` |
//!
//! Axes stay as they are in the file, where z points up.

mod account;
mod geometry;
mod meet;
mod mjcf;
mod model;
mod urdf;
#[cfg(feature = "usd")]
mod usd;
mod vocabulary;
mod write;
mod xml;

use std::collections::BTreeMap;
use std::io;
use std::mem::take;
use std::path::{Path, PathBuf};

use crate::document::MeshShape;
use crate::error::{Finding, SceneError, Warning};
use crate::{Document, Files, LoadOptions, Loaded, load_amended, toml};

pub use crate::grade::Grade;
pub use account::{Dropped, Entry, Place, account};
pub use model::GHOST_SHARE;

/// A robot as a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The scene; its mesh files have paths relative to the robot's file.
    pub document: Document,
    /// What was left out or changed, in the order of the file.
    pub dropped: Vec<Dropped>,
}

/// How to import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether the root of a URDF file moves.
    pub base: Base,
    /// The `key` of a MJCF file in whose posture the scene starts: its name, or its number from 0.
    pub key: Option<String>,
}

/// Whether the root of a URDF file moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Base {
    /// If it has a mass, together with all that fixed joints hold to it, and is not called `world`.
    #[default]
    ByMass,
    /// It is fixed to the world.
    Fixed,
    /// It is free.
    Free,
}

/// Whether `path` has the name of a robot's file.
pub fn is_one(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    matches!(extension.as_deref(), Some("urdf" | "xml" | "mjcf")) || is_usd(path)
}

/// Whether `path` has the name of a file in USD.
fn is_usd(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    matches!(extension.as_deref(), Some("usd" | "usda" | "usdc"))
}

/// Reads a scene in USD.
#[cfg(not(feature = "usd"))]
fn import_usd(path: &Path, _: &dyn Files) -> Result<Imported, SceneError> {
    let finding = Finding::of_file(path, "this program was built without USD");
    Err(finding.with_help("build it with `--features usd`").into())
}

#[cfg(feature = "usd")]
use usd::import as import_usd;
#[cfg(feature = "usd")]
pub use usd::layer::{LayerError, is_binary as is_binary_usd, text as usd_text};

/// Reads a robot: USD by the name of the file, URDF if the root element is `robot`, MJCF if it is `mujoco`.
///
/// ```
/// use std::{io, path::Path};
/// use rigor_file::{Files, robot};
///
/// struct Pendulum;
/// impl Files for Pendulum {
///     fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
///         Ok(br#"<mujoco><worldbody><body name="bob" pos="0 0 1"><joint axis="0 1 0" pos="0 0 1"/>
///             <geom size="0.1"/><site name="tip"/></body></worldbody></mujoco>"#.to_vec())
///     }
/// }
/// let robot = robot::import(Path::new("pendulum.xml"), &Pendulum, robot::Options::default())?;
/// assert_eq!((robot.document.body.len(), robot.document.joint.len()), (1, 1));
/// assert_eq!((&robot.dropped[0].place, robot.dropped[0].what.as_str()), (&robot::Place::Line(2), "<site>"));
/// # Ok::<(), rigor_file::SceneError>(())
/// ```
///
/// # Errors
/// The file cannot be read, is not XML, or has a number that is none, a joint without a body, or a link without a place; USD needs
/// a build with the feature `usd`.
pub fn import(path: &Path, files: &dyn Files, options: Options) -> Result<Imported, SceneError> {
    if is_usd(path) {
        return import_usd(path, files);
    }
    let texts = xml::Texts::read(path, files)?;
    let documents = texts.parse()?;
    let sheet = xml::Sheet::new(&texts, &documents);
    let root = sheet.root();
    let mut model = match root.name() {
        "robot" => urdf::model(&root, path, files, &options)?,
        "mujoco" => mjcf::model(&root, path, files, &options)?,
        other => {
            let message =
                format!("expected the root element `robot` (URDF) or `mujoco` (MJCF), found `{other}`");
            return Err(Finding::of_file(path, message).into());
        }
    };
    let mut dropped = sheet.unread();
    model.file = path.to_owned();
    model.weld();
    model.meet();
    dropped.append(&mut model.dropped);
    let weightless = model.links.iter().filter(|link| !link.is_static && !link.mass.is_solid());
    let names: Vec<&str> = weightless.map(|link| link.name.as_str()).collect();
    if !names.is_empty() {
        dropped.push(Dropped {
            file: path.to_owned(),
            place: Place::Line(1),
            what: format!("{} link(s), {}", names.len(), listed(&names)),
            why: model::Mass::WHY_LEAST.into(),
        });
    }
    dropped.sort();
    dropped.dedup();
    if model.name.is_empty() {
        model.name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    }
    Ok(Imported { document: write::document(model), dropped })
}

/// The first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    /// Names that are shown.
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    let more = names.len().saturating_sub(SHOWN);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

/// The robot's files, and its scene beside them.
struct Beside<'a> {
    path: PathBuf,
    text: String,
    files: &'a dyn Files,
}

impl Files for Beside<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.path { Ok(self.text.clone().into_bytes()) } else { self.files.read(path) }
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.files.absolute(path)
    }
}

/// Loads a robot as a scene, with what was left out. Overrides use the keys of the native format.
///
/// # Errors
/// As [`import`] and [`load`](crate::load).
pub fn load_robot(
    path: &Path,
    files: &dyn Files,
    load_options: &LoadOptions,
    options: Options,
) -> Result<(Loaded, Vec<Dropped>), SceneError> {
    let Imported { mut document, dropped } = import(path, files, options)?;
    let surfaces = take_surfaces(&mut document);
    let text = toml::write(&document).map_err(|error| Finding::of_file(path, error.to_string()))?;
    drop(document);
    let beside = Beside { path: path.with_extension("imported.toml"), text, files };
    let mut loaded =
        load_amended(&beside.path, &beside, load_options, |document| put_surfaces(document, surfaces))?;
    // Notes about meshes are in the account.
    let is_note = |warning: &Warning| {
        Grade::ALL.iter().any(|grade| warning.message.starts_with(&format!("{}: ", grade.name())))
    };
    loaded.warnings.retain(|warning| !is_note(warning));
    Ok((loaded, dropped))
}

/// The vertices and triangles of shapes, by the numbers of body and shape. As text, they would take a hundred times their memory.
type Surfaces = BTreeMap<(usize, usize), (Vec<[f64; 3]>, Vec<[u32; 3]>)>;

/// Every mesh of a document with the numbers of its body and shape.
fn meshes(document: &mut Document) -> impl Iterator<Item = ((usize, usize), &mut MeshShape)> {
    document.body.iter_mut().enumerate().flat_map(|(i, body)| {
        let shapes = body.shape.iter_mut().enumerate();
        shapes.filter_map(move |(j, shape)| Some(((i, j), shape.mesh.as_mut()?)))
    })
}

/// Takes the surfaces out of a document.
fn take_surfaces(document: &mut Document) -> Surfaces {
    let surface = |(at, mesh): (_, &mut MeshShape)| {
        let vertices = take(mesh.vertices.as_mut()?);
        Some((at, (vertices, take(&mut mesh.triangles))))
    };
    meshes(document).filter_map(surface).collect()
}

/// Puts surfaces where they were taken from, unless others are there now.
fn put_surfaces(document: &mut Document, mut taken: Surfaces) {
    for (at, mesh) in meshes(document) {
        if let (Some([]), Some((vertices, triangles))) = (mesh.vertices.as_deref(), taken.remove(&at)) {
            (mesh.vertices, mesh.triangles) = (Some(vertices), triangles);
        }
    }
}

/// Returns what changes the physics as warnings about the scene, one for all places with the same words.
pub fn warnings(dropped: &[Dropped]) -> impl Iterator<Item = Warning> + use<'_> {
    let entries = account(dropped).into_iter().filter(|entry| entry.grade == Grade::Physics);
    entries.map(|entry| Finding::of_file(entry.file, entry.to_string()))
}
