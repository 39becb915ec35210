//! Directions in which bodies move against each other, and what is asked of them.

use rigor_math::{Mat3, Vec3};
use rigor_nonsmooth::Cone;

/// Linear (m/s, or N s/kg) and angular velocity (rad/s) of a body, world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Velocity {
    pub linear: Vec3,
    pub angular: Vec3,
}

/// How a body answers impulses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mobility {
    /// 1/m along each world axis (1/kg).
    pub w: Vec3,
    /// I⁻¹, world (1/(kg m²)).
    pub inverse_inertia: Mat3,
}

/// A row of Hᵀ: the relative velocity u = l · (v_a − v_b) + t_a · ω_a − t_b · ω_b, and the direction of an impulse, l on a and −l on b with
/// the moments t_a and −t_b.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Axis {
    /// l.
    pub linear: Vec3,
    /// t_a and t_b.
    pub turns: [Vec3; 2],
}

impl Axis {
    /// The velocity along `n` at a point with these levers (m) of both bodies.
    pub fn at(n: Vec3, [r_a, r_b]: [Vec3; 2]) -> Self {
        Self { linear: n, turns: [r_a.cross(&n), r_b.cross(&n)] }
    }

    /// The rate of rotation about `n`.
    pub fn about(n: Vec3) -> Self {
        Self { linear: Vec3::zeros(), turns: [n, n] }
    }

    /// The same with this factor.
    pub fn scaled(&self, by: f64) -> Self {
        Self { linear: self.linear * by, turns: self.turns.map(|turn| turn * by) }
    }
}

/// Two bodies between which rows act; `None` is the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ends {
    pub a: usize,
    pub b: Option<usize>,
}

impl Ends {
    /// The bodies with their sign in a relative velocity and the number of their moment.
    pub fn bodies(&self) -> impl Iterator<Item = (usize, f64, usize)> + use<> {
        std::iter::once((self.a, 1.0, 0)).chain(self.b.map(|b| (b, -1.0, 1)))
    }

    /// u of the axis with bodies at these velocities.
    pub fn velocity(&self, axis: &Axis, of: impl Fn(usize) -> Velocity) -> f64 {
        self.bodies()
            .map(|(body, sign, end)| {
                let Velocity { linear, angular } = of(body);
                sign * (axis.linear.dot(&linear) + axis.turns[end].dot(&angular))
            })
            .sum()
    }
}

/// The change of a body's velocities by a unit impulse along an axis, at its end with this number and sign.
pub(crate) fn response(mobility: &Mobility, axis: &Axis, sign: f64, end: usize) -> Velocity {
    Velocity {
        linear: mobility.w.component_mul(&axis.linear) * sign,
        angular: mobility.inverse_inertia * axis.turns[end] * sign,
    }
}

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
