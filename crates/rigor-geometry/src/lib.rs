//! Meshes of any codimension and what is computed from them.

pub mod aabb;
pub mod mass;
pub mod mesh;
#[cfg(test)]
pub mod shapes;
pub mod topology;

pub use aabb::Aabb;
pub use mass::{MassError, MassProperties};
pub use mesh::{Mesh, MeshError};
pub use topology::{Surface, Topology};
