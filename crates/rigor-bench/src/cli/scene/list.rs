//! `rigor scene list`.

use clap::Args;
use rigor_file::Loaded;
use rigor_file::cases;
use rigor_run::disk::load_scene;
use serde_json::{Value, json};

use super::super::table::{Table, plain};
use super::super::{CliError, Exit, print, print_json};

/// List the cases that come with the program.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// List only cases whose name contains this.
    #[arg(default_value = "")]
    part: String,
    /// Print JSON: name, description, source, number of bodies, step and duration.
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &ListArgs) -> Result<Exit, CliError> {
    let names = cases::names().filter(|name| name.contains(&args.part));
    let scenes: Vec<_> = names.map(|name| load_scene(name, &[])).collect::<Result<_, _>>()?;
    if scenes.is_empty() {
        let what = format!("there is no case whose name contains {:?}", args.part);
        return Err(CliError::new(what).with_help("`rigor scene list` names all cases"));
    }
    if args.json {
        print_json(&scenes.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        print(&format!("{}\n", table(&scenes)))?;
    }
    Ok(Exit::Ok)
}

fn table(scenes: &[Loaded]) -> Table {
    let mut table = plain();
    for Loaded { scene, .. } in scenes {
        let source = scene.source.as_ref().map_or(String::new(), |s| format!("{} {}", s.key, s.place));
        table.add_row([scene.name.clone(), first_sentence(&scene.description), source]);
    }
    table
}

/// Returns the first sentence of `text`, on one line; it ends at a full stop before white space.
fn first_sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.find(". ").map_or(line.clone(), |end| line[..=end].to_owned())
}

fn as_json(Loaded { scene, .. }: &Loaded) -> Value {
    json!({
        "name": scene.name,
        "description": scene.description.split_whitespace().collect::<Vec<_>>().join(" "),
        "source": scene.source.as_ref().map(|s| json!({ "key": s.key, "place": s.place, "note": s.note })),
        "bodies": scene.bodies.len(),
        "dt": scene.time.dt,
        "duration": scene.time.duration,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_a_full_stop_before_a_space() {
        assert_eq!(first_sentence("A box of\n0.5 m falls. It stops."), "A box of 0.5 m falls.");
        assert_eq!(first_sentence("Wedges."), "Wedges.");
        assert_eq!(first_sentence(""), "");
    }
}
