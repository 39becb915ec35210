//! STL, binary and text.

use rigor_geometry::mesh::Soup;
use rigor_math::Vec3;

use super::assembly::Assembly;
use super::words::Words;
use super::{Fault, Location};

const HEADER: usize = 84;
const RECORD: usize = 50;

/// Reads an STL file; corners at exactly equal positions become one vertex. Facet normals are ignored: the
/// order of the corners defines the outside.
///
/// A file whose length matches the count in its header is binary; otherwise it is text if it starts with
/// `solid`, else binary.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, Fault> {
    let is_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let assembly = match bytes.get(80..HEADER) {
        Some(count) => {
            let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
            let needed = HEADER as u64 + RECORD as u64 * u64::from(count);
            match (bytes.len() as u64).cmp(&needed) {
                std::cmp::Ordering::Equal => read_binary(bytes)?,
                _ if is_text => read_text(bytes)?,
                std::cmp::Ordering::Greater => read_binary(&bytes[..needed as usize])?,
                std::cmp::Ordering::Less => return Err(truncated(count, needed, bytes.len())),
            }
        }
        None if is_text => read_text(bytes)?,
        None => {
            let what =
                format!("expected `solid` or a binary header of {HEADER} bytes, found {} bytes", bytes.len());
            return Err(Fault::new(Location::Byte(bytes.len()), what));
        }
    };
    assembly.merged()
}

fn truncated(count: u32, needed: u64, length: usize) -> Fault {
    let what = format!(
        "the header announces {count} triangles, which take {needed} bytes, but the file has {length}"
    );
    Fault::new(Location::Byte(80), what)
}

fn read_binary(bytes: &[u8]) -> Result<Assembly, Fault> {
    let mut assembly = Assembly::default();
    for (record, triangle) in bytes[HEADER..].chunks_exact(RECORD).enumerate() {
        let start = HEADER + RECORD * record;
        for corner in triangle[12..48].chunks_exact(12) {
            assembly.vertex(position(corner, start)?)?;
        }
        let last = assembly.n_vertices() as i64;
        assembly.face(Location::Byte(start), &[last - 3, last - 2, last - 1])?;
    }
    Ok(assembly)
}

fn position(corner: &[u8], start: usize) -> Result<Vec3, Fault> {
    let number =
        |i: usize| f64::from(f32::from_le_bytes([corner[i], corner[i + 1], corner[i + 2], corner[i + 3]]));
    let position = Vec3::new(number(0), number(4), number(8));
    if position.iter().all(|c| c.is_finite()) {
        return Ok(position);
    }
    let what = format!("expected finite coordinates, found {:?}", [position.x, position.y, position.z]);
    Err(Fault::new(Location::Byte(start), what))
}

fn read_text(bytes: &[u8]) -> Result<Assembly, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut words = Words::new(&text);
    let mut assembly = Assembly::default();
    while let Some(word) = words.next() {
        if !word.is("solid") {
            return Err(word.unexpected("`solid`"));
        }
        words.skip_row(word);
        read_solid(&mut words, &mut assembly)?;
    }
    Ok(assembly)
}

fn read_solid(words: &mut Words<'_>, assembly: &mut Assembly) -> Result<(), Fault> {
    loop {
        let word = words.expect("`facet` or `endsolid`")?;
        if word.is("endsolid") {
            words.skip_row(word);
            return Ok(());
        }
        if !word.is("facet") {
            return Err(word.unexpected("`facet` or `endsolid`"));
        }
        words.skip_row(word);
        words.expect_keyword("outer")?;
        words.expect_keyword("loop")?;
        for _ in 0..3 {
            words.expect_keyword("vertex")?;
            let mut number = || words.expect("a coordinate")?.real();
            assembly.vertex(Vec3::new(number()?, number()?, number()?))?;
        }
        words.expect_keyword("endloop")?;
        words.expect_keyword("endfacet")?;
        let last = assembly.n_vertices() as i64;
        assembly.face(Location::Line(word.line), &[last - 3, last - 2, last - 1])?;
    }
}
