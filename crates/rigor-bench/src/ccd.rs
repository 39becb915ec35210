//! Queries of continuous collision detection from files, and evaluation of the methods on them.
//!
//! | module | content |
//! | --- | --- |
//! | [`read`](mod@read) | all queries below some paths |
//! | [`sample_queries`] | the public sample queries: rational numbers in CSV |
//! | [`rigid_json`] | queries of rigid bodies in the format of the reference program of \[Ferguson2021\] |
//! | [`native`] | our own format, which preserves every bit |
//! | [`rational`] | conversion of fractions to f64, exact or rounded |
//! | [`error`] | errors in query files |
//! | [`answered_query`] | the two types of queries, and the methods of each |
//! | [`certify`] | proofs of truths that a file leaves open |
//! | [`generated`] | query sets generated from seeds |
//! | [`kept`] | the built-in query set |
//! | [`verdict`] | comparison of an answer with the truth |
//! | [`stopwatch`] | timing of calls that are shorter than the resolution of the clock |
//! | [`score`] | the answers of a method to many queries |
//! | [`plot`] | time against lateness as SVG |

pub mod answered_query;
pub mod certify;
pub mod error;
pub mod generated;
pub mod kept;
pub mod native;
pub mod plot;
pub mod rational;
pub mod read;
pub mod rigid_json;
pub mod sample_queries;
pub mod score;
pub mod stopwatch;
pub mod verdict;

pub use answered_query::AnsweredQuery;
pub use error::{FileError, QueryFault};
pub use read::{QuerySet, read};
