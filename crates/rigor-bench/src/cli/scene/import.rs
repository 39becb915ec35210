//! `rigor scene import`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use rigor_file::robot::{self, Dropped, Place};
use rigor_file::{LoadOptions, Loaded};
use rigor_run::disk::{Disk, DiskError};
use serde_json::json;

use super::super::{CliError, Exit, print, print_json};
use super::export;

/// Translate a robot in URDF or MJCF, or a scene in USD, and list what was left out.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor scene import arm.urdf --out my/arm
  rigor scene import humanoid.xml --out my/humanoid --set time.dt=0.001
  rigor run my/arm/arm.toml --method xpbd --out out/arm

WRITES
  NAME.toml, where NAME is the name of the robot, and meshes/*.obj.
  `rigor run arm.urdf` and other commands read such a file directly, too.")]
pub struct ImportArgs {
    /// A file in URDF (`robot`), MJCF (`mujoco`) or, in a program built with `--features usd`, USD (.usd, .usda, .usdc).
    robot: PathBuf,
    /// Folder for the files, created if necessary.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Fix the root of a URDF file to the world although it has a mass.
    #[arg(long)]
    fixed_base: bool,
    /// Change a key of the scene, e.g. `time.dt=0.001`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
    /// Print the paths of the files, what was left out and warnings about the scene as JSON.
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &ImportArgs) -> Result<Exit, CliError> {
    let load_options = LoadOptions { overrides: args.overrides.clone(), mesh_folders: vec![] };
    let options = robot::Options { fixed_base: args.fixed_base };
    let (loaded, dropped) =
        robot::load_robot(&args.robot, &Disk, &load_options, options).map_err(DiskError::from)?;
    let paths = export::write_all(&loaded, &args.out, args.force)?;
    if args.json {
        let list: Vec<_> = dropped.iter().map(as_json).collect();
        let told: Vec<&str> = loaded.warnings.iter().map(|warning| warning.message.as_str()).collect();
        print_json(&json!({ "files": paths, "dropped": list, "warnings": told }))?;
    } else {
        let told: String =
            loaded.warnings.iter().map(|warning| format!("warning: {}\n", warning.message)).collect();
        print(&format!("{}{told}{}\n{}\n", listed(&args.robot, &dropped), summary(&loaded), paths[0]))?;
    }
    Ok(Exit::Ok)
}

fn as_json(dropped: &Dropped) -> serde_json::Value {
    let file = dropped.file.display().to_string();
    let (key, place) = match &dropped.place {
        Place::Line(line) => ("line", json!(line)),
        Place::Prim(path) => ("prim", json!(path)),
    };
    json!({ "file": file, key: place, "what": dropped.what, "why": dropped.why })
}

/// What became of the robot, in a line.
fn summary(loaded: &Loaded) -> String {
    let scene = &loaded.scene;
    let mass: f64 = scene
        .bodies
        .iter()
        .filter(|body| body.is_dynamic())
        .map(|body| body.mass)
        .fold(0.0, |sum, mass| sum + mass);
    format!("bodies: {}, joints: {}, moving mass: {mass:.3} kg", scene.bodies.len(), scene.joints.len())
}

/// What was left out: one line per element, attribute or property and reason, with its lines or prims in the file.
fn listed(robot: &Path, dropped: &[Dropped]) -> String {
    let mut groups: BTreeMap<(&Path, &str, &str), Vec<&Place>> = BTreeMap::new();
    for d in dropped {
        groups.entry((d.file.as_path(), d.why.as_str(), d.what.as_str())).or_default().push(&d.place);
    }
    let line = |((file, why, what), places): (&(&Path, &str, &str), &Vec<&Place>)| {
        let elsewhere = if *file == robot { String::new() } else { format!(" of {}", file.display()) };
        let named = |place: &&Place| match place {
            Place::Line(line) => line.to_string(),
            Place::Prim(path) => path.clone(),
        };
        let list: Vec<String> = places.iter().map(named).collect();
        let word = match places.as_slice() {
            [Place::Line(_)] => "line ",
            [Place::Line(_), ..] => "lines ",
            _ => "",
        };
        format!("left out: {what}: {why} ({word}{}{elsewhere})\n", list.join(", "))
    };
    groups.iter().map(line).collect()
}
