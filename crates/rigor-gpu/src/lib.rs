//! Graphics processors for methods, through `wgpu`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `adapter` | what can compute on this machine, by name |
//! | `session` | an open device, its arrays, and what went wrong |
//! | `program` | kernels in WGSL, and the arrays that they share |
//! | `layout` | numbers as the device has them |
//! | `timing` | times of passes, by timestamps of the device |
//! | `error` | why a device cannot be used |
//!
//! Without the feature `wgpu` the crate is empty. `docs/decisions/graphics-processors.md` has the reasons.

// The example of the README is tested as well.
#![cfg_attr(all(doctest, feature = "wgpu"), doc = include_str!("../README.md"))]

#[cfg(feature = "wgpu")]
mod adapter;
#[cfg(feature = "wgpu")]
mod error;
#[cfg(feature = "wgpu")]
mod layout;
#[cfg(feature = "wgpu")]
mod program;
#[cfg(feature = "wgpu")]
mod session;
#[cfg(feature = "wgpu")]
mod timing;

#[cfg(feature = "wgpu")]
pub use adapter::{adapters, find};
#[cfg(feature = "wgpu")]
pub use error::DeviceError;
#[cfg(feature = "wgpu")]
pub use layout::{Bytes, float_at, integer_at};
#[cfg(feature = "wgpu")]
pub use program::{Binding, Program};
#[cfg(feature = "wgpu")]
pub use session::Session;
#[cfg(feature = "wgpu")]
pub use timing::Timing;
#[cfg(feature = "wgpu")]
pub use wgpu;
