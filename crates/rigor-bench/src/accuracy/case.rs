//! The cases: scene, quantity measured, and exact answer.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rigor_file::{Files, LoadOptions, Loaded, load};
use serde::Deserialize;

use super::answer::Answer;
use super::reading::Reading;
use crate::cli::CliError;

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
    /// Why the method cannot run the case; empty if it can.
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
/// # Ok::<(), rigor_bench::cli::CliError>(())
/// ```
pub fn all() -> Result<Vec<Case>, CliError> {
    let table: Table = toml::from_str(include_str!("../../accuracy/cases.toml"))
        .map_err(|error| CliError::new(format!("cases.toml: {error}")))?;
    Ok(table.case)
}

impl Case {
    /// The exception for `method`, empty if there is none.
    pub fn exception(&self, method: &str) -> Exception {
        self.exceptions.get(method).cloned().unwrap_or_default()
    }
}

/// Loads the built-in scene called `name` and applies the changes `set`.
///
/// # Errors
/// The scene does not exist, or a change is invalid.
pub fn load_scene(name: &str, set: &[String]) -> Result<Loaded, CliError> {
    let options = LoadOptions { overrides: set.to_vec(), mesh_folders: vec![] };
    Ok(load(&PathBuf::from(format!("{name}.toml")), &Scenes, &options)?)
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        /// The scene files by name.
        const SCENES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../accuracy/scenes/", $name, ".toml")))),*
        ];
    };
}

scenes!(
    "adams-cylindrical",
    "adams-distance",
    "adams-prismatic",
    "adams-revolute",
    "adams-spherical",
    "adams-universal",
    "bounce",
    "bowl",
    "cradle",
    "double-pendulum",
    "dzhanibekov",
    "falling-chain",
    "free-wheel",
    "grip-holds",
    "grip-slips",
    "gyroscope-on-string",
    "heavy-top",
    "knife-edge",
    "ladder",
    "mass-ratio",
    "oblique",
    "passage",
    "pendula",
    "projectile",
    "rack",
    "roll-down",
    "sleeping-top",
    "sleeping-top-joint",
    "sliding",
    "slip-to-roll",
    "slope-across",
    "slope-holds",
    "slope-slides",
    "spring",
    "stopping",
    "symmetric-top",
    "tipping-falls",
    "tipping-hinge",
    "tipping-stands",
    "top-in-cup",
    "top-in-cup-joint",
    "toss",
    "turntable",
    "turntable-slips",
);

/// The built-in scene files as a file system.
struct Scenes;

impl Files for Scenes {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let is_it = |name: &str| path == Path::new(&format!("{name}.toml"));
        let found = SCENES.iter().find(|(name, _)| is_it(name));
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
