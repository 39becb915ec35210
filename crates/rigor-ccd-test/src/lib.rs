//! A kit that tests any implementation of continuous collision detection.
//!
//! | module | contents |
//! | --- | --- |
//! | [`generate`] | queries from seeds, many of them built around a known contact |
//! | [`witness`] | proofs that two primitives meet |
//! | [`mod@check`] | checks of an implementation on one query |
//! | [`mod@run`] | millions of queries, summarized in a [`Report`] |
//! | [`mod@run_all`] | every check on queries of every family |
//! | [`ruling`] | how late and how deep an answer from outside is |
//! | [`motion_class`] | what an engine must be able to follow to answer a query |
//! | [`strategy`] | the same queries for proptest, with shrinking |
//!
//! An implementation is anything that implements [`Ccd`](rigor_ccd::Ccd): a function or closure from a query
//! and a horizon to an [`Answer`](rigor_ccd::Answer). Everything reported is proven: a false negative is an answer
//! that calls a time safe by which the primitives have met, as shown by a [`Witness`], a sample or the exact
//! oracle. `docs/methods/ccd-testing.md` has the proofs and the limitations of the kit.
//!
//! # Testing your own implementation
//! Consider the simplest correct method: if boxes around the swept volumes of the two primitives are
//! disjoint, they never meet.
//!
//! ```
//! use rigor_ccd_test::{Family, check, generate, run};
//! use rigor_ccd::{Answer, Impact, LinearQuery};
//!
//! fn swept_boxes(query: &LinearQuery, horizon: f64) -> Answer {
//!     query.check()?;
//!     let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
//!     let sweep = |axis: usize, points: std::ops::Range<usize>| {
//!         let places = points.flat_map(|i| [query.start[i][axis], query.end[i][axis]]);
//!         places.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)))
//!     };
//!     let is_apart = |axis: usize| {
//!         let ((lo_a, hi_a), (lo_b, hi_b)) = (sweep(axis, 0..n_a), sweep(axis, n_a..n));
//!         // Differences are rounded; the next number below is at most the exact one.
//!         (lo_a - hi_b).max(lo_b - hi_a).next_down() > query.d_min
//!     };
//!     let is_free = (0..3).any(is_apart);
//!     Ok(if is_free { Impact::Free } else { Impact::At { t_safe: 0.0, t_hit: horizon } })
//! }
//!
//! // One query, one check.
//! let case = generate::linear(Family::Transversal, 1, 3);
//! assert!(case.witness.is_some());
//! check::is_conservative(&swept_boxes, &case, 1.0).unwrap();
//! check::rejects_nonsense(&swept_boxes, &case).unwrap();
//!
//! // Many queries of every family.
//! let report = run(&swept_boxes, &Family::ALL, 200, 1);
//! assert!(report.is_clean(), "{report}");
//!
//! // A mistake is found and reported as code for a test.
//! let forgetful = |query: &LinearQuery, horizon: f64| swept_boxes(&query.with_d_min(0.0), horizon);
//! let report = run(&forgetful, &[Family::Separated], 2000, 1);
//! let counterexample = &report.counterexamples[0];
//! assert!(counterexample.simplest.to_string().contains("LinearQuery::"));
//! ```
//!
//! With proptest, which also shrinks failing queries:
//!
//! ```
//! use proptest::prelude::*;
//! use rigor_ccd_test::{Family, check, strategy};
//! use rigor_ccd::{Impact, RigidQuery};
//!
//! let careful = |_: &RigidQuery, _horizon: f64| Ok(Impact::At { t_safe: 0.0, t_hit: 0.0 });
//! proptest!(|(case in strategy::rigid(&Family::ALL))| {
//!     let checked = check::is_conservative(&careful, &case, 1.0);
//!     prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
//! });
//! ```

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod check;
mod encounter;
mod exact;
pub mod family;
pub mod fault;
mod gap;
pub mod generate;
mod hint;
pub mod motion_class;
pub mod oracle;
mod plan;
pub mod query;
mod random;
pub mod report;
pub mod ruling;
pub mod run;
pub mod run_all;
mod simpler;
#[cfg(feature = "proptest")]
pub mod strategy;
pub mod witness;

pub use family::Family;
pub use fault::{Fault, FaultKind};
pub use generate::{Generate, Generated};
pub use motion_class::MotionClass;
pub use query::Query;
pub use report::Report;
pub use run::run;
pub use run_all::run_all;
pub use simpler::Numbers;
pub use witness::{Proof, Witness};
