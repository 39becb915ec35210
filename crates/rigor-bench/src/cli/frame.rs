//! The parts of a report that do not depend on its scenes.

use rigor_report::Comparison;

/// A report without scenes: date, command line, machine and versions.
pub(super) fn frame() -> Comparison {
    rigor_report::frame(super::command_line())
}
