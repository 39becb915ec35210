//! The figures that judges report: names, units and meanings.

/// A number that a judge can report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// `judge.figure`, the name that expectations use.
    pub name: &'static str,
    /// SI unit; "1" for a pure number or a count.
    pub unit: &'static str,
    /// One line: what is measured, over what, and the meaning of zero.
    pub meaning: &'static str,
}

impl Figure {
    /// Creates a figure.
    pub const fn new(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self { name, unit, meaning }
    }
}
