//! Meshes of any codimension and what is computed from them.

pub mod aabb;
pub mod bvh;
mod cross;
pub mod distance;
pub mod intersection;
pub mod mass;
pub mod mesh;
pub mod mollifier;
#[cfg(test)]
mod oracle;
pub mod predicates;
pub mod shapes;
pub mod topology;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use mass::{MassError, MassProperties};
pub use mesh::{Mesh, MeshError};
pub use topology::{Surface, Topology};
