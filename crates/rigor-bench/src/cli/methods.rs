//! `rigor methods`.

use clap::Args;
use rigor_run::registry;
use serde_json::json;

use super::table::plain;
use super::{CliError, Exit};

/// List the methods, or the settings of one.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor methods
  rigor methods xpbd
  rigor methods --json")]
pub struct MethodsArgs {
    /// A method whose settings are listed, with their defaults.
    method: Option<String>,
    /// Print JSON, with the schema of the settings.
    #[arg(long)]
    json: bool,
}

/// Prints the methods.
///
/// # Errors
/// There is no such method.
pub fn execute(args: &MethodsArgs) -> Result<Exit, CliError> {
    let entries = match &args.method {
        Some(name) => vec![registry::find(name)?],
        None => registry::entries(),
    };
    if args.json {
        let all: Vec<_> = entries
            .iter()
            .map(|entry| json!({ "name": entry.name, "summary": entry.summary, "settings": entry.schema() }))
            .collect();
        return super::print_json(&all).map(|()| Exit::Ok);
    }
    let mut table = plain();
    for entry in &entries {
        table.add_row([entry.name, entry.summary]);
    }
    let mut text = format!("{table}\n");
    for entry in entries.iter().filter(|_| args.method.is_some()) {
        let mut settings = plain();
        let schema = entry.schema();
        for (name, setting) in schema["properties"].as_object().into_iter().flatten() {
            let description = setting["description"].as_str().unwrap_or_default();
            let first = description.split("\n\n").next().unwrap_or_default().replace('\n', " ");
            settings.add_row([format!("{name} = {}", setting["default"]), first]);
        }
        if !settings.is_empty() {
            text += &format!("{settings}\n");
        }
    }
    super::print(&text).map(|()| Exit::Ok)
}
