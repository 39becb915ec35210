//! Faulty answers.

use std::fmt;

use super::generate::{Generated, Label};
use super::query::Query;
use super::witness::Witness;
use rigor_ccd::Answer;

/// An answer that violates the contract of [`Ccd`](rigor_ccd::Ccd), with everything needed to reproduce it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault<Q> {
    /// The query.
    pub query: Q,
    /// Origin of the query.
    pub label: Label,
    /// The horizon of the search.
    pub horizon: f64,
    /// The answer.
    pub answer: Answer,
    /// The kind of error.
    pub why: FaultKind,
}

/// The kind of error in an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaultKind {
    /// A false negative: they have met by a time that the answer calls safe.
    Late(Witness),
    /// A NaN, a `t_safe` outside [0, horizon], or a `t_hit` before `t_safe`.
    Malformed,
    /// `t_safe` = 0 although they start well apart.
    NoProgress,
    /// An invalid query was not answered with an [`InvalidQuery`](rigor_ccd::InvalidQuery).
    Nonsense,
    /// A valid query was called invalid.
    Refused,
    /// Points that the kind of query does not use changed the answer.
    Garbage,
    /// The answer depends on the order of the primitives or of their points: with the other order it is safe
    /// up to `other`.
    Asymmetric {
        /// `t_safe` with the other order.
        other: f64,
    },
    /// The answer depends on the axes of the world or on the unit of length: before they were exchanged, it was safe up to
    /// `before`.
    Variant {
        /// `t_safe` of the original query.
        before: f64,
    },
    /// More boxes than allowed.
    Unbounded,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late(witness) => {
                write!(f, "late: they have met by t = {:?} ({:?})", witness.t, witness.proof)
            }
            Self::Malformed => f.write_str("malformed: violates 0 ≤ t_safe ≤ horizon or t_safe ≤ t_hit"),
            Self::NoProgress => f.write_str("t_safe = 0 although they start well apart"),
            Self::Nonsense => f.write_str("invalid query: the answer must be an InvalidQuery"),
            Self::Refused => f.write_str("a valid query was called invalid"),
            Self::Garbage => f.write_str("points that this kind does not use changed the answer"),
            Self::Asymmetric { other } => write!(f, "asymmetric: safe up to {other:?} in the other order"),
            Self::Variant { before } => {
                write!(f, "depends on axes or unit: safe up to {before:?} before they were exchanged")
            }
            Self::Unbounded => f.write_str("more boxes than allowed"),
        }
    }
}

impl<Q: Query> fmt::Display for Fault<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.why)?;
        writeln!(f, "answer up to {:?}: {:?}", self.horizon, self.answer)?;
        writeln!(f, "from {}", self.label)?;
        write!(f, "{}", self.query.paste())
    }
}

impl<Q: Query> std::error::Error for Fault<Q> {}

impl<Q: Query> Fault<Q> {
    pub(super) fn new(case: &Generated<Q>, horizon: f64, answer: Answer, why: FaultKind) -> Box<Self> {
        Box::new(Self { query: case.query, label: case.label, horizon, answer, why })
    }
}

impl FaultKind {
    /// Returns the proof that an answer is late.
    pub fn witness(&self) -> Option<Witness> {
        if let Self::Late(witness) = self { Some(*witness) } else { None }
    }
}
