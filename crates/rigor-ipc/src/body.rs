//! The bodies of a step: the incremental potential of each.

use rigor_math::{Mat3, Pose, Vec3, skew};
use rigor_scene::Body;

use crate::body_slots::Step;
use crate::linear_solve::Block;
use crate::placement::{Coordinates, Placement, by_matrix, set_matrix};
use crate::prediction::Prediction;
use crate::second_moment::{j_of, scaled_columns};
use crate::target::Target;

/// Maximum turn (rad) of a body near no other that Newton's method follows; beyond, it is placed where it flies.
pub(crate) const MAX_TURN_ALONE: f64 = std::f64::consts::FRAC_PI_2;

/// What determines the motion of a body in a step.
#[derive(Debug, Clone)]
pub(crate) enum Drive {
    /// The body stays where it is and has no coordinates.
    Still,
    /// Inertia and forces: E of \[Ferguson2021\] eqs. (8)–(10).
    Inertia(Inertia),
    /// A prescribed motion that contacts can block: E_A of \[Ferguson2021\] §4.4.
    Target(Target),
}

/// E = s (½ m ‖q − q̃‖² + ½ tr((Q − Q̃) J (Q − Q̃)ᵀ)) + ½ h² tr(Q Q_tᵀ \[τ\]), s = (h/h_b)².
///
/// Source: \[Ferguson2021\] eqs. (8)–(10), with the squares completed, which changes them by constants only
/// and loses fewer digits. Deviations: the coupling term of eq. (8) has a minus sign; with implicit Euler the
/// torque τ (N m, world) enters through a potential whose gradient at Q_t is −h² τ, and with the other
/// integrators through Q̃; h_b is the time for which an impulse moves the body, see [`Prediction`].
#[derive(Debug, Clone)]
pub(crate) struct Inertia {
    /// s m (kg).
    mass: f64,
    /// s J, J = ½ diag(−I_x + I_y + I_z, …) (kg m²).
    j: Vec3,
    pub prediction: Prediction,
    /// −½ h² \[τ\] Q_t: the gradient with respect to Q of the torque's potential.
    torque: Mat3,
    pub fixed: [bool; 6],
}

impl Inertia {
    /// Creates E of a body whose rotation at the start is `matrix` (Q_t), over a step of `h` (s).
    pub fn new(body: &Body, matrix: &Mat3, prediction: Prediction, h: f64) -> Self {
        let fixed =
            std::array::from_fn(
                |k| {
                    if k < 3 { body.fixed.translation[k] } else { body.fixed.rotation[k - 3] }
                },
            );
        let share = h * h / (prediction.h * prediction.h);
        // Only the prediction of implicit Euler does not include the torque.
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

    /// Returns s m and s J: ∂²E/∂q² = s m 1, ∂²E/∂Q² : (A, A) = s tr(A J Aᵀ).
    pub fn stiffness(&self) -> (f64, Vec3) {
        (self.mass, self.j)
    }
}

impl Drive {
    /// Returns whether the body has coordinates.
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

    /// Returns the pose at the end of the step if nothing touches the body; `None` unless the body is free
    /// and the integrator is not implicit Euler.
    pub fn goal(&self) -> Option<Pose> {
        let Self::Inertia(inertia) = self else { return None };
        inertia.prediction.rotation.map(|rotation| Pose::new(inertia.prediction.position, rotation))
    }

    /// Returns where a body that is at `from` is at the end of the step if nothing touches it, under the conditions of [`Self::goal`].
    pub fn placed(&self, from: &Placement) -> Option<Placement> {
        let Self::Inertia(inertia) = self else { return None };
        inertia.prediction.rotation.map(|_| inertia.prediction.placed(from))
    }

    /// Returns the rotation vector (rad, world), whole turns included, by which a free body turns if nothing touches it.
    pub fn turn(&self) -> Vec3 {
        match self {
            Self::Inertia(inertia) => inertia.prediction.turn,
            Self::Still | Self::Target(_) => Vec3::zeros(),
        }
    }

    /// Returns which coordinates are fixed.
    pub fn fixed(&self) -> [bool; 6] {
        match self {
            Self::Still => [true; 6],
            Self::Inertia(inertia) => inertia.fixed,
            Self::Target(_) => [false; 6],
        }
    }
}

/// Sets the fixed coordinates of the `step` of a body at `place` to 0.
///
/// Of an affine body that turns about the axis e alone, ΔA Qᵀ maps e and all it maps to is normal to e; one without a free axis is not
/// stretched either.
pub(crate) fn without_fixed<const N: usize>(
    mut step: Step<N>,
    fixed: &[bool; 6],
    place: &Placement,
) -> Step<N> {
    match place.coordinates {
        Coordinates::Local | Coordinates::RotationVector => {
            for k in (0..6).filter(|&k| fixed[k]) {
                step[k] = 0.0;
            }
        }
        Coordinates::Affine => {
            for k in (0..3).filter(|&k| fixed[k]) {
                step[k] = 0.0;
            }
            if fixed[3..] != [false; 3] {
                let q = place.rotation.to_rotation_matrix().into_inner();
                let mut turned = by_matrix(&step) * q.transpose();
                let turns: Vec<usize> = (0..3).filter(|&k| !fixed[3 + k]).collect();
                match turns[..] {
                    [axis] => {
                        turned.row_mut(axis).fill(0.0);
                        turned.column_mut(axis).fill(0.0);
                    }
                    _ => turned.fill(0.0),
                }
                set_matrix(&mut step, &(turned * q));
            }
        }
    }
    step
}

/// Returns the symmetric projection P that takes fixed coordinates off a step of a body at `place`; `None` if it is the identity.
pub(crate) fn projection<const N: usize>(fixed: &[bool; 6], place: &Placement) -> Option<Block<N>> {
    if *fixed == [false; 6] {
        return None;
    }
    let mut projection = Block::<N>::zeros();
    for k in 0..N {
        let mut unit = Step::zeros();
        unit[k] = 1.0;
        projection.set_column(k, &without_fixed(unit, fixed, place));
    }
    Some(projection)
}
