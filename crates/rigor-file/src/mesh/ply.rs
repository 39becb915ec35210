//! PLY, binary and text, with the parser of ply-rs-bw.

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};
use rigor_math::Vec3;

use super::assembly::Assembly;
use super::text::{text, without_mark};
use super::words::clipped;
use super::{Fault, Location, MeshWarning};
use crate::Grade;

/// Reads a PLY file: elements `vertex` (x, y, z), `face` and `tristrips` (`vertex_indices` or `vertex_index`) and `edge`
/// (`vertex1`, `vertex2`); other elements are told, and other properties skipped. Indices may point to later vertices.
pub(super) fn read(bytes: &[u8]) -> Result<Assembly, Fault> {
    let bytes = without_mark(bytes);
    // A binary file has line feeds in its header.
    let is_text = bytes
        .get(..256.min(bytes.len()))
        .is_some_and(|start| start.windows(12).any(|word| word == b"format ascii"));
    let converted = if is_text { Some(text(bytes)?) } else { None };
    let bytes = converted.as_ref().map_or(bytes, |text| text.as_bytes());
    let mut reader = Reader::new(bytes);
    let header = Parser::<Skipped>::new().read_header(&mut reader).map_err(fault)?;
    let mut content = Content { reader, header: &header, length: bytes.len() };
    let (mut assembly, mut faces) = (Assembly::default(), Vec::new());
    for definition in header.elements.values() {
        check_size(definition, header.encoding, content.reader.get_ref().len())?;
        check_properties(definition)?;
        match definition.name.as_str() {
            "vertex" => {
                for (location, vertex) in content.elements::<Vertex>(definition)? {
                    assembly.vertex(vertex.position(location)?)?;
                }
            }
            "face" => {
                faces.extend(content.elements::<Face>(definition)?.map(|(at, face)| (at, face.corners)));
            }
            "tristrips" => {
                for (location, strip) in content.elements::<Face>(definition)? {
                    faces.extend(triangles(&strip.corners).map(|corners| (location, corners.to_vec())));
                }
            }
            "edge" => {
                faces.extend(content.elements::<Edge>(definition)?.map(|(at, edge)| (at, edge.0.to_vec())));
            }
            other => {
                let _skipped = content.elements::<Skipped>(definition)?;
                assembly.notes.extend(told(definition.count, other, definition));
            }
        }
    }
    if !content.reader.get_ref().trim_ascii().is_empty() {
        let what = format!("{} bytes after the last element", content.reader.get_ref().len());
        assembly.notes.push(MeshWarning::left_out(Grade::Unused, what));
    }
    for (location, corners) in faces {
        assembly.face(location, &corners)?;
    }
    Ok(assembly)
}

/// Returns the note on elements that are left out; lists of whole numbers may name vertices.
fn told(count: usize, name: &str, definition: &ElementDef) -> Option<MeshWarning> {
    let is_whole = |scalar: &ScalarType| !matches!(scalar, ScalarType::Float | ScalarType::Double);
    let names_vertices = definition.properties.values().any(|property| match &property.data_type {
        PropertyType::List(_, scalar) => is_whole(scalar),
        PropertyType::Scalar(_) => property.name.starts_with("vertex"),
    });
    let grade = if names_vertices { Grade::Physics } else { Grade::Unused };
    (count > 0).then(|| MeshWarning::left_out(grade, format!("{count} element(s) `{}`", clipped(name))))
}

/// Returns the triangles of a strip, in which every second one is turned; −1 begins another strip.
fn triangles(strip: &[i64]) -> impl Iterator<Item = [i64; 3]> + '_ {
    strip.split(|v| *v == -1).flat_map(|strip| {
        let turned =
            |(i, t): (usize, &[i64])| if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[0], t[2], t[1]] };
        strip.windows(3).enumerate().map(turned)
    })
}

/// The elements after the header.
struct Content<'a> {
    reader: Reader<&'a [u8]>,
    header: &'a Header,
    length: usize,
}

impl Content<'_> {
    /// Reads the next elements, with their places.
    fn elements<E: PropertyAccess>(
        &mut self,
        definition: &ElementDef,
    ) -> Result<impl Iterator<Item = (Location, E)> + use<E>, Fault> {
        let first_line = self.reader.line();
        let is_text = self.header.encoding == Encoding::Ascii;
        let elements = Parser::<E>::new().read_payload_for_element(&mut self.reader, definition, self.header);
        let read_up_to = Location::Byte(self.length - self.reader.get_ref().len());
        let elements = elements.map_err(|error| {
            let fault = fault(error);
            if is_text { fault } else { Fault { location: read_up_to, ..fault } }
        })?;
        let location = move |i: usize| if is_text { Location::Line(first_line + i) } else { read_up_to };
        Ok(elements.into_iter().enumerate().map(move |(i, element)| (location(i), element)))
    }
}

