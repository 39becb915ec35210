//! A table of the native scene under construction.

use super::super::tree::{Entry, Node, Origin, Table, Value};
use super::field::Field;

/// A table whose values carry the places of their sources.
pub struct Draft {
    table: Table,
    origin: Origin,
}

impl Draft {
    /// Creates an empty table with the place of `source`.
    pub fn new(source: &Field<'_>) -> Self {
        Self { table: Table::new(), origin: source.origin().clone() }
    }

    /// Sets `key` to a value with the place of `source`, or of the whole table if that is `None`.
    pub fn set(&mut self, key: &str, value: impl Written, source: Option<&Field<'_>>) {
        let origin = source.map_or_else(|| self.origin.clone(), |field| field.origin().clone());
        let node = value.node(&origin);
        self.table.insert(key.to_owned(), Entry { key: origin, node });
    }

    /// Returns the finished table.
    pub fn node(self) -> Node {
        Node { value: Value::Table(self.table), origin: self.origin }
    }
}

/// A value that can be stored in a tree.
pub trait Written {
    /// Returns the value with a place.
    fn node(self, origin: &Origin) -> Node;
}

impl Written for Draft {
    fn node(self, _: &Origin) -> Node {
        Self::node(self)
    }
}

impl Written for Value {
    fn node(self, origin: &Origin) -> Node {
        Node { value: self, origin: origin.clone() }
    }
}

impl Written for f64 {
    fn node(self, origin: &Origin) -> Node {
        Value::Float(self).node(origin)
    }
}

impl Written for i64 {
    fn node(self, origin: &Origin) -> Node {
        Value::Integer(self).node(origin)
    }
}

impl Written for bool {
    fn node(self, origin: &Origin) -> Node {
        Value::Bool(self).node(origin)
    }
}

impl Written for &str {
    fn node(self, origin: &Origin) -> Node {
        Value::String(self.to_owned()).node(origin)
    }
}

impl<T: Written, const N: usize> Written for [T; N] {
    fn node(self, origin: &Origin) -> Node {
        Vec::from(self).node(origin)
    }
}

impl<T: Written> Written for Vec<T> {
    fn node(self, origin: &Origin) -> Node {
        Value::Array(self.into_iter().map(|item| item.node(origin)).collect()).node(origin)
    }
}
