//! The parts of a page that do not depend on its scenes.

use rigor_run::machine::{Machine, Versions};

use crate::comparison::Comparison;

/// Returns a page without scenes: date, machine, versions, and the command that makes it.
pub fn frame(command_line: impl Into<String>) -> Comparison {
    let (machine, versions) = (Machine::here(), Versions::here());
    Comparison {
        date: rigor_run::clock::date(),
        command_line: command_line.into(),
        machine: named([
            ("processor", machine.processor),
            ("logical processors", machine.cores.to_string()),
            ("memory", format!("{} GiB", machine.memory_gib)),
            ("system", machine.system),
        ]),
        versions: named([
            ("rigor", versions.rigor),
            ("commit", versions.commit),
            ("compiler", versions.rustc),
            ("rapier3d-f64", versions.rapier),
        ]),
        ..Comparison::default()
    }
}

fn named<const N: usize>(pairs: [(&str, String); N]) -> Vec<(String, String)> {
    pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
}
