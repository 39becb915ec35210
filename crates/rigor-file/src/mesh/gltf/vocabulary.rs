//! Which keys of glTF are read, and which are left out on purpose.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::super::MeshWarning;
use super::super::words::clipped;
use crate::Grade;

/// Keys that every object may have.
const NAME: &str = "name";
const EXTRAS: &str = "extras";
const EXTENSIONS: &str = "extensions";
/// The object whose keys are names of attributes, which may end with a number.
const ATTRIBUTES: &str = "meshes/primitives/attributes";

/// What the table says about a key.
#[derive(Clone, Copy)]
enum Entry {
    Read,
    /// It only changes the look; what it is.
    Look(&'static str),
    /// It has no meaning for a rigid mesh, or is told by another note.
    Unused,
}

static TABLE: LazyLock<BTreeMap<&str, Entry>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let (key, grade, what) = (cells.next()?, cells.next()?, cells.next()?);
        let entry = match grade {
            "read" => Entry::Read,
            "look" => Entry::Look(what),
            "unused" => Entry::Unused,
            _ => return None,
        };
        Some((key, entry))
    };
    let lines = include_str!("vocabulary.tsv").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(row).collect()
});

/// What a file has that is not read.
#[derive(Default)]
pub struct Keys {
    /// Paths that are in no table.
    unknown: BTreeSet<String>,
    /// What only changes the look.
    look: BTreeSet<&'static str>,
    /// Names of extensions that an object has.
    pub extensions: BTreeSet<String>,
}

impl Keys {
    /// Finds the keys of a file in JSON; those before the first fault if it has one.
    pub fn of(json: &[u8]) -> Self {
        let found = RefCell::default();
        let mut reader = serde_json::Deserializer::from_slice(json);
        // What is no JSON is told where the structure is read.
        let _ = Walk { path: "", found: &found }.deserialize(&mut reader);
        found.into_inner()
    }

    /// Notes what is not read.
    pub fn tell(&self, notes: &mut Vec<MeshWarning>) {
        /// Keys that are named one by one.
        const NAMED: usize = 8;
        let list = |names: &mut dyn Iterator<Item = &str>| names.map(clipped).collect::<Vec<_>>().join(", ");
        if !self.unknown.is_empty() {
            let named = list(&mut self.unknown.iter().take(NAMED).map(String::as_str));
            let more = self.unknown.len().saturating_sub(NAMED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            notes.push(MeshWarning::left_out(Grade::Physics, format!("{named}{more}, not understood,")));
        }
        if !self.look.is_empty() {
            notes.push(MeshWarning::left_out(Grade::Look, list(&mut self.look.iter().copied())));
        }
    }
}

/// Walks through the value at a path; elements of arrays have the path of the array.
#[derive(Clone, Copy)]
struct Walk<'a> {
    path: &'a str,
    found: &'a RefCell<Keys>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        while values.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == EXTENSIONS {
                map.next_value_seed(Extensions(self.found))?;
                continue;
            }
            if key == NAME || key == EXTRAS {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let path = if self.path.is_empty() { key } else { format!("{}/{key}", self.path) };
            match entry(&path, self.path == ATTRIBUTES) {
                Some(Entry::Read) => map.next_value_seed(Walk { path: &path, ..self })?,
                Some(Entry::Unused) => drop(map.next_value::<IgnoredAny>()?),
                Some(Entry::Look(what)) => {
                    self.found.borrow_mut().look.insert(what);
                    map.next_value::<IgnoredAny>()?;
                }
                None => {
                    self.found.borrow_mut().unknown.insert(path);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// What the table says about a path; attributes may end with a number, or begin with `_`.
fn entry(path: &str, is_attribute: bool) -> Option<Entry> {
    let exact = TABLE.get(path).copied();
    if exact.is_some() || !is_attribute {
        return exact;
    }
    let own = &path[ATTRIBUTES.len() + 1..];
    let stem = own.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = if own.starts_with('_') { "_" } else { stem };
    TABLE.get(format!("{ATTRIBUTES}/{stem}").as_str()).copied()
}

/// Collects the names of extensions of an object.
struct Extensions<'a>(&'a RefCell<Keys>);

impl<'de> DeserializeSeed<'de> for Extensions<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Extensions<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((name, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            self.0.borrow_mut().extensions.insert(name);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_an_entry() {
        let lines = include_str!("vocabulary.tsv").lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(TABLE.len(), lines);
    }
}
