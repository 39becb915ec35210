//! What was wrong with an answer.

use std::fmt;

use super::generate::{Generated, Label};
use super::query::Query;
use super::witness::Witness;
use rigor_ccd::Impact;

/// An answer that breaks the promise of [`Ccd`](rigor_ccd::Ccd), with all that is needed to see it again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault<Q> {
    /// The question.
    pub query: Q,
    /// Where it came from.
    pub label: Label,
    /// Up to where it was asked.
    pub horizon: f64,
    /// The answer.
    pub answer: Impact,
    /// What is wrong with it.
    pub why: Why,
}

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Why {
    /// A false negative: they have met by a time that the answer calls safe.
    Late(Witness),
    /// A number that is none, a `t_safe` outside [0, horizon], or a `t_hit` before `t_safe`.
    Malformed,
    /// `t_safe` = 0 though they begin well apart.
    NoProgress,
    /// What is no question was answered.
    Nonsense,
    /// Points that the kind of query has not changed the answer.
    Garbage,
    /// The answer depends on the order of the primitives or of their points: the other order is safe up to `other`.
    Asymmetric {
        /// t_safe of the other order.
        other: f64,
    },
    /// More boxes than allowed.
    Unbounded,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late(witness) => {
                write!(f, "late: they have met by t = {:?} ({:?})", witness.t, witness.proof)
            }
            Self::Malformed => f.write_str("malformed: 0 ≤ t_safe ≤ horizon and t_safe ≤ t_hit do not hold"),
            Self::NoProgress => f.write_str("t_safe = 0 though they begin well apart"),
            Self::Nonsense => f.write_str("this is no question: Impact::NO_QUESTION is the answer"),
            Self::Garbage => f.write_str("points that this kind has not changed the answer"),
            Self::Asymmetric { other } => write!(f, "in the other order it is safe up to {other:?}"),
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
    pub(super) fn new(case: &Generated<Q>, horizon: f64, answer: Impact, why: Why) -> Box<Self> {
        Box::new(Self { query: case.query, label: case.label, horizon, answer, why })
    }
}

impl Why {
    /// The proof that an answer is late.
    pub fn witness(&self) -> Option<Witness> {
        if let Self::Late(witness) = self { Some(*witness) } else { None }
    }
}
