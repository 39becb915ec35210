//! PLY, binary and text, with the parser of ply-rs-bw.

use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};
use rigor_geometry::mesh::Soup;
use rigor_math::Vec3;

use super::assembly::Assembly;
use super::{Fault, Location};

/// Reads a PLY file: elements `vertex` (x, y, z), `face` (`vertex_indices` or `vertex_index`) and `edge`
/// (`vertex1`, `vertex2`); other elements and properties are skipped. Indices may point to later vertices.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, Fault> {
    let parser = Parser::<Element>::new();
    let mut reader = Reader::new(bytes);
    let header = parser.read_header(&mut reader).map_err(fault)?;
    let (mut assembly, mut faces) = (Assembly::default(), Vec::new());
    for definition in header.elements.values() {
        check_size(definition, header.encoding, reader.get_ref().len())?;
        check_properties(definition)?;
        let first_line = reader.line();
        let is_text = header.encoding == Encoding::Ascii;
        let elements = parser.read_payload_for_element(&mut reader, definition, &header);
        let read_up_to = Location::Byte(bytes.len() - reader.get_ref().len());
        let elements = elements.map_err(|error| {
            let fault = fault(error);
            if is_text { fault } else { Fault { location: read_up_to, ..fault } }
        })?;
        let location = |i: usize| if is_text { Location::Line(first_line + i) } else { read_up_to };
        for (i, element) in elements.into_iter().enumerate() {
            match definition.name.as_str() {
                "vertex" => assembly.vertex(element.position(location(i))?)?,
                "face" => faces.push((location(i), element.corners)),
                "edge" => faces.push((location(i), element.ends.to_vec())),
                _ => {}
            }
        }
    }
    for (location, corners) in faces {
        assembly.face(location, &corners)?;
    }
    Ok(assembly.soup)
}

/// The data read from a vertex, a face or an edge.
#[derive(Default)]
struct Element {
    position: [f64; 3],
    corners: Vec<i64>,
    ends: [i64; 2],
}

impl Element {
    fn position(&self, location: Location) -> Result<Vec3, Fault> {
        let position = Vec3::from(self.position);
        if position.iter().all(|c| c.is_finite()) {
            return Ok(position);
        }
        Err(Fault::new(location, format!("expected finite coordinates, found {:?}", self.position)))
    }
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let done = match name {
            "x" => real(&property).map(|x| self.position[0] = x),
            "y" => real(&property).map(|y| self.position[1] = y),
            "z" => real(&property).map(|z| self.position[2] = z),
            "vertex1" => index(&property).map(|v| self.ends[0] = v),
            "vertex2" => index(&property).map(|v| self.ends[1] = v),
            "vertex_indices" | "vertex_index" => indices(property).map(|all| self.corners = all),
            _ => return PropertyAccessResult::Ignored,
        };
        done.map_or(PropertyAccessResult::UnsupportedType, |()| PropertyAccessResult::Set)
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
        "face" => &[&["vertex_indices", "vertex_index"]],
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
        Encoding::Ascii => 1,
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
