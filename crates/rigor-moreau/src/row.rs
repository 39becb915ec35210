//! What is asked of the relative velocities of bodies.

use rigor_joint::{Axis, Ends, Velocity};
use rigor_math::Vec3;
use rigor_nonsmooth::Cone;

/// An equation u⁺ + D r = c for the impulse r along an axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Equality {
    pub ends: Ends,
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

/// Up to three rows with a law between their velocities and impulses: a contact, or a bound.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub ends: Ends,
    /// The normal first. A bound has a normal only.
    pub axes: [Axis; 3],
    pub cone: Cone,
    /// c: the normal velocity above which nothing pushes, and the tangential one at which there is no slip (m/s or rad/s).
    pub target: Vec3,
    /// D ≥ 0 of the normal.
    pub softness: f64,
}

impl Block {
    /// Whether it has a normal only.
    pub fn is_bound(&self) -> bool {
        self.cone == Cone::Friction(0.0)
    }

    /// Its velocities.
    pub fn velocity(&self, of: impl Fn(usize) -> Velocity) -> Vec3 {
        let rows = if self.is_bound() { 1 } else { 3 };
        Vec3::from_fn(|i, _| if i < rows { self.ends.velocity(&self.axes[i], &of) } else { 0.0 })
    }
}
