//! Every method on every scene at every time step, judged alike, as rows of a report.
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
//! | module | what |
//! | --- | --- |
//! | `compare` | the runs in memory, watched by a panel of judges, with pictures |
//! | `told` | what methods reported, step by step, as series |
//! | [`kept`] | runs on disk, as sections of a page |
//! | [`results`] | CSV and JSON |

// The example of the README is tested with those of the docstrings.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod compare;
pub mod kept;
pub mod results;
mod told;

pub use compare::{Plan, compare, count};
