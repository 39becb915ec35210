//! Output files of a run, by format, and their colours.

pub mod bodies;
pub mod glb;
pub mod npz;
pub mod palette;
pub mod vtk;
