//! Errors of the command line.

use std::io;
use std::path::Path;

use rigor_file::SceneError;
use rigor_papers::attempt::AttemptError;
use rigor_run::disk::DiskError;
use rigor_run::kept::KeptError;
use rigor_run::registry::RegistryError;
use serde_json::{Value, json};

use crate::accuracy::error::TableError;
use crate::diagnostic::{self, Severity};

/// An error of a command: the mistake, its place, and advice.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CliError {
    /// A scene file is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Any other error.
    #[error("{what}")]
    Other {
        /// The mistake and its place.
        what: String,
        /// The advice.
        help: Option<String>,
    },
}

impl CliError {
    /// Creates an error with the message `what` and no advice.
    pub fn new(what: impl Into<String>) -> Self {
        Self::Other { what: what.into(), help: None }
    }

    /// Creates the error "`path` cannot be `verb`: `error`", with a past participle such as `read` as `verb`.
    pub fn file(path: &Path, verb: &str, error: &io::Error) -> Self {
        Self::new(format!("{} cannot be {verb}: {error}", path.display()))
    }

    /// Adds advice; an error in a scene file keeps its own.
    #[must_use]
    pub fn with_help(self, advice: impl Into<String>) -> Self {
        match self {
            Self::Other { what, .. } => Self::Other { what, help: Some(advice.into()) },
            Self::Scene(_) => self,
        }
    }

    /// Formats the error for people, with the lines of the scene file that it is about.
    pub fn render(&self) -> String {
        match self {
            Self::Scene(error) => diagnostic::render(error, Severity::Error),
            Self::Other { what, help: None } => format!("error: {what}\n"),
            Self::Other { what, help: Some(help) } => format!("error: {what}\n  help: {help}\n"),
        }
    }

    /// Returns the error as JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Scene(error) => diagnostic::to_json(error, Severity::Error),
            Self::Other { what, help } => json!({ "severity": "error", "message": what, "help": help }),
        }
    }
}

impl From<DiskError> for CliError {
    fn from(error: DiskError) -> Self {
        let what = Self::new(error.to_string());
        match error {
            DiskError::Scene { source } => source.into(),
            DiskError::Folder { argument } => {
                what.with_help(format!("name the scene files in it, as {argument}/*.toml"))
            }
            DiskError::Nothing { meant: Some(case), .. } => what.with_help(format!("did you mean {case:?}?")),
            DiskError::Nothing { meant: None, .. } => what.with_help("`rigor scene list` names the cases"),
            DiskError::Setting { source } => source.into(),
            DiskError::NoScene { .. } => what.with_help("run the scene again, into another folder"),
            _ => what,
        }
    }
}

impl From<KeptError> for CliError {
    fn from(error: KeptError) -> Self {
        match error {
            KeptError::Scene { source } => (*source).into(),
            other => Self::new(other.to_string()),
        }
    }
}

impl From<AttemptError> for CliError {
    fn from(error: AttemptError) -> Self {
        match error {
            AttemptError::Scene { source } => source.into(),
            other => Self::new(other.to_string()),
        }
    }
}

impl From<TableError> for CliError {
    fn from(error: TableError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<RegistryError> for CliError {
    fn from(error: RegistryError) -> Self {
        Self::new(error.to_string()).with_help("docs/settings.md lists the settings of each method")
    }
}
