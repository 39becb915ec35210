//! Kinematic bodies: pulled to where they are prescribed to be by an augmented Lagrangian, so that contacts can hold them up.

use rigor_math::{Mat3, Pose, Vec3};

use crate::body::{j_of, scaled_columns};

/// κ_A at the start of a step, relative to the body's inertia.
const STIFFNESS: f64 = 1e3;
/// κ_A is doubled up to here; then the multipliers are updated instead.
const MAX_STIFFNESS: f64 = 1e8;
/// η from which the multipliers are updated instead of the stiffness.
const UPDATE: f64 = 0.99;
/// η from which a prescription counts as met.
const MET: f64 = 0.999;

/// E_A = ½ κ_q m ‖q − q̂‖² − √m λᵀ(q − q̂) + ½ κ_Q tr((Q − Q̂) J (Q − Q̂)ᵀ) − tr(Λᵀ (Q − Q̂) J^½).
///
/// Source: [Ferguson2021] §4.4. Deviation: E_{A,Q} does not repeat the term of λ.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    mass: f64,
    j: Vec3,
    /// Where the step began, and where it is to end.
    q_start: Vec3,
    matrix_start: Mat3,
    q_hat: Vec3,
    matrix_hat: Mat3,
    kappa_q: f64,
    kappa_matrix: f64,
    lambda: Vec3,
    big_lambda: Mat3,
}

impl Target {
    pub fn new(mass: f64, inertia: &Vec3, start: &Pose, end: &Pose) -> Self {
        let matrix = |pose: &Pose| pose.rotation.to_rotation_matrix().into_inner();
        Self {
            mass,
            // A disc has a vanishing J along its axis; the target holds it all the same.
            j: j_of(inertia).map(|j| j.max(1e-3 * inertia.max())),
            q_start: start.position,
            matrix_start: matrix(start),
            q_hat: end.position,
            matrix_hat: matrix(end),
            kappa_q: STIFFNESS,
            kappa_matrix: STIFFNESS,
            lambda: Vec3::zeros(),
            big_lambda: Mat3::zeros(),
        }
    }

    pub fn energy(&self, q: &Vec3, matrix: &Mat3) -> f64 {
        let (by, turn) = (q - self.q_hat, matrix - self.matrix_hat);
        0.5 * self.kappa_q * self.mass * by.norm_squared() - self.mass.sqrt() * self.lambda.dot(&by)
            + 0.5 * self.kappa_matrix * turn.dot(&scaled_columns(&turn, &self.j))
            - self.big_lambda.dot(&scaled_columns(&turn, &self.j.map(f64::sqrt)))
    }

    pub fn gradient(&self, q: &Vec3, matrix: &Mat3) -> (Vec3, Mat3) {
        let (by, turn) = (q - self.q_hat, matrix - self.matrix_hat);
        (
            self.kappa_q * self.mass * by - self.mass.sqrt() * self.lambda,
            self.kappa_matrix * scaled_columns(&turn, &self.j)
                - scaled_columns(&self.big_lambda, &self.j.map(f64::sqrt)),
        )
    }

    pub fn stiffness(&self) -> (f64, Vec3) {
        (self.kappa_q * self.mass, self.kappa_matrix * self.j)
    }

    /// Whether q and Q have come close enough to q̂ and Q̂.
    pub fn is_met(&self, q: &Vec3, matrix: &Mat3) -> bool {
        let (eta_q, eta_matrix) = self.eta(q, matrix);
        eta_q > MET && eta_matrix > MET
    }

    /// η_q, η_Q = 1 − the part of the way that is left; 1 where there is no way.
    ///
    /// Source: [Ferguson2021] §4.4. Deviation: for each body on its own.
    fn eta(&self, q: &Vec3, matrix: &Mat3) -> (f64, f64) {
        let part = |left: f64, way: f64| if way > 0.0 { 1.0 - left / way } else { 1.0 - left.min(1.0) };
        (
            part((q - self.q_hat).norm(), (self.q_start - self.q_hat).norm()),
            part((matrix - self.matrix_hat).norm(), (self.matrix_start - self.matrix_hat).norm()),
        )
    }

    /// κ_A ← 2κ_A, or λ ← λ − κ_A √m (q − q̂), Λ ← Λ − κ_A (Q − Q̂) J^½.
    pub fn update(&mut self, q: &Vec3, matrix: &Mat3) {
        let (eta_q, eta_matrix) = self.eta(q, matrix);
        if eta_q < UPDATE && self.kappa_q < MAX_STIFFNESS {
            self.kappa_q *= 2.0;
        } else {
            self.lambda -= self.kappa_q * self.mass.sqrt() * (q - self.q_hat);
        }
        if eta_matrix < UPDATE && self.kappa_matrix < MAX_STIFFNESS {
            self.kappa_matrix *= 2.0;
        } else {
            self.big_lambda -=
                self.kappa_matrix * scaled_columns(&(matrix - self.matrix_hat), &self.j.map(f64::sqrt));
        }
    }
}
