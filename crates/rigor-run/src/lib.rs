//! The registry of methods, and runs on disk: execution, resumption, judgement and certification.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use rigor_run::disk::load_scene;
//! use rigor_run::execute::{Plan, execute};
//! use rigor_run::Folder;
//!
//! # fn show() -> Result<(), Box<dyn std::error::Error>> {
//! let loaded = load_scene("erleben/wedges", &[])?;
//! let plan = Plan::new(loaded, "xpbd", Folder::new("out/wedges"));
//! let record = execute(&plan, false, &AtomicBool::new(false), &mut |live| println!("{} J", live.energy))?;
//! for verdict in &record.expectations {
//!     println!("{} {}: {:?}", verdict.figure, verdict.bound, verdict.verdict);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | [`registry`] | methods by name |
//! | [`disk`] | scenes from files and from the case library |
//! | [`atomic`] | files that are complete or not there |
//! | [`execute`] | execution of a run from the start or from a checkpoint |
//! | [`foreign`](mod@foreign), [`adopt`](mod@adopt) | trajectories of other programs, and their records |
//! | [`live`] | the state and the report of a running step |
//! | [`kept`] | the one reader of folders of runs, which checks them |
//! | [`account`] | what the steps of a run cost and told |
//! | [`folder`] | the files of a run: record, frames, steps, contacts, joints, path, checkpoint |
//! | [`output`] | files for other programs: NumPy arrays, glTF |
//! | [`judge`] | judgement of a run on disk |
//! | [`certify`] | a proof from the path that bodies never touched |
//! | [`error`] | errors in the files of a run |
//! | [`notice`] | requests of scenes that methods ignore; flawed steps |
//! | [`peers`] | engines in processes of their own: where they are, and how they are installed |
//! | [`warning`] | warnings about a scene |
//! | [`verdict`] | findings and verdicts as data |
//! | [`report_series`] | values over time from the method's reports |
//! | [`clock`], [`cpu`], [`machine`] | wall time, CPU time, and the computer |
//! | [`timed`] | the time of each step |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod account;
pub mod adopt;
pub mod atomic;
#[cfg(feature = "usd")]
pub mod binary_usd;
pub mod certify;
pub mod clock;
pub mod cpu;
pub mod disk;
pub mod error;
pub mod execute;
pub mod folder;
pub mod foreign;
pub mod judge;
pub mod kept;
mod kept_files;
pub mod live;
pub mod machine;
pub mod notice;
pub mod output;
pub mod peers;
pub mod registry;
pub mod report_series;
pub mod timed;
pub mod verdict;
pub mod warning;

pub use error::RunError;
pub use folder::Folder;
