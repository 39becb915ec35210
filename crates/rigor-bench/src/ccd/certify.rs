//! Truths that a file does not tell.

use rayon::prelude::*;
use rigor_ccd::{Labelled, Truth};

use super::Asked;

/// Whether so little is known of a truth that proving more is worth its time.
fn is_vague(truth: &Truth) -> bool {
    matches!(truth, Truth::Hit | Truth::Unknown { .. })
}

/// Proves what it can of queries of which only a hit or nothing is known; calls `progress` after each.
///
/// What is told where the proof says something else, with the label of the query; its truth stays what it was, so that
/// methods are judged by both.
pub fn certify<Q: Asked>(queries: &mut [Labelled<Q>], progress: &(impl Fn() + Sync)) -> Vec<String> {
    let complaint = |labelled: &mut Labelled<Q>| {
        let told = labelled.truth;
        let proven = labelled.query.proven();
        progress();
        match (told, proven) {
            (Truth::Hit, Truth::Free) => {
                Some(format!("{}: labelled a hit, but exact arithmetic proves it is none", labelled.label))
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

/// How many queries [`certify()`] would look at.
pub fn n_vague<Q>(queries: &[Labelled<Q>]) -> usize {
    queries.iter().filter(|query| is_vague(&query.truth)).count()
}
