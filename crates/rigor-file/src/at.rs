//! A position in the document during validation.

use super::closest::closest;
use super::error::{Finding, SceneError};
use super::tree::{KeyPath, Segment, Tree, shortened};

/// A key of the document; findings about it carry its line and column.
#[derive(Clone)]
pub struct At<'a> {
    tree: &'a Tree,
    path: KeyPath,
}

impl<'a> At<'a> {
    /// Returns the root table.
    pub fn root(tree: &'a Tree) -> Self {
        Self { tree, path: KeyPath::default() }
    }

    /// Returns the key one level further in.
    pub fn join(&self, segment: impl Into<Segment>) -> Self {
        Self { tree: self.tree, path: self.path.join(segment) }
    }

    /// Creates a finding about this key.
    pub fn finding(&self, message: impl Into<String>) -> Finding {
        self.tree.finding(&self.path, message)
    }

    /// Creates an error about this key.
    pub fn error(&self, message: impl Into<String>) -> SceneError {
        self.finding(message).into()
    }

    /// Creates the error that the name `written` is not among `known`.
    pub fn unknown<'n>(
        &self,
        what: &str,
        written: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) -> SceneError {
        let finding = self.finding(format!("there is no {what} named `{}`", shortened(written)));
        match closest(written, known) {
            Some(meant) => finding.with_help(format!("did you mean `{meant}`?")).into(),
            None => finding.into(),
        }
    }

    /// Whether the key is present.
    pub fn is_written(&self) -> bool {
        self.tree.find(&self.path).is_some()
    }

    /// Returns the number of items of the array, if there is one here.
    pub fn n_items(&self) -> Option<usize> {
        self.tree.find(&self.path)?.items().map(<[_]>::len)
    }

    /// Returns where this key was written, as `file:line`.
    pub fn whereabouts(&self) -> String {
        let finding = self.finding("");
        match finding.place {
            Some(place) => format!("{}:{}", finding.file.display(), place.line),
            None => finding.file.display().to_string(),
        }
    }

    /// Returns `value` if it is finite and > 0.
    ///
    /// # Errors
    /// Any other number.
    pub fn positive(&self, value: f64) -> Result<f64, SceneError> {
        self.require(value > 0.0, value, "a positive number")
    }

    /// Returns `value` if it is finite and not 0.
    ///
    /// # Errors
    /// Any other number.
    pub fn non_zero(&self, value: f64) -> Result<f64, SceneError> {
        self.require(value != 0.0, value, "a number other than 0")
    }

    /// Returns `value` if it is finite and ≥ 0.
    ///
    /// # Errors
    /// Any other number.
    pub fn non_negative(&self, value: f64) -> Result<f64, SceneError> {
        self.require(value >= 0.0, value, "0 or a positive number")
    }

    /// Returns `value` if it is in [0, 1].
    ///
    /// # Errors
    /// Any other number.
    pub fn fraction(&self, value: f64) -> Result<f64, SceneError> {
        self.require((0.0..=1.0).contains(&value), value, "a number from 0 to 1")
    }

    /// Returns `value` if it is in [`least`, `most`].
    ///
    /// # Errors
    /// Any other number.
    pub fn within(&self, value: f64, least: f64, most: f64) -> Result<f64, SceneError> {
        self.require((least..=most).contains(&value), value, &format!("a number from {least} to {most}"))
    }

    fn require(&self, holds: bool, value: f64, expected: &str) -> Result<f64, SceneError> {
        if holds && value.is_finite() {
            Ok(value)
        } else {
            Err(self.error(format!("expected {expected}, found {value:?}")))
        }
    }
}
