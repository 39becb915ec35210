//! What a judge must find for a run to count as correct.

use crate::body::BodyId;

/// A bound on one of the judges' figures, such as `penetration.deepest ≤ 1 mm`.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The judge's figure, as `judge.figure`.
    pub figure: String,
    /// The body that the figure describes; `None` for the whole scene.
    pub body: Option<BodyId>,
    /// The condition on the figure.
    pub bound: Bound,
    /// Methods that claim to meet it; empty for all. Other methods are measured against it all the same, for information.
    pub methods: Vec<String>,
    /// The reason why only these methods claim it; empty where all do.
    pub methods_because: String,
    /// The reason, in a sentence with its source.
    pub because: String,
}

impl Expectation {
    /// Whether `method` claims to meet it, so that a violation is a failure.
    pub fn is_claimed_by(&self, method: &str) -> bool {
        self.methods.is_empty() || self.methods.iter().any(|named| named == method)
    }
}

/// A closed interval for a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// value ≤ the limit.
    AtMost(f64),
    /// value ≥ the limit.
    AtLeast(f64),
    /// |value − target| ≤ tolerance.
    Near {
        /// The target.
        target: f64,
        /// The tolerance.
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
