//! Export of a loaded scene as a self-contained native file with its mesh files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::mesh::write_obj;
use super::{Document, Loaded, MeshSource, toml};

/// Folder of the mesh files, beside the scene file.
const FOLDER: &str = "meshes";

/// Files that make up a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The scene file, in TOML.
    pub scene: String,
    /// Mesh files: the path relative to the scene file's folder, and the content.
    pub meshes: Vec<(String, Vec<u8>)>,
}

/// An error in the export of a scene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the scene cannot be written as TOML: {why}")]
pub struct ExportError {
    /// The content that TOML cannot represent, such as null in a method's settings.
    pub why: String,
}

/// Writes a loaded scene, with includes merged, overrides applied, foreign formats translated, and every mesh
/// as OBJ.
///
/// Loading the result again gives a bitwise equal scene.
///
/// # Errors
/// [`ExportError`] if a method's settings contain null, which JSON has and TOML lacks.
pub fn export(loaded: &Loaded) -> Result<Exported, ExportError> {
    let paths = paths(loaded.meshes.keys());
    let mut document = Document { include: Vec::new(), ..loaded.document.clone() };
    let shapes = document.body.iter_mut().flat_map(|body| &mut body.shape);
    for file in shapes.filter_map(|shape| shape.mesh.as_mut()?.file.as_mut()) {
        if let Some(path) = paths.get(file.as_str()) {
            file.clone_from(path);
        }
    }
    let scene = toml::write(&document).map_err(|error| ExportError { why: error.to_string() })?;
    let content = |(name, source): (&String, &Arc<MeshSource>)| {
        (paths[name.as_str()].clone(), write_obj(&source.mesh).into_bytes())
    };
    Ok(Exported { scene, meshes: loaded.meshes.iter().map(content).collect() })
}

/// Returns a path for the mesh of each name: its stem in plain characters, with a number appended where stems
/// differ at most in case.
fn paths<'n>(names: impl Iterator<Item = &'n String>) -> BTreeMap<&'n str, String> {
    let mut taken = BTreeSet::new();
    let path = |name: &'n String| {
        let stem = plain_stem(name);
        let numbered = (2..).map(|n| format!("{stem}-{n}"));
        let free = std::iter::once(stem.clone()).chain(numbered).find(|s| taken.insert(s.to_lowercase()));
        (name.as_str(), format!("{FOLDER}/{}.obj", free.expect("some number is free")))
    };
    names.map(path).collect()
}

fn plain_stem(name: &str) -> String {
    let stem =
        Path::new(name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=".contains(c);
    let plain: String = stem.chars().map(|c| if is_plain(c) { c } else { '_' }).take(100).collect();
    if plain.is_empty() { "mesh".to_owned() } else { plain }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use rigor_math::Vec3;

    use super::super::{Files, LoadOptions, load};
    use super::*;

    const SEEDS: [(&str, &str); 4] = [
        ("box.toml", include_str!("../fuzz/seeds/native_scene/box.toml")),
        ("box.json", include_str!("../fuzz/seeds/json_scene/box.json")),
        ("scene.json", include_str!("../fuzz/seeds/rigid_ipc/scene.json")),
        ("problem.json", include_str!("../fuzz/seeds/rigid_ipc/problem.json")),
    ];

    struct Memory(BTreeMap<PathBuf, Vec<u8>>);

    impl Files for Memory {
        fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
            self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
        }
    }

    /// The files that the fuzz targets provide to every scene.
    fn lent() -> BTreeMap<PathBuf, Vec<u8>> {
        let cube = rigor_shapes::Cuboid { size: Vec3::repeat(1.0), segments: [1; 3] }.mesh().unwrap();
        let common = "[[body]]\nname = \"common\"\nshape = [{ box = { size = [1, 1, 1] } }]\n";
        BTreeMap::from([
            ("cube.obj".into(), write_obj(&cube).into_bytes()),
            ("common.toml".into(), common.as_bytes().to_vec()),
        ])
    }

    #[test]
    fn a_scene_is_the_same_after_export() {
        for (name, text) in SEEDS {
            let text = if name == "problem.json" {
                format!("{{\"rigid_body_problem\": {text}}}")
            } else {
                text.to_owned()
            };
            let mut files = lent();
            files.insert(name.into(), text.into_bytes());
            let loaded = load(Path::new(name), &Memory(files), &LoadOptions::default())
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(!loaded.scene.bodies.is_empty(), "{name}");
            let Exported { scene, meshes } = export(&loaded).unwrap();
            let mut files: BTreeMap<PathBuf, Vec<u8>> =
                meshes.into_iter().map(|(path, bytes)| (path.into(), bytes)).collect();
            files.insert("new.toml".into(), scene.into_bytes());
            let again = load(Path::new("new.toml"), &Memory(files), &LoadOptions::default())
                .unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(again.scene, loaded.scene, "{name}");
            assert_eq!(
                export(&again).unwrap(),
                export(&loaded).unwrap(),
                "{name}: nothing is left to change"
            );
        }
    }

    #[test]
    fn null_in_settings_is_refused() {
        let text = r#"{"body": [{"name": "a", "shape": [{"box": {"size": [1, 1, 1]}}]}], "method": {"m": {"k": null}}}"#;
        let files = Memory(BTreeMap::from([("a.json".into(), text.as_bytes().to_vec())]));
        let loaded = load(Path::new("a.json"), &files, &LoadOptions::default()).unwrap();
        assert!(
            export(&loaded).unwrap_err().to_string().starts_with("the scene cannot be written as TOML: ")
        );
    }

    #[test]
    fn paths_are_plain_and_unlike() {
        let names = ["../a/Nut.stl", "/nut.obj", "b/nut.obj", "mutter ä.ply", "..", ""].map(str::to_owned);
        let paths = paths(names.iter());
        let found: Vec<_> = names.iter().map(|name| paths[name.as_str()].as_str()).collect();
        let expected = ["Nut", "nut-2", "nut-3", "mutter__", "mesh", "mesh-2"];
        assert_eq!(found, expected.map(|stem| format!("meshes/{stem}.obj")));
    }
}
