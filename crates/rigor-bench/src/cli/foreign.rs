//! Trajectories of other programs on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rigor_run::Folder;
use rigor_run::adopt::adopt as adopt_run;
use rigor_run::disk::load_scene;
use rigor_run::foreign::{self, Field, Layout, Origin, QuaternionOrder};

use super::CliError;

/// A trajectory of another program, and how to read it.
#[derive(Debug, Args)]
pub struct ForeignArgs {
    /// The trajectory: an .npz or .csv file with times, positions and quaternions of named bodies.
    #[arg(long, requires = "scene", value_name = "FILE")]
    trajectory: Option<PathBuf>,
    /// The scene of the trajectory: a file, or the name of a case.
    #[arg(long, requires = "trajectory")]
    scene: Option<String>,
    /// Change a key of the scene; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "trajectory")]
    overrides: Vec<String>,
    /// The name of a field in the file; fields are time, body, position, quaternion, velocity, angular_velocity.
    #[arg(long, value_name = "FIELD=NAME", requires = "trajectory")]
    map: Vec<String>,
    /// Order of the components of quaternions.
    #[arg(long, value_enum, default_value = "wxyz", requires = "trajectory")]
    quaternion: Components,
    /// The point of a body that positions are of [default: the centre of mass, unless they are called origin or xpos].
    #[arg(long, value_enum, requires = "trajectory")]
    origin: Option<Point>,
    /// What the trajectory is called in tables and reports.
    #[arg(long, default_value = "trajectory", requires = "trajectory")]
    label: String,
    /// Folder in which the trajectory is kept as a run, for reports and comparisons.
    #[arg(long, requires = "trajectory")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Components {
    Wxyz,
    Xyzw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Point {
    /// The centre of mass.
    Centre,
    /// The origin of the author's frame.
    Author,
}

/// The folder of an adopted trajectory; a temporary one is removed at the end.
pub struct ImportedTrajectory {
    root: PathBuf,
    is_temporary: bool,
}

impl ImportedTrajectory {
    /// The folder.
    pub fn root(&self) -> &PathBuf {
        &self.root
    }
}

impl Drop for ImportedTrajectory {
    fn drop(&mut self) {
        if self.is_temporary {
            // What cannot be removed is left to the system.
            let _ = std::fs::remove_dir_all(&self.root);
        }
    }
}

/// Keeps the trajectory that `args` name as a run; `None` if they name none.
///
/// # Errors
/// Scene or trajectory cannot be read, or the folder cannot be written.
pub fn adopt(args: &ForeignArgs) -> Result<Option<ImportedTrajectory>, CliError> {
    let (Some(trajectory), Some(scene)) = (&args.trajectory, &args.scene) else { return Ok(None) };
    let loaded = load_scene(scene, &args.overrides)?;
    let foreign = foreign::read(trajectory, &loaded.scene, &layout(args)?)
        .map_err(|error| CliError::new(error.to_string()))?;
    let temporary = || std::env::temp_dir().join(format!("rigor-trajectory-{}", std::process::id()));
    let adopted = ImportedTrajectory {
        root: args.out.clone().unwrap_or_else(temporary),
        is_temporary: args.out.is_none(),
    };
    let record = adopt_run(&foreign, &loaded, &args.label, &Folder::new(&adopted.root))
        .map_err(|error| CliError::new(error.to_string()))?;
    warn(&record.warnings);
    Ok(Some(adopted))
}

#[allow(clippy::print_stderr, reason = "warnings go to standard error")]
fn warn(warnings: &[String]) {
    warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
}

fn layout(args: &ForeignArgs) -> Result<Layout, CliError> {
    let mut layout = Layout {
        order: if args.quaternion == Components::Wxyz {
            QuaternionOrder::ScalarFirst
        } else {
            QuaternionOrder::ScalarLast
        },
        origin: args.origin.map(|point| match point {
            Point::Centre => Origin::CentreOfMass,
            Point::Author => Origin::Author,
        }),
        ..Layout::default()
    };
    for text in &args.map {
        let known = || Field::ALL.map(Field::word).join(", ");
        let wrong = || CliError::new(format!("--map {text}: write FIELD=NAME; fields are {}", known()));
        let (word, name) = text.split_once('=').ok_or_else(wrong)?;
        let field = Field::ALL.into_iter().find(|field| field.word() == word).ok_or_else(wrong)?;
        layout.names.insert(field, name.to_owned());
    }
    Ok(layout)
}
