//! Methods by name, and their runs on disk: made, resumed, judged and certified.
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
//! | module | what |
//! | --- | --- |
//! | [`registry`] | methods by name |
//! | [`disk`] | scenes from files and from the case library |
//! | [`execute`] | a run made, or gone on with |
//! | [`foreign`](mod@foreign), [`adopt`](mod@adopt) | trajectories of other programs, and their records |
//! | [`live`] | what can be shown of it meanwhile |
//! | [`folder`] | its files: record, frames, steps, contacts, joints, path, checkpoint |
//! | [`output`] | files for other programs: numpy arrays, glTF |
//! | [`judge`] | a run on disk before the judges |
//! | [`certify`] | a proof from its path that bodies never touched |
//! | [`error`] | what is wrong with a file of a run |
//! | [`notice`] | what methods do not do as scenes ask; flawed steps |
//! | [`warning`] | warnings about a scene |
//! | [`verdict`] | findings and verdicts as data |
//! | [`report_series`] | values over time from the method's reports |
//! | [`clock`], [`cpu`], [`machine`] | the time, the time on the processor, and the computer |

// The example of the README is tested with those of the docstrings.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod adopt;
pub mod certify;
pub mod clock;
pub mod cpu;
pub mod disk;
pub mod error;
pub mod execute;
pub mod folder;
pub mod foreign;
pub mod judge;
pub mod live;
pub mod machine;
pub mod notice;
pub mod output;
pub mod registry;
pub mod report_series;
pub mod verdict;
pub mod warning;

pub use error::RunError;
pub use folder::Folder;
