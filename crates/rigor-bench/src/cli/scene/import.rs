//! `rigor scene import`.

use std::path::PathBuf;

use clap::Args;
use rigor_file::robot::{self, Dropped, Entry, Grade, Place};
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
    /// Let the root of a URDF file move although it has no mass.
    #[arg(long, conflicts_with = "fixed_base")]
    free_base: bool,
    /// Fail, and write nothing, if what was left out changes the physics.
    #[arg(long)]
    strict: bool,
    /// Start in the posture of this `key` of a MJCF file: its name, or its number from 0.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
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
    let base = match (args.fixed_base, args.free_base) {
        (true, _) => robot::Base::Fixed,
        (false, true) => robot::Base::Free,
        (false, false) => robot::Base::ByMass,
    };
    let options = robot::Options { base, key: args.key.clone() };
    let (loaded, dropped) =
        robot::load_robot(&args.robot, &Disk, &load_options, options).map_err(DiskError::from)?;
    let entries = robot::account(&dropped);
    let n_physics = entries.iter().filter(|entry| entry.grade == Grade::Physics).count();
    let is_refused = args.strict && n_physics > 0;
    let paths = if is_refused { vec![] } else { export::write_all(&loaded, &args.out, args.force)? };
    if args.json {
        let list: Vec<_> = dropped.iter().map(as_json).collect();
        let told: Vec<&str> = loaded.warnings.iter().map(|warning| warning.message.as_str()).collect();
        print_json(&json!({ "files": paths, "dropped": list, "warnings": told }))?;
    } else {
        let told: String =
            loaded.warnings.iter().map(|warning| format!("warning: {}\n", warning.message)).collect();
        let end = match paths.first() {
            Some(path) => format!("{}\n{path}", summary(&loaded, n_physics)),
            None => format!("refused: {n_physics} entries change the physics; nothing was written"),
        };
        print(&format!("{}{told}{end}\n", listed(&entries)))?;
    }
    Ok(if is_refused { Exit::Failed } else { Exit::Ok })
}

fn as_json(dropped: &Dropped) -> serde_json::Value {
    let file = dropped.file.display().to_string();
    let (key, place) = match &dropped.place {
        Place::Line(line) => ("line", json!(line)),
        Place::Prim(path) => ("prim", json!(path)),
    };
    json!({ "file": file, key: place, "what": dropped.what, "why": dropped.why, "grade": dropped.grade().name() })
}

/// The account, the most serious entries first; those of other files than the robot's name them.
fn listed(entries: &[Entry<'_>]) -> String {
    let first = entries.first().map(|entry| entry.file);
    let line = |entry: &Entry<'_>| {
        if Some(entry.file) == first {
            format!("{entry}\n")
        } else {
            format!("{}: {entry}\n", entry.file.display())
        }
    };
    entries.iter().map(line).collect()
}

/// What became of the robot, in a line.
fn summary(loaded: &Loaded, n_physics: usize) -> String {
    let scene = &loaded.scene;
    let mass: f64 = scene
        .bodies
        .iter()
        .filter(|body| body.is_dynamic())
        .map(|body| body.mass)
        .fold(0.0, |sum, mass| sum + mass);
    let (bodies, joints) = (scene.bodies.len(), scene.joints.len());
    format!(
        "bodies: {bodies}, joints: {joints}, moving mass: {mass:.4} kg; {n_physics} entries change the physics"
    )
}
