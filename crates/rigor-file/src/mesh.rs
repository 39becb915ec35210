//! Mesh files: OBJ, STL, PLY, glTF, OFF, COLLADA and MuJoCo's MSH.
//!
//! Readers convert bytes to a [`Mesh`] with triangles, wires and points, or return a [`MeshFileError`] with
//! the place and what was expected. No content makes them panic, and the memory they allocate is bounded by
//! the length of the file. Coordinates are in metres.
//!
//! All formats go through the same repairs, and a [`MeshWarning`] reports each of them: vertices that nothing uses are left
//! out, open edges joined, repeated triangles used once, and surfaces turned so that they face outwards.

mod assembly;
mod dae;
mod edges;
mod fill;
mod gltf;
mod join;
mod mend;
mod msh;
mod nest;
mod obj;
mod off;
mod orient;
mod ply;
mod polygon;
mod repair;
mod repeat;
mod sift;
mod stl;
#[cfg(test)]
mod tests;
mod text;
mod warning;
mod words;

use std::fmt;
use std::path::{Path, PathBuf};

use rigor_geometry::Mesh;
use rigor_geometry::mesh::{MeshError, Soup};

use super::Files;

pub use obj::write_obj;
pub use warning::MeshWarning;

/// A mesh file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// STL, binary or text.
    Stl,
    /// PLY, binary or text.
    Ply,
    /// glTF 2.0, as JSON or binary (GLB).
    Gltf,
    /// Geomview's OFF, as text.
    Off,
    /// COLLADA.
    Collada,
    /// MuJoCo's MSH, binary.
    Msh,
}

impl MeshFormat {
    /// Returns the format for the extension of `path`.
    ///
    /// ```
    /// use rigor_file::mesh::MeshFormat;
    /// assert_eq!(MeshFormat::of("parts/Nut.GLB".as_ref()), Some(MeshFormat::Gltf));
    /// assert_eq!(MeshFormat::of("parts/nut.step".as_ref()), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "gltf" | "glb" => Some(Self::Gltf),
            "off" => Some(Self::Off),
            "dae" => Some(Self::Collada),
            "msh" => Some(Self::Msh),
            _ => None,
        }
    }
}

/// A mesh with notes about its file.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFile {
    /// The mesh (m), with all closed parts that lie inside of others.
    pub mesh: Mesh,
    /// What was decided and left out.
    pub warnings: Vec<MeshWarning>,
    /// Number of closed parts inside of others with matter on both sides; see [`resolve`].
    pub nested: usize,
}

/// What a closed part inside of another one is that faces the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nested {
    /// The same matter, which is counted once: the inner surface is left out.
    #[default]
    Solid,
    /// A hollow: the inner surface is turned.
    Void,
}

/// A location in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// The file as a whole.
    File,
    /// A line of text, from 1.
    Line(usize),
    /// A byte, from 0.
    Byte(usize),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, "line {line}: "),
            Self::Byte(byte) => write!(f, "byte {byte}: "),
        }
    }
}

/// An error in a mesh file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {location}{what}", path.display())]
pub struct MeshFileError {
    /// The file.
    pub path: PathBuf,
    /// The location in the file.
    pub location: Location,
    /// What was expected and what was found.
    pub what: String,
}

/// An error without its file name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{location}{what}")]
struct Fault {
    location: Location,
    what: String,
}

impl Fault {
    fn new(location: Location, what: impl Into<String>) -> Self {
        Self { location, what: what.into() }
    }

    fn at_line(line: usize, what: impl Into<String>) -> Self {
        Self::new(Location::Line(line), what)
    }

    fn whole(what: impl Into<String>) -> Self {
        Self::new(Location::File, what)
    }
}

