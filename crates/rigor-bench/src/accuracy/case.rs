//! The cases: which scene, what is read off it, and the exact answer.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rigor_file::{Files, LoadOptions, Loaded, load};
use serde::Deserialize;

use super::answer::Answer;
use super::reading::Reading;
use crate::cli::CliError;

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
/// [`CliError`] if the table that comes with the program is wrong.
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
    /// What differs for `method`.
    pub fn exception(&self, method: &str) -> Exception {
        self.exceptions.get(method).cloned().unwrap_or_default()
    }
}

/// The scene called `name`, with changes made to it.
///
/// # Errors
/// [`CliError`] when there is no such scene, or a change makes no sense.
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
);

/// The scene files that come with the program.
struct Scenes;

impl Files for Scenes {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let is_it = |name: &str| path == Path::new(&format!("{name}.toml"));
        let found = SCENES.iter().find(|(name, _)| is_it(name));
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
