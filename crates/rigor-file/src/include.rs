//! `include`: other scene files, read first and merged.

use std::path::{Component, Path, PathBuf};

use super::Files;
use super::error::SceneError;
use super::read::{self, MAX_BYTES};
use super::tree::{Entry, KeyPath, Node, Table, Tree, Value};

/// Maximum number of files of one scene.
const MAX_FILES: usize = 64;

/// Arrays of the root table to which an including file appends.
const APPENDED: [&str; 11] = [
    "body",
    "particle",
    "rope",
    "cloth",
    "soft",
    "fluid",
    "bond",
    "attachment",
    "joint",
    "contact_free",
    "expect",
];

/// Replaces `include` in the root table by the content of the files that it names.
///
/// # Errors
/// A file that cannot be read, a file that includes itself, too many files, or too many bytes.
pub fn expand(tree: Tree, files: &dyn Files) -> Result<Tree, SceneError> {
    let path = tidy(tree.name());
    let mut expansion = Expansion { files, open: vec![path], n_files: 1, n_bytes: length(&tree) };
    expansion.expand(tree)
}

struct Expansion<'a> {
    files: &'a dyn Files,
    /// The files being read, the outermost first.
    open: Vec<PathBuf>,
    n_files: usize,
    n_bytes: usize,
}

impl Expansion<'_> {
    fn expand(&mut self, mut tree: Tree) -> Result<Tree, SceneError> {
        let Some(included) = included(&tree) else { return Ok(tree) };
        let mut merged = Table::new();
        for (i, name) in included.iter().enumerate() {
            let at = KeyPath::default().join("include").join(i);
            let mut inner = self.include(&tree, &at, name)?;
            rebase_meshes(&mut inner.root, Path::new(name).parent().unwrap_or(Path::new("")));
            inner.root.renumber(tree.texts.len());
            tree.texts.append(&mut inner.texts);
            merge_root(&mut merged, inner.root.value);
        }
        if let Value::Table(table) = &mut tree.root.value {
            table.remove("include");
        }
        merge_root(&mut merged, std::mem::replace(&mut tree.root.value, Value::Null));
        tree.root.value = Value::Table(merged);
        Ok(tree)
    }

    fn include(&mut self, tree: &Tree, at: &KeyPath, name: &str) -> Result<Tree, SceneError> {
        let refuse = |message: String| -> SceneError { tree.finding(at, message).into() };
        let path = tidy(&tree.name().parent().unwrap_or(Path::new("")).join(name));
        if let Some(first) = self.open.iter().position(|open| *open == path) {
            let cycle: Vec<_> =
                self.open[first..].iter().chain([&path]).map(|p| p.display().to_string()).collect();
            return Err(refuse(format!("the include is cyclic: {}", cycle.join(" → "))));
        }
        if self.n_files == MAX_FILES {
            return Err(refuse(format!("the scene has more than {MAX_FILES} files")));
        }
        let bytes = read::bytes(&path, self.files)
            .map_err(|why| refuse(format!("cannot include {}: {why}", path.display())))?;
        self.n_bytes += bytes.len();
        if self.n_bytes > MAX_BYTES {
            return Err(read::too_long(tree.name(), self.n_bytes).into());
        }
        self.n_files += 1;
        let inner = read::tree(&path, bytes)?;
        self.open.push(path);
        let inner = self.expand(inner);
        self.open.pop();
        inner
    }
}

fn length(tree: &Tree) -> usize {
    tree.texts.iter().map(|text| text.text.len()).sum()
}

/// Returns the names under `include`; `None` if there are none, or if they are not strings, which the
/// document rejects later.
fn included(tree: &Tree) -> Option<Vec<String>> {
    let items = tree.root.get("include")?.items()?;
    let names: Option<Vec<_>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    names.filter(|names| !names.is_empty())
}

fn merge_root(base: &mut Table, top: Value) {
    let Value::Table(top) = top else { return };
    for (key, entry) in top {
        match (base.get_mut(&key).map(|e| &mut e.node.value), entry) {
            (Some(Value::Array(below)), Entry { node: Node { value: Value::Array(above), .. }, .. })
                if APPENDED.contains(&key.as_str()) =>
            {
                below.extend(above);
            }
            (Some(Value::Table(below)), Entry { node: Node { value: Value::Table(above), .. }, .. }) => {
                merge(below, above);
            }
            (_, entry) => {
                base.insert(key, entry);
            }
        }
    }
}

/// Replaces values of `base` by those of `top`; tables are merged.
fn merge(base: &mut Table, top: Table) {
    for (key, entry) in top {
        match (base.get_mut(&key).map(|e| &mut e.node.value), entry) {
            (Some(Value::Table(below)), Entry { node: Node { value: Value::Table(above), .. }, .. }) => {
                merge(below, above);
            }
            (_, entry) => {
                base.insert(key, entry);
            }
        }
    }
}

/// Makes the mesh paths of an included file in `folder` relative to the file that includes it.
fn rebase_meshes(root: &mut Node, folder: &Path) {
    for body in items_mut(root, "body") {
        for shape in items_mut(body, "shape") {
            let file = entry_mut(shape, "mesh").and_then(|mesh| entry_mut(mesh, "file"));
            if let Some(Node { value: Value::String(file), .. }) = file {
                *file = with_slashes(&tidy(&folder.join(&*file)));
            }
        }
    }
}

fn entry_mut<'a>(node: &'a mut Node, key: &str) -> Option<&'a mut Node> {
    match &mut node.value {
        Value::Table(table) => table.get_mut(key).map(|entry| &mut entry.node),
        _ => None,
    }
}

fn items_mut<'a>(node: &'a mut Node, key: &str) -> impl Iterator<Item = &'a mut Node> {
    let items = match entry_mut(node, key).map(|node| &mut node.value) {
        Some(Value::Array(items)) => Some(items),
        _ => None,
    };
    items.into_iter().flatten()
}

/// Returns `path` without `.`, and without `..` wherever it follows a folder.
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match (component, tidied.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                tidied.pop();
            }
            _ => tidied.push(component),
        }
    }
    tidied
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}
