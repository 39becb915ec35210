//! Unconstrained rigid-body motion: the reference for free flight.
//!
//! Contact is ignored, and bodies pass through each other. Every contact method must reproduce this motion
//! between contacts. It is exact where a closed form exists and of fourth order elsewhere:
//!
//! | module | contents | accuracy |
//! | --- | --- | --- |
//! | `translation` | x, v under constant force and gravity | exact |
//! | [`rigor_math::driven_rotation`] | q, ω under constant torque | L exact; q, ω and energy of order 4, exact for free symmetric tops |
//! | `step` | [`Free`]: the [`Method`](rigor_scene::Method) | |
//! | `notice` | features of a scene that it ignores | |
//! | [`config`] | number of substeps | |
//!
//! See `docs/methods/free.md` for the equations and measurements.

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod config;
mod notice;
mod step;
mod translation;

pub use config::Config;
pub use step::Free;
