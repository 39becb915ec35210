//! The target of a kinematic body, as a potential with multipliers.

use rigor_math::{Mat3, Pose, Vec3};

use crate::second_moment::{j_of, scaled_columns};

/// Initial κ_A of a step, relative to the body's inertia.
const STIFFNESS: f64 = 1e3;
/// Maximum κ_A.
const MAX_STIFFNESS: f64 = 1e8;
/// κ_A grows unless an update reduces the remaining distance to at most this fraction.
const ENOUGH: f64 = 0.25;
/// Growth factor of κ_A.
const GROWTH: f64 = 10.0;
/// η from which the multipliers are updated.
const UPDATE: f64 = 0.99;
/// Required precision of a minimum, relative to the displacement prescribed for the step.
const PRECISION: f64 = 1e-4;
/// η from which a target counts as reached.
const MET: f64 = 0.999;
/// An update is in vain if more than this part of the remaining distance is left.
const SHRINKS: f64 = 0.99;
/// Updates in vain, one after the other, from which the body counts as blocked.
const PATIENCE: u32 = 4;
/// Minimum displacement used in η, relative to the body's distance from the origin plus its size: of a
/// shorter one rounding leaves no correct digits.
const SHORTEST: f64 = 1e-10;

/// E_A = ½ κ_q m ‖q − q̂‖² − √m λᵀ(q − q̂) + ½ κ_Q tr((Q − Q̂) J (Q − Q̂)ᵀ) − tr(Λᵀ (Q − Q̂) J^½).
///
/// Source: \[Ferguson2021\] §4.4. Deviation: E_{A,Q} does not repeat the term of λ.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    mass: f64,
    j: Vec3,
    /// Pose at the start of the step and target pose at its end.
    q_start: Vec3,
    matrix_start: Mat3,
    q_hat: Vec3,
    matrix_hat: Mat3,
    kappa_q: f64,
    kappa_matrix: f64,
    lambda: Vec3,
    big_lambda: Mat3,
    /// η_q, η_Q at the last update.
    eta_before: (f64, f64),
    /// The number of updates in a row that brought the body no nearer.
    in_vain: u32,
}

