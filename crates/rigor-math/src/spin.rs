//! Angular momentum of several bodies about their common centre of mass.

use crate::{Mat3, Vec3};

/// One of several bodies.
#[derive(Debug, Clone, Copy)]
pub struct MovingMass {
    /// Mass m (kg).
    pub mass: f64,
    /// Centre of mass x (m, world).
    pub position: Vec3,
    /// v (m/s, world).
    pub velocity: Vec3,
    /// Inertia I (kg m², world) about its centre of mass.
    pub inertia: Mat3,
    /// Angular velocity ω (rad/s, world).
    pub omega: Vec3,
}

/// Angular momentum of several bodies about their common centre of mass c, and the inertia of all of them as one body:
///
/// L = Σ m (x − c) × v + I ω, J = Σ I + m (‖x − c‖² 1 − (x − c)(x − c)ᵀ).
///
/// ```
/// use rigor_math::spin::{MovingMass, Spin};
/// use rigor_math::{Mat3, Vec3};
/// let ball = |x: f64, v: f64| MovingMass {
///     mass: 2.0,
///     position: Vec3::x() * x,
///     velocity: Vec3::y() * v,
///     inertia: Mat3::identity() * 0.1,
///     omega: Vec3::zeros(),
/// };
/// let pair = Spin::about_center([ball(-1.0, -3.0), ball(1.0, 3.0)].into_iter());
/// assert_eq!(pair.momentum, Vec3::z() * 12.0);
/// // As one body, of 4.2 kg m² about z, both turn at 2 rad/s to have 8.4 kg m²/s.
/// let more = pair.turn_to(&(Vec3::z() * 20.4)).unwrap();
/// assert!((more - Vec3::z() * 2.0).norm() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Spin {
    /// c (m, world).
    pub center: Vec3,
    /// L (kg m²/s, world).
    pub momentum: Vec3,
    /// J (kg m², world).
    pub inertia: Mat3,
}

impl Spin {
    /// Computes the angular momentum of these bodies.
    pub fn about_center(bodies: impl Iterator<Item = MovingMass> + Clone) -> Self {
        let mass: f64 = bodies.clone().map(|body| body.mass).sum();
        let center = bodies.clone().map(|body| body.mass * body.position).sum::<Vec3>() / mass;
        let (mut momentum, mut inertia) = (Vec3::zeros(), Mat3::zeros());
        for MovingMass { mass, position, velocity, inertia: own, omega } in bodies {
            let arm = position - center;
            momentum += mass * arm.cross(&velocity) + own * omega;
            inertia += own + mass * (Mat3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose());
        }
        Self { center, momentum, inertia }
    }

    /// Returns the angular velocity (rad/s, world) by which all bodies, turned as one, get the angular momentum `momentum` (kg m²/s);
    /// `None` if J is singular, as that of points on a line.
    pub fn turn_to(&self, momentum: &Vec3) -> Option<Vec3> {
        Some(self.inertia.try_inverse()? * (momentum - self.momentum))
    }
}
