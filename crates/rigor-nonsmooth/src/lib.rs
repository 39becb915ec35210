//! Friction problems with contact: what they are, how they are solved, and how well.
//!
//! | module or type | what |
//! | --- | --- |
//! | [`Problem`] | W, q and μ: find impulses r with u = W r + q that obey a law of contact |
//! | [`GlobalProblem`] | M, H, f, w and μ, which become a [`Problem`] |
//! | [`Law`] | Coulomb's law and those that solvers put in its place |
//! | [`solver`] | Gauss–Seidel, gradients, splitting, Newton, interior points, pivots |
//! | [`impact`] | velocities after impacts |
//! | [`mod@file`] | problems in `.npz` files of NumPy |

#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod cholesky;
mod cone;
mod delassus;
mod dense;
pub mod file;
mod global;
pub mod impact;
mod law;
mod problem;
pub mod solver;

pub use cholesky::Cholesky;
pub use cone::Cone;
pub use delassus::Delassus;
pub use global::{CondenseError, GlobalProblem};
pub use impact::{Blow, Impact};
pub use law::Law;
pub use problem::{Problem, ProblemError};
pub use rigor_math::{Mat3, Vec3};
