//! The ground truth of `rigor-ccd` agrees with that of the public sample queries, and decides the public
//! rigid ones.
//!
//! The queries are not part of this repository. They are read from `data/ccd-queries` in the folder of
//! `RIGOR_SHARED`, by default `../shared` beside the workspace. Without them the tests say so and pass.

// Helpers of tests may panic and print like tests, but clippy does not know that.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};

use rigor_bench::ccd::{QuerySet, read};
use rigor_ccd::Truth;
use rigor_ccd_test::oracle;

/// Reads the queries of a folder, if it exists.
fn queries(folder: &str) -> Option<QuerySet> {
    let workspace =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace");
    let shared = std::env::var_os("RIGOR_SHARED").map_or_else(|| workspace.join("../shared"), PathBuf::from);
    let folder = shared.join("data/ccd-queries").join(folder);
    if !folder.is_dir() {
        println!("skipped: set RIGOR_SHARED to a folder with data/ccd-queries to run this test");
        return None;
    }
    Some(read(&[folder]).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn every_linear_query_has_the_truth_of_its_file() {
    let Some(set) = queries("linear") else { return };
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

#[test]
fn every_rigid_query_is_decided_within_narrow_brackets() {
    let Some(set) = queries("curved") else { return };
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
