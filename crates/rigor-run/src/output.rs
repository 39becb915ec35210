//! What a run leaves behind, by format, and in which colours.

pub mod glb;
pub mod npz;
pub mod palette;
