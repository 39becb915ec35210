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

    /// Returns the same about those principal axes of J whose moment is at least the part `least` of the largest, and no turn about the
    /// others: points near a line have a moment about it that is next to nothing, and would turn at any speed.
    ///
    /// ```
    /// use rigor_math::spin::{MovingMass, Spin};
    /// use rigor_math::{Mat3, Vec3};
    /// let point = |x: f64| MovingMass {
    ///     mass: 1.0,
    ///     position: Vec3::x() * x,
    ///     velocity: Vec3::zeros(),
    ///     inertia: Mat3::zeros(),
    ///     omega: Vec3::zeros(),
    /// };
    /// let line = Spin::about_center([point(-1.0), point(1.0)].into_iter());
    /// assert!(line.turn_to(&Vec3::repeat(2.0)).is_none());
    /// let turn = line.turn_across(&Vec3::repeat(2.0), 1e-3);
    /// assert!((turn - Vec3::new(0.0, 1.0, 1.0)).norm() < 1e-15);
    /// ```
    pub fn turn_across(&self, momentum: &Vec3, least: f64) -> Vec3 {
        let axes = self.inertia.symmetric_eigen();
        let largest = axes.eigenvalues.max();
        let missing = axes.eigenvectors.tr_mul(&(momentum - self.momentum));
        let about = |k: usize| {
            let moment = axes.eigenvalues[k];
            if moment > 0.0 && moment >= least * largest { missing[k] / moment } else { 0.0 }
        };
        axes.eigenvectors * Vec3::from_fn(|k, _| about(k))
    }
}
