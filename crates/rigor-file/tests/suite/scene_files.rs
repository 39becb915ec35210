//! Scene files: the scenes that they become, and the errors in invalid ones.

mod bodies;
mod errors;
mod fluid;
mod includes;
mod joints;
mod mutations;
mod overrides;
mod reference;
mod scene_schema;
mod soft;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rigor_file::{self, Files, LoadOptions, Loaded, SceneError};

/// Files in memory.
#[derive(Default, Clone)]
pub struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Memory {
    /// Creates files with these texts under these paths.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect())
    }
}

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Loads `text` as `a/scene.toml`.
pub fn load(text: &str) -> Result<Loaded, SceneError> {
    load_with(text, &[])
}

/// Loads `text` as `a/scene.toml` with overrides.
pub fn load_with(text: &str, overrides: &[&str]) -> Result<Loaded, SceneError> {
    let options = LoadOptions {
        overrides: overrides.iter().map(|line| (*line).to_owned()).collect(),
        ..LoadOptions::default()
    };
    rigor_file::load(Path::new("a/scene.toml"), &Memory::new(&[("a/scene.toml", text)]), &options)
}

/// Returns the error of `text` as `a/scene.toml`: (line, column, key, message).
#[track_caller]
pub fn refused(text: &str) -> (usize, usize, String, String) {
    told(load(text).expect_err("the file is wrong"))
}

/// Returns (line, column, key, message) of an error with a place; the help, if any, follows the message in
/// parentheses.
#[track_caller]
pub fn told(error: SceneError) -> (usize, usize, String, String) {
    let place = error.place.unwrap_or_else(|| panic!("no place: {error}"));
    let help = error.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    (place.line, place.column, error.key.clone(), format!("{}{help}", error.message))
}

/// Returns a cube named `cube`, with `more` keys.
pub fn cube(more: &str) -> String {
    format!("[[body]]\nname = \"cube\"\n{more}\n[[body.shape]]\nbox = {{ size = [1, 1, 1] }}\n")
}
