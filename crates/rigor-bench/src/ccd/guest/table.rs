//! The implementations of others that come with an adapter: how they are installed and started.

use std::path::PathBuf;
use std::sync::LazyLock;

use rigor_file::closest;
use rigor_peers::process::Launch;
use rigor_run::peers;
use serde::Deserialize;

/// An implementation with an adapter.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuestEntry {
    /// Its name on the command line.
    pub name: String,
    /// Its name in text.
    pub title: String,
    /// Its version.
    pub version: String,
    /// The Python environment that has its packages.
    #[serde(default)]
    pub environment: String,
    /// Its adapter in Python; empty if it is part of this program.
    #[serde(default)]
    pub program: String,
    /// Arguments of its adapter or of this program.
    pub arguments: Vec<String>,
    /// The packages that it needs, with their versions.
    #[serde(default)]
    pub requirements: Vec<String>,
    /// How the adapter calls it.
    pub notes: String,
}

/// The version of Python for which the packages are pinned.
const PYTHON: &str = "3.11";

const PROGRAMS: [(&str, &str); 2] = [
    ("rigor_ccd.py", include_str!("../../../guests/rigor_ccd.py")),
    ("ipctk_ccd.py", include_str!("../../../guests/ipctk_ccd.py")),
];

#[derive(Deserialize)]
struct Table {
    guest: Vec<GuestEntry>,
}

static TABLE: LazyLock<Vec<GuestEntry>> = LazyLock::new(|| {
    let text = include_str!("../../../guests/guests.toml");
    let table: Table = toml::from_str(text).expect("the table is a constant, and a test reads it");
    table.guest
});

/// All implementations with an adapter.
pub fn table() -> &'static [GuestEntry] {
    &TABLE
}

/// The entry called `name`.
fn find(name: &str) -> Result<&'static GuestEntry, String> {
    table().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = table().iter().map(|entry| entry.name.as_str()).collect();
        let meant = closest(name, names.iter().copied()).map(|near| format!("; did you mean {near:?}?"));
        format!("there is no guest {name:?}: there are {}{}", names.join(", "), meant.unwrap_or_default())
    })
}

/// The folder of environments and adapters.
fn folder() -> Result<PathBuf, String> {
    let folder = peers::folder().ok_or("the system names no folder for data: set RIGOR_PEERS to a folder")?;
    Ok(folder.join("ccd"))
}

/// Installs the packages of the guest called `name` and returns their folder; `None` if it is part of this program.
///
/// # Errors
/// What to do about it, as a sentence.
pub fn install(name: &str) -> Result<Option<PathBuf>, String> {
    let entry = find(name)?;
    if entry.program.is_empty() {
        return Ok(None);
    }
    let root = folder()?.join(&entry.environment);
    peers::install_environment(&root, PYTHON, &entry.requirements).map_err(|why| why.to_string())?;
    Ok(Some(root))
}

/// How the guest called `name` is started.
///
/// # Errors
/// What to do about it, as a sentence, if it is not installed.
pub fn launch(name: &str) -> Result<Launch, String> {
    let entry = find(name)?;
    if entry.program.is_empty() {
        let program = std::env::current_exe().map_err(|why| format!("this program is not found: {why}"))?;
        let arguments = entry.arguments.iter().map(Into::into).collect();
        return Ok(Launch { program, arguments, variables: Vec::new() });
    }
    let folder = folder()?;
    let python = peers::python_of(&folder.join(&entry.environment), &entry.requirements)
        .ok_or_else(|| format!("`rigor ccd install {name}` installs it"))?;
    let adapters = peers::write_programs(&folder, &PROGRAMS)
        .map_err(|why| format!("its adapter cannot be written to {}: {why}", folder.display()))?;
    Ok(peers::python_launch(python, adapters.join(&entry.program), &entry.arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guest_has_its_adapter_and_pinned_packages() {
        for entry in table() {
            assert!(entry.requirements.iter().all(|line| line.contains("==")), "{}", entry.name);
            let has_program = PROGRAMS.iter().any(|(file, _)| *file == entry.program);
            assert!(has_program || entry.program.is_empty(), "{}", entry.name);
            assert_eq!(has_program, !entry.requirements.is_empty(), "{}", entry.name);
            let environments = table().iter().filter(|other| other.environment == entry.environment);
            assert!(environments.map(|other| &other.requirements).all(|r| *r == entry.requirements));
            assert!(
                entry.requirements.first().is_none_or(|line| line.ends_with(&format!("=={}", entry.version)))
            );
        }
        let error = launch("ipctk-adaptive").unwrap_err();
        assert!(error.contains("did you mean \"ipctk-additive\""), "{error}");
    }
}
