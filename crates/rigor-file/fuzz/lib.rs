//! Checks shared by the fuzz targets: no input panics, and whatever was read survives being written.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rigor_file::{Files, LoadOptions, export, load, mesh};

/// The mesh returned for every path that ends in `cube.obj`.
const CUBE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/// The file returned for every path that ends in `common.toml`.
const COMMON: &[u8] =
    b"gravity = [0, -1, 0]\n[[body]]\nname = \"common\"\nshape = [{ box = { size = [1, 1, 1] } }]\n";

struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let shared = match path.file_name().and_then(|name| name.to_str()) {
            Some("cube.obj") => Some(CUBE),
            Some("common.toml") => Some(COMMON),
            _ => None,
        };
        let found = self.0.get(path).map(Vec::as_slice).or(shared);
        found.map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Loads `content` as the scene file `name`; a scene that loads must be unchanged by export.
pub fn scene(name: &str, content: &[u8]) {
    let files = Memory(BTreeMap::from([(PathBuf::from(name), content.to_vec())]));
    let Ok(loaded) = load(Path::new(name), &files, &LoadOptions::default()) else { return };
    let Ok(exported) = export(&loaded) else { return };
    let mut files: BTreeMap<PathBuf, Vec<u8>> =
        exported.meshes.into_iter().map(|(path, bytes)| (path.into(), bytes)).collect();
    files.insert("exported.toml".into(), exported.scene.clone().into_bytes());
    match load(Path::new("exported.toml"), &Memory(files), &LoadOptions::default()) {
        Ok(again) => assert!(again.scene == loaded.scene, "changed by export:\n{}", exported.scene),
        Err(error) => panic!("lost by export: {error}\n{}", exported.scene),
    }
}

/// Reads `content` as the mesh file `name`; a mesh that is read must be unchanged by writing.
pub fn mesh(name: &str, content: &[u8]) {
    let files = Memory(BTreeMap::new());
    let Ok(file) = mesh::read(Path::new(name), content, &files) else { return };
    let written = mesh::write_obj(&file.mesh);
    let again =
        mesh::read(Path::new("again.obj"), written.as_bytes(), &files).expect("what was written is read");
    assert!(again.mesh == file.mesh, "changed by writing:\n{written}");
}
