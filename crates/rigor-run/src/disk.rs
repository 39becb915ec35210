//! Loading of scenes from files or from the case library.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rigor_audit::Figure;
use rigor_file::cases;
use rigor_file::{Files, Finding, LoadOptions, Loaded, SceneError, closest, load};
use rigor_scene::Expectation;

use crate::folder::Folder;
use crate::registry::{self, RegistryError};

/// The file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Disk;

/// An error in loading a scene.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DiskError {
    /// The scene file is invalid.
    #[error(transparent)]
    Scene {
        /// The mistake and its place.
        #[from]
        source: SceneError,
    },
    /// The argument names a folder.
    #[error("{argument:?} is a folder")]
    Folder {
        /// The argument.
        argument: String,
    },
    /// The argument names neither a file nor a case.
    #[error("there is no file {argument:?}, and no case of that name")]
    Nothing {
        /// The argument.
        argument: String,
        /// A case with a similar name, if there is one.
        meant: Option<&'static str>,
    },
    /// A change names a method that does not exist, or a setting that it does not have.
    #[error(transparent)]
    Setting {
        /// The mistake.
        #[from]
        source: RegistryError,
    },
    /// The folder of a run does not contain the scene.
    #[error("{} is missing: the run cannot be used without its scene", path.display())]
    NoScene {
        /// The missing file.
        path: PathBuf,
    },
}

/// Maximum size of a file (bytes), so that a path such as `/dev/zero` cannot exhaust memory.
pub const MAX_BYTES: u64 = 1 << 30;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        check_kind(path)?;
        let bytes = read_at_most(MAX_BYTES, &mut File::open(path)?)?;
        #[cfg(feature = "usd")]
        let bytes = crate::binary_usd::as_text(path, bytes)?;
        Ok(bytes)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    }
}

/// Checks that opening the file ends: a pipe with a name waits for a writer. Those under `/dev` belong to the shell.
fn check_kind(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() || path.starts_with("/dev") {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is neither a file nor a folder"))
}

fn read_at_most(limit: u64, source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if source.take(limit + 1).read_to_end(&mut bytes)? as u64 > limit {
        let why = format!("it is longer than {} MiB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// Loads the scene that `argument` names: the file at that path if there is one, else a case of the library.
///
/// `overrides` are changes such as `body.box.friction=0.5`, applied before the file is interpreted.
///
/// # Errors
/// There is neither a file nor a case (the error suggests a similar case), the scene file is invalid, an
/// expectation names a figure or a method that does not exist, or a change does so, or a setting that the method does not have.
///
/// ```
/// use rigor_run::disk::load_scene;
/// let loaded = load_scene("erleben/wedges", &["time.dt=0.005".to_owned()])?;
/// assert_eq!(loaded.scene.time.dt, 0.005);
/// # Ok::<(), rigor_run::disk::DiskError>(())
/// ```
pub fn load_scene(argument: &str, overrides: &[String]) -> Result<Loaded, DiskError> {
    overrides.iter().try_for_each(|line| registry::check_change(line))?;
    let options = LoadOptions { overrides: overrides.to_vec(), mesh_folders: vec![] };
    let path = Path::new(argument);
    let loaded = if path.exists() && !path.is_dir() {
        load(path, &Disk, &options)?
    } else {
        let case = cases::find(argument).ok_or_else(|| no_scene(argument))?;
        load(Path::new(case), &cases::files(), &options)?
    };
    match loaded.scene.expectations.iter().enumerate().find_map(unknown) {
        Some((key, message, help)) => {
            let finding = Finding::of_file(argument, message).with_key(key).with_help(help);
            Err(DiskError::Scene { source: finding.into() })
        }
        None => Ok(loaded),
    }
}

/// Returns key, message and advice for an expectation that no run can meet because its figure or method does
/// not exist.
fn unknown((i, expectation): (usize, &Expectation)) -> Option<(String, String, String)> {
    let figure = &expectation.figure;
    if Figure::named(figure).is_none() {
        let meant = closest(figure, rigor_audit::figures().map(|other| other.name));
        let hint = meant.map_or(String::new(), |name| format!("did you mean `{name}`? "));
        let help = format!("{hint}docs/figures.md lists all figures");
        return Some((format!("expect[{i}].figure"), format!("there is no figure `{figure}`"), help));
    }
    let wrong = expectation.methods.iter().find_map(|method| registry::find(method).err())?;
    Some((format!("expect[{i}].methods"), wrong.to_string(), "leave `methods` out for all methods".into()))
}

/// Loads the scene of a run from the folder of the run.
///
/// # Errors
/// The scene file is missing or invalid.
pub fn load_run(folder: &Folder) -> Result<Loaded, DiskError> {
    let path = folder.scene();
    if !path.is_file() {
        return Err(DiskError::NoScene { path });
    }
    Ok(load(&path, &Disk, &LoadOptions::default())?)
}

fn no_scene(argument: &str) -> DiskError {
    if Path::new(argument).is_dir() {
        return DiskError::Folder { argument: argument.to_owned() };
    }
    DiskError::Nothing { argument: argument.to_owned(), meant: nearest_case(argument) }
}

/// Returns the case whose name, or whose last part of the name after `/`, is most similar to `argument`.
///
/// `None` if no case is similar.
fn nearest_case(argument: &str) -> Option<&'static str> {
    let spellings = |name: &'static str| [name, name.rsplit('/').next().unwrap_or(name)];
    let meant = closest(argument.trim_end_matches(".toml"), cases::names().flat_map(spellings))?;
    cases::names().find(|name| spellings(name).contains(&meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_stops_just_past_the_limit() {
        assert_eq!(read_at_most(4, &mut &b"1234"[..]).unwrap(), b"1234");
        let error = read_at_most(4, &mut io::repeat(0)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn slips_of_the_pen_are_understood() {
        assert_eq!(nearest_case("erleben/wegdes"), Some("erleben/wedges"));
        assert_eq!(nearest_case("wedges"), Some("erleben/wedges"));
        assert_eq!(nearest_case("newton-cradle.toml"), Some("newtons-cradle"));
        assert_eq!(nearest_case("qqq"), None);
    }

    #[test]
    fn a_folder_is_no_scene() {
        let error = load_scene(env!("CARGO_MANIFEST_DIR"), &[]).unwrap_err();
        assert!(error.to_string().contains("is a folder"), "{error}");
    }
}
