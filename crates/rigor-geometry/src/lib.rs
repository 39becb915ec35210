//! Meshes of any codimension and what is computed from them.

pub mod mesh;

pub use mesh::{Mesh, MeshError};
