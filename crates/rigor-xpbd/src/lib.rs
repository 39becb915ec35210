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
//! | `particle` | particles, beside bodies |
//! | `bond`, `attachment` | elastic constraints between particles, and with bodies |
//! | `bonds` | their sweeps: in order, by colour, or all at once (`jacobi`) |
//! | `schedule` | another order of bonds with the same result |
//! | `pair_sweep` | sweeps over pairs of bodies: in order, by colour, or all at once |
//! | `notice` | what `pbd` does not use of a scene |
//! | `velocity` | velocities from positions; dynamic friction and restitution |
//!
//! See `docs/methods/xpbd.md` for what is as printed and what is not.

mod body;
pub mod config;
mod constraint;
mod contact;
mod elastic;
mod joint;
mod notice;
mod order;
mod particle;
mod particle_contact;
pub mod pbd;
mod step;

pub use config::{Config, ContactSolver, Integrator, JointSolver, Order, Solver};
pub use pbd::Pbd;
pub use step::Xpbd;
