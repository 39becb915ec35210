//! The registry of methods, and runs on disk: execution, resumption, judgement and certification.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use rigor_run::disk::load_scene;
//! use rigor_run::execute::{Plan, execute};
//! use rigor_run::{Folder, judge};
//!
//! # fn show() -> Result<(), Box<dyn std::error::Error>> {
//! let loaded = load_scene("erleben/wedges", &[])?;
//! let plan = Plan {
//!     method: "xpbd".into(),
//!     time: loaded.scene.time,
//!     every: 1,
//!     keeps_contacts: false,
//!     keeps_joints: false,
//!     folder: Folder::new("out/wedges"),
//!     loaded,
//! };
//! let record = execute(&plan, false, &AtomicBool::new(false), &mut |live| println!("{} J", live.energy))?;
//! let judgement = judge::judge(&plan.folder, &plan.loaded.scene, &record.method, 1)?;
//! println!("every expectation holds: {}", judgement.is_good());
//! # Ok(())
//! # }
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | [`registry`] | the methods by name |
//! | [`disk`] | loading of scenes from files and from the case library |
//! | [`execute`] | execution of a run, from the start or from a checkpoint |
//! | [`live`] | the data available to an observer during a run |
//! | [`folder`] | the files of a run: record, frames, steps, contacts, joints, path, checkpoint |
//! | [`output`] | files for other programs: NumPy arrays, glTF |
//! | [`judge`](mod@judge) | judgement of a run on disk |
//! | [`certify`](mod@certify) | proof from the path of a run that bodies never touched |
//! | [`error`] | errors in the files of a run |
//! | [`notice`] | requests of scenes that methods ignore; flawed steps |
//! | [`clock`], [`cpu`], [`machine`] | wall time, processor time, and the computer |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod certify;
pub mod clock;
pub mod cpu;
pub mod disk;
pub mod error;
pub mod execute;
pub mod folder;
pub mod judge;
pub mod live;
pub mod machine;
pub mod notice;
pub mod output;
pub mod registry;

pub use error::RunError;
pub use folder::Folder;
