//! Rigid bodies as sets of particles with penalty forces, on a uniform grid.
//!
//! Source: \[Harada2007\], with the corrections of `docs/references.md`. `step.rs` has its five stages; the
//! other modules are their parts:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`config`] | spacing, law of forces, and the deviations that can be switched |
//! | `step` | particle values, grid, collision, momenta, position and quaternion |
//! | [`voxel`] | layers of a mesh along parallel rays, by depth peeling |
//! | [`shape`], [`fidelity`] | a solid as a set of particles; how well they represent it |
//! | [`grid`] | a uniform grid by counting sort, in an unbounded domain |
//! | `population`, `world`, `mover` | shapes of a scene; bodies, grains and obstacles in the solver |
//! | `neighbours`, `wall` | which particles may touch; contacts of a particle with triangles |
//! | `contact`, `collision`, `force`, `friction` | contacts, their forces, and the sums of these |
//! | `grain` | grains in arrays sorted by cell: their contacts with each other and with flat walls |
//! | [`neighbourhood`] | all neighbours of every point, over the same grid |
//! | [`fluid`] | fluids that push each other and bodies by pressure |
//! | `gpu` | with the feature of this name: the five stages on a graphics processor |
//! | `stiffness`, `restitution`, `stability` | stiffness from overlap, damping from restitution, the stable substep |
//! | `memory`, `report`, `notice` | what the next step needs; what judges and users are told |
//! | [`error`] | why a shape or a step cannot be made |
//!
//! `docs/methods/particles.md` lists what follows the source as printed and what deviates.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind must be thought of everywhere")]
// The example of the README is tested with those of the docstrings.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
// [Harada2007] is a citation; rustdoc takes it for a link.
#![allow(rustdoc::broken_intra_doc_links)]

mod collision;
pub mod config;
mod contact;
pub mod error;
pub mod fidelity;
pub mod fluid;
mod force;
mod friction;
#[cfg(feature = "gpu")]
pub mod gpu;
mod grain;
pub mod grid;
mod memory;
mod mover;
pub mod neighbourhood;
mod neighbours;
mod notice;
mod population;
mod report;
mod restitution;
mod rolling;
pub mod shape;
mod stability;
mod step;
mod stiffness;
pub mod voxel;
mod wall;
mod world;

pub use config::{Cells, Config, Device, Inertia, Lattice, Model, Rotation};
pub use error::{ParticlesError, VoxelError};
pub use fidelity::Fidelity;
pub use fluid::kernel::Kernel;
pub use grid::Grid;
pub use neighbourhood::Neighbourhood;
pub use shape::ParticleShape;
pub use step::Particles;
