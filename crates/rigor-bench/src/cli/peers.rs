//! `rigor peers`.

use clap::{Args, Subcommand};
use rigor_peers::engine;
use rigor_run::peers::{self, Availability, presence};
use serde_json::{Value, json};

use super::table::plain;
use super::{CliError, Exit, print, print_json};

/// Arguments of `rigor peers`.
#[derive(Debug, Args)]
pub struct PeersArgs {
    #[command(subcommand)]
    command: PeersCommand,
}

#[derive(Debug, Subcommand)]
enum PeersCommand {
    /// List the engines: which are here, in which version, and why others are not.
    List(ListArgs),
    /// Install engines, each with pinned packages in an environment of its own.
    Install(InstallArgs),
    /// Print what each engine means by its numbers, as Markdown.
    Table,
}

/// Arguments of `rigor peers list`.
#[derive(Debug, Args)]
struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Arguments of `rigor peers install`.
#[derive(Debug, Args)]
struct InstallArgs {
    /// The engines.
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
}

/// Runs a subcommand of `rigor peers`.
///
/// # Errors
/// An engine cannot be installed, or standard output cannot be written.
pub fn execute(args: &PeersArgs) -> Result<Exit, CliError> {
    match &args.command {
        PeersCommand::List(args) => list(args.json)?,
        PeersCommand::Install(args) => install(&args.names)?,
        PeersCommand::Table => {
            let names = engine::table().iter().map(|engine| engine.name.as_str());
            print(&engine::markdown(names))?;
        }
    }
    Ok(Exit::Ok)
}

fn list(as_json: bool) -> Result<(), CliError> {
    let engines = engine::table().iter().map(|engine| (engine, presence(engine)));
    if as_json {
        let entries: Vec<Value> = engines
            .map(|(engine, presence)| {
                let (state, text) = state(&presence);
                json!({ "name": engine.name, "title": engine.title, "state": state, "text": text })
            })
            .collect();
        return print_json(&json!({ "folder": peers::folder(), "engines": entries }));
    }
    let mut table = plain();
    for (engine, presence) in engines {
        let (state, text) = state(&presence);
        table.add_row([engine.name.as_str(), state, text]);
    }
    print(&format!("{table}\n"))
}

/// A word for the presence of an engine, and the version or the reason.
fn state(presence: &Availability) -> (&'static str, &str) {
    match presence {
        Availability::Here { version } => ("here", version),
        Availability::Broken { why } => ("broken", why),
        Availability::NotInstalled { remedy } => ("not installed", remedy),
        Availability::Absent { why } => ("cannot be had", why),
    }
}

fn install(names: &[String]) -> Result<(), CliError> {
    for name in names {
        let folder = peers::install(name).map_err(|why| CliError::new(why.to_string()))?;
        print(&format!("{name} is in {}\n", folder.display()))?;
    }
    Ok(())
}
