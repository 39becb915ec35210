//! The judges of a run: energy, momentum, motion, constraints, contact forces, friction, intersection, distance,
//! penetration, tunnelling, deviation from a reference, and one hash for all bits.
//!
//! A [`Judge`] is a fold over frames: it is shown one frame after the other and keeps what it needs for its findings,
//! whatever the length of the run. It knows no method: what it measures it works out anew from the frames, by the exact
//! predicates, distances and trees of `rigor-geometry`, and believes reports only about forces. A [`Panel`] seats several.
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
//! for (expectation, verdict) in panel.verdicts(scene, "xpbd") {
//!     println!("{} {}: {verdict:?}", expectation.figure, expectation.bound);
//! }
//! # }
//! ```
//!
//! | module | judges |
//! | --- | --- |
//! | [`energy`] | kinetic, potential and elastic energy, drift and gain |
//! | [`momentum`] | linear and angular momentum that no known force explains |
//! | [`motion`] | displacement, rise, bounce, rotation, speed of each body |
//! | [`constraint`] | joints, bonds, attachments, fixed axes, prescribed motion, quaternion norms |
//! | [`contact`] | reported normal forces: complementarity, balance with the motion |
//! | [`friction`] | reported friction forces: Coulomb's law |
//! | [`intersection`] | exact intersection of surfaces |
//! | [`distance`] | smallest distance between surfaces |
//! | [`penetration`] | greatest depth found |
//! | [`tunnelling`] | bodies that went through each other between frames |
//! | [`compare`] | deviation from a reference |
//! | [`determinism`] | a hash of all bits |
//! | [`certificate`] | proof that a recorded path is free of contact: no fold over frames, so no [`Judge`] |
//!
//! Beneath them: [`figure`] lists all figures; [`finding`], [`series`] and [`verdict`] are what comes out; [`surface`] has
//! the bodies' surfaces in the world, on which [`meeting`], [`gap`] and [`depth`] measure; [`elastic`] is the energy of bonds.

mod angle;
pub mod certificate;
pub mod compare;
pub mod constraint;
pub mod contact;
pub mod depth;
pub mod determinism;
pub mod distance;
pub mod elastic;
pub mod energy;
pub mod figure;
pub mod finding;
pub mod friction;
pub mod gap;
pub mod intersection;
pub mod judge;
pub mod meeting;
pub mod momentum;
pub mod motion;
mod panel;
mod peak;
pub mod penetration;
pub mod series;
pub mod surface;
#[cfg(test)]
mod testing;
pub mod tunnelling;
pub mod verdict;

pub use certificate::{Certificate, Certifier, Flaw};
pub use figure::{Figure, figures};
pub use finding::{Finding, Moment};
pub use judge::{Frame, Judge};
pub use panel::Panel;
pub use series::Series;
pub use surface::Eye;
pub use verdict::{Verdict, verdicts};
