//! What a judge must find for a run to count as right.

use crate::body::BodyId;

/// A bound on one of the judges' figures, as `penetration.deepest ≤ 1 mm`.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The judge's figure: `judge.figure`.
    pub figure: String,
    /// The body that the figure is about; `None` when it is about the scene.
    pub body: Option<BodyId>,
    /// What the figure must satisfy.
    pub bound: Bound,
    /// Methods that must meet it; empty: all.
    pub methods: Vec<String>,
    /// Why, in a sentence with its source.
    pub because: String,
}

/// A closed condition on a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// value ≤ the number.
    AtMost(f64),
    /// value ≥ the number.
    AtLeast(f64),
    /// |value − target| ≤ tolerance.
    Near {
        /// What the value should be.
        target: f64,
        /// How far it may be off.
        tolerance: f64,
    },
}

impl Bound {
    /// Whether `value` meets the bound; NaN never does.
    pub fn holds(&self, value: f64) -> bool {
        match *self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
            Self::Near { target, tolerance } => (value - target).abs() <= tolerance,
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::AtMost(limit) => write!(f, "≤ {limit}"),
            Self::AtLeast(limit) => write!(f, "≥ {limit}"),
            Self::Near { target, tolerance } => write!(f, "{target} ± {tolerance}"),
        }
    }
}
