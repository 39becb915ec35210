//! Mesh files: OBJ, STL, PLY, glTF and OFF.
//!
//! Readers convert bytes to a [`Mesh`] with triangles, wires and points, or return a [`MeshFileError`] with
//! the place and what was expected. No content makes them panic, and the memory they allocate is bounded by
//! the length of the file. Coordinates are in metres.

mod assembly;
mod gltf;
mod mend;
mod obj;
mod off;
mod ply;
mod stl;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;
use std::path::{Path, PathBuf};

use rigor_geometry::mesh::{Dropped, Soup};
use rigor_geometry::{Mesh, Surface};

use super::Files;

pub use obj::write_obj;

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
            _ => None,
        }
    }
}

/// A mesh with warnings about its file.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFile {
    /// The mesh (m).
    pub mesh: Mesh,
    /// Warnings about omitted content and about surfaces that bound no volume.
    pub warnings: Vec<MeshWarning>,
}

/// A warning about a mesh file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshWarning {
    /// Triangles without area were merged with their neighbours, which leaves the surface unchanged.
    #[error("{triangles} triangle(s) without area merged with their neighbours")]
    ClosedUp {
        /// Number of triangles.
        triangles: usize,
    },
    /// Degenerate primitives were left out.
    #[error(
        "{} triangle(s) without area, {} wire(s) without length and {} vertices used only by them left out",
        .0.triangles, .0.wires, .0.vertices
    )]
    Degenerate(Dropped),
    /// The triangles bound no volume.
    #[error("the surface is {0}; its mass is that of a shell unless the scene sets it")]
    Surface(Surface),
    /// The file contains something that a rigid mesh does not use.
    #[error("{0} left out")]
    LeftOut(String),
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
/// Polygons must be flat and convex; they are split into fans of triangles. Triangles without area are merged
/// with their neighbours, so that a closed surface stays closed; without a neighbour they are left out, like
/// wires without length. Warnings report their numbers. In formats that repeat a vertex for every facet or
/// material (STL, glTF), vertices at equal positions are joined.
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
    let mut left_out = Vec::new();
    let soup = match MeshFormat::of(path) {
        Some(MeshFormat::Obj) => obj::read(bytes),
        Some(MeshFormat::Stl) => stl::read(bytes),
        Some(MeshFormat::Ply) => ply::read(bytes),
        Some(MeshFormat::Off) => off::read(bytes),
        Some(MeshFormat::Gltf) => gltf::read(bytes, path, files, &mut left_out),
        None => Err(Fault::whole("expected a mesh file (.obj, .stl, .ply, .gltf, .glb or .off)")),
    };
    let finish = |soup| finish(soup, left_out);
    soup.and_then(finish).map_err(|Fault { location, what }| MeshFileError {
        path: path.into(),
        location,
        what,
    })
}

fn finish(soup: Soup, left_out: Vec<String>) -> Result<MeshFile, Fault> {
    let fault = |error: rigor_geometry::MeshError| Fault::whole(error.to_string());
    let n_flat = mend::count_flat(&soup);
    let soup = mend::close_up(soup);
    let n_harmless = soup.triangles.iter().filter(|t| mend::names_a_vertex_twice(t)).count();
    let (soup, mut dropped) = soup.drop_degenerate().map_err(fault)?;
    dropped.triangles -= n_harmless;
    let closed_up = n_flat.saturating_sub(dropped.triangles);
    let mesh = soup.into_mesh().map_err(fault)?;
    let mut warnings: Vec<_> = left_out.into_iter().map(MeshWarning::LeftOut).collect();
    if closed_up > 0 {
        warnings.push(MeshWarning::ClosedUp { triangles: closed_up });
    }
    if dropped != Dropped::default() {
        warnings.push(MeshWarning::Degenerate(dropped));
    }
    let surface = mesh.surface();
    if !surface.is_solid() && surface != Surface::Codimensional {
        warnings.push(MeshWarning::Surface(surface));
    }
    Ok(MeshFile { mesh, warnings })
}
