//! The five stages on a graphics processor, in single precision.
//!
//! Source: \[Harada2007\]. A step uploads poses and velocities of bodies if they are not there yet, runs all its
//! substeps on the device, and reads poses and velocities back; particles, grid and forces never leave the device.
//! The device finds the length of each substep itself. No result depends on the order of threads: counts are sums
//! of integers, each bucket of the grid is sorted, and forces are added in a fixed order. So an adapter gives the
//! same bits in every run; another adapter may round differently.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `types.wgsl` | arrays that all stages share |
//! | `values.wgsl`, `grid.wgsl`, `collision.wgsl`, `momenta.wgsl`, `pose.wgsl` | one stage each |
//! | `wall.wgsl` | contacts with triangles |
//! | `kernels` | what runs on the device, which `rigor-gpu` opens |
//! | `scenery`, `tree`, `twin` | the scene as bytes, and its copy on the device |
//! | `solver` | a step |
//!
//! `docs/methods/particles.md` has deviations and measurements.

mod error;
mod kernels;
mod scenery;
mod solver;
mod tree;
mod twin;

pub use error::GpuError;
pub use rigor_gpu::adapters;
pub(crate) use solver::{Solver, unsupported};
