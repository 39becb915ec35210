//! Continuous collision detection that never answers late.
//!
//! | module | what |
//! | --- | --- |
//! | [`query`] | two primitives, how they move, how far apart they must stay |
//! | [`motion`] | how a rigid body moves during a step |
//! | [`impact`] | the answer, and what of it is proven |
//! | [`limits`] | when a search stops |
//! | [`truth`] | what is known of the answer |
//! | [`ccd`] | the trait that every implementation is called and tested through |

// [Ferguson2021] is a citation and [θ] a skew matrix; rustdoc takes both for links.
#![allow(rustdoc::broken_intra_doc_links)]

pub mod ccd;
pub mod impact;
pub mod limits;
pub mod motion;
pub mod query;
mod relative;
pub mod truth;

pub use ccd::Ccd;
pub use impact::Impact;
pub use limits::Limits;
pub use motion::RigidMotion;
pub use query::{Kind, LinearQuery, RigidQuery};
pub use truth::{Labelled, Truth};
