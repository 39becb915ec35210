//! Outward-rounded intervals, elementary functions on them, and vectors and rigid motions of them.
//!
//! Results are sets proven to contain the exact values: F(X) ⊃ {f(x) : x ∈ X}. A proof that an impact cannot
//! happen is therefore as sound as the mathematics behind it, because it accounts for rounding.
//!
//! | module | what |
//! | --- | --- |
//! | [`interval`] | [`Interval`]: the numbers between two ends; + − × ÷, squares, roots, sets |
//! | [`rounding`] | single operations with directed rounding |
//! | [`elementary`] | sin, cos, sinc x = sin x/x, versinc x = (1 − cos x)/x², the derivatives of the last two |
//! | [`vec3`] | [`IVec3`]: boxes, with sums, products and norms |
//! | [`matrix`] | [`IMat3`]: rotations of a box of rotation vectors, or of a quaternion |
//! | [`motion`] | [`IRigidMotion`]: where a point of a moving body is, how fast, and how far from its chord |
//!
//! Results have the same bits on every target: the arithmetic rounds to the nearest `f64` on the outer side,
//! see [`rounding`], and the elementary functions widen the results of [`rigor_math::elementary`]. Nothing
//! allocates.
//!
//! ```
//! use rigor_interval::{IRigidMotion, IVec3, Interval};
//! use rigor_math::Vec3;
//! // A wheel rolls a quarter turn; the point that touched the ground has left it by the middle of the step.
//! let turn = Vec3::new(0.0, 0.0, -std::f64::consts::FRAC_PI_2);
//! let roll = Vec3::x() * std::f64::consts::FRAC_PI_2;
//! let wheel = IRigidMotion::new([Vec3::y(), Vec3::y() + roll], [Vec3::zeros(), turn]);
//! let height = wheel.position(Interval::new(0.5, 0.6), IVec3::from(-Vec3::y()))[1];
//! let expected = 1.0 - rigor_math::elementary::cos(0.55 * std::f64::consts::FRAC_PI_2);
//! assert!(height.inf() > 0.28 && height.contains(expected));
//! ```

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod backend;
pub mod elementary;
pub mod interval;
pub mod matrix;
pub mod motion;
#[cfg(test)]
mod oracle;
pub mod rounding;
pub mod vec3;

pub use interval::Interval;
pub use matrix::IMat3;
pub use motion::IRigidMotion;
pub use vec3::IVec3;
