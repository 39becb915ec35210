//! Results of a run.

use std::fmt;

use super::family::Family;
use super::fault::Fault;
use super::query::Query;

/// Results of a [`run`](super::run()).
#[derive(Debug, Clone)]
pub struct Report<Q> {
    /// Counts per family, in the order requested.
    pub rows: Vec<Row>,
    /// The first faults.
    pub counterexamples: Vec<Counterexample<Q>>,
    /// The seed of the queries.
    pub seed: u64,
}

/// The counts of one family.
#[derive(Debug, Clone)]
pub struct Row {
    /// The family.
    pub family: Family,
    /// The counts.
    pub tally: Tally,
}

/// A fault, and the simplest query found that reproduces it.
#[derive(Debug, Clone)]
pub struct Counterexample<Q> {
    /// The query as found.
    pub found: Fault<Q>,
    /// The query as simplified.
    pub simplest: Fault<Q>,
}

/// Counts.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Number of queries.
    pub queries: u64,
    /// Number of queries known to meet.
    pub hits: u64,
    /// Number of queries known to stay apart.
    pub free: u64,
    /// Answers proven to be late.
    pub false_negatives: u64,
    /// [`Impact::At`](rigor_ccd::Impact::At) for queries known to stay apart.
    pub false_positives: u64,
    /// [`Impact::Undecided`](rigor_ccd::Impact::Undecided).
    pub undecided: u64,
    /// Malformed answers, and valid queries called invalid.
    pub malformed: u64,
    /// `t_safe` divided by the time of the first impact, where that is known.
    pub lateness: Lateness,
}

impl Tally {
    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        self.queries += other.queries;
        self.hits += other.hits;
        self.free += other.free;
        self.false_negatives += other.false_negatives;
        self.false_positives += other.false_positives;
        self.undecided += other.undecided;
        self.malformed += other.malformed;
        self.lateness.add(&other.lateness);
    }
}

const N_BINS: usize = 200;

/// A histogram of t_safe/t_true ∈ [0, 1], with a bin width of 1/200.
#[derive(Debug, Clone)]
pub struct Lateness {
    bins: [u64; N_BINS],
}

impl Default for Lateness {
    fn default() -> Self {
        Self { bins: [0; N_BINS] }
    }
}

impl Lateness {
    pub(super) fn note(&mut self, ratio: f64) {
        self.bins[((ratio * N_BINS as f64) as usize).min(N_BINS - 1)] += 1;
    }

    fn add(&mut self, other: &Self) {
        self.bins.iter_mut().zip(other.bins).for_each(|(bin, more)| *bin += more);
    }

    /// Number of answers compared.
    pub fn count(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// Returns a ratio that all but a fraction `share` of the answers reach; `None` if there are none.
    pub fn reached_by_all_but(&self, share: f64) -> Option<f64> {
        let below = (share * self.count() as f64) as u64;
        let mut seen = 0;
        let bin = self.bins.iter().position(|bin| {
            seen += bin;
            seen > below
        })?;
        Some(bin as f64 / N_BINS as f64)
    }
}

impl<Q> Report<Q> {
    /// Sums the counts of all families.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.rows.iter().for_each(|row| total.add(&row.tally));
        total
    }

    /// Whether no answer was late or malformed.
    pub fn is_clean(&self) -> bool {
        let total = self.total();
        total.false_negatives == 0 && total.malformed == 0
    }
}

impl<Q: Query> fmt::Display for Report<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<14} {:>10} {:>10} {:>10} {:>6} {:>6} {:>9} {:>9} {:>7} {:>7}",
            "family", "queries", "hits", "free", "late", "bad", "false pos", "undecided", "median", "99 %"
        )?;
        for row in &self.rows {
            write_row(f, row.family.name(), &row.tally)?;
        }
        write_row(f, "all", &self.total())?;
        for Counterexample { found, simplest } in &self.counterexamples {
            writeln!(f, "\n{found}\nsimplest:\n{simplest}")?;
        }
        Ok(())
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, name: &str, tally: &Tally) -> fmt::Result {
    let Tally { queries, hits, free, false_negatives, malformed, false_positives, undecided, lateness } =
        tally;
    let ratio = |share| lateness.reached_by_all_but(share).map_or("–".to_string(), |r| format!("{r:.3}"));
    let (median, worst) = (ratio(0.5), ratio(0.01));
    writeln!(
        f,
        "{name:<14} {queries:>10} {hits:>10} {free:>10} {false_negatives:>6} {malformed:>6} {false_positives:>9} {undecided:>9} {median:>7} {worst:>7}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run;
    use rigor_ccd::{Impact, LinearQuery};

    #[test]
    fn quantiles_are_those_of_the_answers() {
        let mut lateness = Lateness::default();
        (0..100).for_each(|i| lateness.note(f64::from(i) * 0.01 + 0.001));
        assert_eq!([0.5, 0.01].map(|share| lateness.reached_by_all_but(share)), [Some(0.5), Some(0.01)]);
        assert_eq!(Lateness::default().reached_by_all_but(0.5), None);
    }

    #[test]
    fn threads_do_not_change_a_report() {
        let late = |query: &LinearQuery, _: f64| {
            let is_free = query.start[0].x > 0.0;
            Ok(if is_free { Impact::Free } else { Impact::Undecided { t_safe: 0.0, boxes: 0 } })
        };
        let report = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads start");
            pool.install(|| run(&late, &[Family::Needle, Family::Scaled], 1500, 3).to_string())
        };
        let one = report(1);
        assert!(one.contains("late: they have met by t ="), "{one}");
        assert_eq!(one, report(3));
    }
}
