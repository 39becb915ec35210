//! Distance bonds on a graphics processor, in single precision; `bodies` has rigid bodies.
//!
//! A step writes positions and velocities of particles to the device, runs all its substeps and sweeps there, and reads
//! positions, velocities and multipliers back. Bonds stay on the device. The order of bonds, their colours and the
//! shares of `jacobi` are those of the processor. No result depends on the order of threads: bonds of one colour share
//! no particle that moves, and a particle adds the corrections of `jacobi` in the order of its bonds.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `bonds.wgsl` | the kernels |
//! | `kernels` | their names and arrays |
//! | `twin` | particles and bonds on the device |
//! | `passes` | what is submitted, and how long it took |
//! | `solver` | a step |
//!
//! `docs/methods/xpbd.md` has deviations and measurements.

pub(crate) mod bodies;
mod error;
mod kernels;
mod passes;
mod solver;
mod twin;

pub use error::GpuError;
pub use rigor_gpu::adapters;
pub(crate) use solver::{Solver, unsupported};
