//! What is wrong with a plan, or with carrying it out.

use std::path::PathBuf;

use rigor_run::RunError;
use rigor_run::disk::DiskError;
use rigor_run::execute::ExecuteError;
use rigor_run::kept::KeptError;
use rigor_run::registry::RegistryError;

use crate::axis_fault::AxisFault;

/// A mistake in a plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not a plan.
    #[error("{}: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, column and mistake.
        source: Box<toml::de::Error>,
    },
    /// No scene.
    #[error("the plan has no scene: give [study] scenes = [\"friction/incline-*\"]")]
    NoScene,
    /// A pattern that matches nothing.
    #[error("no case and no file matches {pattern:?}; `rigor scene list` lists the cases")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A scene that is named twice.
    #[error("the scene {scene:?} occurs twice")]
    Twice {
        /// The scene.
        scene: String,
    },
    /// No method.
    #[error("the plan has no method: give at least one [[method]] with a name")]
    NoMethod,
    /// Two methods with one label.
    #[error("two methods have the label {label:?}: give one of them another label")]
    Label {
        /// The label.
        label: String,
    },
    /// A method that does not exist.
    #[error(transparent)]
    Method {
        /// The error.
        #[from]
        source: RegistryError,
    },
    /// The values of a key.
    #[error("{key}: {fault}")]
    Axis {
        /// The key.
        key: String,
        /// What is wrong.
        fault: AxisFault,
    },
    /// A number that is out of range.
    #[error("{key} is {value}: {allowed}")]
    Range {
        /// The key.
        key: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// More runs than anybody can want.
    #[error("the plan has {runs} runs; the maximum is {max}: split it, or take fewer values")]
    Size {
        /// Number of runs.
        runs: usize,
        /// Maximum number.
        max: usize,
    },
    /// A condition of a bisection that cannot be read.
    #[error(
        "{text:?} is not a condition: write `FIGURE > NUMBER` or `FIGURE < NUMBER`, as `motion.path:box > 0.01`"
    )]
    Condition {
        /// The condition.
        text: String,
    },
    /// A difference from a reference that the plan does not name.
    #[error(
        "{name} is a difference from a reference: give [reference] method = \"NAME\", or values.\"QUANTITY\" = NUMBER"
    )]
    NoReference {
        /// The quantity.
        name: String,
    },
    /// A quantity that does not exist.
    #[error("there is no quantity {name:?}{}", suggestion.as_ref().map_or(String::new(), |s| format!(" (did you mean {s:?}?)")))]
    Quantity {
        /// The name.
        name: String,
        /// A similar name.
        suggestion: Option<String>,
    },
}

/// Why a run of a study could not be made. A run that was made and failed has a record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The plan of a study that is there has a mistake.
    #[error(transparent)]
    Plan {
        /// The mistake.
        #[from]
        source: PlanError,
    },
    /// The scene cannot be loaded with the values of the run.
    #[error(transparent)]
    Scene {
        /// The error.
        #[from]
        source: Box<DiskError>,
    },
    /// The run cannot be made, or its files cannot be written.
    #[error(transparent)]
    Run {
        /// The error.
        #[from]
        source: Box<ExecuteError>,
    },
    /// A run cannot be read.
    #[error(transparent)]
    Kept {
        /// The error.
        source: Box<KeptError>,
    },
    /// A file of a run cannot be used.
    #[error(transparent)]
    File {
        /// The error.
        #[from]
        source: RunError,
    },
}

impl From<DiskError> for StudyError {
    fn from(source: DiskError) -> Self {
        Self::Scene { source: Box::new(source) }
    }
}

impl From<KeptError> for StudyError {
    fn from(error: KeptError) -> Self {
        match error {
            KeptError::Scene { source } => Self::Scene { source },
            KeptError::File { source } => source.into(),
            other => Self::Kept { source: Box::new(other) },
        }
    }
}

impl From<ExecuteError> for StudyError {
    fn from(source: ExecuteError) -> Self {
        Self::Run { source: Box::new(source) }
    }
}
