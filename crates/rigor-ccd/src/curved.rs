//! Points of rigid bodies, which move along curves.
//!
//! | module | how |
//! | --- | --- |
//! | [`piecewise_linear`] | straight pieces, each with the minimum separation enlarged by how far the curves leave them |

pub(crate) mod enclosure;
pub mod piecewise_linear;

pub use piecewise_linear::ChordBound;

#[cfg(test)]
mod tests;
