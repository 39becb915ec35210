//! A scene that is written and loaded again is bitwise identical.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rigor_file::cases;
use rigor_file::{Files, LoadOptions, export, load};

struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[test]
fn every_case_is_the_same_after_export() {
    for name in cases::names() {
        let path = cases::find(name).expect("the library finds its own names");
        let loaded = load(Path::new(path), &cases::files(), &LoadOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let exported = export(&loaded).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut files: BTreeMap<PathBuf, Vec<u8>> =
            exported.meshes.into_iter().map(|(path, bytes)| (path.into(), bytes)).collect();
        files.insert("scene.toml".into(), exported.scene.into_bytes());
        let again = load(Path::new("scene.toml"), &Memory(files), &LoadOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(again.scene == loaded.scene, "{name} is changed by export");
    }
}