impl Target {
    pub fn new(mass: f64, inertia: &Vec3, start: &Pose, end: &Pose) -> Self {
        let matrix = |pose: &Pose| pose.rotation.to_rotation_matrix().into_inner();
        Self {
            mass,
            // J vanishes along the axis of a disc; the target must hold that direction as well.
            j: j_of(inertia).map(|j| j.max(1e-3 * inertia.max())),
            q_start: start.position,
            matrix_start: matrix(start),
            q_hat: end.position,
            matrix_hat: matrix(end),
            kappa_q: STIFFNESS,
            kappa_matrix: STIFFNESS,
            lambda: Vec3::zeros(),
            big_lambda: Mat3::zeros(),
            eta_before: (0.0, 0.0),
            in_vain: 0,
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

    /// Returns the pull on the body (kg m, force times h²): that on its centre, and that on its turn at the radius of gyration.
    pub fn pull(&self, q: &Vec3, matrix: &Mat3) -> f64 {
        let (by_q, by_matrix) = self.gradient(q, matrix);
        let radius = (self.j.sum() / self.mass).sqrt();
        let by_turn = if radius > 0.0 { by_matrix.norm() / radius } else { 0.0 };
        by_q.norm().max(by_turn)
    }

    pub fn stiffness(&self) -> (f64, Vec3) {
        (self.kappa_q * self.mass, self.kappa_matrix * self.j)
    }

    /// Returns whether q and Q are close enough to q̂ and Q̂.
    pub fn is_met(&self, q: &Vec3, matrix: &Mat3) -> bool {
        let (eta_q, eta_matrix) = self.eta(q, matrix);
        eta_q > MET && eta_matrix > MET
    }

    /// Returns the precision (m) needed to decide whether a body of this radius (m) has reached its target.
    pub fn precision(&self, radius: f64) -> f64 {
        // For small angles ‖Q − Q̂‖ is √2 times the angle.
        PRECISION * self.way(radius, radius * std::f64::consts::FRAC_1_SQRT_2)
    }

    /// Returns the prescribed displacement (m) of a body of this radius (m), with `arm` (m) as the lever of
    /// its rotation.
    fn way(&self, radius: f64, arm: f64) -> f64 {
        let way = (self.q_start - self.q_hat).norm() + arm * (self.matrix_start - self.matrix_hat).norm();
        way.max(SHORTEST * (self.q_hat.norm() + radius))
    }

    /// Returns η_q and η_Q, 1 minus the fraction of the displacement that remains.
    ///
    /// Source: \[Ferguson2021\] §4.4. Deviation: computed per body, and both relative to the whole
    /// displacement, translation plus rotation at the radius of gyration. So a body that only translates must
    /// keep its orientation, but no more precisely than rounding allows.
    fn eta(&self, q: &Vec3, matrix: &Mat3) -> (f64, f64) {
        let radius = (self.j.sum() / self.mass).sqrt();
        let way = self.way(radius, radius);
        let part = |left: f64| 1.0 - left / way;
        (part((q - self.q_hat).norm()), part(radius * (matrix - self.matrix_hat).norm()))
    }

    /// Updates the multipliers, λ ← λ − κ_A √m (q − q̂) and Λ ← Λ − κ_A (Q − Q̂) J^½, each once its η is at
    /// least `UPDATE`; raises κ_A while η is smaller or the remaining distance does not shrink enough.
    ///
    /// Deviation: \[Ferguson2021\] does one or the other, which takes dozens of updates if the body carries
    /// far more than its own mass.
    pub fn update(&mut self, q: &Vec3, matrix: &Mat3) {
        let (eta_q, eta_matrix) = self.eta(q, matrix);
        if eta_q >= UPDATE {
            self.lambda -= self.kappa_q * self.mass.sqrt() * (q - self.q_hat);
        }
        if eta_matrix >= UPDATE {
            self.big_lambda -=
                self.kappa_matrix * scaled_columns(&(matrix - self.matrix_hat), &self.j.map(f64::sqrt));
        }
        let grown = |kappa: f64, eta: f64, before: f64| {
            if eta < UPDATE || 1.0 - eta > ENOUGH * (1.0 - before) {
                (GROWTH * kappa).min(MAX_STIFFNESS)
            } else {
                kappa
            }
        };
        self.kappa_q = grown(self.kappa_q, eta_q, self.eta_before.0);
        self.kappa_matrix = grown(self.kappa_matrix, eta_matrix, self.eta_before.1);
        let left = |(eta_q, eta_matrix): (f64, f64)| {
            let (by, turn) = (1.0 - eta_q, 1.0 - eta_matrix);
            (by * by + turn * turn).sqrt()
        };
        let is_in_vain = left((eta_q, eta_matrix)) > SHRINKS * left(self.eta_before);
        self.in_vain = if is_in_vain { self.in_vain + 1 } else { 0 };
        self.eta_before = (eta_q, eta_matrix);
    }

    /// Returns whether contact keeps the body from its target: pulled ever harder, it comes no nearer.
    pub fn is_blocked(&self) -> bool {
        self.in_vain >= PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_below_rounding_is_met() {
        let start = Pose::translation(Vec3::new(121.0, 0.0, 0.0));
        let end = Pose::translation(Vec3::new(121.0_f64.next_up(), 0.0, 0.0));
        let target = Target::new(2.0, &Vec3::repeat(1.0), &start, &end);
        assert!(target.is_met(&start.position, &start.rotation_matrix()));
        assert!(target.precision(1.0) > 1e-12, "coordinates of 121 m have 1.4·10⁻¹⁴ m between them");
    }
}
