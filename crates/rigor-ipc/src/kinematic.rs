//! Kinematic bodies: pulled to where they are prescribed to be by an augmented Lagrangian, so that contacts can hold them up.

use nalgebra::Vector6;
use rigor_ccd::broad_phase::Shape;
use rigor_math::{Mat3, Pose, Vec3};
use rigor_scene::{Scene, State, StepError};

use crate::body::{Drive, j_of, scaled_columns};
use crate::config::Coordinates;
use crate::line_search::Surroundings;
use crate::objective::Objective;
use crate::path::Path;
use crate::placement::Placement;

/// κ_A at the start of a step, relative to the body's inertia.
const STIFFNESS: f64 = 1e3;
/// κ_A grows up to here.
const MAX_STIFFNESS: f64 = 1e8;
/// κ_A grows unless an update leaves no more than this part of the way that was left.
const ENOUGH: f64 = 0.25;
/// By what κ_A grows.
const GROWTH: f64 = 10.0;
/// η from which the multipliers are updated.
const UPDATE: f64 = 0.99;
/// Minima are found up to this part of the way.
const PRECISION: f64 = 1e-4;
/// η from which a prescription counts as met.
const MET: f64 = 0.999;
/// A way shorter than this part of the body's distance from the origin and its size counts as that long: rounding leaves no
/// digits of it.
const SHORTEST: f64 = 1e-10;

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
    /// η_q, η_Q at the last update.
    eta_before: (f64, f64),
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
            eta_before: (0.0, 0.0),
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

    /// A small part (m) of the way of a body of this radius (m), with which it is known whether the prescription is met.
    pub fn precision(&self, radius: f64) -> f64 {
        // ‖Q − Q̂‖ is √2 times the angle where that is small.
        PRECISION * self.way(radius, radius * std::f64::consts::FRAC_1_SQRT_2)
    }

    /// How far (m) the body of this radius (m) is to go, with `arm` (m) for its turn.
    fn way(&self, radius: f64, arm: f64) -> f64 {
        let way = (self.q_start - self.q_hat).norm() + arm * (self.matrix_start - self.matrix_hat).norm();
        way.max(SHORTEST * (self.q_hat.norm() + radius))
    }

    /// η_q, η_Q = 1 − the part of the way that is left.
    ///
    /// Source: [Ferguson2021] §4.4. Deviation: for each body on its own, and either against the whole way, as long as
    /// points at the radius of gyration go: a body that only translates must not turn, but not by more digits than
    /// there are.
    fn eta(&self, q: &Vec3, matrix: &Mat3) -> (f64, f64) {
        let radius = (self.j.sum() / self.mass).sqrt();
        let way = self.way(radius, radius);
        let part = |left: f64| 1.0 - left / way;
        (part((q - self.q_hat).norm()), part(radius * (matrix - self.matrix_hat).norm()))
    }

    /// λ ← λ − κ_A √m (q − q̂), Λ ← Λ − κ_A (Q − Q̂) J^½ from a certain η on, and a greater κ_A while what is left of
    /// the way does not become less by much.
    ///
    /// Deviation: [Ferguson2021] does one or the other, which takes dozens of updates where the body carries far more
    /// than its own mass.
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
        self.eta_before = (eta_q, eta_matrix);
    }
}

/// Moves prescribed bodies to where they are to end, if nothing is in their way; then they stay there.
pub(crate) fn follow(
    scene: &Scene,
    state: &State,
    dt: f64,
    surroundings: &mut Surroundings,
    places: &mut [Placement],
    drives: &mut [Drive],
    path: &mut Path,
) -> Result<(), StepError> {
    if !drives.iter().any(|drive| matches!(drive, Drive::Target(_))) {
        return Ok(());
    }
    let target = |b: usize| scene.bodies[b].prescribed(state.time + dt).map(|s| s.pose);
    let steps: Vec<Vector6<f64>> = (0..places.len())
        .map(|b| match (&drives[b], target(b)) {
            (Drive::Target(_), Some(pose)) => places[b].step_to(&pose),
            _ => Vector6::zeros(),
        })
        .collect();
    let mut local: Vec<Placement> = places.to_vec();
    for place in &mut local {
        *place = Placement::new(&place.pose(), Coordinates::Local);
    }
    if surroundings.way(&local, &steps).is_ok_and(|way| way.alpha >= 1.0) {
        for b in 0..places.len() {
            if let (Drive::Target(_), Some(pose)) = (&drives[b], target(b)) {
                places[b] = Placement::new(&pose, places[b].coordinates);
                drives[b] = Drive::Still;
            }
        }
        path.push(&local, &steps, 1.0, places);
    }
    Ok(())
}

/// How exactly (m) each minimum must be found for multipliers to converge: infinity without prescribed bodies under way.
pub(crate) fn precision(drives: &[Drive], shapes: &[Shape]) -> f64 {
    let of = |(drive, shape): (&Drive, &Shape)| match drive {
        Drive::Target(target) => target.precision(shape.radius()),
        _ => f64::INFINITY,
    };
    drives.iter().zip(shapes).map(of).fold(f64::INFINITY, f64::min)
}

/// Lets go of the prescribed bodies that have arrived and pulls the others harder; whether there is more to solve.
pub(crate) fn pull(objective: &mut Objective, places: &[Placement]) -> bool {
    let mut has_changed = false;
    for (drive, place) in objective.drives.iter_mut().zip(places) {
        let Drive::Target(target) = drive else { continue };
        has_changed = true;
        if target.is_met(&place.position, &place.matrix) {
            *drive = Drive::Still;
        } else {
            target.update(&place.position, &place.matrix);
        }
    }
    objective.number_blocks();
    has_changed
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
