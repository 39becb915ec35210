//! Cases with known answers: the error of each method against its CPU time.
//!
//! | module | content |
//! | --- | --- |
//! | [`case`](mod@case) | the cases, from `crates/rigor-bench/accuracy/cases.toml` |
//! | [`scene`] | their scenes |
//! | [`variant`] | the methods with their settings, from `crates/rigor-bench/accuracy/methods.toml` |
//! | [`reading`] | the quantity measured in a run, and the distance between two values |
//! | [`answer`] | the exact, converged and measured answers |
//! | [`extrapolation`] | the integrator of the converged answers |
//! | [`sweep`] | the runs: cases × methods × time steps |
//! | [`results`] | the table of results as CSV |
//! | [`page`] | the page in Markdown |
//! | [`error`] | errors in tables and in exact answers |
//!
//! Answers and readings depend on no method; results and page depend on no single case.

pub mod answer;
pub mod case;
pub mod error;
pub mod extrapolation;
pub mod page;
pub mod reading;
pub mod results;
pub mod scene;
pub mod sweep;
pub mod variant;
