//! Unconstrained motion: the reference for free flight.
//!
//! Contact is ignored, and bodies pass through each other. What remains is the motion that every contact method must have
//! between contacts, exact where a closed form exists and of fourth order elsewhere:
//!
//! | module | what | how well |
//! | --- | --- | --- |
//! | `translation` | x, v under constant force and gravity | exact |
//! | [`rigor_math::driven_rotation`] | q, ω under constant torque | L exact; q, ω and energy of order 4, exact for free symmetric tops |
//! | `step` | [`Free`]: the [`Method`](rigor_scene::Method) | |
//! | `notice` | what it ignores of a scene | |
//! | [`config`] | substeps | |
//!
//! See `docs/methods/free.md` for the equations and measurements.

pub mod config;
mod notice;
mod step;
mod translation;

pub use config::Config;
pub use step::Free;
