//! Directions in which bodies move against each other.

use rigor_math::{Mat3, Vec3};

/// Linear (m/s, or N s/kg) and angular velocity (rad/s) of a body, world.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Velocity {
    /// Of the centre of mass.
    pub linear: Vec3,
    /// Of the body.
    pub angular: Vec3,
}

/// How a body answers impulses.
#[derive(Debug, Clone, Copy)]
pub struct Mobility {
    /// 1/m along each world axis (1/kg).
    pub w: Vec3,
    /// I⁻¹, world (1/(kg m²)).
    pub inverse_inertia: Mat3,
}

impl Mobility {
    /// That of a body which nothing moves.
    pub const NONE: Self = Self {
        w: Vec3::new(0.0, 0.0, 0.0),
        inverse_inertia: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Returns whether nothing moves the body.
    pub fn is_none(&self) -> bool {
        self.w == Vec3::zeros() && self.inverse_inertia == Mat3::zeros()
    }
}

/// A row of Hᵀ: the relative velocity u = l · (v_a − v_b) + t_a · ω_a − t_b · ω_b, and the direction of an impulse, l on a and −l on b with
/// the moments t_a and −t_b.
#[derive(Debug, Clone, Copy, Default)]
pub struct Axis {
    /// l.
    pub linear: Vec3,
    /// t_a and t_b.
    pub turns: [Vec3; 2],
}

impl Axis {
    /// Returns the velocity along `n` at a point with these levers (m) of both bodies.
    pub fn at(n: Vec3, [r_a, r_b]: [Vec3; 2]) -> Self {
        Self { linear: n, turns: [r_a.cross(&n), r_b.cross(&n)] }
    }

    /// Returns the rate of rotation about `n`.
    pub fn about(n: Vec3) -> Self {
        Self { linear: Vec3::zeros(), turns: [n, n] }
    }

    /// Returns the same with this factor.
    pub fn scaled(&self, by: f64) -> Self {
        Self { linear: self.linear * by, turns: self.turns.map(|turn| turn * by) }
    }
}

/// Two bodies between which rows act; `None` is the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// The index of a.
    pub a: usize,
    /// The index of b.
    pub b: Option<usize>,
}

impl Ends {
    /// Returns the bodies with their sign in a relative velocity and the number of their moment.
    pub fn bodies(&self) -> impl Iterator<Item = (usize, f64, usize)> + use<> {
        std::iter::once((self.a, 1.0, 0)).chain(self.b.map(|b| (b, -1.0, 1)))
    }

    /// Returns u of the axis with bodies at these velocities.
    pub fn velocity(&self, axis: &Axis, of: impl Fn(usize) -> Velocity) -> f64 {
        self.bodies()
            .map(|(body, sign, end)| {
                let Velocity { linear, angular } = of(body);
                sign * (axis.linear.dot(&linear) + axis.turns[end].dot(&angular))
            })
            .sum()
    }
}

/// Returns the change of a body's velocities by a unit impulse along an axis, at its end with this number and sign.
pub fn response(mobility: &Mobility, axis: &Axis, sign: f64, end: usize) -> Velocity {
    Velocity {
        linear: mobility.w.component_mul(&axis.linear) * sign,
        angular: mobility.inverse_inertia * axis.turns[end] * sign,
    }
}
