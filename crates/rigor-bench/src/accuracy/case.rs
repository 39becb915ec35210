//! The cases: scene, quantity measured, and exact answer.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::answer::Answer;
use super::error::TableError;
use super::reading::Reading;

/// A case.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Name: words joined by hyphens.
    pub name: String,
    /// Section of the page.
    pub group: String,
    /// Heading on the page.
    pub title: String,
    /// The scene, by its file in `crates/rigor-bench/accuracy/scenes` without the extension.
    pub scene: String,
    /// The quantity measured.
    pub reading: Reading,
    /// The exact answer.
    pub answer: Answer,
    /// One-line description of the exact answer.
    pub truth: String,
    /// Divisor of the error, in the unit of the reading.
    pub scale: f64,
    /// Description of the scale.
    pub scale_is: String,
    /// Relative error that at least one method must reach (dimensionless).
    pub bound: f64,
    /// Numbers of steps, ascending: Δt = duration / steps.
    pub steps: Vec<u64>,
    /// Remark for readers of the page.
    #[serde(default)]
    pub note: String,
    /// Exceptions for single methods, by name of the method.
    #[serde(default, rename = "for")]
    pub exceptions: BTreeMap<String, Exception>,
}

/// An exception for one method.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// The reason why the method cannot run the case; empty if it can.
    #[serde(default)]
    pub skip: String,
    /// Changes to the scene, such as `body.ball.restitution=0`.
    #[serde(default)]
    pub set: Vec<String>,
    /// Numbers of steps in place of those of the case.
    pub steps: Option<Vec<u64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

/// All cases, in the order of the page.
///
/// # Errors
/// The built-in `cases.toml` is invalid.
///
/// ```
/// assert!(rigor_bench::accuracy::case::all()?.len() >= 24);
/// # Ok::<(), rigor_bench::accuracy::error::TableError>(())
/// ```
pub fn all() -> Result<Vec<Case>, TableError> {
    let table: Table = toml::from_str(include_str!("../../accuracy/cases.toml"))
        .map_err(|source| TableError::Toml { file: "cases.toml", source })?;
    Ok(table.case)
}

impl Case {
    /// The exception for `method`, empty if there is none.
    pub fn exception(&self, method: &str) -> Exception {
        self.exceptions.get(method).cloned().unwrap_or_default()
    }
}
