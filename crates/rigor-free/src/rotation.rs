//! Rotation under a constant torque.

use rigor_math::{Mat3, UnitQuaternion, Vec3, inertia, rotation_vector};
use rigor_scene::{Body, BodyState};

use crate::translation::along_free_axes;

/// The motion q̇ = ½ ω q of a body whose angular momentum L(t) = L₀ + τ t is known in advance.
///
/// ω is a function of orientation and time alone, ω(q, t) = R I⁻¹ Rᵀ L(t) with R = R(q). Where the body may not turn
/// about every world axis, P projects on the free ones: constraint torques act along the fixed axes only, so P L(t) is
/// still known and ω(q, t) is the vector P u with P R I Rᵀ P u = P L(t).
///
/// A state holds ω rather than L, so that L is rounded once a step: it drifts by about 2 ε a step.
pub(crate) struct Rotation {
    /// Principal moments (kg m²).
    moments: Vec3,
    /// World axes about which the body does not turn.
    fixed: [bool; 3],
    /// L₀ (kg m²/s, world).
    momentum: Vec3,
    /// τ (N m, world).
    torque: Vec3,
}

impl Rotation {
    /// The rotation of `body` from `state` on.
    pub fn new(body: &Body, state: &BodyState) -> Self {
        let omega = along_free_axes(&state.angular_velocity, body.fixed.rotation);
        Self {
            moments: body.inertia,
            fixed: body.fixed.rotation,
            momentum: inertia::angular_momentum(&body.inertia, &state.pose.rotation, &omega),
            torque: body.torque,
        }
    }

    /// ω(q, t) (rad/s, world) at orientation `q`, `t` seconds after the start.
    pub fn angular_velocity(&self, q: &UnitQuaternion, t: f64) -> Vec3 {
        let momentum = self.momentum + t * self.torque;
        match self.fixed {
            [false, false, false] => inertia::apply(&self.moments.map(f64::recip), q, &momentum),
            [true, true, true] => Vec3::zeros(),
            fixed => self.inverse_of_free_block(q) * along_free_axes(&momentum, fixed),
        }
    }

    /// The inverse (1/(kg m²)) of R I Rᵀ restricted to the free axes, and 1 on the fixed ones.
    fn inverse_of_free_block(&self, q: &UnitQuaternion) -> Mat3 {
        let full = inertia::rotated(&Mat3::from_diagonal(&self.moments), q);
        let free_block = Mat3::from_fn(|i, j| match (i == j, self.fixed[i] || self.fixed[j]) {
            (_, false) => full[(i, j)],
            (on_diagonal, true) => f64::from(u8::from(on_diagonal)),
        });
        free_block.try_inverse().expect("a body that may turn has three positive moments")
    }

    /// The orientation at t + h, from `q` at `t`.
    ///
    /// With k(q, s) = h ω(q, t + s h):
    /// ```text
    /// k₁ = k(q, 0)            q₂ = exp(½ k₁) q
    /// k₂ = k(q₂, ½)           q₃ = exp(½ k₂) q
    /// k₃ = k(q₃, ½)           q₄ = exp(k₃ − ½ k₁) q₂
    /// k₄ = k(q₄, 1)
    /// q ← exp((−k₁ + 2k₂ + 2k₃ + 3k₄)/12) exp((3k₁ + 2k₂ + 2k₃ − k₄)/12) q
    /// ```
    /// Source: [Celledoni2003], the method of order four with two exponentials in its last stage. Deviation: none; the
    /// flow of the frozen field is the rotation exp(h ω), taken exactly. Steps of either sign are allowed.
    pub fn advance(&self, q: &UnitQuaternion, t: f64, h: f64) -> UnitQuaternion {
        let k = |q: &UnitQuaternion, s: f64| h * self.angular_velocity(q, t + s * h);
        let exp = rotation_vector::exp;
        let k1 = k(q, 0.0);
        let q2 = exp(&(0.5 * k1)) * q;
        let k2 = k(&q2, 0.5);
        let k3 = k(&(exp(&(0.5 * k2)) * q), 0.5);
        let k4 = k(&(exp(&(k3 - 0.5 * k1)) * q2), 1.0);
        let middle = 2.0 * (k2 + k3);
        let first = (3.0 * k1 + middle - k4) / 12.0;
        let second = (3.0 * k4 + middle - k1) / 12.0;
        UnitQuaternion::new_normalize((exp(&second) * exp(&first) * q).into_inner())
    }
}

#[cfg(test)]
mod tests;
