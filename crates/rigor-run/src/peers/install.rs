//! Installation of an engine: a Python environment with pinned packages, by uv or else by venv and pip.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use rigor_file::closest;
use rigor_peers::engine::{self, System};

use super::{Environment, folder, installable, remedy, write_adapters};
use crate::atomic::write_whole;

/// Why an engine was not installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// No engine has this name.
    #[error("there is no engine {name:?}; those that can be installed are {}{}", names().join(", "), suggestion.as_ref().map_or(String::new(), |s| format!(" (did you mean {s:?}?)")))]
    Unknown {
        /// The name.
        name: String,
        /// A similar name, if there is one.
        suggestion: Option<&'static str>,
    },
    /// The engine cannot be had.
    #[error("{name} cannot be installed: {why}")]
    Absent {
        /// The engine.
        name: String,
        /// Why.
        why: String,
    },
    /// The engine is part of the program.
    #[error("{name} is no program of its own: {remedy}")]
    Inside {
        /// The engine.
        name: String,
        /// What to do.
        remedy: String,
    },
    /// There is no folder for engines.
    #[error("the system names no folder for data: set RIGOR_PEERS to a folder for engines")]
    NoFolder,
    /// A file or folder cannot be written or removed.
    #[error("{} cannot be written: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Neither uv nor a suitable Python was found.
    #[error("neither uv nor Python {version} was found: install one of them")]
    NoPython {
        /// The version that the engine needs.
        version: String,
    },
    /// The operating system lacks the packages of the engine.
    #[error(
        "{name} comes as packages of the operating system: install {packages} (Debian: apt install {packages}), then repeat"
    )]
    NoPackages {
        /// The engine.
        name: String,
        /// The packages.
        packages: String,
    },
    /// A command failed.
    #[error("`{command}` failed: {last_words}")]
    Failed {
        /// The command.
        command: String,
        /// The last lines that it wrote.
        last_words: String,
    },
}

/// Installs the engine called `name`, or that of the package `name`, with its pinned packages, and returns its folder;
/// one that is installed is left as it is.
///
/// # Errors
/// [`InstallError`]; what was installed of it is removed by the next attempt.
pub fn install(name: &str) -> Result<PathBuf, InstallError> {
    let unknown = || InstallError::Unknown { name: name.to_owned(), suggestion: closest(name, names()) };
    let of_package = || engine::table().iter().find(|engine| engine.package == name);
    let engine = engine::find(name).or_else(of_package).ok_or_else(unknown)?;
    if let Some(why) = &engine.absent {
        return Err(InstallError::Absent { name: name.to_owned(), why: why.clone() });
    }
    if let Some(inside) = engine.inside() {
        return Err(InstallError::Inside { name: name.to_owned(), remedy: remedy(inside) });
    }
    let adapter = engine.adapter().ok_or_else(unknown)?;
    let folder = folder().ok_or(InstallError::NoFolder)?;
    let environment = Environment::of(&folder, engine, adapter);
    fill(&environment, |root| match &environment.system {
        None => make_environment(root, &engine.python),
        Some(system) => make_environment_of_system(root, name, system),
    })?;
    write_adapters(&folder).map_err(|source| InstallError::Write { path: folder.clone(), source })?;
    Ok(environment.root)
}

/// Makes a Python environment in `root` with Python of this version and pinned packages, and returns its interpreter; one that is
/// complete is left as it is.
///
/// # Errors
/// [`InstallError`]; what was installed of it is removed by the next attempt.
pub fn install_environment(
    root: &Path,
    version: &str,
    requirements: &[String],
) -> Result<PathBuf, InstallError> {
    let environment = Environment::in_folder(root, requirements);
    fill(&environment, |root| make_environment(root, version))?;
    Ok(environment.python())
}

