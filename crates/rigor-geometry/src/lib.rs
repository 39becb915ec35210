//! Meshes of any codimension and the geometry computed from them.
//!
//! | module | what |
//! | --- | --- |
//! | [`mesh`] | triangles, edges and points over one list of vertices; merging and repair |
//! | [`shape_function`] | shape functions of tetrahedra with four and with ten nodes, with gradients and quadrature |
//! | [`split`] | splitting a mesh into its connected components |
//! | [`topology`] | adjacency, connected components, kind of surface, convexity |
//! | [`mass`] | mass, centre of mass and inertia, by exact integrals over volumes, areas and lengths |
//! | [`aabb`] | axis-aligned boxes |
//! | [`bvh`] | a tree of boxes for overlap, ray and nearest queries |
//! | [`rigid_tree`] | a tree of boxes in the frame of a body, for queries under its pose |
//! | [`dihedral`] | the angle between two triangles about their common edge |
//! | [`distance`] | squared distances of points, edges and triangles, with regions, closest points, gradient and Hessian |
//! | [`mollifier`] | the factor that fades out the barrier of parallel edges, with gradient and Hessian |
//! | [`predicates`] | exact signs: on which side of a plane or line a point lies |
//! | [`hull`] | the convex hull of points |
//! | [`intersection`] | exact tests of whether points, edges and triangles touch or cross, and whether a point is inside a mesh |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod aabb;
pub mod bvh;
mod cross;
pub mod dihedral;
pub mod distance;
pub mod hull;
pub mod intersection;
pub mod mass;
pub mod mesh;
pub mod mollifier;
#[cfg(test)]
mod oracle;
pub mod predicates;
pub mod rigid_tree;
pub mod shape_function;
pub mod split;
pub mod topology;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use mass::{MassError, MassProperties};
pub use mesh::{Mesh, MeshError};
pub use rigid_tree::RigidTree;
pub use topology::{Surface, Topology};
