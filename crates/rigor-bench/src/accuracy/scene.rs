//! The scenes of the cases.

use std::io;
use std::path::{Path, PathBuf};

use rigor_file::{Files, LoadOptions, Loaded, SceneError, load};

/// Loads the scene called `name` with the changes `set`.
///
/// # Errors
/// [`SceneError`] when there is no such scene, or a change is invalid.
pub fn load_scene(name: &str, set: &[String]) -> Result<Loaded, SceneError> {
    let options = LoadOptions { overrides: set.to_vec(), mesh_folders: vec![] };
    load(&PathBuf::from(format!("{name}.toml")), &Scenes, &options)
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
    "adams-rotspring-1",
    "adams-rotspring-2",
    "adams-spherical",
    "adams-transpring-1",
    "adams-transpring-2",
    "adams-universal",
    "bounce",
    "bowl",
    "bullet",
    "capstan",
    "cradle",
    "disc",
    "double-pendulum",
    "dzhanibekov",
    "falling-chain",
    "free-wheel",
    "grip-holds",
    "grip-slips",
    "gyroscope-on-string",
    "head-on",
    "heavy-top",
    "knife-edge",
    "ladder",
    "mass-ratio",
    "oblique",
    "open-field",
    "open-waves",
    "passage",
    "pendula",
    "projectile",
    "rack",
    "rod-and-post",
    "roll-down",
    "roll-off",
    "round-roll-down",
    "round-roll-off",
    "round-slip-to-roll",
    "round-tippe-top",
    "round-turntable",
    "sleeping-top",
    "sleeping-top-joint",
    "sliding",
    "slip-to-roll",
    "slope-across",
    "slope-holds",
    "slope-slides",
    "spring",
    "spring-cubic",
    "spring-damped",
    "stopping",
    "symmetric-top",
    "tippe-top",
    "tipping-falls",
    "tipping-hinge",
    "tipping-stands",
    "top-in-cup",
    "top-in-cup-joint",
    "toss",
    "turntable",
    "turntable-ball",
    "turntable-slips",
    "wedge-locks",
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
