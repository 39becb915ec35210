//! Rotation of a rigid body under a constant torque, about all axes or about some.

mod extrapolation;

use nalgebra::Quaternion;

use crate::{Mat3, UnitQuaternion, Vec3, free_rotation, inertia, rotation_vector, turning};
use extrapolation::Progress;

/// Where [`DrivenRotation::fly`] arrives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// The orientation.
    pub rotation: UnitQuaternion,
    /// The angular velocity (rad/s, world).
    pub angular_velocity: Vec3,
    /// The rotation vector (rad, world) of the turn, of any length: of those of q(h) q(0)⁻¹ the one nearest to ½ h (ω(0) + ω(h)).
    pub turn: Vec3,
    /// Estimated error of the orientation (rad), without rounding: 0 where a closed form is used.
    pub error: f64,
}

/// Up to this h |L| / least moment (rad) [`DrivenRotation::fly`] takes one step of order four, whose error is below 10⁻¹⁵ then.
const SMALL_TURN: f64 = 2e-3;
/// Substeps that are tried at most; one turns the body by about a radian.
const MAX_SUBSTEPS: u32 = 50_000;
/// Steps of low order that go the rest of the way if the substeps do not suffice.
const FALLBACK_STEPS: u32 = 1_000;

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

    /// Where a body arrives that has the orientation `q` and the angular velocity `omega` (rad/s, world), after `h` (s), from time 0;
    /// exact to rounding however far it turns.
    ///
    /// | axes | torque | how |
    /// | --- | --- | --- |
    /// | any | any, turn below 0.002 rad | one step of [`advance`](Self::advance), whose error is below rounding |
    /// | all free | none | closed form: [`free_rotation::fly`] |
    /// | one free | any | closed form: the moment I about a fixed axis e is constant, θ = h e·(L₀ + ½ h τ)/I |
    /// | all or two free | any | extrapolation to an estimated error of 10⁻¹³ per radian, \[Hairer1993\] §II.9 |
    /// | none free | any | stays |
    ///
    /// Here 0.002 rad is compared with h (|L₀| + h |τ|)/least moment, which no turn exceeds. The extrapolation with all axes free
    /// integrates Euler's equations, I ω̇ = I ω × ω + Rᵀτ and q̇ = ½ q ω; with two it integrates q̇ = ½ ω(q, t) q. It ends after
    /// 50 000 substeps of about a radian each; the rest of the way is made in 1000 steps of low order and compared with 500.
    /// [`Arrival::error`] tells the sum of the estimates.
    ///
    /// `omega` should be [`angular_velocity`](Self::angular_velocity) at `q`, up to components along fixed axes. It is an argument because L/I is not as exact where the
    /// moments differ by orders of magnitude. h of either sign.
    ///
    /// ```
    /// use rigor_math::{UnitQuaternion, Vec3, driven_rotation::DrivenRotation};
    /// // Ten turns and a quarter in one step.
    /// let (q, omega) = (UnitQuaternion::identity(), Vec3::y() * 10.25 * std::f64::consts::TAU);
    /// let rotation = DrivenRotation::new(Vec3::new(1.0, 2.0, 3.0), [false; 3], &q, &omega, Vec3::zeros());
    /// let arrival = rotation.fly(&q, &omega, 1.0);
    /// assert!((arrival.rotation * Vec3::z() - Vec3::x()).norm() < 1e-13);
    /// assert!((arrival.turn - omega).norm() < 1e-13);
    /// ```
    pub fn fly(&self, q: &UnitQuaternion, omega: &Vec3, h: f64) -> Arrival {
        let omega = &without_fixed(omega, self.fixed);
        let n_free = self.fixed.iter().filter(|is_fixed| !**is_fixed).count();
        if n_free == 0 {
            return Arrival {
                rotation: *q,
                angular_velocity: Vec3::zeros(),
                turn: Vec3::zeros(),
                error: 0.0,
            };
        }
        let most = (self.momentum.norm() + h.abs() * self.torque.norm()) / self.moments.min();
        let (rotation, angular_velocity, error) = if h.abs() * most <= SMALL_TURN {
            let rotation = self.advance(q, 0.0, h);
            (rotation, self.angular_velocity(&rotation, h), 0.0)
        } else if n_free == 1 {
            self.turn_about_one_axis(q, h)
        } else if n_free == 3 && self.torque == Vec3::zeros() {
            let (rotation, omega) = free_rotation::fly(q, omega, &self.moments, h);
            (rotation, omega, 0.0)
        } else if n_free == 3 {
            self.extrapolate_euler(q, omega, h)
        } else {
            self.extrapolate_two_axes(q, h)
        };
        let turn = turning::nearest(&(rotation * q.inverse()), &(0.5 * h * (omega + angular_velocity)));
        Arrival { rotation, angular_velocity, turn, error }
    }

    /// ω = e (e·L)/I with the constant I = e·R I Rᵀ e.
    fn turn_about_one_axis(&self, q: &UnitQuaternion, h: f64) -> (UnitQuaternion, Vec3, f64) {
        let turn = h * self.angular_velocity(q, 0.5 * h);
        let rotation = UnitQuaternion::new_normalize((rotation_vector::exp(&turn) * q).into_inner());
        (rotation, self.angular_velocity(q, h), 0.0)
    }

    fn extrapolate_euler(&self, q: &UnitQuaternion, omega: &Vec3, h: f64) -> (UnitQuaternion, Vec3, f64) {
        let moments = self.moments;
        let split = |y: &[f64; 7]| (Quaternion::new(y[0], y[1], y[2], y[3]), Vec3::new(y[4], y[5], y[6]));
        let join = |q: Quaternion<f64>, w: Vec3| [q.w, q.i, q.j, q.k, w.x, w.y, w.z];
        let rate = |_: f64, y: &[f64; 7]| {
            let (q, w) = split(y);
            // Rᵀτ for a quaternion whose norm is 1 only up to the error of a stage.
            let torque = (q.conjugate() * Quaternion::from_imag(self.torque) * q).imag();
            let w_dot = (moments.component_mul(&w).cross(&w) + torque).component_div(&moments);
            join(q * Quaternion::from_imag(0.5 * w), w_dot)
        };
        // ω by the kinetic energy, against the largest that is possible at this time.
        let energy = |w: &Vec3| moments.component_mul(w).dot(w);
        let gained = h * h * self.torque.component_mul(&self.torque).component_div(&moments).max();
        let scale = energy(&q.inverse_transform_vector(omega)).max(gained).sqrt();
        let size = |difference: &[f64; 7], y: &[f64; 7]| {
            let (dq, dw) = split(difference);
            let speed = energy(&split(y).1).sqrt().max(scale);
            2.0 * dq.norm() + energy(&dw).sqrt() / speed
        };
        let tidy = |y: &mut [f64; 7]| {
            let (q, w) = split(y);
            *y = join(q.normalize(), w);
        };
        let local = q.inverse_transform_vector(omega);
        let first = 1.0 / (omega.norm() + (h * self.torque).norm() / moments.min());
        let start = join(q.into_inner(), local);
        let Progress { y, t, error } =
            extrapolation::integrate(start, h, first, MAX_SUBSTEPS, rate, size, tidy);
        let (q, w) = split(&y);
        let q = UnitQuaternion::new_unchecked(q);
        if t == h {
            return (q, q * w, error);
        }
        self.fall_back(&q, t, h, error)
    }

    fn extrapolate_two_axes(&self, q: &UnitQuaternion, h: f64) -> (UnitQuaternion, Vec3, f64) {
        let split = |y: &[f64; 4]| Quaternion::new(y[0], y[1], y[2], y[3]);
        let join = |q: Quaternion<f64>| [q.w, q.i, q.j, q.k];
        let rate = |t: f64, y: &[f64; 4]| {
            let q = split(y);
            let omega = self.angular_velocity(&UnitQuaternion::new_normalize(q), t);
            join(Quaternion::from_imag(0.5 * omega) * q)
        };
        let size = |difference: &[f64; 4], _: &[f64; 4]| 2.0 * split(difference).norm();
        let tidy = |y: &mut [f64; 4]| *y = join(split(y).normalize());
        let first = self.moments.min() / (self.momentum.norm() + h.abs() * self.torque.norm());
        let start = join(q.into_inner());
        let Progress { y, t, error } =
            extrapolation::integrate(start, h, first, MAX_SUBSTEPS, rate, size, tidy);
        let q = UnitQuaternion::new_unchecked(split(&y));
        if t == h {
            return (q, self.angular_velocity(&q, h), error);
        }
        self.fall_back(&q, t, h, error)
    }

    /// The rest of the way from `t` to `h` (s), by steps of low order; the error is the difference from half as many.
    fn fall_back(&self, q: &UnitQuaternion, t: f64, h: f64, error: f64) -> (UnitQuaternion, Vec3, f64) {
        let in_steps = |n: u32| {
            let step = (h - t) / f64::from(n);
            (0..n).fold(*q, |q, k| self.advance(&q, t + f64::from(k) * step, step))
        };
        let rotation = in_steps(FALLBACK_STEPS);
        let off = rotation * in_steps(FALLBACK_STEPS / 2).inverse();
        let error = error + rotation_vector::log(&off).norm();
        (rotation, self.angular_velocity(&rotation, h), error)
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
