//! Rigid bodies with contact, friction and joints by Moreau–Jean time stepping.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`config`] | law, solver, impacts, stabilization |
//! | `step` | the algorithm box |
//! | `body` | bodies on their way through a substep |
//! | `pair` | pairs of bodies, their contacts, and what is kept of them |
//! | `row` | blocks of contacts and bounds; joints make theirs in `rigor-joint` |
//! | `impact` | rebound |
//! | `mechanics` | the problem of all impulses: joints eliminated, contacts solved |
//! | `projection` | joints and overlaps closed in poses |
//! | `pace`, `report` | substeps of fast bodies; reports |
//!
//! See `docs/methods/nonsmooth.md`.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind must be thought of everywhere")]
// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod body;
pub mod config;
mod impact;
mod mechanics;
mod pace;
mod pair;
mod projection;
mod report;
mod row;
mod step;

pub use config::{Config, ContactLaw, ContactSolver, Impacts, Stabilization};
pub use step::Nonsmooth;
