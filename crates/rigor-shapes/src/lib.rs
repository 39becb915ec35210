//! Procedural meshes: each shape is one file with one parameter struct and one method, `mesh`.
//!
//! The y axis points up: it is the axis of round shapes and the normal of flat ones. Unless a shape says
//! otherwise, the origin is the centre of its bounding box. Lengths are in metres, angles in radians. Meshes
//! of solids are closed, face outwards and do not intersect themselves; every triangle has area. Vertices of
//! round shapes lie on the smooth surface, so that the volume error falls with the square of the number of
//! segments.
//!
//! With the feature `serde`, shapes can be written as tables, and with `schema` they have a JSON schema; this
//! is the form they have in scene files.
//!
//! ```
//! use rigor_shapes::{Cylinder, Icosphere};
//! let drum = Cylinder { radius: 0.3, height: 0.5, segments: 32 }.mesh()?;
//! assert!(drum.is_closed() && drum.is_convex());
//! let error = Icosphere { radius: -1.0, subdivisions: 2 }.mesh().unwrap_err();
//! assert_eq!(error.to_string(), "icosphere: radius = -1 must be positive and finite");
//! # Ok::<(), rigor_shapes::ShapeError>(())
//! ```

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod lattice;

mod check;
mod circle;
mod extrude;
#[cfg(feature = "serde")]
mod form;
mod loft;
mod outline;
mod rectangle;

mod arch;
mod arch_stone;
mod bolt;
mod capsule;
mod card;
mod catenary_arch;
mod chain_link;
mod cliff;
mod coin;
mod cone;
mod crack;
mod cuboid;
mod cylinder;
mod extrusion;
mod gear;
mod height_field;
mod hole;
mod icosphere;
mod nut;
mod plane;
mod point_sphere;
mod revolution;
mod spike;
mod tetrahedron;
mod thread;
mod torus;
mod uv_sphere;
mod wedge;
mod wire;

pub use arch::Arch;
pub use arch_stone::ArchStone;
pub use bolt::Bolt;
pub use capsule::Capsule;
pub use card::Card;
pub use catenary_arch::CatenaryArch;
pub use chain_link::ChainLink;
pub use check::ShapeError;
pub use cliff::Cliff;
pub use coin::Coin;
pub use cone::Cone;
pub use crack::Crack;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use extrusion::Extrusion;
pub use gear::Gear;
pub use height_field::HeightField;
pub use hole::{Bottom, Hole};
pub use icosphere::Icosphere;
pub use nut::Nut;
pub use outline::{Outline, tile_polygon};
pub use plane::Plane;
pub use point_sphere::PointSphere;
pub use revolution::Revolution;
pub use spike::Spike;
pub use tetrahedron::Tetrahedron;
pub use thread::Thread;
pub use torus::Torus;
pub use uv_sphere::UvSphere;
pub use wedge::Wedge;
pub use wire::Wire;

#[cfg(test)]
mod sound;
