//! Methods by name, and their runs on disk: made, resumed, judged and certified.
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
//! | module | what |
//! | --- | --- |
//! | [`registry`] | methods by name |
//! | [`disk`] | scenes from files and from the case library |
//! | [`execute`] | a run made, or gone on with |
//! | [`live`] | what can be shown of it meanwhile |
//! | [`folder`] | its files: record, frames, steps, contacts, joints, path, checkpoint |
//! | [`output`] | files for other programs: numpy arrays, glTF |
//! | [`judge`] | a run on disk before the judges |
//! | [`certify`] | a proof from its path that bodies never touched |
//! | [`error`] | what is wrong with a file of a run |
//! | [`notice`] | what methods do not do as scenes ask; flawed steps |
//! | [`peers`] | engines in processes of their own: where they are, and how they are installed |
//! | [`clock`], [`cpu`], [`machine`] | the time, the time on the processor, and the computer |

// The example of the README is tested with those of the docstrings.
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
pub mod peers;
pub mod registry;

pub use error::RunError;
pub use folder::Folder;
