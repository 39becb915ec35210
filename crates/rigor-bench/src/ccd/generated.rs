//! Query sets generated from seeds.

use rayon::prelude::*;
use rigor_ccd::{Labelled, Truth};
use rigor_ccd_test::{Family, Generated};

use super::AnsweredQuery;

/// Generates the queries 0 to `n` − 1 of each family from the seed; calls `progress` after each.
///
/// If `certified`, exact arithmetic proves the truth as far as possible. Otherwise only queries built around
/// a contact have a known truth: the time of that contact is an upper bound of the time of impact. A label is
/// family, seed and number: `grazing 1 17`.
pub fn generated<Q: AnsweredQuery>(
    families: &[Family],
    n: u64,
    seed: u64,
    certified: bool,
    progress: &(impl Fn() + Sync),
) -> Vec<Labelled<Q>> {
    let numbered: Vec<_> =
        families.iter().flat_map(|family| (0..n).map(move |index| (*family, index))).collect();
    let make = |(family, index): (Family, u64)| {
        let made = Q::generate(family, seed, index);
        let truth = if certified { certified_truth(&made) } else { known_truth(&made) };
        progress();
        Labelled { query: made.query, truth, label: format!("{family} {seed} {index}") }
    };
    numbered.into_par_iter().map(make).collect()
}

fn known_truth<Q>(made: &Generated<Q>) -> Truth {
    made.witness.map_or(Truth::Unknown { lo: 0.0 }, |witness| Truth::First { lo: 0.0, hi: witness.t })
}

fn certified_truth<Q: AnsweredQuery>(made: &Generated<Q>) -> Truth {
    match (made.query.proven(), made.witness) {
        (Truth::Unknown { lo }, Some(witness)) => Truth::First { lo, hi: witness.t },
        (truth, _) => truth,
    }
}
