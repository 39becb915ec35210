//! The answers of a method to many queries, with verdicts and times.

use rigor_ccd::{Ccd, Impact, Labelled, Truth};

use super::verdict::{Verdict, lateness};
use super::{AnsweredQuery, stopwatch};

/// The answer to one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The result of the method.
    pub impact: Impact,
    /// Its verdict.
    pub verdict: Verdict,
    /// 1 − t_safe/t_true, if t_true is known.
    pub lateness: Option<f64>,
    /// Time of the call (s); `None` if not measured, as for a false negative.
    pub seconds: Option<f64>,
}

impl Answer {
    /// Calls the method and judges its answer, then measures the time unless the answer is a false negative.
    pub fn timed<Q>(method: &impl Ccd<Q>, Labelled { query, truth, .. }: &Labelled<Q>) -> Self {
        let untimed = Self::untimed(method, query, truth);
        let is_wrong = untimed.verdict == Verdict::FalseNegative;
        let seconds =
            (!is_wrong).then(|| stopwatch::seconds(|| method.impact(std::hint::black_box(query), 1.0)));
        Self { seconds, ..untimed }
    }

    /// Calls the method once and judges its answer.
    pub fn untimed<Q>(method: &impl Ccd<Q>, query: &Q, truth: &Truth) -> Self {
        // A query that the method rejects as invalid counts as undecided with nothing proven.
        let impact = method.impact(query, 1.0).unwrap_or(Impact::Undecided { t_safe: 0.0, boxes: 0 });
        let (verdict, lateness) = (Verdict::of(&impact, truth), lateness(&impact, truth));
        Self { impact, verdict, lateness, seconds: None }
    }
}

/// Statistics of a list of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Σ xᵢ/n.
    pub mean: f64,
    /// The median; for an even count, the lower of the two middle numbers.
    pub median: f64,
    /// The smallest of the numbers that at least 99 % do not exceed.
    pub percentile_99: f64,
    /// The maximum.
    pub largest: f64,
}

impl Statistics {
    /// Computes the statistics; `None` for an empty list.
    ///
    /// ```
    /// use rigor_bench::ccd::score::Statistics;
    /// let spread = Statistics::of((1..=100).map(f64::from)).unwrap();
    /// assert_eq!((spread.mean, spread.median, spread.percentile_99, spread.largest), (50.5, 50.0, 99.0, 100.0));
    /// ```
    pub fn of(numbers: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = numbers.collect();
        sorted.sort_by(f64::total_cmp);
        let rank = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100).max(1) - 1];
        (!sorted.is_empty()).then(|| Self {
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            median: rank(50),
            percentile_99: rank(99),
            largest: rank(100),
        })
    }
}

/// The answers of one method, in the order of the queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The method's name.
    pub method: &'static str,
    /// Whether it guarantees never to answer late.
    pub is_conservative: bool,
    /// One answer per query.
    pub answers: Vec<Answer>,
}

impl Score {
    /// A score without answers.
    pub fn new<Q: AnsweredQuery>(method: Q::Method) -> Self {
        Self { method: Q::name(method), is_conservative: Q::is_conservative(method), answers: vec![] }
    }

    /// Returns whether the method is conservative but answered late.
    pub fn is_broken(&self) -> bool {
        self.is_conservative && self.count(Verdict::FalseNegative) > 0
    }

    /// Number of answers with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.answers.iter().filter(|answer| answer.verdict == verdict).count()
    }

    /// Time per query (s).
    pub fn seconds(&self) -> Option<Statistics> {
        Statistics::of(self.answers.iter().filter_map(|answer| answer.seconds))
    }

    /// 1 − t_safe/t_true over the hits whose time of impact is known.
    pub fn lateness(&self) -> Option<Statistics> {
        Statistics::of(self.answers.iter().filter_map(|answer| answer.lateness))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_have_a_spread_and_none_have_not() {
        let one = Statistics::of([2.0].into_iter()).unwrap();
        assert_eq!((one.median, one.percentile_99, one.largest), (2.0, 2.0, 2.0));
        let three = Statistics::of([3.0, 1.0, 2.0].into_iter()).unwrap();
        assert_eq!((three.median, three.percentile_99), (2.0, 3.0));
        assert_eq!(Statistics::of(std::iter::empty()), None);
    }

    #[test]
    fn a_wrong_answer_is_not_timed() {
        let never = |_: &(), _: f64| Ok(Impact::Free);
        let query = |truth| Labelled { query: (), truth, label: String::new() };
        let answers = [Truth::Free, Truth::Hit].map(|truth| Answer::timed(&never, &query(truth)));
        assert_eq!(answers.map(|a| a.verdict), [Verdict::Right, Verdict::FalseNegative]);
        assert_eq!(answers.map(|a| a.seconds.is_some()), [true, false]);
        let score = Score { method: "never", is_conservative: true, answers: answers.to_vec() };
        assert_eq!((score.count(Verdict::FalseNegative), score.lateness()), (1, None));
        assert!(score.is_broken() && !Score { is_conservative: false, ..score }.is_broken());
    }
}
