//! Geomview's OFF (Object File Format): text with three coordinates.

use rigor_math::Vec3;

use super::assembly::Assembly;
use super::text::text;
use super::words::{Word, Words};
use super::{Fault, Location, MeshWarning};

/// Reads an OFF file: an optional keyword (`OFF`, or with colours, normals or texture coordinates `COFF`,
/// `NOFF`, `STOFF`, …), the counts, one vertex per line, one face per line. Colours, normals and the number
/// of edges, which may be missing, are skipped.
pub(super) fn read(bytes: &[u8]) -> Result<Assembly, Fault> {
    let text = text(bytes)?;
    let mut words = Words::new(&text);
    let first = words.expect("`OFF` or the number of vertices")?;
    let vertices = match first.count() {
        Ok(_) => first,
        Err(_) => {
            check_keyword(first)?;
            let next = words.expect("the number of vertices")?;
            if next.is("binary") {
                return Err(Fault::at_line(next.line, "binary OFF is not read: save it as text"));
            }
            next
        }
    };
    let n_vertices = vertices.count()?;
    let faces = words.expect("the number of faces")?;
    let n_faces = faces.count()?;
    let mut assembly = Assembly::default();
    match words.next_beside(faces) {
        Some(edges) => {
            edges.count()?;
            words.skip_row(edges);
        }
        // Each count on a line of its own.
        None if words.clone().next().is_some_and(|next| words.is_alone(next)) => {
            words.expect("the number of edges")?.count()?;
        }
        None => assembly.notes.push(MeshWarning::Tolerated("the header has no number of edges".into())),
    }
    for _ in 0..n_vertices {
        let x = words.expect(&format!("{n_vertices} vertices"))?;
        let mut number =
            || words.next_beside(x).ok_or_else(|| x.unexpected("three coordinates on a line"))?.real();
        assembly.vertex(Vec3::new(x.real()?, number()?, number()?))?;
        words.skip_row(x);
    }
    for _ in 0..n_faces {
        let count = words.expect(&format!("{n_faces} faces"))?;
        let corners = face(&mut words, count)?;
        assembly.face(Location::Line(count.line), &corners)?;
        words.skip_row(count);
    }
    if let Some(more) = words.next() {
        let what = format!("text after the last face (line {})", more.line);
        assembly.notes.push(MeshWarning::left_out(crate::Grade::Physics, what));
    }
    Ok(assembly)
}

fn check_keyword(word: Word<'_>) -> Result<(), Fault> {
    let upper = word.text.to_ascii_uppercase();
    let known = upper.strip_suffix("OFF").is_some_and(|prefix| {
        ["", "C", "N", "CN", "NC", "ST", "STC", "STN", "STCN", "STNC"].contains(&prefix)
    });
    if known { Ok(()) } else { Err(word.unexpected("`OFF` (three coordinates, as text)")) }
}

fn face<'a>(words: &mut Words<'a>, count: Word<'a>) -> Result<Vec<i64>, Fault> {
    let n = count.count()?;
    let mut corners = Vec::new();
    for _ in 0..n {
        let missing = || count.unexpected(&format!("{n} corners on the line of the face"));
        corners.push(words.next_beside(count).ok_or_else(missing)?.integer()?);
    }
    Ok(corners)
}
