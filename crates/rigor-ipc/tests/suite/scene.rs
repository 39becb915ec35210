//! Scenes from the text of a scene file, and from the case library.

use std::path::Path;

use rigor_file::{Files, LoadOptions, cases, load};
use rigor_scene::Scene;

/// One scene file.
struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

/// The scene in the text of a scene file.
pub fn text(text: String) -> Scene {
    load(Path::new("scene.toml"), &Text(text), &LoadOptions::default()).expect("a valid scene").scene
}

/// A case of the library.
pub fn case(name: &str) -> Scene {
    overridden(name, &[])
}

/// A case of the library with values that replace those of its file.
pub fn overridden(name: &str, overrides: &[&str]) -> Scene {
    let overrides = overrides.iter().map(ToString::to_string).collect();
    let options = LoadOptions { overrides, ..LoadOptions::default() };
    let path = cases::find(name).expect("a case of the library");
    load(Path::new(path), &cases::files(), &options).expect("a valid scene").scene
}
