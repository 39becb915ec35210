//! Wavefront OBJ: vertices, faces, polylines and points; statements on appearance are skipped, and others told.

use std::collections::BTreeMap;
use std::fmt::Write;

use rigor_geometry::Mesh;
use rigor_math::Vec3;

use super::assembly::Assembly;
use super::text::text;
use super::words::{Word, Words, clipped};
use super::{Fault, Location, MeshWarning};
use crate::Grade;

/// Most kinds of statements that are told one by one.
const MOST_TOLD: usize = 8;

/// Statements of free-form curves and surfaces, which have no triangles.
const FREE_FORM: [&str; 18] = [
    "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end",
    "con", "bsp", "bzp", "cdc", "res",
];

/// Statements on appearance, names and groups, which carry no geometry.
const SKIPPED: [&str; 20] = [
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
    "ctech",
    "stech",
    "cdp",
];

/// Faces that are left out.
const FEW: &str = "f of fewer than three corners";

/// A face, stored until every vertex is known because an index may point forward.
struct Face {
    line: usize,
    corners: Vec<i64>,
    polyline: bool,
}

/// Reads an OBJ file: `v`, `f` (all four forms of corner, negative indices), `l`, `p`. Vertices keep their
/// order. A note lists statements that are not read.
pub(super) fn read(bytes: &[u8]) -> Result<Assembly, Fault> {
    let text = text(bytes)?;
    let mut words = Words::new(&text);
    let mut assembly = Assembly::default();
    let mut faces = Vec::new();
    let mut left_out: BTreeMap<(Grade, &str), (usize, usize)> = BTreeMap::new();
    let mut few = None;
    while let Some(keyword) = words.next() {
        match keyword.text {
            "v" => assembly.vertex(position(&words.rest_of_row(keyword), keyword)?)?,
            "f" | "fo" | "l" | "p" => {
                let corners = words.rest_of_row(keyword);
                match face(&corners, keyword, assembly.n_vertices()) {
                    Ok(read) => faces.extend(read),
                    // Others pass over it; what a file of such faces alone means is unknown.
                    Err(fault) if corners.len() < 3 && keyword.text.starts_with('f') => {
                        left_out.entry((Grade::Physics, FEW)).or_insert((0, keyword.line)).0 += 1;
                        few.get_or_insert(fault);
                    }
                    Err(fault) => return Err(fault),
                }
            }
            known if SKIPPED.contains(&known) => words.skip_row(keyword),
            other => {
                let what = if FREE_FORM.contains(&other) { "free-form curves and surfaces" } else { other };
                left_out.entry((Grade::Physics, what)).or_insert((0, keyword.line)).0 += 1;
                words.skip_row(keyword);
            }
        }
    }
    if assembly.n_vertices() == 0
        && let Some(((_, what), (_, line))) = left_out.first_key_value()
    {
        let what = format!("expected an OBJ statement of polygons (v, f, l, p), found `{}`", clipped(what));
        return Err(Fault::at_line(*line, what));
    }
    if let Some(fault) = few.filter(|_| faces.is_empty()) {
        return Err(fault);
    }
    assembly.notes = told(&left_out);
    for face in faces {
        let location = Location::Line(face.line);
        if face.polyline {
            assembly.polyline(location, &face.corners)?;
        } else {
            assembly.face(location, &face.corners)?;
        }
    }
    Ok(assembly)
}

/// Returns a note for each kind of statement that is left out, with its number and first line.
fn told(left_out: &BTreeMap<(Grade, &str), (usize, usize)>) -> Vec<MeshWarning> {
    let one = |((grade, what), (n, line)): (&(Grade, &str), &(usize, usize))| {
        MeshWarning::left_out(*grade, format!("{n} statement(s) `{}` (line {line})", clipped(what)))
    };
    let mut notes: Vec<MeshWarning> = left_out.iter().take(MOST_TOLD).map(one).collect();
    if left_out.len() > MOST_TOLD {
        let more = format!("{} more kinds of statements", left_out.len() - MOST_TOLD);
        notes.push(MeshWarning::left_out(Grade::Physics, more));
    }
    notes
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
        "f" | "fo" => 3,
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
