//! Rotations, poses and inertia: the mathematics that every other crate builds on.
//!
//! | module | what |
//! | --- | --- |
//! | [`elementary`] | sin, cos and others, with the same bits on every platform |
//! | [`elliptic`] | Jacobi's functions and the integrals of first and third kind, with the same bits on every platform |
//! | [`sinc`] | sin x / x, its companions and their derivatives, without cancellation |
//! | [`rotation_vector`] | θ ∈ R³ ↦ rotation: exp, log, R(θ) with first and second derivatives, θ̇ ↔ ω |
//! | [`quaternion`] | unit quaternions: conversion, slerp, turning by an exact or linearised rotation |
//! | [`angle`] | angles between rotations and between directions, accurate near 0 and π |
//! | [`angular_velocity`] | ω from two orientations and from a matrix rate, and back |
//! | [`polar`] | a matrix as a rotation after a symmetric strain |
//! | [`pose`] | a rigid placement: rotation, then translation |
//! | [`free_rotation`] | the torque-free top: exact, and by a cheap symplectic step |
//! | [`driven_rotation`] | rotation under a constant torque: exact to rounding, and by a step of order four |
//! | [`turning`] | the turn between two orientations that the angular velocities say, also beyond π |
//! | [`inertia`] | inertia tensors: principal axes, shifting, turning, momentum and energy |
//! | [`fused`] | M x and M x + y, for innermost loops |
//! | [`tangent`] | two directions that span the plane perpendicular to a normal |
//! | [`finite_difference`] | finite differences that check every derivative in the workspace |
//!
//! Functions come in pairs where a method linearises: the plain name is exact (`rotate`, `difference`,
//! `angular_velocity::between`), `…_linearised` is the first-order form that position-based dynamics uses.

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod angle;
pub mod angular_velocity;
pub mod disjoint_sets;
pub mod driven_rotation;
pub mod elementary;
pub mod elliptic;
pub mod finite_difference;
pub mod free_rotation;
pub mod fused;
pub mod inertia;
pub mod polar;
pub mod pose;
mod principal_inertia;
pub mod quaternion;
pub mod rotation_vector;
pub mod sinc;
pub mod spin;
pub mod tangent;
pub mod turning;

/// A vector of three `f64`: a position, velocity, force, ….
pub type Vec3 = nalgebra::Vector3<f64>;
/// A vector of length one: a direction.
pub type UnitVec3 = nalgebra::UnitVector3<f64>;
/// A 3×3 matrix of `f64`.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A rotation as a unit quaternion. nalgebra stores it (x, y, z, w); files and docs write (w, x, y, z).
pub type UnitQuaternion = nalgebra::UnitQuaternion<f64>;

pub use inertia::PrincipalInertia;
pub use pose::Pose;
pub use rotation_vector::{skew, unskew};
