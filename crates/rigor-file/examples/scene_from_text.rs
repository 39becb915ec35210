//! Loads a scene from a string, then one with a misspelt key: the error has line, column, key and a suggestion.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::io;
use std::path::Path;

use rigor_file::{Files, LoadOptions, Loaded, SceneError, load};

const SCENE: &str = r#"
format = 1
gravity = [0, -9.81, 0]

[[body]]
name = "floor"
role = "static"
[[body.shape]]
box = { size = [10, 1, 10] }

[[body]]
name = "brick"
density = 2000
position = [0, 2, 0]
[[body.shape]]
box = { size = [0.5, 0.3, 0.5] }
"#;

/// The only file there is.
struct Text(String);

impl Files for Text {
    fn read(&self, _path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

fn load_text(text: &str) -> Result<Loaded, SceneError> {
    load(Path::new("wall.toml"), &Text(text.to_owned()), &LoadOptions::default())
}

fn main() -> Result<(), SceneError> {
    let scene = load_text(SCENE)?.scene;
    for body in &scene.bodies {
        println!(
            "{}: {:?}, {:.1} kg, {} triangles",
            body.name,
            body.role,
            body.mass,
            body.mesh.triangles().len()
        );
    }
    for (right, wrong) in [("density", "densty"), ("0.3", "-0.3"), ("[0, 2, 0]", "[0, 2]")] {
        if let Err(error) = load_text(&SCENE.replace(right, wrong)) {
            println!("{error}");
        }
    }
    Ok(())
}
