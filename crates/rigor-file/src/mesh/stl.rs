//! STL, binary and text.

use rigor_math::Vec3;

use super::assembly::Assembly;
use super::text::{text, without_mark};
use super::words::Words;
use super::{Fault, Location, MeshWarning};
use crate::Grade;

const HEADER: usize = 84;
const RECORD: usize = 50;

/// Reads an STL file; corners at exactly equal positions become one vertex. Facet normals are ignored: the
/// order of the corners defines the outside.
///
/// A file is text if it begins with `solid` and its second line with `facet` or `endsolid`, unless its length is that of the
/// count in a binary header.
pub(super) fn read(bytes: &[u8]) -> Result<Assembly, Fault> {
    let is_text = is_text(bytes);
    let assembly = match bytes.get(80..HEADER) {
        Some(count) => {
            let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
            let needed = HEADER as u64 + RECORD as u64 * u64::from(count);
            let length = bytes.len() as u64;
            if length == needed {
                read_binary(bytes)?
            } else if is_text {
                read_text(bytes)?
            } else if count == 0 && (length - HEADER as u64).is_multiple_of(RECORD as u64) {
                let mut assembly = read_binary(bytes)?;
                let what = "the header announces no triangles, but some follow";
                assembly.notes.push(MeshWarning::Tolerated(what.into()));
                assembly
            } else if length > needed {
                let mut assembly = read_binary(&bytes[..needed as usize])?;
                let what = format!("{} byte(s) after the last triangle", length - needed);
                // Room for more triangles may hold some.
                let grade = if length - needed < RECORD as u64 { Grade::Unused } else { Grade::Physics };
                assembly.notes.push(MeshWarning::left_out(grade, what));
                assembly
            } else {
                return Err(truncated(count, needed, bytes.len()));
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

/// Whether the first word is `solid`, and the first one of the next line that is not empty is one of a text.
fn is_text(bytes: &[u8]) -> bool {
    let starts = |bytes: &[u8], word: &str| {
        bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    let bytes = without_mark(bytes).trim_ascii_start();
    let is_break = |byte: &u8| *byte == b'\n' || *byte == b'\r';
    starts(bytes, "solid") && {
        let second = bytes.iter().position(is_break).map_or(&b""[..], |end| bytes[end..].trim_ascii_start());
        // A text that ends after its name may be cut off; a binary file of that length has no triangles.
        let ended = second.is_empty()
            && bytes.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace());
        ended
            || starts(second, "facet")
            || starts(second, "endsolid")
            || starts(second, "#")
            || !bytes.contains(&0)
    }
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
    let text = text(bytes)?;
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
        let Some(word) = words.next() else {
            if assembly.n_vertices() == 0 {
                return Err(words.ended("`facet` or `endsolid`"));
            }
            assembly.notes.push(MeshWarning::Tolerated("the text ends without `endsolid`".into()));
            return Ok(());
        };
        if word.is("endsolid") || word.is("end") {
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
