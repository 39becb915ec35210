//! Joints of rigid bodies: coordinates with gradients, equations, and the flight of bodies that joints hold together.
//!
//! A method asks a [`PlacedJoint`] for the coordinates of a joint at some poses, makes equations, springs or potentials of them, and
//! keeps a [`Progress`] for what the future depends on.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`axis`] | directions in which two bodies move against each other |
//! | [`coordinate`] | values and gradients of a joint at some poses |
//! | [`progress`] | turns, targets of drives, slips of gears, the reports of a step, and its substeps |
//! | [`flying`] | a body in a substep: half a flight, a kick, half a flight |
//! | [`row`], [`rows`] | what joints ask of velocities in a substep |
//! | [`equations`] | these rows, factorized and solved |
//! | [`isolated`] | sets of bodies that nothing outside holds: they keep their angular momentum |
//! | [`joined`] | the flight of joined bodies |
//! | [`way`] | velocities that joints do not let go where they lead |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod axis;
pub mod coordinate;
pub mod equations;
pub mod flying;
pub mod isolated;
pub mod joined;
pub mod progress;
pub mod row;
pub mod rows;
pub mod way;

pub use axis::{Axis, Ends, Mobility, Velocity, response};
pub use coordinate::{Coordinate, Measure, PlacedJoint, ends_of};
pub use equations::{Equations, within_limits};
pub use flying::FlyingBody;
pub use isolated::Isolated;
pub use joined::{CLOSES, JoinedFlight};
pub use progress::{Progress, goal_of, substeps, turning};
pub use row::{Bound, Equality};
pub use rows::{Closing, Joints, RowInput, Rows};
pub use way::{CLOSED, follow_the_way};
