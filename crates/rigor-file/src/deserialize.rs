//! Deserialisation of a [`Node`] with serde; errors carry the key path and the place.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use super::closest::closest;
use super::error::{Finding, SceneError};
use super::tree::{Entry, KeyPath, Node, Origin, Segment, Table, Tree, Value, shortened};

/// Reads a `T` from the tree.
///
/// # Errors
/// An unknown or missing key, or a value of the wrong type, with its place.
pub fn read<T: DeserializeOwned>(tree: &Tree) -> Result<T, SceneError> {
    T::deserialize(Source(&tree.root)).map_err(|mut fault| {
        fault.path.reverse();
        let path = KeyPath(fault.path);
        let finding = match fault.origin {
            Some(origin) => tree.finding_at(&origin, fault.message).with_key(path.to_string()),
            None => tree.finding(&path, fault.message),
        };
        Finding { help: fault.help, ..finding }.into()
    })
}

/// An error; its path grows, innermost segment first, while the calls return.
#[derive(Debug)]
struct Fault {
    message: String,
    help: Option<String>,
    origin: Option<Origin>,
    path: Vec<Segment>,
}

impl Fault {
    fn new(message: String) -> Self {
        Self { message, help: None, origin: None, path: Vec::new() }
    }

    fn unknown(what: &str, written: &str, known: &'static [&'static str]) -> Self {
        let help = match closest(written, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("expected one of: {}", known.join(", ")),
        };
        Self { help: Some(help), ..Self::new(format!("unknown {what} `{}`", shortened(written))) }
    }

    fn at(self, origin: &Origin) -> Self {
        Self { origin: self.origin.or_else(|| Some(origin.clone())), ..self }
    }

    fn inside(mut self, segment: Segment) -> Self {
        self.path.push(segment);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {}, found {}", in_words(expected), shown(&found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(len: usize, expected: &dyn Expected) -> Self {
        let items = if len == 1 { "item" } else { "items" };
        Self::new(format!("expected {}, found {len} {items}", in_words(expected)))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown("key", field, expected)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown("choice", variant, expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("the key `{field}` is missing"))
    }
}

/// Translates serde's expectation into the terms of a scene file.
fn in_words(expected: &dyn Expected) -> String {
    let expected = expected.to_string();
    match expected.as_str() {
        "f64" => "a number".to_owned(),
        "u32" => "a whole number from 0 to 4294967295".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "a table".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other if other.starts_with("enum ") => "a string".to_owned(),
        other => match other.strip_prefix("an array of length ") {
            Some(n) => format!("an array of {n} items"),
            None => expected,
        },
    }
}

fn shown(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(truth) => truth.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Float(number) => format!("{number:?}"),
        Unexpected::Str(text) => format!("the string {:?}", shortened(text)),
        Unexpected::Seq => "an array".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        other => other.to_string(),
    }
}

/// A node that serde reads from.
struct Source<'de>(&'de Node);

impl<'de> Deserializer<'de> for Source<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let result = match &self.0.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(truth) => visitor.visit_bool(*truth),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => Items { items, next: 0 }.read(visitor),
            Value::Table(table) => visitor.visit_map(Entries::of(table)),
        };
        result.map_err(|fault| fault.at(&self.0.origin))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let result = match &self.0.value {
            Value::String(text) => visitor.visit_enum(Choice(text)),
            other => Err(Fault::new(format!("expected a string, found {}", other.kind()))),
        };
        result.map_err(|fault| fault.at(&self.0.origin))
    }

    /// Refuses an array: serde would read it as the fields of the struct in order, but a scene file must name
    /// them.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0.value {
            Value::Array(_) => Err(Fault::invalid_type(Unexpected::Seq, &"a table").at(&self.0.origin)),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

struct Choice<'de>(&'de str);

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Fault;
    type Variant = <StrDeserializer<'de, Fault> as EnumAccess<'de>>::Variant;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), Fault> {
        let text: StrDeserializer<'de, Fault> = self.0.into_deserializer();
        text.variant_seed(seed)
    }
}

struct Items<'de> {
    items: &'de [Node],
    next: usize,
}

impl<'de> Items<'de> {
    fn read<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Fault> {
        let value = visitor.visit_seq(&mut self)?;
        if self.next == self.items.len() {
            return Ok(value);
        }
        let message = format!("expected an array of {} items, found {}", self.next, self.items.len());
        Err(Fault::custom(message))
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some(item) = self.items.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        seed.deserialize(Source(item)).map(Some).map_err(|fault| fault.inside(Segment::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len() - self.next)
    }
}

struct Entries<'de> {
    entries: std::vec::IntoIter<(&'de String, &'de Entry)>,
    current: Option<(&'de String, &'de Entry)>,
}

impl<'de> Entries<'de> {
    /// The entries in the order of the file. A function of its own: in a generic one, the sort is compiled per visitor.
    fn of(table: &'de Table) -> Self {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(_, entry)| (entry.key.text, entry.key.span.start));
        Self { entries: entries.into_iter(), current: None }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        self.current = self.entries.next();
        let Some((key, entry)) = self.current else { return Ok(None) };
        let name: StrDeserializer<'de, Fault> = key.as_str().into_deserializer();
        let unknown = |fault: Fault| fault.at(&entry.key).inside(Segment::Key(key.clone()));
        seed.deserialize(name).map(Some).map_err(unknown)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let (key, entry) =
            self.current.ok_or_else(|| Fault::custom("a value was asked for before its key"))?;
        seed.deserialize(Source(&entry.node)).map_err(|fault| fault.inside(Segment::Key(key.clone())))
    }
}
