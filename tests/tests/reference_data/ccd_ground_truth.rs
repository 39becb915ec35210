//! The ground truth of `rigor-ccd` agrees with that of the public sample queries, and decides the public
//! rigid ones.
//!
//! The queries are not part of this repository: see `rigor_tests::reference`.

#![allow(clippy::print_stdout, reason = "a test may speak")]

use libtest_mimic::Trial;
use rigor_bench::ccd::{QuerySet, read};
use rigor_ccd::Truth;
use rigor_ccd_test::oracle;
use rigor_tests::reference::{Folder, needing};

pub fn trials() -> Vec<Trial> {
    vec![
        needing(&[Folder::LinearQueries], every_linear_query_has_the_truth_of_its_file),
        needing(&[Folder::CurvedQueries], every_rigid_query_is_decided_within_narrow_brackets),
    ]
}

fn queries(folder: Folder) -> QuerySet {
    read(&[folder.path()]).unwrap_or_else(|error| panic!("{error}"))
}

fn every_linear_query_has_the_truth_of_its_file() {
    let set = queries(Folder::LinearQueries);
    // A number that is not exactly an f64 would cause a warning.
    assert!(set.warnings.is_empty() && set.linear.len() > 2800, "{:?}", set.warnings);
    let mut n_hits = 0;
    for labelled in &set.linear {
        let proven = oracle::linear(&labelled.query);
        let agrees = match labelled.truth {
            Truth::Free => proven == Truth::Free,
            Truth::Hit => matches!(proven, Truth::First { .. }),
            told => panic!("a file tells {told:?}"),
        };
        assert!(agrees, "{}: {:?}, but {proven:?}", labelled.label, labelled.truth);
        n_hits += usize::from(proven != Truth::Free);
    }
    println!("{} queries, {n_hits} hits", set.linear.len());
    assert!(n_hits > 250, "{n_hits}");
}

fn every_rigid_query_is_decided_within_narrow_brackets() {
    let set = queries(Folder::CurvedQueries);
    assert!(set.rigid.len() > 130, "{}", set.rigid.len());
    for labelled in &set.rigid {
        let query = &labelled.query;
        match oracle::rigid(query) {
            Truth::Free => {
                let least = (0..=16).map(|i| oracle::rigid_distance_at(query, f64::from(i) / 16.0).upper);
                assert!(least.fold(f64::INFINITY, f64::min) > query.d_min, "{}", labelled.label);
            }
            Truth::First { lo, hi } => assert!(hi - lo <= 1e-9 * hi, "{}: [{lo}, {hi}]", labelled.label),
            truth => panic!("{}: {truth:?}", labelled.label),
        }
    }
}
