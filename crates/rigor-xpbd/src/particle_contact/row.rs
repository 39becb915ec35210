//! Normal and friction multipliers, shared by all kinds of particle contacts.

use rigor_math::Vec3;
use rigor_scene::Friction;

/// Fraction of an overlap left by earlier substeps that is removed from positions per substep.
///
/// Removing all of it in one sweep pushes one contact's overlap into its neighbours and lifts the pile: 2000
/// marbles without friction then never come to rest (0.12 m/s, 3 mm of overlap at a radius of 1 cm).
pub(super) const RECOVERY: f64 = 0.2;

/// λ of a contact (kg m), along the normal and across it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Multipliers {
    pub n: f64,
    pub t: Vec3,
}

impl Multipliers {
    /// Returns the multipliers for a contact with the normal `n`: λ_t loses its component along n.
    pub fn turned(&self, n: &Vec3) -> Self {
        Self { n: self.n, t: tangential(&self.t, n) }
    }

    /// Returns λ_n n + λ_t (kg m).
    pub fn sum(&self, n: &Vec3) -> Vec3 {
        n * self.n + self.t
    }

    /// Updates λ_n ← max(λ_n − C/w, 0) and returns its change. `c` (m), `w` (1/kg).
    ///
    /// Source: \[Mueller2020\] §3.4, C ≥ 0 as a complementarity condition: a push that went too far in an
    /// earlier sweep is taken back.
    pub fn push(&mut self, c: f64, w: f64) -> f64 {
        if w <= 0.0 {
            return 0.0;
        }
        let next = (self.n - c / w).max(0.0);
        let grown = next - self.n;
        self.n = next;
        grown
    }

    /// Sets λ_t to the value that cancels the tangential `slip` (m) of the substep if it lies in the cone of
    /// μ_s, otherwise to that vector scaled down to μ_d λ_n; returns its change. `w` (1/kg) is the inverse
    /// mass in the direction of the slip.
    ///
    /// Source: \[Mueller2020\] §3.4 for static friction. Deviation: dynamic friction acts in the position
    /// solve.
    pub fn hold(&mut self, slip: &Vec3, normal: &Vec3, w: f64, friction: Friction) -> Vec3 {
        if w <= 0.0 {
            return Vec3::zeros();
        }
        let mut next = self.t - slip / w;
        next -= next.dot(normal) * normal;
        let norm = next.norm();
        if norm > friction.static_ * self.n {
            next *= friction.dynamic * self.n / norm;
        }
        let change = next - self.t;
        self.t = next;
        change
    }
}

/// Returns whether there is no friction at all.
pub(super) fn is_smooth(friction: Friction) -> bool {
    friction.static_ == 0.0 && friction.dynamic == 0.0
}

/// Returns the component of `v` perpendicular to the unit vector `n`.
pub(super) fn tangential(v: &Vec3, n: &Vec3) -> Vec3 {
    v - v.dot(n) * n
}

/// Returns the friction impulse (N s) against the sliding velocity `v_t` (m/s), limited by the normal
/// impulse; `w` (1/kg) is the inverse mass in its direction.
pub(super) fn slow(v_t: &Vec3, normal_impulse: f64, w: f64, friction: Friction) -> Vec3 {
    let speed = v_t.norm();
    if speed == 0.0 || w <= 0.0 {
        return Vec3::zeros();
    }
    -v_t * ((friction.dynamic * normal_impulse).min(speed / w) / speed)
}
