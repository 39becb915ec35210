//! Queries of continuous collision detection from files, and how well methods answer them.
//!
//! | module | what |
//! | --- | --- |
//! | [`read`] | all queries below some paths |
//! | [`sample_queries`] | the public sample queries: rational numbers in CSV |
//! | [`rigid_json`] | queries of rigid bodies as the reference program of [Ferguson2021] writes them |
//! | [`native`] | our own format, exact to the last bit |
//! | [`rational`] | fractions to f64, and whether exactly |
//! | [`error`] | what is wrong with a file, and where |
//! | [`asked`] | the two types of queries, and the methods of each |
//! | [`certify`] | truths that a file does not tell |
//! | [`generated`] | query sets from seeds |
//! | [`kept`] | the query set that comes with the program |
//! | [`verdict`] | what an answer is worth beside the truth |
//! | [`stopwatch`] | how long a call takes that takes less than the clock can tell |
//! | [`score`] | how a method answered many queries |
//! | [`plot`] | time against lateness as SVG |

pub mod asked;
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

pub use asked::Asked;
pub use error::FileError;
pub use read::{QuerySet, read};