/// Reads the mesh in `bytes`, the content of `path`; `files` provides the buffers that a glTF file names by
/// paths relative to its own.
///
/// Polygons are split into triangles. In formats that repeat a vertex for every facet or material (STL, glTF, MSH), vertices at equal
/// positions are joined; in all formats those at edges with a single triangle are joined, if they are at equal positions or
/// where a tolerance of at most 2·10⁻⁶ of the size of the mesh closes a part of the surface. Triangles without area are
/// merged with their neighbours, so that a closed surface stays closed; without a neighbour they are left out, like wires without
/// length. [`MeshFile::warnings`] lists what was decided.
///
/// # Errors
/// [`MeshFileError`] if the extension is unknown or the content violates the format.
///
/// ```
/// use rigor_file::mesh;
/// # use rigor_file::Files;
/// # struct None; impl Files for None { fn read(&self, _: &std::path::Path) -> std::io::Result<Vec<u8>> { unreachable!() } }
/// # let files = None;
/// let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4";
/// let file = mesh::read("square.obj".as_ref(), square, &files)?;
/// assert_eq!(file.mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
/// assert!(file.warnings[0].to_string().starts_with("the surface is open: 4 edge(s)"));
/// let error = mesh::read("square.obj".as_ref(), b"v 0 0 0\nv 1 zero 0", &files).unwrap_err();
/// assert_eq!(error.to_string(), "square.obj: line 2: expected a finite number, found `zero`");
/// # Ok::<(), mesh::MeshFileError>(())
/// ```
pub fn read(path: &Path, bytes: &[u8], files: &dyn Files) -> Result<MeshFile, MeshFileError> {
    let assembly = match MeshFormat::of(path) {
        Some(MeshFormat::Obj) => obj::read(bytes),
        Some(MeshFormat::Stl) => stl::read(bytes),
        Some(MeshFormat::Ply) => ply::read(bytes),
        Some(MeshFormat::Off) => off::read(bytes),
        Some(MeshFormat::Collada) => dae::read(bytes),
        Some(MeshFormat::Msh) => msh::read(bytes),
        Some(MeshFormat::Gltf) => gltf::read(bytes, path, files),
        None => Err(Fault::whole("expected a mesh file (.obj, .stl, .ply, .gltf, .glb, .off, .dae or .msh)")),
    };
    assembly.and_then(repair::repair).map_err(|Fault { location, what }| MeshFileError {
        path: path.into(),
        location,
        what,
    })
}

/// Returns `mesh` with triangles across every loop of open edges, with a note; `None` if its triangles leave no edge open.
///
/// # Errors
/// [`MeshError`] if the result is no mesh.
///
/// ```
/// use rigor_geometry::Mesh;
/// use rigor_math::Vec3;
/// // A corner cut off a cube, without the side opposite to the corner: V = 1/6 m³.
/// let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
/// let open = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]], vec![])?;
/// let (closed, note) = rigor_file::mesh::fill(&open)?.expect("a hole");
/// assert!((closed.signed_volume() - 1.0 / 6.0).abs() < 1e-15);
/// assert!(note.to_string().starts_with("1 hole(s) filled with 1 triangle(s)"));
/// # Ok::<(), rigor_geometry::MeshError>(())
/// ```
pub fn fill(mesh: &Mesh) -> Result<Option<(Mesh, MeshWarning)>, MeshError> {
    let Some((filled, note)) = fill::fill(mesh)? else { return Ok(None) };
    Ok(Some((facing_outwards(&filled)?, note)))
}

/// Returns `mesh` with closed parts inside of others treated as `rule` says, with a note if there were any.
///
/// Parts that face outwards count as matter, parts that face inwards as its absence. A part lies in another one if its vertices
/// do, and the surfaces do not cross.
///
/// # Errors
/// [`MeshError`] if the result is no mesh.
pub fn resolve(mesh: &Mesh, rule: Nested) -> Result<(Mesh, Option<MeshWarning>), MeshError> {
    let soup = Soup::from(mesh);
    let (soup, note) = nest::Nest::of(&soup).resolved(soup, rule);
    Ok((soup.into_mesh()?, note))
}

/// Returns `mesh` with its closed parts turned outwards, except hollows in others.
///
/// # Errors
/// [`MeshError`] if the result is no mesh.
pub fn facing_outwards(mesh: &Mesh) -> Result<Mesh, MeshError> {
    let mut soup = Soup::from(mesh);
    nest::Nest::of(&soup).settle(&mut soup);
    soup.into_mesh()
}

/// Meshes larger (m), or at the default density heavier (kg), than this may be in other units.
const LARGE: f64 = 100.0;
/// See [`LARGE`].
const HEAVY: f64 = 1e5;

/// What to do about a mesh that is [`large`] because it is in another unit.
pub const IN_METRES: &str =
    "coordinates are in metres: for a file in millimetres set `scale = 0.001` of the shape";

/// Returns how large (m) a mesh is, and how heavy (kg) at the default density, if it is large or heavy enough to be in another unit
/// than the metre. No format but glTF and COLLADA names its unit.
///
/// ```
/// use rigor_file::mesh;
///
/// // A part of 220 mm, read as 220 m.
/// assert_eq!(mesh::large(220.0, None).as_deref(), Some("220.000 m across"));
/// assert_eq!(mesh::large(0.22, Some(10.0)), None);
/// ```
pub fn large(size: f64, mass: Option<f64>) -> Option<String> {
    match mass.filter(|mass| *mass > HEAVY) {
        Some(mass) if size > 0.0 => {
            Some(format!("{size:.3} m across and weighs {mass:.3e} kg at the default density"))
        }
        _ => (size > LARGE).then(|| format!("{size:.3} m across")),
    }
}
