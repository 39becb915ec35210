//! The deviation of a trajectory from that of a reference run.

use std::collections::BTreeMap;

/// The deviation of a trajectory from that of a reference run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Deviation {
    /// Figures `compare.*` by name.
    pub figures: BTreeMap<String, f64>,
    /// The largest distance (m) of a centre of mass of the reference from the origin, to which rounding errors are relative.
    pub reach: f64,
}

impl Deviation {
    /// A figure by name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied()
    }

    /// What interpolation may have added to a figure; 0 at common instants.
    pub fn bound(&self, name: &str) -> f64 {
        let of = if name.starts_with("compare.rotation") {
            "compare.rotation_bound"
        } else {
            "compare.position_bound"
        };
        self.get(of).unwrap_or(0.0)
    }
}