/// An element that is not used.
#[derive(Default)]
struct Skipped;

/// A position (m).
#[derive(Default)]
struct Vertex([f64; 3]);

/// Corners.
#[derive(Default)]
struct Face {
    corners: Vec<i64>,
}

/// Ends.
#[derive(Default)]
struct Edge([i64; 2]);

impl Vertex {
    fn position(&self, location: Location) -> Result<Vec3, Fault> {
        let position = Vec3::from(self.0);
        if position.iter().all(|c| c.is_finite()) {
            return Ok(position);
        }
        Err(Fault::new(location, format!("expected finite coordinates, found {:?}", self.0)))
    }
}

impl PropertyAccess for Skipped {
    fn new() -> Self {
        Self
    }
}

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let place = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return PropertyAccessResult::Ignored,
        };
        set(&mut self.0[place], real(&property))
    }
}

impl PropertyAccess for Face {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match name {
            "vertex_indices" | "vertex_index" => set(&mut self.corners, indices(property)),
            _ => PropertyAccessResult::Ignored,
        }
    }
}

impl PropertyAccess for Edge {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match name {
            "vertex1" => set(&mut self.0[0], index(&property)),
            "vertex2" => set(&mut self.0[1], index(&property)),
            _ => PropertyAccessResult::Ignored,
        }
    }
}

fn set<T>(place: &mut T, value: Option<T>) -> PropertyAccessResult {
    match value {
        Some(value) => {
            *place = value;
            PropertyAccessResult::Set
        }
        None => PropertyAccessResult::UnsupportedType,
    }
}

fn real(property: &Property) -> Option<f64> {
    match *property {
        Property::Double(value) => Some(value),
        Property::Float(value) => Some(f64::from(value)),
        _ => index(property).map(|value| value as f64),
    }
}

fn index(property: &Property) -> Option<i64> {
    match *property {
        Property::Char(value) => Some(value.into()),
        Property::UChar(value) => Some(value.into()),
        Property::Short(value) => Some(value.into()),
        Property::UShort(value) => Some(value.into()),
        Property::Int(value) => Some(value.into()),
        Property::UInt(value) => Some(value.into()),
        _ => None,
    }
}

fn indices(property: Property) -> Option<Vec<i64>> {
    fn all<T: Into<i64>>(values: Vec<T>) -> Vec<i64> {
        values.into_iter().map(Into::into).collect()
    }
    match property {
        Property::ListChar(values) => Some(all(values)),
        Property::ListUChar(values) => Some(all(values)),
        Property::ListShort(values) => Some(all(values)),
        Property::ListUShort(values) => Some(all(values)),
        Property::ListInt(values) => Some(all(values)),
        Property::ListUInt(values) => Some(all(values)),
        _ => None,
    }
}

/// Checks that a vertex has three coordinates, a face its corners and an edge its ends.
fn check_properties(definition: &ElementDef) -> Result<(), Fault> {
    let needed: &[&[&str]] = match definition.name.as_str() {
        "vertex" => &[&["x"], &["y"], &["z"]],
        "face" | "tristrips" => &[&["vertex_indices", "vertex_index"]],
        "edge" => &[&["vertex1"], &["vertex2"]],
        _ => &[],
    };
    let missing = |names: &&&[&str]| !names.iter().any(|name| definition.properties.contains_key(*name));
    match needed.iter().find(missing) {
        None => Ok(()),
        Some(names) => {
            let what = format!("expected property `{}` of element `{}`", names[0], definition.name);
            Err(Fault::whole(what))
        }
    }
}

/// Checks that the announced number of elements fits into the rest of the file, because the parser allocates
/// that number.
fn check_size(definition: &ElementDef, encoding: Encoding, bytes_left: usize) -> Result<(), Fault> {
    let smallest = match encoding {
        // A digit and a space or line break.
        Encoding::Ascii => 2 * definition.properties.len(),
        _ => definition.properties.values().map(|property| smallest_size(&property.data_type)).sum::<usize>(),
    };
    // The last line of a text needs no line break.
    let needed = smallest.max(1).saturating_mul(definition.count);
    if needed > bytes_left + 1 {
        let what = format!(
            "the header announces {} of element `{}`, which take at least {needed} bytes, but {bytes_left} are left",
            definition.count, definition.name
        );
        return Err(Fault::whole(what));
    }
    Ok(())
}

fn smallest_size(data_type: &PropertyType) -> usize {
    let (PropertyType::Scalar(scalar) | PropertyType::List(scalar, _)) = data_type;
    match scalar {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

fn fault(error: ParseError) -> Fault {
    let location = error.line().map_or(Location::File, Location::Line);
    let text = error.to_string();
    let message =
        text.strip_prefix("Line ").and_then(|rest| rest.split_once(": ")).map_or(&*text, |(_, rest)| rest);
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Fault::new(location, lines.join("; ").chars().take(300).collect::<String>())
}
