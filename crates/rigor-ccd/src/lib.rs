//! Continuous collision detection that never reports an impact late.
//!
//! | module | contents |
//! | --- | --- |
//! | [`query`] | input: two primitives, their motions and the distance they must keep |
//! | [`motion`] | motions during a step: of a point along a straight line, and of a rigid body |
//! | [`impact`] | output: the answer, and the part of it that is proven |
//! | [`separating_plane`] | the default method: conservative advancement of a separating plane |
//! | [`mod@earliest`] | the earliest impact among many pairs |
//! | [`method`] | all methods by name |
//! | [`linear`] | published methods for linear motions |
//! | [`broad_phase`] | candidate pairs of primitives that may come near each other |
//! | [`curved`] | a published method for the curved motions of rigid bodies |
//! | [`baseline`] | the two methods that \[Ferguson2021\] compares with |
//! | [`limits`] | tolerance and work limit of a search |
//! | [`invalid`] | why a query has no answer |
//! | [`truth`] | knowledge about the correct answer to a query |
//! | [`ccd`] | the trait through which every implementation is called and tested |
//!
//! ```
//! use rigor_ccd::{Ccd, Impact, LinearMethod, LinearQuery, StraightMotion};
//! use rigor_math::Vec3;
//! // Two points 1 m apart fly at each other and meet after half of the step.
//! let [a, b] = [StraightMotion::between(Vec3::zeros(), Vec3::x()), StraightMotion::between(Vec3::x(), Vec3::zeros())];
//! let answer = LinearMethod::default().impact(&LinearQuery::point_point(a, b, 0.0), 1.0)?;
//! assert!(matches!(answer, Impact::At { t_safe, .. } if 0.499 < t_safe && t_safe < 0.5));
//! # Ok::<(), rigor_ccd::InvalidQuery>(())
//! ```
//!
//! The crate `rigor-ccd-test` tests any implementation of [`Ccd`], with exact ground truth.
//! `docs/methods/ccd.md` states and proves the guarantee of each method.

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod baseline;
pub mod broad_phase;
pub mod ccd;
pub mod curved;
pub mod earliest;
pub mod impact;
pub mod invalid;
pub mod limits;
pub mod linear;
pub mod method;
pub mod motion;
pub mod query;
mod relative;
pub mod separating_plane;
pub mod truth;
mod wide;

pub use ccd::{Answer, Ccd};
pub use earliest::{Earliest, InvalidAmong, earliest};
pub use impact::Impact;
pub use invalid::InvalidQuery;
pub use limits::{BoxSide, Length, Limits, MarginShare};
pub use method::{LinearMethod, RigidMethod};
pub use motion::{RigidMotion, StraightMotion};
pub use query::{Kind, LinearQuery, RigidQuery};
pub use truth::{Labelled, Truth};
