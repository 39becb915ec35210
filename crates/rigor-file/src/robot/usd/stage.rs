//! Opening a file with all files that it names.
//!
//! `openusd` asks for files while it composes prims. It cannot borrow [`Files`], so files are given to it by name: whatever it
//! misses is read, and the composition is repeated until nothing is missed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Error, ErrorKind};
use std::path::Path;
use std::rc::Rc;

use openusd::ar::{Asset, ResolvedPath, Resolver};
use openusd::usd::Stage;

use super::super::is_usd;
use super::layer;
use super::prim::Sheet;
use crate::Files;
use crate::error::{Finding, SceneError};

/// Largest number of compositions; each but the last reads at least one more file.
const ROUNDS: usize = 256;

/// Added to the names of resolved files.
const LOOK: &str = ".usd";

/// Files that were read, by path, and those that are wanted.
#[derive(Clone, Default)]
struct FileCache {
    known: Rc<RefCell<BTreeMap<String, Option<Vec<u8>>>>>,
    wanted: Rc<RefCell<BTreeSet<String>>>,
}

impl Resolver for FileCache {
    fn create_identifier(&self, asset_path: &str, anchor: Option<&ResolvedPath>) -> String {
        let folder = anchor.and_then(|anchor| anchor.parent());
        let path = folder.map_or_else(|| Path::new(asset_path).to_owned(), |folder| folder.join(asset_path));
        crate::include::tidy(&path).to_string_lossy().into_owned()
    }

    fn resolve(&self, asset_path: &str) -> Option<ResolvedPath> {
        match self.known.borrow().get(asset_path) {
            // All files are text here, and `.usd` lets `openusd` look at the first bytes.
            Some(Some(_)) => Some(ResolvedPath::new(format!("{asset_path}{LOOK}"))),
            Some(None) => None,
            None => {
                self.wanted.borrow_mut().insert(asset_path.to_owned());
                None
            }
        }
    }

    fn resolve_for_new_asset(&self, _: &str) -> Option<ResolvedPath> {
        None
    }

    fn open_asset(&self, resolved: &ResolvedPath) -> std::io::Result<Box<dyn Asset>> {
        let known = self.known.borrow();
        let path = resolved.to_string_lossy();
        let bytes = path.strip_suffix(LOOK).and_then(|name| known.get(name)).and_then(Option::as_ref);
        let bytes = bytes.ok_or_else(|| Error::from(ErrorKind::NotFound))?;
        Ok(Box::new(Cursor::new(bytes.clone())))
    }
}

/// Returns the checked bytes of a file that another one names, `None` if it does not exist.
fn referenced(path: &Path, files: &dyn Files) -> Result<Option<Vec<u8>>, SceneError> {
    let bytes = match files.read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Finding::of_file(path, format!("the file cannot be read: {error}")).into()),
    };
    layer::check(&bytes).map_err(|why| Finding::of_file(path, why.to_string()))?;
    Ok(Some(bytes))
}

/// Opens the file at `path`.
///
/// # Errors
/// The file cannot be read or parsed.
pub fn open(path: &Path, files: &dyn Files) -> Result<Sheet, SceneError> {
    let name = crate::include::tidy(path).to_string_lossy().into_owned();
    let bytes = crate::read::bytes(path, files).map_err(|why| Finding::of_file(path, why))?;
    layer::check(&bytes).map_err(|why| Finding::of_file(path, why.to_string()))?;
    let shelf = FileCache::default();
    shelf.known.borrow_mut().insert(name.clone(), Some(bytes));
    for _ in 0..ROUNDS {
        let opened = Stage::builder().resolver(shelf.clone()).open(&name);
        let stage = opened.map_err(|error| Finding::of_file(path, format!("not USD: {error:#}")))?;
        let sheet = Sheet::new(stage, path);
        sheet.paths()?;
        let wanted = std::mem::take(&mut *shelf.wanted.borrow_mut());
        if wanted.is_empty() {
            return Ok(sheet);
        }
        for name in wanted {
            let path = Path::new(&name);
            let bytes = if is_usd(path) { referenced(path, files)? } else { None };
            shelf.known.borrow_mut().insert(name, bytes);
        }
    }
    Err(Finding::of_file(path, format!("it names more than {ROUNDS} files in a row")).into())
}
