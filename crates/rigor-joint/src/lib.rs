//! Joints of rigid bodies as coordinates: what they hold, bound and drive, as values with gradients.
//!
//! A method asks a [`PlacedJoint`] for the coordinates of a joint at some poses, makes equations, springs or potentials of them, and
//! keeps a [`Progress`] for what the future depends on.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`axis`] | directions in which two bodies move against each other |
//! | [`coordinate`] | values and gradients of a joint at some poses |
//! | [`progress`] | turns, targets of drives, slips of gears, the reports of a step, and its substeps |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod axis;
pub mod coordinate;
pub mod progress;

pub use axis::{Axis, Ends, Mobility, Velocity, response};
pub use coordinate::{Coordinate, PlacedJoint, ends_of};
pub use progress::{Progress, goal_of, substeps};
