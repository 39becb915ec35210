//! Small scenes, each with one kind of trouble.

use std::io::{Error, ErrorKind};
use std::path::Path;

use rigor_scene::Scene;
use rigor_scene::file::{Files, LoadOptions, load};

/// A brick in flight, a heap of cubes, a kinematic pusher, a pendulum on a joint.
pub fn all() -> Vec<Scene> {
    [
        ("flight.toml", include_str!("../scenes/flight.toml")),
        ("heap.toml", include_str!("../scenes/heap.toml")),
        ("pusher.toml", include_str!("../scenes/pusher.toml")),
        ("pendulum.toml", include_str!("../scenes/pendulum.toml")),
    ]
    .map(|(name, text)| parse(name, text))
    .into()
}

/// The scene that `text` describes, without other files.
///
/// # Panics
/// If there is anything wrong with it.
pub fn parse(name: &str, text: &str) -> Scene {
    let loaded = load(Path::new(name), &Text(text), &LoadOptions::default());
    loaded.unwrap_or_else(|error| panic!("{name}: {error}")).scene
}

/// The scene's own text is the only file there is.
struct Text<'a>(&'a str);

impl Files for Text<'_> {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        match path.parent() {
            Some(folder) if folder == Path::new("") => Ok(self.0.as_bytes().to_vec()),
            _ => Err(Error::from(ErrorKind::NotFound)),
        }
    }
}
