//! Intersection-free rigid bodies by incremental potential contact.
//!
//! | module | what |
//! | --- | --- |
//! | [`config`] | settings |
//! | [`step`] | one step: the method |

// [Ferguson2021] is a citation and [θ] a skew matrix; rustdoc takes both for links.
#![allow(rustdoc::broken_intra_doc_links)]

mod barrier;
mod body;
pub mod config;
mod contact;
mod friction;
mod kinematic;
mod line_search;
mod linear_solve;
mod memory;
mod nearby;
mod newton;
mod objective;
mod pair;
mod path;
mod phase;
mod placement;
mod positive;
mod report;
mod scale;
mod shapes;
mod skin;
pub mod step;
mod stiffness;
mod terms;

pub use config::{Config, Coordinates, Pairs};
pub use step::Ipc;
