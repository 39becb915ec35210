//! Rigid bodies by extended position-based dynamics.
//!
//! Source: \[Mueller2020\], Procedures 1 and 3, with the corrections of `docs/references.md`. `step.rs` is
//! the algorithm box; the other modules are its lines:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`config`] | substeps, iterations, and the deviations that can be switched |
//! | `step` | the algorithm box |
//! | `body` | bodies in the solver: prediction under external forces, velocities from positions |
//! | `constraint` | the two core projections of bodies, positional and angular |
//! | `contact::detect` | CollectCollisionPairs once per step; which features touch, once per substep |
//! | `contact::solve` | sweeps over pairs of bodies: contact, friction, restitution |
//! | `joint` | joints: hinges, rails, springs, motors |
//! | `particle` | particles: integrators and shared positions |
//! | `elastic` | constraints on particles: bonds, attachments to bodies, and their sweeps |
//! | `particle_contact` | contacts of particles with bodies and with each other |
//! | `gpu` | with the feature of this name: distance bonds, and bodies with joints and contacts, on a graphics processor |
//! | `order` | the order of constraints, and their colours |
//! | [`pbd`], `notice` | the method `pbd`, and what it does not use of a scene |
//!
//! `docs/methods/xpbd.md` lists what follows the source as printed and what deviates.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind must be thought of everywhere")]
// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod body;
pub mod config;
mod constraint;
mod contact;
mod elastic;
#[cfg(feature = "gpu")]
pub mod gpu;
mod joint;
mod notice;
mod order;
mod particle;
mod particle_contact;
pub mod pbd;
mod step;

pub use config::{Config, ContactSolver, Device, Integrator, JointSolver, Order, Solver};
pub use pbd::Pbd;
pub use step::Xpbd;