/// Makes an environment by `make` and installs its packages, unless it is complete.
fn fill(
    environment: &Environment,
    make: impl FnOnce(&Path) -> Result<(), InstallError>,
) -> Result<(), InstallError> {
    let root = &environment.root;
    if environment.is_complete() {
        return Ok(());
    }
    let write = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Write { path, source }
    };
    if root.exists() {
        fs::remove_dir_all(root).map_err(write(root))?;
    }
    if let Some(folder) = root.parent() {
        fs::create_dir_all(folder).map_err(write(folder))?;
    }
    make(root)?;
    let list = root.join("requirements.txt");
    write_whole(&list, &environment.requirements).map_err(write(&list))?;
    add_packages(&environment.python(), &list)?;
    write_whole(&environment.mark(), &environment.requirements).map_err(write(root))
}

fn names() -> Vec<&'static str> {
    installable().map(|engine| engine.name.as_str()).collect()
}

/// Makes an empty environment with Python of this version.
fn make_environment(root: &Path, version: &str) -> Result<(), InstallError> {
    if has_uv() {
        let (uv, root) = (OsStr::new("uv"), root.as_os_str());
        return run(uv, &["venv".as_ref(), "--python".as_ref(), version.as_ref(), root]);
    }
    let exact = format!("python{version}");
    let is_right = |program: &&str| python_version(program).as_deref() == Some(version);
    let Some(python) = [exact.as_str(), "python3", "python"].into_iter().find(is_right) else {
        return Err(InstallError::NoPython { version: version.to_owned() });
    };
    run(python.as_ref(), &["-m".as_ref(), "venv".as_ref(), root.as_os_str()])
}

/// Makes an environment of the operating system's Python that sees its packages.
fn make_environment_of_system(root: &Path, name: &str, system: &System) -> Result<(), InstallError> {
    let missing = InstallError::NoPackages { name: name.to_owned(), packages: system.packages.clone() };
    let (python, import) = (OsStr::new(&system.python), format!("import {}", system.module));
    run(python, &["-c".as_ref(), import.as_ref()]).map_err(|_| missing)?;
    if has_uv() {
        let words = ["venv", "--system-site-packages", "--python", system.python.as_str()].map(OsStr::new);
        return run("uv".as_ref(), &[&words[..], &[root.as_os_str()]].concat());
    }
    let words = ["-m", "venv", "--system-site-packages"].map(OsStr::new);
    run(python, &[&words[..], &[root.as_os_str()]].concat())
}

fn add_packages(python: &Path, list: &Path) -> Result<(), InstallError> {
    let (python, list) = (python.as_os_str(), list.as_os_str());
    if has_uv() {
        let words = ["pip", "install", "--python"].map(OsStr::new);
        return run("uv".as_ref(), &[&words[..], &[python, "-r".as_ref(), list]].concat());
    }
    let words = ["-m", "pip", "install", "--disable-pip-version-check", "-r"].map(OsStr::new);
    run(python, &[&words[..], &[list]].concat())
}

fn has_uv() -> bool {
    Command::new("uv").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Returns major and minor version of a Python, such as `3.11`; `None` if there is none.
fn python_version(program: &str) -> Option<String> {
    let code = "import sys; print('%d.%d' % sys.version_info[:2])";
    let output = Command::new(program).args(["-c", code]).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn run(program: &OsStr, arguments: &[&OsStr]) -> Result<(), InstallError> {
    let failed = |last_words: String| {
        let words = std::iter::once(program).chain(arguments.iter().copied());
        let command: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        InstallError::Failed { command: command.join(" "), last_words }
    };
    let output = Command::new(program).args(arguments).output().map_err(|why| failed(why.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(failed(lines[lines.len().saturating_sub(5)..].join(" | ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_cannot_be_installed_say_why() {
        let error = install("mujocco").unwrap_err().to_string();
        assert!(error.contains("did you mean \"mujoco\""), "{error}");
        let error = install("chrono").unwrap_err().to_string();
        assert!(error.starts_with("chrono cannot be installed: no package"), "{error}");
        let error = install("box3d").unwrap_err().to_string();
        assert!(error.contains("--features box3d"), "{error}");
    }

    #[test]
    fn a_command_that_fails_says_its_last_words() {
        let error = run("rigor-no-such-program".as_ref(), &["a".as_ref()]).unwrap_err().to_string();
        assert!(error.starts_with("`rigor-no-such-program a` failed: "), "{error}");
    }
}
