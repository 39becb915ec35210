//! Scenes to run: built-in cases, files, fixtures of the reference program.

use std::path::Path;

use rigor_file::cases;
use rigor_file::{LoadOptions, load};
use rigor_run::disk::Disk;
use rigor_scene::Scene;
use rigor_tests::reference::Folder;

use crate::error::RunError;

/// Lists the fixtures as paths below `fixtures`, such as `3D/unit-tests/5-cubes.json`, sorted.
pub fn fixtures(rigid_ipc: &Path) -> Vec<String> {
    let root = rigid_ipc.join("fixtures");
    let (mut found, mut folders) = (Vec::new(), vec![root.join("3D")]);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let below = path.strip_prefix(&root).expect("it was found there");
                found.push(below.to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

/// Loads the case called `name`, else the fixture with that path, else the file.
///
/// # Errors
/// The reason why the scene cannot be loaded.
pub fn scene(name: &str) -> Result<Scene, RunError> {
    let options = LoadOptions::default();
    let loaded = match cases::find(name) {
        Some(path) => load(Path::new(path), &cases::files(), &options)?,
        None => {
            let fixture = Folder::RigidIpc.find().ok().map(|folder| folder.join("fixtures").join(name));
            let path = fixture.filter(|path| path.is_file()).unwrap_or_else(|| name.into());
            load(&path, &Disk, &options)?
        }
    };
    Ok(loaded.scene)
}
