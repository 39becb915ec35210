//! The parts of a report that do not depend on its scenes.

use rigor_report::Comparison;
use rigor_run::machine::{Machine, Versions};

/// A report without scenes: date, command line, machine and versions.
pub(super) fn frame() -> Comparison {
    Comparison {
        date: rigor_run::clock::date(),
        command_line: super::command_line(),
        machine: machine(),
        versions: versions(),
        ..Comparison::default()
    }
}

fn machine() -> Vec<(String, String)> {
    let here = Machine::here();
    [
        ("processor", here.processor),
        ("logical processors", here.cores.to_string()),
        ("memory", format!("{} GiB", here.memory_gib)),
        ("system", here.system),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

fn versions() -> Vec<(String, String)> {
    let here = Versions::here();
    [("rigor", here.rigor), ("commit", here.commit), ("compiler", here.rustc), ("rapier3d-f64", here.rapier)]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
}
