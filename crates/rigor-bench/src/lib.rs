//! The `rigor` program as a library.
//!
//! | module | content |
//! | --- | --- |
//! | [`accuracy`] | cases with known answers: error against CPU time |
//! | [`ccd`] | files of collision queries, and comparison of methods on them |
//! | [`cli`] | the command line |
//! | [`diagnostic`] | errors and warnings about scene files, as text and as JSON |
//! | [`invariance`] | what methods make of scenes that are written down in another way |
//! | [`problem`] | friction problems of the steps of a run |
//!
//! The other parts of the program are separate crates: `rigor-run`, `rigor-report`, `rigor-study`, `rigor-papers`.

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod accuracy;
pub mod ccd;
pub mod cli;
pub mod diagnostic;
pub mod invariance;
pub mod problem;
