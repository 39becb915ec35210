//! Geomview's OFF (Object File Format): text with three coordinates.

use rigor_geometry::mesh::Soup;
use rigor_math::Vec3;

use super::assembly::Assembly;
use super::words::{Word, Words};
use super::{Fault, Location};

/// Reads an OFF file: an optional keyword (`OFF`, or with colours, normals or texture coordinates `COFF`,
/// `NOFF`, `STOFF`, …), the counts, one vertex per line, one face per line. Colours, normals and the number
/// of edges are skipped.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut words = Words::new(&text);
    let first = words.expect("`OFF` or the number of vertices")?;
    let n_vertices = match first.count() {
        Ok(count) => count,
        Err(_) => {
            check_keyword(first)?;
            words.expect("the number of vertices")?.count()?
        }
    };
    let n_faces = words.expect("the number of faces")?.count()?;
    let _n_edges = words.expect("the number of edges")?.count()?;
    let mut assembly = Assembly::default();
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
    Ok(assembly.soup)
}

fn check_keyword(word: Word<'_>) -> Result<(), Fault> {
    let known = word
        .text
        .strip_suffix("OFF")
        .is_some_and(|prefix| ["", "C", "N", "CN", "ST", "STC", "STN", "STCN"].contains(&prefix));
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
