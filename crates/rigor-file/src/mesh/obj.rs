//! Wavefront OBJ: vertices, faces, polylines and points; statements on appearance are skipped.

use std::fmt::Write;

use rigor_geometry::Mesh;
use rigor_geometry::mesh::Soup;
use rigor_math::Vec3;

use super::assembly::Assembly;
use super::words::{Word, Words};
use super::{Fault, Location};

/// Statements on appearance, names and groups, which carry no geometry.
const SKIPPED: [&str; 17] = [
    "vt",
    "vn",
    "vp",
    "g",
    "s",
    "o",
    "mg",
    "mtllib",
    "usemtl",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
];

/// A face, stored until every vertex is known because an index may point forward.
struct Face {
    line: usize,
    corners: Vec<i64>,
    polyline: bool,
}

/// Reads an OBJ file: `v`, `f` (all four forms of corner, negative indices), `l`, `p`. Vertices keep their
/// order, including those that no face uses.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut words = Words::new(&text);
    let mut assembly = Assembly::default();
    let mut faces = Vec::new();
    while let Some(keyword) = words.next() {
        match keyword.text {
            "v" => assembly.vertex(position(&words.rest_of_row(keyword), keyword)?)?,
            "f" | "l" | "p" => {
                faces.extend(face(&words.rest_of_row(keyword), keyword, assembly.n_vertices())?);
            }
            known if SKIPPED.contains(&known) => words.skip_row(keyword),
            _ => return Err(keyword.unexpected("an OBJ statement of polygons (v, vt, vn, f, l, p, g, o, …)")),
        }
    }
    for face in faces {
        let location = Location::Line(face.line);
        if face.polyline {
            assembly.polyline(location, &face.corners)?;
        } else {
            assembly.face(location, &face.corners)?;
        }
    }
    Ok(assembly.soup)
}

/// Reads x, y, z; a weight or a colour may follow.
fn position(numbers: &[Word<'_>], keyword: Word<'_>) -> Result<Vec3, Fault> {
    let [x, y, z, ..] = numbers else {
        return Err(Fault::at_line(
            keyword.line,
            format!("expected three coordinates, found {}", numbers.len()),
        ));
    };
    Ok(Vec3::new(x.real()?, y.real()?, z.real()?))
}

/// Returns the faces of one statement: one per point for `p`, otherwise a single one.
fn face(words: &[Word<'_>], keyword: Word<'_>, n_vertices: usize) -> Result<Vec<Face>, Fault> {
    let fewest = match keyword.text {
        "f" => 3,
        "l" => 2,
        _ => 1,
    };
    if words.len() < fewest {
        let found = format!("`{}` needs at least {fewest} corners, found {}", keyword.text, words.len());
        return Err(Fault::at_line(keyword.line, found));
    }
    let corners = words.iter().map(|word| corner(*word, n_vertices)).collect::<Result<Vec<_>, _>>()?;
    let one = |corners| Face { line: keyword.line, corners, polyline: keyword.text == "l" };
    Ok(if keyword.text == "p" {
        corners.into_iter().map(|c| one(vec![c])).collect()
    } else {
        vec![one(corners)]
    })
}

/// Returns the vertex (from 0) of `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative numbers count back from the
/// last vertex so far.
fn corner(word: Word<'_>, n_vertices: usize) -> Result<i64, Fault> {
    let vertex = word.text.split('/').next().unwrap_or_default();
    match vertex.parse::<i64>() {
        Ok(index) if index > 0 => Ok(index - 1),
        Ok(index) if index < 0 && index.unsigned_abs() <= n_vertices as u64 => Ok(n_vertices as i64 + index),
        Ok(index) if index < 0 => Err(word.unexpected(&format!("an index of at least -{n_vertices}"))),
        _ => Err(word.unexpected("a vertex index, which starts at 1")),
    }
}

/// Writes an OBJ file of vertices, triangles, wires and points, which the reader restores bit for bit.
///
/// ```
/// use rigor_geometry::Mesh;
/// use rigor_math::Vec3;
/// use rigor_file::mesh::write_obj;
/// let wire = Mesh::new(vec![Vec3::zeros(), Vec3::new(0.1, 0.0, 0.0)], vec![], vec![[0, 1]]).unwrap();
/// assert_eq!(write_obj(&wire), "v 0.0 0.0 0.0\nv 0.1 0.0 0.0\nl 1 2\n");
/// ```
pub fn write_obj(mesh: &Mesh) -> String {
    let mut text = String::new();
    let mut line = |arguments: std::fmt::Arguments<'_>| {
        writeln!(text, "{arguments}").expect("writing to a string cannot fail");
    };
    // `{:?}` prints the shortest decimal that reads back as the same f64.
    for v in mesh.vertices() {
        line(format_args!("v {:?} {:?} {:?}", v.x, v.y, v.z));
    }
    for [a, b, c] in mesh.triangles().iter().map(|t| t.map(|v| v + 1)) {
        line(format_args!("f {a} {b} {c}"));
    }
    for [a, b] in mesh.wires().iter().map(|w| w.map(|v| v + 1)) {
        line(format_args!("l {a} {b}"));
    }
    for p in mesh.points() {
        line(format_args!("p {}", p + 1));
    }
    text
}
