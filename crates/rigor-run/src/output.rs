//! What a run leaves behind, by format.

pub mod glb;
pub mod npz;
pub mod palette;
