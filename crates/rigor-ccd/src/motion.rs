//! Motions during a step: of a point along a straight line, and of a rigid body.

use rigor_math::{UnitQuaternion, Vec3, elementary};

/// The motion of a point along a straight line at constant velocity: x(t) = (1 − t) x(0) + t x(1), t ∈ [0, 1].
///
/// All numbers are taken as exact reals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightMotion {
    /// x(0) (m, world).
    pub start: Vec3,
    /// x(1) (m, world).
    pub end: Vec3,
}

impl StraightMotion {
    /// From `start` to `end` (m, world).
    pub fn between(start: Vec3, end: Vec3) -> Self {
        Self { start, end }
    }

    /// A point at rest (m, world).
    pub fn at_rest(position: Vec3) -> Self {
        Self { start: position, end: position }
    }
}

/// A motion whose position and rotation vector change at constant rates.
///
/// x(t) = R(θ(t)) Q x̂ + q(t), θ(t) = (1 − t) θ₀ + t θ₁, q(t) = (1 − t) q₀ + t q₁, t ∈ [0, 1], where Q is the
/// rotation of the quaternion `orientation`, normalized in case its length is not exactly 1.
///
/// Source: \[Ferguson2021\] eq. (16), with Q = 1. Deviation: Q lets θ start at 0, so that a body turns about
/// a fixed axis: R(t) = exp(t \[δ\]) Q.
///
/// All numbers are taken as exact reals: the guarantee of no impact holds for this motion, not for a rounded
/// one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMotion {
    /// q₀: the centre of mass at t = 0 (m, world).
    pub position_t0: Vec3,
    /// q₁: the centre of mass at t = 1 (m, world).
    pub position_t1: Vec3,
    /// θ₀: the rotation vector at t = 0 (rad).
    pub theta_t0: Vec3,
    /// θ₁: the rotation vector at t = 1 (rad).
    pub theta_t1: Vec3,
    /// Q, applied before the rotation by θ.
    pub orientation: UnitQuaternion,
}

impl RigidMotion {
    /// Interpolates two positions (m, world) and two rotation vectors (rad) linearly, with Q = 1.
    ///
    /// Source: \[Ferguson2021\] eq. (16).
    pub fn between(position: [Vec3; 2], theta: [Vec3; 2]) -> Self {
        Self {
            position_t0: position[0],
            position_t1: position[1],
            theta_t0: theta[0],
            theta_t1: theta[1],
            orientation: UnitQuaternion::identity(),
        }
    }

    /// Rotates `orientation` by the rotation vector `delta` (rad, world) about a fixed axis: R(t) = exp(t
    /// \[δ\]) Q.
    ///
    /// ```
    /// use rigor_ccd::motion::RigidMotion;
    /// use rigor_math::{UnitQuaternion, Vec3};
    /// let quarter = Vec3::z() * std::f64::consts::FRAC_PI_2;
    /// let motion = RigidMotion::about_axis([Vec3::zeros(), Vec3::x()], UnitQuaternion::identity(), quarter);
    /// assert!((motion.point(1.0, &Vec3::x()) - Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-15);
    /// ```
    pub fn about_axis(position: [Vec3; 2], orientation: UnitQuaternion, delta: Vec3) -> Self {
        Self {
            position_t0: position[0],
            position_t1: position[1],
            theta_t0: Vec3::zeros(),
            theta_t1: delta,
            orientation,
        }
    }

    /// A body at rest.
    pub fn at_rest(position: Vec3, orientation: UnitQuaternion) -> Self {
        Self::about_axis([position; 2], orientation, Vec3::zeros())
    }

    /// Whether all numbers are finite and the orientation has unit length to within 10⁻⁹.
    pub fn is_valid(&self) -> bool {
        let vectors = [self.position_t0, self.position_t1, self.theta_t0, self.theta_t1];
        vectors.iter().all(|v| v.iter().all(|c| c.is_finite()))
            && (self.orientation.as_vector().norm() - 1.0).abs() < 1e-9
    }

    /// Returns the position of the body point `x_local` (m, body) at `t` (m, world), rounded.
    pub fn point(&self, t: f64, x_local: &Vec3) -> Vec3 {
        let theta = self.theta_t0 + t * (self.theta_t1 - self.theta_t0);
        let x = orient(&self.orientation, x_local);
        let position = self.position_t0 + t * (self.position_t1 - self.position_t0);
        Turn::new(&theta).apply(&x) + position
    }
}

/// Returns Q x, for a quaternion Q of any length, which is divided out.
pub(crate) fn orient(orientation: &UnitQuaternion, x: &Vec3) -> Vec3 {
    let q = orientation.as_vector();
    if q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0 {
        return *x;
    }
    let w = Vec3::new(q.x, q.y, q.z);
    x + w.cross(&(q.w * x + w.cross(x))) * (2.0 / q.norm_squared())
}

/// R(θ) as a quaternion (c, w): c = cos(‖θ‖/2), w = k θ, k = sin(‖θ‖/2)/‖θ‖.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    theta: Vec3,
    c: f64,
    k: f64,
    w: Vec3,
}

impl Turn {
    pub fn new(theta: &Vec3) -> Self {
        let angle = theta.norm();
        let (s, c) = elementary::sin_cos(0.5 * angle);
        let k = if angle == 0.0 { 0.5 } else { s / angle };
        Self { theta: *theta, c, k, w: theta * k }
    }

    /// Returns R x = x + 2 w × (c x + w × x).
    pub fn apply(&self, x: &Vec3) -> Vec3 {
        x + 2.0 * self.w.cross(&(self.c * x + self.w.cross(x)))
    }

    /// Returns Rᵀ x.
    pub fn undo(&self, x: &Vec3) -> Vec3 {
        x - 2.0 * self.w.cross(&(self.c * x - self.w.cross(x)))
    }

    /// Returns an approximation of ω = J(θ) θ̇, J = 1 + 2k² \[θ\] + (1 − 2kc)/‖θ‖² \[θ\]².
    ///
    /// Source: [`rigor_math::rotation_vector::left_jacobian`], with sin x / x = 2kc and (1 − cos x)/x² = 2k²,
    /// x = ‖θ‖.
    pub fn omega(&self, rate: &Vec3) -> Vec3 {
        let angle_sq = self.theta.norm_squared();
        // For small angles the difference loses about half its digits; its limit 1/6 is then as accurate.
        let second = if angle_sq < 1e-6 { 1.0 / 6.0 } else { (1.0 - 2.0 * self.k * self.c) / angle_sq };
        let across = self.theta.cross(rate);
        rate + across * (2.0 * self.k * self.k) + self.theta.cross(&across) * second
    }
}

#[cfg(test)]
mod tests;
