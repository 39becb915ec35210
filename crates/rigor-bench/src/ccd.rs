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
//! | [`guest`] | implementations in processes of their own |
//! | [`answer_file`] | answers from outside, in a file |
//! | [`smoke`] | queries with answers known by hand, which tell an adapter's error from a fault |
//! | [`judgement`] | rulings on answers from outside, by family, kind and class of motion |
//! | [`parry`] | Parry, behind the protocol of guests |
//! | [`leaderboard`] | the table of implementations, ours among them |
//! | [`plot`] | time against lateness as SVG |

pub mod answer_file;
pub mod answered_query;
pub mod certify;
pub mod error;
pub mod generated;
pub mod guest;
pub mod judgement;
pub mod kept;
pub mod leaderboard;
pub mod native;
pub mod parry;
pub mod plot;
pub mod rational;
pub mod read;
pub mod rigid_json;
pub mod sample_queries;
pub mod score;
pub mod smoke;
pub mod stopwatch;
pub mod verdict;

pub use answered_query::AnsweredQuery;
pub use error::{FileError, QueryFault};
pub use read::{QuerySet, read};
