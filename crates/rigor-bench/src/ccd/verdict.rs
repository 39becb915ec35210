//! Comparison of answers with the truth.

use rigor_ccd::{Impact, Truth};

/// The result of comparing an answer with the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The answer agrees with the truth.
    Right,
    /// The answer is late: it claims separation up to a time by which the primitives have met. A conservative
    /// method never gives such an answer.
    FalseNegative,
    /// The answer is an impact, but the primitives stay apart.
    FalsePositive,
    /// The search stopped at its limit.
    Undecided,
    /// The truth is unknown.
    Unknown,
}

impl Verdict {
    /// Judges `answer`, which covers the whole step.
    ///
    /// ```
    /// use rigor_bench::ccd::verdict::Verdict;
    /// use rigor_ccd::{Impact, Truth};
    /// let truth = Truth::First { lo: 0.4, hi: 0.5 };
    /// assert_eq!(Verdict::of(&Impact::At { t_safe: 0.3, t_hit: 0.7 }, &truth), Verdict::Right);
    /// assert_eq!(Verdict::of(&Impact::At { t_safe: 0.5, t_hit: 0.7 }, &truth), Verdict::FalseNegative);
    /// ```
    pub fn of(answer: &Impact, truth: &Truth) -> Self {
        let t_safe = answer.t_safe(1.0);
        let is_late = match *truth {
            // The primitives meet by `hi`, so they are not apart on all of [0, hi]. An answer of 0 claims
            // nothing, not even separation at the start.
            Truth::First { hi, .. } => t_safe > 0.0 && t_safe >= hi,
            Truth::Hit => t_safe >= 1.0,
            Truth::Free | Truth::Unknown { .. } => false,
        };
        match (answer, truth) {
            _ if is_late => Self::FalseNegative,
            (Impact::Undecided { .. }, _) => Self::Undecided,
            (_, Truth::Unknown { .. }) => Self::Unknown,
            (Impact::At { .. }, Truth::Free) => Self::FalsePositive,
            _ => Self::Right,
        }
    }

    /// Name of the verdict in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::FalseNegative => "false negative",
            Self::FalsePositive => "false positive",
            Self::Undecided => "undecided",
            Self::Unknown => "unknown",
        }
    }
}

/// Maximum relative width of a bracket of the time of impact from which lateness is computed.
const NARROW: f64 = 1e-3;

/// Computes the lateness 1 − `t_safe`/t_true, the relative gap between proven separation and impact.
///
/// t_true is taken as the upper end of its bracket, so that the result is an upper bound. Returns `None`
/// unless the truth is a bracket that ends above 0 and has a relative width of at most 1e-3.
pub fn lateness(answer: &Impact, truth: &Truth) -> Option<f64> {
    match *truth {
        Truth::First { lo, hi } if hi > 0.0 && hi - lo <= NARROW * hi => Some(1.0 - answer.t_safe(1.0) / hi),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_beside_truths() {
        let (at, free) = (Impact::At { t_safe: 0.25, t_hit: 0.5 }, Impact::Free);
        let undecided = |t_safe| Impact::Undecided { t_safe, boxes: 9 };
        let first = Truth::First { lo: 0.5, hi: 0.5 };
        for (answer, truth, expected) in [
            (at, Truth::Free, Verdict::FalsePositive),
            (at, Truth::Hit, Verdict::Right),
            (at, Truth::Unknown { lo: 0.0 }, Verdict::Unknown),
            (free, Truth::Free, Verdict::Right),
            (free, Truth::Hit, Verdict::FalseNegative),
            (free, first, Verdict::FalseNegative),
            (undecided(0.25), first, Verdict::Undecided),
            (undecided(0.5), first, Verdict::FalseNegative),
            (undecided(0.75), Truth::Free, Verdict::Undecided),
            (undecided(0.0), Truth::First { lo: 0.0, hi: 0.0 }, Verdict::Undecided),
            (free, Truth::First { lo: 0.0, hi: 0.0 }, Verdict::FalseNegative),
        ] {
            assert_eq!(Verdict::of(&answer, &truth), expected, "{answer:?} {truth:?}");
        }
    }

    #[test]
    fn lateness_needs_a_narrow_bracket() {
        let at = Impact::At { t_safe: 0.25, t_hit: 0.5 };
        assert_eq!(lateness(&at, &Truth::First { lo: 0.5, hi: 0.5 }), Some(0.5));
        for truth in
            [Truth::Free, Truth::Hit, Truth::First { lo: 0.4, hi: 0.5 }, Truth::First { lo: 0.0, hi: 0.0 }]
        {
            assert_eq!(lateness(&at, &truth), None);
        }
    }
}
