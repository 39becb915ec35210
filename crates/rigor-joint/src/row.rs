//! What joints ask of the relative velocities of bodies in a substep.

use crate::axis::{Axis, Ends};
use crate::coordinate::Measure;

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
    /// Least and greatest r (N s or N m s).
    pub least: f64,
    /// See `least`.
    pub most: f64,
    /// The joint that asks for it.
    pub joint: usize,
}

impl Bound {
    /// Returns the same as an equation whose impulse only pushes.
    pub fn equality(&self) -> Equality {
        let Self { ends, axis, target, softness, joint, .. } = *self;
        Equality { ends, axis, target, softness, least: 0.0, most: f64::INFINITY, joint }
    }
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
    /// What it bounds, from above or from below.
    pub measure: Measure,
    /// See `measure`.
    pub is_upper: bool,
}
