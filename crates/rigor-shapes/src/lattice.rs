//! Regular lattices for deformable bodies: a sheet of triangles and a block of tetrahedra.
//!
//! They are not a [`Mesh`](rigor_geometry::Mesh): what matters is which vertices form a cell, and which share of the
//! whole each vertex carries.
//!
//! ```
//! use rigor_shapes::lattice::Block;
//! use rigor_math::Vec3;
//! let block = Block { size: Vec3::new(2.0, 1.0, 1.0), cells: [2, 1, 1] };
//! assert_eq!((block.vertices().len(), block.tetrahedra().len(), block.surface().len()), (12, 10, 20));
//! ```

mod block;
mod sheet;

pub use block::Block;
pub use sheet::{Hinge, Sheet};
