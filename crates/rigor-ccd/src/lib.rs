//! Continuous collision detection that never answers late.
//!
//! | module | what |
//! | --- | --- |
//! | [`query`] | the question: two primitives, how they move, how far apart they must stay |
//! | [`motion`] | how a rigid body moves during a step |
//! | [`path`] | the path of one point, with bounds on its speed and on its deviation from the chord |
//! | [`impact`] | the answer, and which part of it is proven |
//! | [`separating_plane`] | the default method: conservative advancement of a separating plane |
//! | [`mod@earliest`] | the first impact among many pairs |
//! | [`method`] | every method by its name |
//! | [`linear`] | published methods for straight motions |
//! | [`broad_phase`] | which primitives of which bodies may come near each other |
//! | [`curved`] | a published method for the curved motions of rigid bodies |
//! | [`baseline`] | the two methods that [Ferguson2021] compares with |
//! | [`limits`] | when a search stops |
//! | [`truth`] | what is known about the answer to a query |
//! | [`ccd`] | the trait through which every implementation is called and tested |
//!
//! `docs/methods/ccd.md` states and proves what each method promises.

// [Ferguson2021] is a citation and [θ] a skew matrix; rustdoc takes both for links.
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
