//! What is asked of the relative velocities of bodies.

use rigor_joint::{Axis, Bound, Ends, Velocity};
use rigor_math::Vec3;
use rigor_nonsmooth::Cone;

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
    /// The block of a bound.
    pub fn of_bound(bound: &Bound) -> Self {
        let none = Axis::default();
        Self {
            ends: bound.ends,
            axes: [bound.axis, none, none],
            cone: Cone::Friction(0.0),
            target: Vec3::x() * bound.target,
            softness: bound.softness,
        }
    }

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
