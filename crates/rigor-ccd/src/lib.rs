//! Continuous collision detection that never reports an impact late.
//!
//! | module | contents |
//! | --- | --- |
//! | [`query`] | input: two primitives, their motions and the distance they must keep |
//! | [`motion`] | the motion of a rigid body during a step |
//! | [`path`] | the trajectory of one point, with bounds on its speed and its deviation from the chord |
//! | [`impact`] | output: the answer, and which part of it is proven |
//! | [`separating_plane`] | the default method: conservative advancement of a separating plane |
//! | [`mod@earliest`] | the earliest impact among many pairs |
//! | [`method`] | all methods by name |
//! | [`linear`] | published methods for linear motions |
//! | [`broad_phase`] | candidate pairs of primitives that may come near each other |
//! | [`curved`] | a published method for the curved motions of rigid bodies |
//! | [`baseline`] | the two methods that [Ferguson2021] compares with |
//! | [`limits`] | tolerance and work limit of a search |
//! | [`truth`] | what is known about the correct answer to a query |
//! | `oracle` | ground truth by exact arithmetic (feature `testing`) |
//! | `testing` | a kit that tests any implementation (feature `testing`) |
//! | [`ccd`] | the trait through which every implementation is called and tested |
//!
//! `docs/methods/ccd.md` states and proves the guarantee of each method.

// Rustdoc takes [Ferguson2021], a citation, and [θ], a skew matrix, for links.
#![allow(rustdoc::broken_intra_doc_links)]

pub mod baseline;
pub mod broad_phase;
pub mod ccd;
pub mod curved;
pub mod earliest;
pub mod impact;
pub mod limits;
pub mod linear;
pub mod method;
pub mod motion;
pub mod path;
pub mod query;
mod relative;
pub mod separating_plane;
pub mod truth;
mod wide;

pub use ccd::Ccd;
pub use earliest::{Earliest, earliest};
pub use impact::Impact;
pub use limits::Limits;
pub use method::{LinearMethod, RigidMethod};
pub use motion::RigidMotion;
pub use query::{Kind, LinearQuery, RigidQuery};
pub use truth::{Labelled, Truth};
