//! The files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file and its path relative to the root, with forward slashes.
pub struct Text {
    pub path: String,
    pub text: String,
}

/// Returns the folder with the workspace's `Cargo.toml`.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the tests lie one level below the root").to_path_buf()
}

/// Reads one file.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Returns the paths of the files under `folder` whose names end in `.extension`, sorted.
pub fn paths(folder: &str, extension: &str) -> Vec<String> {
    let mut paths = Vec::new();
    collect(&root().join(folder), extension, &mut paths);
    paths.sort();
    let relative = |p: &PathBuf| {
        let parts = p.strip_prefix(root()).expect("it was found below the root").iter();
        parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    paths.iter().map(relative).collect()
}

/// Reads the files under `folder` whose names end in `.extension`, sorted by path.
pub fn texts(folder: &str, extension: &str) -> Vec<Text> {
    paths(folder, extension).into_iter().map(|path| Text { text: read(&path), path }).collect()
}

/// Reads every source file of the crates, the tests and the benchmarks.
pub fn sources() -> Vec<Text> {
    ["crates", "tests", "benchmarks"].iter().flat_map(|folder| texts(folder, "rs")).collect()
}

/// Reads every document: `docs`, those of the crates, and the files at the root.
pub fn documents() -> Vec<Text> {
    let mut documents = texts("docs", "md");
    documents.extend(texts("crates", "md"));
    for path in ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"] {
        documents.push(Text { path: path.into(), text: read(path) });
    }
    documents
}

fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder that opens can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" {
            collect(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}
