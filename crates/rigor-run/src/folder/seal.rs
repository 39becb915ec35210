//! Hashes of the files of a run: what a finished run holds is what its method wrote.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use crate::error::{Fault, RunError};
use crate::folder::Folder;

/// BLAKE3 hashes of files in hexadecimal digits, by path relative to the folder of the run, with `/` between the parts.
pub type Seal = BTreeMap<String, String>;

/// Hashes all files of a run except `run.json` and `lock`.
///
/// # Errors
/// [`RunError`] when a file cannot be read.
pub fn seal(folder: &Folder) -> Result<Seal, RunError> {
    let mut seal = Seal::new();
    add(&folder.root, "", &mut seal)?;
    seal.remove("run.json");
    seal.remove("lock");
    Ok(seal)
}

/// Hashes the scene of a run and its meshes.
///
/// # Errors
/// [`RunError`] when a file cannot be read.
pub(crate) fn seal_scene(folder: &Folder) -> Result<Seal, RunError> {
    let mut seal = Seal::new();
    add(&folder.root.join("scene"), "scene/", &mut seal)?;
    Ok(seal)
}

fn add(folder: &Path, prefix: &str, seal: &mut Seal) -> Result<(), RunError> {
    let fail = |error| RunError::new(folder, error);
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(fail)?.is_dir() {
            add(&entry.path(), &format!("{name}/"), seal)?;
        } else {
            seal.insert(name, hash_of(&entry.path())?);
        }
    }
    Ok(())
}

/// Checks that the sealed files are unchanged.
///
/// # Errors
/// [`RunError`] about the first file that is missing, changed or not readable.
pub fn check(folder: &Folder, seal: &Seal) -> Result<(), RunError> {
    for (name, hash) in seal {
        let path = folder.root.join(name);
        if !path.is_file() {
            return Err(RunError::new(&path, Fault::Missing));
        }
        if hash_of(&path)? != *hash {
            return Err(RunError::new(&path, Fault::Edited));
        }
    }
    Ok(())
}

fn hash_of(path: &Path) -> Result<String, RunError> {
    let mut hasher = blake3::Hasher::new();
    let read = File::open(path).and_then(|mut file| std::io::copy(&mut file, &mut hasher));
    read.map_err(|error| RunError::new(path, error))?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_or_missing_file_is_noticed_and_a_new_one_is_not() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path());
        std::fs::create_dir(root.path().join("scene")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(root.path().join(name), text).unwrap();
        write("scene/scene.toml", "gravity = [0, 0, 0]");
        write("frames.bin", "frames");
        write("run.json", "{}");
        let sealed = seal(&folder).unwrap();
        assert_eq!(sealed.keys().collect::<Vec<_>>(), ["frames.bin", "scene/scene.toml"]);
        write("run.json", "{ }");
        write("notes.txt", "mine");
        assert!(check(&folder, &sealed).is_ok());
        write("scene/scene.toml", "gravity = [0, 0, 1]");
        let error = check(&folder, &sealed).unwrap_err();
        assert!(matches!(error.why, Fault::Edited) && error.path.ends_with("scene/scene.toml"), "{error}");
        std::fs::remove_file(root.path().join("frames.bin")).unwrap();
        assert!(matches!(check(&folder, &sealed).unwrap_err().why, Fault::Missing));
    }
}
