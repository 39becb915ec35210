//! The judges of a run: energy, momentum, motion, constraints, contact forces, friction, intersection,
//! distance, penetration, tunnelling, deviation from a reference, and one hash for all bits.
//!
//! A [`Judge`] is a fold over frames: it sees one frame after another and keeps only what its findings need,
//! however long the run is. It does not depend on the method: it computes everything from the frames, with
//! the exact predicates, distances and trees of `rigor-geometry`, and uses a method's reports only for
//! forces. Balls and capsules are judged as what they are, not as the meshes that show them. A [`Panel`] runs several judges at once.
//!
//! ```
//! use rigor_audit::Panel;
//! # fn show(scene: &rigor_scene::Scene, frames: &[rigor_scene::State]) {
//! let mut panel = Panel::full(1);
//! for frame in frames {
//!     panel.observe(scene, frame, None);
//! }
//! for finding in panel.findings(scene) {
//!     println!("{} = {} {}", finding.figure, finding.value, finding.unit);
//! }
//! for (expectation, verdict) in panel.verdicts(scene) {
//!     println!("{} {}: {verdict:?}", expectation.figure, expectation.bound);
//! }
//! # }
//! ```
//!
//! | module | judges |
//! | --- | --- |
//! | [`energy`] | drift and gain of the mechanical energy, as [`rigor_scene::energy`] defines it |
//! | [`momentum`] | changes of linear and angular momentum that no known force explains |
//! | [`motion`] | displacement, rise, bounce, rotation, speed of each body |
//! | [`constraint`] | joints, bonds, attachments, fixed axes, prescribed motion, quaternion norms |
//! | [`contact`] | reported normal forces: complementarity, balance with the motion |
//! | [`friction`] | reported friction forces: Coulomb's law |
//! | [`intersection`] | exact intersection of surfaces |
//! | [`distance`] | smallest distance between surfaces |
//! | [`penetration`] | largest penetration depth found |
//! | [`tunnelling`] | bodies that went through each other between frames |
//! | [`compare`] | deviation from a reference |
//! | [`determinism`] | a hash of all bits |
//! | [`certificate`] | a proof that a recorded path is free of contact; not a fold over frames, so not a [`Judge`] |
//!
//! Supporting modules: [`figure`] describes a figure and [`register`] lists all of them; [`finding`],
//! [`series`] and [`verdict`] define the results; [`surface`] is the surface of a body in the world;
//! [`meeting`], [`gap`] and [`depth`] measure two of them, and [`surface_cache`] remembers from frame to frame what
//! need not be measured again, and [`scale`] is what relative figures are divided by.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind must be thought of everywhere")]
// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod certificate;
pub mod compare;
pub mod constraint;
pub mod contact;
pub mod depth;
pub mod determinism;
mod displacement;
pub mod distance;
mod effort;
pub mod energy;
pub mod figure;
pub mod finding;
pub mod friction;
pub mod gap;
pub mod growth;
pub mod intersection;
pub mod judge;
pub mod meeting;
pub mod momentum;
pub mod motion;
mod panel;
mod passage;
mod peak;
pub mod penetration;
pub mod primitive;
pub mod register;
pub mod scale;
mod separation;
pub mod series;
pub mod surface;
pub mod surface_cache;
#[cfg(test)]
mod testing;
pub mod tunnelling;
mod turn;
mod turns;
pub mod verdict;

pub use certificate::{Certificate, Certifier, Flaw};
pub use figure::Figure;
pub use finding::{Finding, Moment};
pub use growth::Growth;
pub use judge::{Frame, Judge};
pub use panel::Panel;
pub use register::figures;
pub use series::Series;
pub use surface_cache::SurfaceCache;
pub use verdict::{Verdict, verdicts};
