//! The cases: which scene, what is read off it, and the exact answer.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::answer::Answer;
use super::error::TableError;
use super::reading::Reading;

/// One case of the table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, a word with hyphens.
    pub name: String,
    /// Which part of the page it belongs to.
    pub group: String,
    /// A heading.
    pub title: String,
    /// The scene, by its file in `crates/rigor-bench/accuracy/scenes` without the extension.
    pub scene: String,
    /// What is read off a run.
    pub reading: Reading,
    /// The exact answer.
    pub answer: Answer,
    /// The exact answer in a line of words and symbols.
    pub truth: String,
    /// What the error is divided by, in the unit of the reading.
    pub scale: f64,
    /// The scale in words.
    pub scale_is: String,
    /// The error that at least one method must reach.
    pub bound: f64,
    /// Numbers of steps, ascending: Δt = duration / steps.
    pub steps: Vec<u64>,
    /// What a reader should know.
    #[serde(default)]
    pub note: String,
    /// What differs for single methods, by the name of the method.
    #[serde(default, rename = "for")]
    pub exceptions: BTreeMap<String, Exception>,
}

/// What differs for one method.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// Why the method cannot do the case; empty: it can.
    #[serde(default)]
    pub skip: String,
    /// Changes to the scene, as `body.ball.restitution=0`.
    #[serde(default)]
    pub set: Vec<String>,
    /// Other numbers of steps.
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
/// [`TableError`] if the table that comes with the program is wrong.
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
    /// What differs for `method`.
    pub fn exception(&self, method: &str) -> Exception {
        self.exceptions.get(method).cloned().unwrap_or_default()
    }
}
