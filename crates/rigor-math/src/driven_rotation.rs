//! Rotation of a rigid body under a constant torque, about all axes or about some.

use crate::{Mat3, UnitQuaternion, Vec3, free_rotation, inertia, rotation_vector};

/// The motion q̇ = ½ ω q of a body whose angular momentum L(t) = L₀ + τ t is known in advance.
///
/// ω is a function of orientation and time alone, ω(q, t) = R I⁻¹ Rᵀ L(t) with R = R(q). If the body cannot
/// turn about every world axis, P projects onto the free ones: constraint torques act along the fixed axes
/// only, so P L(t) is still known and ω(q, t) is the vector P u with P R I Rᵀ P u = P L(t).
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, driven_rotation::DrivenRotation};
/// // 3 N m on 3 kg m² for 2 s: ½ α t² = 2 rad, ω = 2 rad/s.
/// let (moments, torque) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.0, 0.0, 3.0));
/// let rotation = DrivenRotation { moments, fixed: [false; 3], momentum: Vec3::zeros(), torque };
/// let q = rotation.advance(&UnitQuaternion::identity(), 0.0, 2.0);
/// assert!((q.angle() - 2.0).abs() < 1e-14);
/// assert!((rotation.angular_velocity(&q, 2.0) - Vec3::new(0.0, 0.0, 2.0)).norm() < 1e-14);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrivenRotation {
    /// Principal moments (kg m²), positive unless every axis is fixed.
    pub moments: Vec3,
    /// World axes about which the body does not turn.
    pub fixed: [bool; 3],
    /// L₀ (kg m²/s, world).
    pub momentum: Vec3,
    /// τ (N m, world).
    pub torque: Vec3,
}

impl DrivenRotation {
    /// The rotation of a body at `q` with angular velocity `omega` (rad/s, world); its components along fixed
    /// axes are dropped.
    pub fn new(moments: Vec3, fixed: [bool; 3], q: &UnitQuaternion, omega: &Vec3, torque: Vec3) -> Self {
        let omega = without_fixed(omega, fixed);
        Self { moments, fixed, momentum: inertia::angular_momentum(&moments, q, &omega), torque }
    }

    /// L(t) (kg m²/s, world).
    pub fn momentum_at(&self, t: f64) -> Vec3 {
        self.momentum + t * self.torque
    }

    /// ω(q, t) (rad/s, world) at orientation `q`, `t` seconds after the start.
    pub fn angular_velocity(&self, q: &UnitQuaternion, t: f64) -> Vec3 {
        self.angular_velocity_of(q, &self.momentum_at(t))
    }

    /// ω (rad/s, world) at orientation `q` of a body with angular `momentum` (kg m²/s, world).
    pub fn angular_velocity_of(&self, q: &UnitQuaternion, momentum: &Vec3) -> Vec3 {
        match self.fixed {
            [false, false, false] => inertia::apply(&self.moments.map(f64::recip), q, momentum),
            [true, true, true] => Vec3::zeros(),
            fixed => self.inverse_of_free_block(q) * without_fixed(momentum, fixed),
        }
    }

    /// The inverse (1/(kg m²)) of R I Rᵀ restricted to the free axes, and 1 on the fixed ones.
    fn inverse_of_free_block(&self, q: &UnitQuaternion) -> Mat3 {
        let full = inertia::rotated(&Mat3::from_diagonal(&self.moments), q);
        let free_block = Mat3::from_fn(|i, j| match (i == j, self.fixed[i] || self.fixed[j]) {
            (_, false) => full[(i, j)],
            (on_diagonal, true) => f64::from(u8::from(on_diagonal)),
        });
        free_block.try_inverse().unwrap_or_else(Mat3::zeros)
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
    /// Source: \[Celledoni2003\], the method of order four with two exponentials in its last stage.
    /// Deviation: none; the flow of the frozen field is the rotation exp(h ω), taken exactly. Steps of either
    /// sign are allowed.
    ///
    /// With two equal moments, no torque and no fixed axis, this is [`free_rotation::step`], which is exact
    /// then.
    pub fn advance(&self, q: &UnitQuaternion, t: f64, h: f64) -> UnitQuaternion {
        if self.fixed == [false; 3] && self.torque == Vec3::zeros() && free_rotation::is_exact(&self.moments)
        {
            return free_rotation::step(q, &self.momentum, &self.moments, h).0;
        }
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

/// `v` (world) without its components along `fixed` axes.
fn without_fixed(v: &Vec3, fixed: [bool; 3]) -> Vec3 {
    Vec3::from_fn(|i, _| if fixed[i] { 0.0 } else { v[i] })
}

#[cfg(test)]
mod tests;
