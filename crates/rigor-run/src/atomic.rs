//! Files that are complete or not there, also when several processes write one at the same time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns a path beside `path` that no other writer has: its name ends in `.part`.
pub(crate) fn part(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("{}-{count}.part", std::process::id()))
}

/// Writes a file under another name and then renames it, so that a reader sees the old file or the whole new
/// one, and a full disk leaves the old one.
///
/// # Errors
/// Those of the file system.
pub fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let part = part(path);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The cause is the error above: a part that stays is only waste.
        drop(fs::remove_file(&part));
    }
    written
}

/// Removes the parts that killed writers left in `folder`, which no other process may be writing.
///
/// # Errors
/// Those of the file system.
pub(crate) fn remove_parts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "part") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_of_one_file_at_the_same_time_leave_one_of_their_files_and_no_parts() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("plan.toml");
        let texts = ["a".repeat(1 << 16), "b".repeat(1 << 16)];
        let write = |text: &String| (0..100).for_each(|_| write_whole(&path, text).unwrap());
        std::thread::scope(|scope| {
            scope.spawn(|| write(&texts[0]));
            scope.spawn(|| write(&texts[1]));
        });
        assert!(texts.contains(&fs::read_to_string(&path).unwrap()));
        assert_eq!(fs::read_dir(here.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_replaced_leaves_no_part() {
        let here = tempfile::tempdir().unwrap();
        let folder = here.path().join("taken.json");
        fs::create_dir_all(folder.join("full")).unwrap();
        assert!(write_whole(&folder, "text").is_err());
        assert_eq!(fs::read_dir(here.path()).unwrap().count(), 1);
    }
}
