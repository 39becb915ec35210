//! A parsed file in which every value carries its place in the source.
//!
//! TOML, JSON and overrides are all parsed into a [`Tree`]; includes are merged into it; then the
//! [`Document`](super::Document) is deserialised from it. Later errors look up their key path here to find
//! line and column.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{Finding, SceneError};

/// Maximum nesting depth of tables and arrays.
pub const MAX_DEPTH: usize = 64;

/// One source text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The file, or the override as it was given.
    pub name: PathBuf,
    /// Its content.
    pub text: Arc<str>,
}

/// A byte range of one of the tree's texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Origin {
    /// Index of the text.
    pub text: usize,
    /// The bytes.
    pub span: Range<usize>,
}

/// A value and its place in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it was written.
    pub origin: Origin,
}

/// The data model common to TOML and JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// JSON's null.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// Named values.
    Table(Table),
}

/// Named values, each with the place of its name.
pub type Table = BTreeMap<String, Entry>;

/// A named value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Where the name was written.
    pub key: Origin,
    /// The value.
    pub node: Node,
}

/// A value with all its source texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The texts; [`Origin::text`] is the index.
    pub texts: Vec<Text>,
    /// The root table.
    pub root: Node,
}

impl Value {
    /// Returns "a table", "an array", …, for error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    /// Returns the value under `key`, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(table) => table.get(key).map(|entry| &entry.node),
            _ => None,
        }
    }

    /// Returns the items, if this is an array.
    pub fn items(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    fn step(&self, segment: &Segment) -> Option<&Self> {
        match segment {
            Segment::Key(key) => self.get(key),
            Segment::Index(index) => self.items()?.get(*index),
        }
    }

    /// Calls `visit` with every value and its path, in depth-first order, this one first.
    ///
    /// # Errors
    /// The first error of `visit`.
    pub fn walk<E>(
        &self,
        path: &mut KeyPath,
        visit: &mut impl FnMut(&KeyPath, &Self) -> Result<(), E>,
    ) -> Result<(), E> {
        visit(path, self)?;
        match &self.value {
            Value::Array(items) => items
                .iter()
                .enumerate()
                .try_for_each(|(i, item)| path.within(Segment::Index(i), |path| item.walk(path, visit))),
            Value::Table(table) => table.iter().try_for_each(|(key, entry)| {
                path.within(Segment::Key(key.clone()), |path| entry.node.walk(path, visit))
            }),
            _ => Ok(()),
        }
    }

    /// Adds `first` to the text index of every origin, for appending this node's texts to a list of `first`
    /// texts.
    pub fn renumber(&mut self, first: usize) {
        self.origin.text += first;
        match &mut self.value {
            Value::Array(items) => items.iter_mut().for_each(|item| item.renumber(first)),
            Value::Table(table) => table.values_mut().for_each(|entry| {
                entry.key.text += first;
                entry.node.renumber(first);
            }),
            _ => {}
        }
    }
}

/// One step of a key path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Into a table.
    Key(String),
    /// Into an array, from 0.
    Index(usize),
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Segment {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The path of a value, such as `body[2].shape[0].box.size`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyPath(pub Vec<Segment>);

impl KeyPath {
    /// Returns this path extended by one step.
    #[must_use]
    pub fn join(&self, segment: impl Into<Segment>) -> Self {
        let mut path = self.clone();
        path.0.push(segment.into());
        path
    }

    fn within<T>(&mut self, segment: Segment, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.0.push(segment);
        let result = visit(self);
        self.0.pop();
        result
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => write!(f, "{}{}", if i == 0 { "" } else { "." }, shown_key(key))?,
            }
        }
        Ok(())
    }
}

fn shown_key(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) { shortened(key) } else { format!("{:?}", shortened(key)) }
}

/// Returns the first 60 characters of a long text, so that no message is as long as the file.
pub fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Tree {
    /// Creates a finding about the value at `path`, or about its nearest existing ancestor.
    pub fn finding(&self, path: &KeyPath, message: impl Into<String>) -> Finding {
        let mut node = &self.root;
        for segment in &path.0 {
            let Some(inner) = node.step(segment) else { break };
            node = inner;
        }
        self.finding_at(&node.origin, message).with_key(path.to_string())
    }

    /// Returns the value at `path`.
    pub fn find(&self, path: &KeyPath) -> Option<&Node> {
        path.0.iter().try_fold(&self.root, |node, segment| node.step(segment))
    }

    /// Creates a finding about a place in one of the texts.
    pub fn finding_at(&self, origin: &Origin, message: impl Into<String>) -> Finding {
        match self.texts.get(origin.text) {
            Some(Text { name, text }) => Finding::at(name, text, origin.span.clone(), message),
            None => Finding::of_file("", message),
        }
    }

    /// Returns the path of the first text.
    pub fn name(&self) -> &Path {
        self.texts.first().map_or(Path::new(""), |text| &text.name)
    }

    /// Checks that every number is finite.
    ///
    /// # Errors
    /// The first number that is not finite.
    pub fn check_finite(&self) -> Result<(), SceneError> {
        self.root.walk(&mut KeyPath::default(), &mut |path, node| match node.value {
            Value::Float(x) if !x.is_finite() => {
                Err(self.finding(path, format!("{x} is not a finite number")).into())
            }
            _ => Ok(()),
        })
    }
}
