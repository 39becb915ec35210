//! The `rigor` program as a library.
//!
//! | module | what |
//! | --- | --- |
//! | [`accuracy`] | cases with known answers: error against CPU time |
//! | [`ccd`] | files of collision queries, and how well methods answer them |
//! | [`cli`] | the command line |
//! | [`diagnostic`] | errors and warnings about scene files, as text and as JSON |
//!
//! The other parts of the program are crates of their own: `rigor-run`, `rigor-report`, `rigor-study`, `rigor-papers`.

// The example of the README is tested with those of the docstrings.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod accuracy;
pub mod ccd;
pub mod cli;
pub mod diagnostic;
