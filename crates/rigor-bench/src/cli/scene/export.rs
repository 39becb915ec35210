//! `rigor scene export`.

use std::path::{Path, PathBuf};

use clap::Args;
use rigor_file::{Loaded, export};
use rigor_run::disk::load_scene;
use serde_json::json;

use super::super::{CliError, Exit, print, print_json};

/// Write a scene and its meshes in the native format, with includes merged and other formats converted.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor scene export erleben/wedges --out my/scenes
  rigor scene export fixtures/chain.json --set time.dt=0.001 --out chain

WRITES
  NAME.toml, where NAME is the last part of the scene's name after `/`, and meshes/*.obj.
  Loading NAME.toml gives the same scene, bit for bit.")]
pub struct ExportArgs {
    /// A scene file, or the name of a case.
    scene: String,
    /// Folder for the files, created if necessary.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Change a key of the scene first, e.g. `body.box.friction=0.3`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
    /// Print the paths of the files as JSON.
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &ExportArgs) -> Result<Exit, CliError> {
    let loaded = load_scene(&args.scene, &args.overrides)?;
    let paths = write_all(&loaded, &args.out, args.force)?;
    if args.json {
        print_json(&json!({ "files": paths }))?;
    } else {
        print(&format!("{}\n", paths.join("\n")))?;
    }
    Ok(Exit::Ok)
}

/// Writes a scene and its meshes, and returns the paths of the files, that of the scene first.
///
/// # Errors
/// A file exists already and `force` is not set, or a file cannot be written.
pub fn write_all(loaded: &Loaded, folder: &Path, force: bool) -> Result<Vec<String>, CliError> {
    let files = files(loaded, folder)?;
    if !force {
        refuse_to_overwrite(&files)?;
    }
    files.iter().try_for_each(|(path, bytes)| write(path, bytes))?;
    Ok(files.iter().map(|(path, _)| path.display().to_string()).collect())
}

/// Returns paths and contents of the scene file and its meshes, in that order.
fn files(loaded: &Loaded, folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, CliError> {
    let exported = export(loaded).map_err(|error| CliError::new(error.to_string()))?;
    let scene = (format!("{}.toml", stem(&loaded.scene.name)), exported.scene.into_bytes());
    let named = std::iter::once(scene).chain(exported.meshes);
    Ok(named.map(|(name, bytes)| (folder.join(name), bytes)).collect())
}

/// Returns the last part of a scene's name after `/`, reduced to characters that are safe in a file name.
///
/// It is never empty, has at most 100 characters and no leading dot, so that it cannot name another folder.
fn stem(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    let plain: String = last
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' })
        .take(100)
        .collect();
    let stem = plain.trim_start_matches('.');
    if stem.is_empty() { "scene".to_owned() } else { stem.to_owned() }
}

fn refuse_to_overwrite(files: &[(PathBuf, Vec<u8>)]) -> Result<(), CliError> {
    match files.iter().find(|(path, _)| path.exists()) {
        Some((path, _)) => {
            Err(CliError::new(format!("{} exists already; nothing was written", path.display()))
                .with_help("--force overwrites it"))
        }
        None => Ok(()),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).map_err(|error| CliError::file(folder, "made", &error))?;
    std::fs::write(path, bytes).map_err(|error| CliError::file(path, "written", &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        assert_eq!(stem("erleben/wedges"), "wedges");
        assert_eq!(stem("friction/incline-mu-0.49"), "incline-mu-0.49");
        assert_eq!(stem("../.."), "scene");
        assert_eq!(stem("a\\..\\b: c"), "a_.._b__c");
    }
}
