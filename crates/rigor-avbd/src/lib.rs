//! Rigid bodies by augmented vertex block descent: contacts, friction and joints as energies whose multipliers and stiffnesses grow.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`config`] | settings |
//! | `step` | the algorithm |
//! | `body` | bodies within a substep |
//! | `contact`, `joint` | the energies, and what they remember |
//! | `penalty` | multipliers and stiffnesses of rows |
//! | `block` | the six equations of a body |
//! | `order` | which bodies are solved at once |
//! | `pace` | the number of substeps |
//! | `notice` | what the method ignores, and what it damps |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod block;
mod body;
pub mod config;
mod contact;
mod joint;
mod notice;
mod order;
mod pace;
mod penalty;
mod step;

pub use config::{Config, Penalties, Stabilization, Start};
pub use step::Avbd;
