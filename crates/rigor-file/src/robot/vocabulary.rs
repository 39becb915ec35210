//! What is left out of a file on purpose, and why: a table for each format. What is in no table is not understood.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::account::why;
use crate::grade::Grade;

/// Why something is left out that is in no table.
pub const NOT_UNDERSTOOD: &str = "not understood";
/// Why a default is left out that nothing asks for.
const NEEDLESS: &str = "a default that nothing needs";
/// The element of defaults.
const DEFAULT: &str = "default";

/// The keys of a format that are left out, with what that means.
pub struct Vocabulary(BTreeMap<&'static str, Entry>);

/// What a table says about a key.
#[derive(Clone, Copy)]
enum Entry {
    /// It is used where it matters.
    Read,
    /// It is left out for this reason.
    Left { grade: Grade, why: &'static str },
    /// It is left out for this reason, which changes the physics, unless all of its numbers are 0.
    LeftUnless0 { why: &'static str },
}

/// MJCF.
pub static MJCF: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::of(include_str!("vocabulary/mjcf.tsv")));
/// URDF.
pub static URDF: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::of(include_str!("vocabulary/urdf.tsv")));

impl Vocabulary {
    fn of(table: &'static str) -> Self {
        let row = |line: &'static str| {
            let mut cells = line.split('\t');
            let (key, grade, why) = (cells.next()?, cells.next()?, cells.next()?);
            let left = |grade| Entry::Left { grade, why };
            let entry = match grade {
                "physics" => left(Grade::Physics),
                "physics0" => Entry::LeftUnless0 { why },
                "rule" => left(Grade::Rule),
                "look" => left(Grade::Look),
                "unused" => left(Grade::Unused),
                "read" => Entry::Read,
                _ => return None,
            };
            Some((key, entry))
        };
        Self(table.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect())
    }

    fn find(&self, keys: &[String]) -> Option<Entry> {
        keys.iter().find_map(|key| self.0.get(key.as_str())).copied()
    }

    /// Why the element `name` in `parent` is left out.
    pub fn of_element(&self, parent: &str, name: &str) -> String {
        match self.find(&[format!("{parent}/{name}"), name.to_owned()]) {
            Some(Entry::Left { grade: Grade::Unused, .. }) if parent == DEFAULT => {
                why(Grade::Unused, NEEDLESS)
            }
            Some(Entry::Left { grade, why: text }) => why(grade, text),
            Some(Entry::LeftUnless0 { why: text }) => why(Grade::Physics, text),
            _ if parent == DEFAULT => why(Grade::Unused, NEEDLESS),
            Some(Entry::Read) | None => NOT_UNDERSTOOD.to_owned(),
        }
    }

    /// Why an attribute of the element `element` in `parent` is left out; `None` if nothing is lost with this value.
    pub fn of_attribute(&self, [parent, element]: [&str; 2], name: &str, value: &str) -> Option<String> {
        let is_zero = |word: &str| word.parse::<f64>() == Ok(0.0);
        match self.find(&[format!("{element}@{name}"), format!("@{name}")]) {
            Some(Entry::LeftUnless0 { .. }) if value.split_whitespace().all(is_zero) => None,
            Some(Entry::Left { grade, why: text }) => Some(why(grade, text)),
            Some(Entry::LeftUnless0 { why: text }) => Some(why(Grade::Physics, text)),
            Some(Entry::Read) if parent == DEFAULT => Some(why(Grade::Unused, NEEDLESS)),
            Some(Entry::Read) => Some(why(Grade::Rule, "another attribute of the element decides")),
            None => Some(NOT_UNDERSTOOD.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_tables_is_an_entry() {
        for (vocabulary, table) in
            [(&MJCF, include_str!("vocabulary/mjcf.tsv")), (&URDF, include_str!("vocabulary/urdf.tsv"))]
        {
            let lines = table.lines().filter(|line| !line.starts_with('#')).count();
            assert_eq!(vocabulary.0.len(), lines);
        }
    }

    #[test]
    fn a_default_that_nothing_needs_is_called_so() {
        for name in ["joint", "geom", "motor", "site"] {
            assert_eq!(MJCF.of_element("default", name), why(Grade::Unused, NEEDLESS), "{name}");
        }
        let elsewhere = why(Grade::Unused, "it belongs to a part of a model that nothing attaches");
        assert_eq!(MJCF.of_element("body", "joint"), elsewhere);
    }

    #[test]
    fn zeros_of_what_is_not_simulated_lose_nothing() {
        assert_eq!(MJCF.of_attribute(["body", "joint"], "armature", " 0 0.0"), None);
        assert_eq!(
            MJCF.of_attribute(["body", "joint"], "armature", "0.1").as_deref(),
            Some("inertia of rotors is not simulated")
        );
        assert_eq!(MJCF.of_attribute(["body", "geom"], "colour", "0").as_deref(), Some(NOT_UNDERSTOOD));
    }
}
