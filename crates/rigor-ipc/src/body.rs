//! The bodies of a step: what the incremental potential of each is.

use nalgebra::Vector6;
use rigor_math::{Mat3, Pose, Vec3, skew};
use rigor_scene::Body;

use crate::kinematic::Target;
use crate::prediction::Prediction;

/// What decides how a body moves in a step.
#[derive(Debug, Clone)]
pub(crate) enum Drive {
    /// It stays where it is; it has no coordinates.
    Still,
    /// Inertia and forces: E of [Ferguson2021] eqs. (8)–(10).
    Inertia(Inertia),
    /// A prescribed motion that contacts may hold up: E_A of [Ferguson2021] §4.4.
    Target(Target),
}

/// s (½ m ‖q − q̃‖² + ½ tr((Q − Q̃) J (Q − Q̃)ᵀ)) + ½ h² tr(Q Q_tᵀ [τ]), s = (h/h_b)².
///
/// Source: [Ferguson2021] eqs. (8)–(10), completed to squares, which changes them by constants only and spares digits.
/// Deviations: the coupling term of eq. (8) has a minus sign; the torque τ (N m, world) acts by a potential whose gradient
/// at Q_t is −h² τ, and by Q̃ unless the integrator is implicit Euler; h_b is the weight of an impulse in the
/// [`Prediction`].
#[derive(Debug, Clone)]
pub(crate) struct Inertia {
    /// s m (kg).
    mass: f64,
    /// s J, J = ½ diag(−I_x + I_y + I_z, …) (kg m²).
    j: Vec3,
    pub prediction: Prediction,
    /// −½ h² [τ] Q_t: the gradient of the torque's potential with respect to Q.
    torque: Mat3,
    pub fixed: [bool; 6],
}

/// J of [Ferguson2021] §4.1: ½ diag(−I_x + I_y + I_z, I_x − I_y + I_z, I_x + I_y − I_z) (kg m²).
pub(crate) fn j_of(inertia: &Vec3) -> Vec3 {
    inertia.map(|i| 0.5 * inertia.sum() - i)
}

impl Inertia {
    /// For a body that is turned by `matrix` (Q_t) and would go where `prediction` says, over a step of `h` (s).
    pub fn new(body: &Body, matrix: &Mat3, prediction: Prediction, h: f64) -> Self {
        let fixed =
            std::array::from_fn(
                |k| {
                    if k < 3 { body.fixed.translation[k] } else { body.fixed.rotation[k - 3] }
                },
            );
        let share = h * h / (prediction.h * prediction.h);
        // Implicit Euler alone has no rotation that knows of the torque.
        let torque = if prediction.rotation.is_none() { body.torque } else { Vec3::zeros() };
        Self {
            mass: share * body.mass,
            j: share * j_of(&body.inertia),
            prediction,
            torque: -0.5 * h * h * skew(&torque) * matrix,
            fixed,
        }
    }

    pub fn energy(&self, q: &Vec3, matrix: &Mat3) -> f64 {
        let turn = matrix - self.prediction.matrix;
        0.5 * self.mass * (q - self.prediction.position).norm_squared()
            + 0.5 * turn.dot(&scaled_columns(&turn, &self.j))
            + self.torque.dot(matrix)
    }

    /// ∂E/∂q and ∂E/∂Q.
    pub fn gradient(&self, q: &Vec3, matrix: &Mat3) -> (Vec3, Mat3) {
        let by_matrix = scaled_columns(&(matrix - self.prediction.matrix), &self.j) + self.torque;
        (self.mass * (q - self.prediction.position), by_matrix)
    }

    /// m, and J: ∂²E/∂q² = m 1, ∂²E/∂Q² : (A, A) = tr(A J Aᵀ).
    pub fn stiffness(&self) -> (f64, Vec3) {
        (self.mass, self.j)
    }
}

/// M diag(j).
pub(crate) fn scaled_columns(m: &Mat3, j: &Vec3) -> Mat3 {
    Mat3::from_fn(|r, c| m[(r, c)] * j[c])
}

impl Drive {
    /// Whether the body has coordinates.
    pub fn is_free(&self) -> bool {
        !matches!(self, Self::Still)
    }

    pub fn energy(&self, q: &Vec3, matrix: &Mat3) -> f64 {
        match self {
            Self::Still => 0.0,
            Self::Inertia(inertia) => inertia.energy(q, matrix),
            Self::Target(target) => target.energy(q, matrix),
        }
    }

    pub fn gradient(&self, q: &Vec3, matrix: &Mat3) -> (Vec3, Mat3) {
        match self {
            Self::Still => (Vec3::zeros(), Mat3::zeros()),
            Self::Inertia(inertia) => inertia.gradient(q, matrix),
            Self::Target(target) => target.gradient(q, matrix),
        }
    }

    pub fn stiffness(&self) -> (f64, Vec3) {
        match self {
            Self::Still => (0.0, Vec3::zeros()),
            Self::Inertia(inertia) => inertia.stiffness(),
            Self::Target(target) => target.stiffness(),
        }
    }

    /// Where the body ends if nothing touches it: known for free bodies, unless the integrator is implicit Euler.
    pub fn goal(&self) -> Option<Pose> {
        let Self::Inertia(inertia) = self else { return None };
        inertia.prediction.rotation.map(|rotation| Pose::new(inertia.prediction.position, rotation))
    }

    /// Which coordinates do not move.
    pub fn fixed(&self) -> [bool; 6] {
        match self {
            Self::Still => [true; 6],
            Self::Inertia(inertia) => inertia.fixed,
            Self::Target(_) => [false; 6],
        }
    }
}

/// Sets what may not move to 0.
pub(crate) fn without_fixed(mut step: Vector6<f64>, fixed: &[bool; 6]) -> Vector6<f64> {
    for k in (0..6).filter(|&k| fixed[k]) {
        step[k] = 0.0;
    }
    step
}
