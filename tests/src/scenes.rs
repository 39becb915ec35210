//! Test scenes: small ones of this package, each with one difficulty, and the case library.

use std::io::{Error, ErrorKind};
use std::path::Path;

use rigor_file::cases;
use rigor_file::{Files, LoadOptions, load};
use rigor_scene::Scene;

/// Loads the case called `name`.
///
/// # Panics
/// If there is no such case.
pub fn case(name: &str) -> Scene {
    let path = cases::find(name).unwrap_or_else(|| panic!("there is no case {name}"));
    read(path, &cases::files())
}

/// Loads the scenes of this package: a brick in flight, a heap of cubes, a kinematic pusher, a pendulum on a
/// joint.
pub fn own() -> Vec<Scene> {
    [
        ("flight.toml", include_str!("../scenes/flight.toml")),
        ("heap.toml", include_str!("../scenes/heap.toml")),
        ("pusher.toml", include_str!("../scenes/pusher.toml")),
        ("pendulum.toml", include_str!("../scenes/pendulum.toml")),
    ]
    .map(|(name, text)| read(name, &Text(text)))
    .into()
}

fn read(path: &str, files: &dyn Files) -> Scene {
    let loaded = load(Path::new(path), files, &LoadOptions::default());
    loaded.unwrap_or_else(|error| panic!("{path}: {error}")).scene
}

/// The scene text is the only file.
struct Text<'a>(&'a str);

impl Files for Text<'_> {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        match path.parent() {
            Some(folder) if folder == Path::new("") => Ok(self.0.as_bytes().to_vec()),
            _ => Err(Error::from(ErrorKind::NotFound)),
        }
    }
}
