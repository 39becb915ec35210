//! Parsing of TOML into a [`Tree`], and writing of a [`Document`].

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ::toml::Spanned;
use ::toml::de::{DeString, DeTable, DeValue};
use ::toml::ser;
use serde::ser::Error;

use super::Document;
use super::error::{Finding, SceneError};
use super::tree::{Entry, Node, Origin, Table, Text, Tree, Value};

/// Reads a TOML document.
///
/// # Errors
/// A syntax error with its place, a date, or an integer that does not fit into 64 bits.
pub fn read(name: &Path, text: &Arc<str>) -> Result<Tree, SceneError> {
    let fault = |span: Range<usize>, message: String| Finding::at(name, text, span, message);
    let document = DeTable::parse(text)
        .map_err(|error| fault(error.span().unwrap_or(0..0), one_line(error.message())))?;
    let root = table(document.get_ref()).map_err(|Fault { span, message }| fault(span, message))?;
    let root = Node { value: Value::Table(root), origin: Origin::default() };
    Ok(Tree { texts: vec![Text { name: name.to_owned(), text: Arc::clone(text) }], root })
}

/// Writes a document.
///
/// It becomes a JSON value first: so the many types of a document are compiled for one serializer, and only that value for TOML.
///
/// # Errors
/// Null, which JSON has and TOML lacks; a number that is not finite becomes null.
pub fn write(document: &Document) -> Result<String, ser::Error> {
    let value = serde_json::to_value(document).map_err(ser::Error::custom)?;
    ::toml::to_string(&value)
}

struct Fault {
    span: Range<usize>,
    message: String,
}

/// Joins the lines of the parser's message.
fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ")
}

fn origin(span: Range<usize>) -> Origin {
    Origin { text: 0, span }
}

fn table(entries: &DeTable<'_>) -> Result<Table, Fault> {
    let entry = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        Ok((key.get_ref().to_string(), Entry { key: origin(key.span()), node: node(value)? }))
    };
    entries.iter().map(entry).collect()
}

fn node(value: &Spanned<DeValue<'_>>) -> Result<Node, Fault> {
    let fault = |message: String| Fault { span: value.span(), message };
    let read = match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix())
            .map(Value::Integer)
            .map_err(|_| fault("the whole number does not fit into 64 bits".to_owned()))?,
        DeValue::Float(digits) => digits
            .as_str()
            .parse()
            .map(Value::Float)
            .map_err(|_| fault(format!("{:?} is not a number", digits.as_str())))?,
        DeValue::Datetime(_) => {
            return Err(fault("a date or time has no meaning here; put it in quotes".to_owned()));
        }
        DeValue::Array(items) => Value::Array(items.iter().map(node).collect::<Result<_, _>>()?),
        DeValue::Table(entries) => Value::Table(table(entries)?),
    };
    Ok(Node { value: read, origin: origin(value.span()) })
}
