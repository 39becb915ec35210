//! Unconstrained rigid-body motion: the reference for free flight.
//!
//! Contact is ignored, and bodies pass through each other. Every contact method must reproduce this motion
//! between contacts. It is exact, to rounding or to an estimated error of 10⁻¹³ per radian, at any rate of rotation:
//!
//! | module | contents | accuracy |
//! | --- | --- | --- |
//! | `translation` | x, v under constant force and gravity | exact |
//! | [`rigor_math::driven_rotation`] | q, ω under constant torque | closed form without torque or about one axis, else extrapolated |
//! | `step` | [`Free`]: the [`Method`](rigor_scene::Method) | |
//! | `notice` | features of a scene that it ignores | |
//! | [`config`] | parts of a step | |
//!
//! See `docs/methods/free.md` for the equations and measurements.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind must be thought of everywhere")]
// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod config;
mod notice;
mod step;
mod translation;

pub use config::Config;
pub use step::Free;
