//! Fluids: particles of the scene that push each other by pressure, in the same grid.
//!
//! Source: weakly compressible smoothed-particle hydrodynamics \[Monaghan1994\], with walls and bodies as
//! boundary particles whose pressure is extrapolated from the fluid \[Adami2012\]. `liquid.rs` has a substep;
//! the other modules are its parts.

pub(crate) mod boundary;
pub(crate) mod density;
pub mod kernel;
pub(crate) mod law;
pub(crate) mod liquid;
pub(crate) mod parcel;
pub(crate) mod push;
pub(crate) mod reaction;
pub(crate) mod standing;
pub(crate) mod support;
pub(crate) mod tait;
pub(crate) mod tally;
pub(crate) mod thickness;
pub(crate) mod wall;
