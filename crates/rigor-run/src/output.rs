//! Output files of a run, by format.

pub mod glb;
pub mod npz;
pub mod palette;
