//! Errors and warnings about a scene file, with their places.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePosition {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Offset from the start of the text (bytes).
    pub offset: usize,
    /// Length (bytes).
    pub len: usize,
}

impl SourcePosition {
    /// Returns the place of the bytes `span` in `text`.
    ///
    /// ```
    /// use rigor_file::SourcePosition;
    /// let place = SourcePosition::of("a = 1\nμ = x\n", 11..12);
    /// assert_eq!((place.line, place.column), (2, 5));
    /// ```
    pub fn of(text: &str, span: std::ops::Range<usize>) -> Self {
        let offset = floor_char_boundary(text, span.start);
        let line_start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: 1 + text[..line_start].bytes().filter(|b| *b == b'\n').count(),
            column: 1 + text[line_start..offset].chars().count(),
            offset,
            len: span.end.min(text.len()).saturating_sub(offset),
        }
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// One finding about a scene file: an error or a warning.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The file, or the override as it was given.
    pub file: PathBuf,
    /// The place in the file; `None` if the finding concerns the file as a whole.
    pub place: Option<SourcePosition>,
    /// The text that `place` refers to.
    pub text: Option<Arc<str>>,
    /// The key, such as `body[2].shape[0].box.size`; empty if there is none.
    pub key: String,
    /// The mistake, with the expected value.
    pub message: String,
    /// Advice for the correction.
    pub help: Option<String>,
}

impl Finding {
    /// Creates a finding about a file as a whole.
    pub fn of_file(file: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Self {
            file: file.as_ref().to_owned(),
            place: None,
            text: None,
            key: String::new(),
            message: message.into(),
            help: None,
        }
    }

    /// Creates a finding about the bytes `span` of the `text` of `file`.
    pub fn at(
        file: impl AsRef<Path>,
        text: &Arc<str>,
        span: std::ops::Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            place: Some(SourcePosition::of(text, span)),
            text: Some(Arc::clone(text)),
            ..Self::of_file(file, message)
        }
    }

    /// Sets the key.
    #[must_use]
    pub fn with_key(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), ..self }
    }

    /// Sets the advice.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(place) = self.place {
            write!(f, ":{}:{}", place.line, place.column)?;
        }
        f.write_str(": ")?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)?;
        self.help.as_ref().map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}

/// An error in a scene file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct SceneError(Box<Finding>);

impl From<Finding> for SceneError {
    fn from(finding: Finding) -> Self {
        Self(Box::new(finding))
    }
}

impl Deref for SceneError {
    type Target = Finding;
    fn deref(&self) -> &Finding {
        &self.0
    }
}

/// A legal but suspicious detail of a scene file.
pub type Warning = Finding;
