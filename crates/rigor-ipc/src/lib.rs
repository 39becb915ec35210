//! Intersection-free rigid bodies by incremental potential contact.
//!
//! A step reads from the top of this table to its end; `docs/methods/ipc.md` has the equations.
//!
//! | module | what | [Ferguson2021] |
//! | --- | --- | --- |
//! | [`config`], `scale` | settings; those that follow from the scene | |
//! | [`step`] | one step: the method | §4.2 |
//! | `shapes`, `skin`, `corner` | what is computed of each mesh once; which edges and vertices count, and how often | |
//! | `placement` | where a body is, and its coordinates | §4.1 |
//! | `body`, `kinematic` | E of a free body, and of one that is led | §4.1, §4.4 |
//! | `newton` | iterations: direction, length, end | §4.2 |
//! | `objective`, `pair` | f, ∇f, ∇²f; what one pair of bodies adds to them | §4.1, §4.2 |
//! | `barrier`, `stiffness` | b; κ | §3 |
//! | `contact`, `terms` | two primitives and their barrier; which pairs of them count, and how often | §3 |
//! | `crossing`, `fade` | two edges: what their ends take off, and how they fade out as they become parallel | §3 |
//! | `friction`, `slip`, `lag` | D; how fast surfaces slide; normal forces that agree | §3 |
//! | `flight`, `prediction` | all bodies over a step; where each would be without contact | §4.1 |
//! | `positive`, `linear_solve` | the repair of ∇²f; H p = −∇f | §4.2 |
//! | `nearby`, `line_search` | what may meet on the way; how far it is free | §4.3 |
//! | `report`, `phase`, `path` | what a step tells of itself | |
//! | `notice` | what of the scene it does not use as given | |
//! | `memory` | what the state keeps for the next step | |

// [Ferguson2021] is a citation and [θ] a skew matrix; rustdoc takes both for links.
#![allow(rustdoc::broken_intra_doc_links)]

mod barrier;
mod body;
pub mod config;
mod contact;
mod corner;
mod crossing;
mod fade;
mod flight;
mod friction;
mod kinematic;
mod lag;
mod line_search;
mod linear_solve;
mod memory;
mod nearby;
mod newton;
mod notice;
mod objective;
mod pair;
mod path;
mod phase;
mod placement;
mod positive;
mod prediction;
mod report;
mod scale;
mod shapes;
mod skin;
mod slip;
pub mod step;
mod stiffness;
mod terms;

pub use config::{Config, Coordinates, Ending, Integrator, Pairs};
pub use step::Ipc;
