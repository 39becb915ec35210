//! Points of rigid bodies, which move along curves.
//!
//! | module | method |
//! | --- | --- |
//! | [`piecewise_linear`] | straight pieces, each with the minimum separation enlarged by the deviation from the chords |

pub(crate) mod enclosure;
pub mod piecewise_linear;

pub use piecewise_linear::ChordBound;

#[cfg(test)]
mod tests;
