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

pub mod error;
pub mod native;
pub mod rational;
pub mod read;
pub mod rigid_json;
pub mod sample_queries;

pub use error::FileError;
pub use read::{QuerySet, read};
