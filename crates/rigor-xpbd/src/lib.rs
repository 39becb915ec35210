//! Rigid bodies by extended position-based dynamics.
//!
//! Source: [Mueller2020], Procedures 1 and 3, with the corrections of `docs/references.md`. `step.rs` is the algorithm
//! box; the other modules are its lines:
//!
//! | module | line of the algorithm |
//! | --- | --- |
//! | [`config`] | substeps, iterations, and the deviations that can be switched |
//! | `broad_phase` | CollectCollisionPairs: once a step, boxes grown by k Δt ‖v‖ |
//! | `candidate` | their features that may touch, kept from step to step |
//! | `predict` | velocities and positions after external forces |
//! | `contact` | which features touch: vertex against face, edge against edge |
//! | `constraint` | the two core projections, positional and angular |
//! | `joint` | joints: hinges, rails, springs, motors |
//! | `project` | contact and static friction, one contact after the other |
//! | `block` | the contacts of two bodies solved together |
//! | `velocity` | velocities from positions; dynamic friction and restitution |
//!
//! See `docs/methods/xpbd.md` for what is as printed and what is not.

mod block;
mod body;
mod broad_phase;
mod candidate;
pub mod config;
mod constraint;
mod contact;
mod feature;
mod joint;
mod predict;
mod project;
mod report;
mod step;
mod velocity;
mod warm_start;

pub use config::{Config, ContactSolver};
pub use step::Xpbd;
