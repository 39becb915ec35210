//! Typed access to the values of the foreign scene.

use super::super::error::{Finding, SceneError};
use super::super::tree::{KeyPath, Node, Origin, Segment, Tree, Value};
use super::is_absent;

/// A value with its path and its place.
#[derive(Clone)]
pub struct Field<'a> {
    tree: &'a Tree,
    path: KeyPath,
    node: &'a Node,
}

impl<'a> Field<'a> {
    /// Returns the root table.
    pub fn root(tree: &'a Tree) -> Self {
        Self { tree, path: KeyPath::default(), node: &tree.root }
    }

    /// Returns the value under `key`, unless it is missing or null.
    pub fn get(&self, key: &str) -> Option<Self> {
        let node = self.node.get(key).filter(|node| !is_absent(&node.value))?;
        Some(self.within(key, node))
    }

    fn within(&self, segment: impl Into<Segment>, node: &'a Node) -> Self {
        Self { tree: self.tree, path: self.path.join(segment), node }
    }

    /// Returns the tree that contains the value.
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// Returns the path of the value.
    pub fn path(&self) -> &KeyPath {
        &self.path
    }

    /// Returns the place of the value.
    pub fn origin(&self) -> &Origin {
        &self.node.origin
    }

    /// Creates a finding about the value.
    pub fn finding(&self, message: impl Into<String>) -> Finding {
        self.tree.finding(&self.path, message)
    }

    /// Creates a finding about the name `key` in this table.
    pub fn finding_at_key(&self, key: &str, message: impl Into<String>) -> Finding {
        let entry = match &self.node.value {
            Value::Table(table) => table.get(key),
            _ => None,
        };
        let origin = entry.map_or(&self.node.origin, |entry| &entry.key);
        self.tree.finding_at(origin, message).with_key(self.path.join(key).to_string())
    }

    /// Creates an error about the value.
    pub fn error(&self, message: impl Into<String>) -> SceneError {
        self.finding(message).into()
    }

    fn expected<T>(&self, what: &str) -> Result<T, SceneError> {
        Err(self.error(format!("expected {what}, found {}", self.node.value.kind())))
    }

    /// Returns the keys of a table.
    pub fn keys(&self) -> Result<Vec<&'a str>, SceneError> {
        match &self.node.value {
            Value::Table(table) => Ok(table.keys().map(String::as_str).collect()),
            _ => self.expected("a table"),
        }
    }

    /// Returns the items of an array.
    pub fn items(&self) -> Result<Vec<Self>, SceneError> {
        match &self.node.value {
            Value::Array(items) => {
                Ok(items.iter().enumerate().map(|(i, item)| self.within(i, item)).collect())
            }
            _ => self.expected("an array"),
        }
    }

    /// Returns a finite number.
    pub fn real(&self) -> Result<f64, SceneError> {
        match self.node.value {
            Value::Integer(number) => Ok(number as f64),
            Value::Float(number) if number.is_finite() => Ok(number),
            Value::Float(number) => Err(self.error(format!("{number} is not a finite number"))),
            _ => self.expected("a number"),
        }
    }

    /// Returns an integer.
    pub fn whole(&self) -> Result<i64, SceneError> {
        match self.node.value {
            Value::Integer(number) => Ok(number),
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => Ok(number as i64),
            _ => self.expected("a whole number"),
        }
    }

    /// Returns true or false.
    pub fn flag(&self) -> Result<bool, SceneError> {
        match self.node.value {
            Value::Bool(flag) => Ok(flag),
            _ => self.expected("true or false"),
        }
    }

    /// Returns a string.
    pub fn text(&self) -> Result<&'a str, SceneError> {
        self.node.as_str().map_or_else(|| self.expected("a string"), Ok)
    }

    /// Returns three numbers.
    pub fn vector(&self) -> Result<[f64; 3], SceneError> {
        let items = self.items()?;
        match &items[..] {
            [x, y, z] => Ok([x.real()?, y.real()?, z.real()?]),
            [_, _] => Err(self.error("expected 3 numbers, found 2: 2D scenes are not supported")),
            _ => Err(self.error(format!("expected 3 numbers, found {}", items.len()))),
        }
    }

    /// Returns the number under `key`, or `default`.
    pub fn real_or(&self, key: &str, default: f64) -> Result<f64, SceneError> {
        self.get(key).map_or(Ok(default), |field| field.real())
    }

    /// Returns the integer under `key`, or `default`.
    pub fn whole_or(&self, key: &str, default: i64) -> Result<i64, SceneError> {
        self.get(key).map_or(Ok(default), |field| field.whole())
    }

    /// Returns the flag under `key`, or `default`.
    pub fn flag_or(&self, key: &str, default: bool) -> Result<bool, SceneError> {
        self.get(key).map_or(Ok(default), |field| field.flag())
    }

    /// Returns the string under `key`, or `default`.
    pub fn text_or(&self, key: &str, default: &'a str) -> Result<&'a str, SceneError> {
        self.get(key).map_or(Ok(default), |field| field.text())
    }

    /// Returns the vector under `key`, or zero.
    pub fn vector_or_zero(&self, key: &str) -> Result<[f64; 3], SceneError> {
        self.get(key).map_or(Ok([0.0; 3]), |field| field.vector())
    }

    /// Returns the items of the array under `key`, or none.
    pub fn items_or_none(&self, key: &str) -> Result<Vec<Self>, SceneError> {
        self.get(key).map_or(Ok(vec![]), |field| field.items())
    }
}
