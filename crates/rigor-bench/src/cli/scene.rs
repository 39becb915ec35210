//! `rigor scene`.

mod check;
mod corpus;
mod export;
mod import;
mod list;
#[cfg(feature = "usd")]
mod usd_text;

use clap::{Args, Subcommand};

use super::{CliError, Exit, print_json};

/// Arguments of `rigor scene`.
#[derive(Debug, Args)]
pub struct SceneArgs {
    #[command(subcommand)]
    command: SceneCommand,
}

#[derive(Debug, Subcommand)]
enum SceneCommand {
    /// List the cases that come with the program.
    List(list::ListArgs),
    /// Check that scenes are valid and that no bodies intersect at the start; or all meshes, robots and scenes of a folder.
    Check(check::CheckArgs),
    /// Write a scene and its meshes in the native format, with includes merged and other formats converted.
    Export(export::ExportArgs),
    /// Translate a robot in URDF or MJCF, or a scene in USD, and list what was left out.
    Import(import::ImportArgs),
    /// Print the JSON schema of scene files.
    Schema,
    #[cfg(feature = "usd")]
    UsdText(usd_text::UsdTextArgs),
}

/// Runs a subcommand of `rigor scene`.
///
/// # Errors
/// A scene cannot be loaded, or a file cannot be written.
pub fn execute(args: &SceneArgs) -> Result<Exit, CliError> {
    match &args.command {
        SceneCommand::List(args) => list::execute(args),
        SceneCommand::Check(args) => check::execute(args),
        SceneCommand::Export(args) => export::execute(args),
        SceneCommand::Import(args) => import::execute(args),
        SceneCommand::Schema => print_json(&rigor_file::schema()).map(|()| Exit::Ok),
        #[cfg(feature = "usd")]
        SceneCommand::UsdText(args) => usd_text::execute(args),
    }
}
