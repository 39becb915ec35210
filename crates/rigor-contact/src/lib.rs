//! Where meshes touch: points, normals and gaps between closed or open surfaces that move.
//!
//! Two solids touch where a corner of one meets a face of the other, or where two edges meet. A candidate is
//! a contact if its features face each other (each *supports* the direction of the other), if the nearest
//! points lie inside both features, and if no other candidate explains the overlap with less depth. Features
//! that crossed on the way to the predicted poses are added.
//!
//! [`BroadPhase`] finds pairs of bodies once per step; [`Detection`], one for each pair, finds contacts once per substep and keeps
//! what it can. What pushes bodies apart is the business of the methods that use it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `broad_phase` | pairs of bodies that may touch during a step |
//! | [`detection`] | contacts of a pair in a substep |
//! | [`feature`], [`round`] | corners, edges and faces of a mesh, and the directions that they support; balls and rims |
//! | `candidate` | features that can touch, found with a margin and kept |
//! | `corner_face`, `edge_edge`, `ball` | the contacts of each kind |
//! | `crossing` | features that cross within a substep |
//! | [`meeting`] | the pairs of a step, with what a method keeps for each |
//! | [`push`] | what contacts do in a step, and the reports of it |
//! | `sighting` | the poses at which contacts were searched, and how long they are kept |
//! | [`sighting_memory`] | sightings in the memory of a state |
//! | [`found`], [`frame`], [`motion`] | contacts, frames, and bodies that move |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod ball;
mod broad_phase;
mod candidate;
mod corner_face;
mod crossing;
pub mod detection;
mod edge_edge;
pub mod feature;
pub mod found;
pub mod frame;
pub mod meeting;
pub mod motion;
pub mod push;
pub mod round;
mod sighting;
pub mod sighting_memory;
mod tolerance;
mod window;

pub use broad_phase::{BroadPhase, Pairs};
pub use crossing::SLOPS;
pub use detection::{Completion, Detection, Margins, Pace};
pub use feature::{FeatureCache, Features};
pub use found::{ContactKey, Footing, Found, NormalFeature, Touch};
pub use frame::Frame;
pub use meeting::{Meeting, Meetings};
pub use motion::{Motion, Moving, Place, Placed, relative_speed};
pub use push::Pushed;
