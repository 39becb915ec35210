//! Meshes of any codimension and what is computed from them.
//!
//! | module | what |
//! | --- | --- |
//! | [`distance`] | squared distances of points, edges and triangles, with regions, closest points, gradient and Hessian |
//! | [`mollifier`] | the factor that lets the barrier of parallel edges fade out, with gradient and Hessian |
//! | [`predicates`] | exact signs: on which side of a plane or line a point lies |
//! | [`intersection`] | exactly, whether points, edges and triangles touch or cross, and whether a point is inside a mesh |

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
