//! Comparison of methods: runs of every method on every scene at every time step, with the same judges.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use rigor_compare::{Plan, compare, results};
//! use rigor_run::disk::load_scene;
//!
//! # fn show() -> Result<(), Box<dyn std::error::Error>> {
//! let plan = Plan {
//!     scenes: vec![load_scene("bouncing/ball", &[])?],
//!     methods: vec!["xpbd".into(), "rapier".into()],
//!     dts: vec![],
//!     duration: None,
//!     judge_every: 0.01,
//!     jobs: 1,
//!     limit: None,
//! };
//! let sections = compare(&plan, &AtomicBool::new(false), &|scene, row| println!("{scene}: {}", row.method));
//! println!("{}", results::csv(&sections));
//! # Ok(())
//! # }
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | `compare` | execution of the runs in memory, observed by the judges, with pictures |
//! | `told` | the reports of a method as series over the steps |
//! | [`results`] | CSV and JSON |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod compare;
pub mod results;
mod told;

pub use compare::{Plan, compare, count};
