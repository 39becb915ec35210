//! Proofs of truths that a query file leaves open.

use rayon::prelude::*;
use rigor_ccd::{Labelled, Truth};

use super::AnsweredQuery;

/// Returns whether a proof can add to this truth: only a hit, or nothing, is known.
fn is_vague(truth: &Truth) -> bool {
    matches!(truth, Truth::Hit | Truth::Unknown { .. })
}

/// Proves the truth of queries for which only a hit, or nothing, is known; calls `progress` after each proof.
///
/// Returns a message, with the label of the query, for each query labelled a hit that is proven free. Such a
/// query keeps its label as its truth, and so does a hit that is not proven.
pub fn certify<Q: AnsweredQuery>(queries: &mut [Labelled<Q>], progress: &(impl Fn() + Sync)) -> Vec<String> {
    let complaint = |labelled: &mut Labelled<Q>| {
        let told = labelled.truth;
        let proven = labelled.query.proven();
        progress();
        match (told, proven) {
            (Truth::Hit, Truth::Free) => {
                Some(format!("{}: labelled a hit, but exact arithmetic proves it free", labelled.label))
            }
            (Truth::Hit, Truth::Unknown { .. }) => None,
            _ => {
                labelled.truth = proven;
                None
            }
        }
    };
    let vague: Vec<_> = queries.iter_mut().filter(|query| is_vague(&query.truth)).collect();
    vague.into_par_iter().map(complaint).collect::<Vec<_>>().into_iter().flatten().collect()
}

/// The number of queries that [`certify()`] would examine.
pub fn n_vague<Q>(queries: &[Labelled<Q>]) -> usize {
    queries.iter().filter(|query| is_vague(&query.truth)).count()
}
