//! Regular pieces of deformable matter: a sheet of triangles and a block of tetrahedra, vertex by vertex.
//!
//! They are no [`Mesh`](rigor_geometry::Mesh): what counts is which vertices make a cell, and what share of the whole each
//! vertex stands for.
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
