//! Cases with exact or converged answers, and how near each method comes at which cost.
//!
//! | module | what |
//! | --- | --- |
//! | [`case`](mod@case) | the cases, from `crates/rigor-bench/accuracy/cases.toml` |
//! | [`scene`] | their scenes |
//! | [`variant`] | the methods with their settings, from `crates/rigor-bench/accuracy/methods.toml` |
//! | [`reading`] | what is read off a run, and how far two readings are apart |
//! | [`answer`] | the exact answers |
//! | [`extrapolation`] | the integrator of the converged answers |
//! | [`sweep`] | the runs: cases × methods × time steps |
//! | [`results`] | the table of results as CSV |
//! | [`order`] | the observed order of convergence |
//! | [`chart`] | error against CPU time as SVG |
//! | [`page`] | the page in Markdown |
//! | [`error`] | what is wrong with a table |
//!
//! `case`, `reading` and `answer` know no method; `results`, `order`, `chart` and `page` know no case by name.

pub mod answer;
pub mod case;
pub mod chart;
pub mod error;
pub mod extrapolation;
pub mod order;
pub mod page;
pub mod reading;
pub mod results;
pub mod scene;
pub mod sweep;
pub mod variant;
