//! What joints ask of the relative velocities of bodies in a substep.

use crate::axis::{Axis, Ends};

/// An equation u⁺ + D r = c for the impulse r along an axis.
#[derive(Debug, Clone, Copy)]
pub struct Equality {
    /// The bodies between which it acts.
    pub ends: Ends,
    /// Its axis.
    pub axis: Axis,
    /// c (m/s or rad/s).
    pub target: f64,
    /// D ≥ 0 (1/kg or 1/(kg m²)).
    pub softness: f64,
    /// Maximum |r| (N s or N m s).
    pub most: f64,
    /// The joint that asks for it.
    pub joint: usize,
}

/// A bound u⁺ + D r ≥ c with an impulse r ≥ 0 along an axis that acts only where it is met: r (u⁺ + D r − c) = 0.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// The bodies between which it acts.
    pub ends: Ends,
    /// Its axis; along it bodies move away from the bound.
    pub axis: Axis,
    /// c (m/s or rad/s).
    pub target: f64,
    /// D ≥ 0 (1/kg or 1/(kg m²)).
    pub softness: f64,
    /// The joint that asks for it.
    pub joint: usize,
}
