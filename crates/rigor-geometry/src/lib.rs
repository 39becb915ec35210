//! Meshes of any codimension and what is computed from them.

pub mod aabb;
pub mod mesh;
pub mod topology;

pub use aabb::Aabb;
pub use mesh::{Mesh, MeshError};
pub use topology::{Surface, Topology};
