//! The six equations of one body.

use nalgebra::{Matrix6, Vector6};
use rigor_math::{Mat3, Pose, Vec3, quaternion, rotation_vector};

use crate::body::SolverBody;

/// The linear system H Δx = f of a body.
///
/// Source: \[Giles2025\] eqs. (3) to (5), (13) and (14).
#[derive(Debug, Clone)]
pub(crate) struct Block {
    hessian: Matrix6<f64>,
    force: Vector6<f64>,
}

impl Block {
    /// The inertia of a body: H = M/h², f = −M/h² (x − y).
    pub fn new(body: &SolverBody) -> Self {
        let (mass, inertia) = &body.inertia;
        let (linear, angular) = body.off();
        let mut hessian = Matrix6::from_diagonal_element(*mass);
        hessian.fixed_view_mut::<3, 3>(3, 3).copy_from(inertia);
        let mut force = Vector6::zeros();
        force.fixed_rows_mut::<3>(0).copy_from(&(linear * -*mass));
        force.fixed_rows_mut::<3>(3).copy_from(&-(inertia * angular));
        Self { hessian, force }
    }

    /// Adds a row with the gradient (`linear`, `turn`) of C, the force `f` (N or N m) and the stiffness k.
    pub fn row(&mut self, linear: &Vec3, turn: &Vec3, f: f64, stiffness: f64) {
        let mut gradient = Vector6::zeros();
        gradient.fixed_rows_mut::<3>(0).copy_from(linear);
        gradient.fixed_rows_mut::<3>(3).copy_from(turn);
        self.hessian.ger(stiffness, &gradient, &gradient, 1.0);
        self.force.axpy(-f, &gradient, 1.0);
    }

    /// Adds the curvature of a row along `n` at a `lever` r (m): the diagonal matrix G of the column norms of f ∂²C/∂x².
    ///
    /// ∂²C/∂θ² = ½ (r nᵀ + n rᵀ) − (r · n) 1 where n stays. That of a distance turns with the points: with `per_length` 1/L (1/m) and D = (1, −[r]×) its
    /// matrix has Dᵀ (1 − n nᵀ) D/L in addition.
    pub fn curve(&mut self, lever: &Vec3, n: &Vec3, f: f64, per_length: f64) {
        if f == 0.0 {
            return;
        }
        let turn =
            0.5 * (lever * n.transpose() + n * lever.transpose()) - Mat3::from_diagonal_element(lever.dot(n));
        if per_length == 0.0 {
            for i in 0..3 {
                self.hessian[(i + 3, i + 3)] += f.abs() * turn.column(i).norm();
            }
            return;
        }
        let across = (Mat3::identity() - n * n.transpose()) * per_length;
        let moves = -rotation_vector::skew(lever);
        let mixed = across * moves;
        let turn = turn + moves.transpose() * mixed;
        for i in 0..3 {
            let column = across.column(i).norm_squared() + mixed.row(i).norm_squared();
            self.hessian[(i, i)] += f.abs() * column.sqrt();
            let column = mixed.column(i).norm_squared() + turn.column(i).norm_squared();
            self.hessian[(i + 3, i + 3)] += f.abs() * column.sqrt();
        }
    }

    /// The pose of a body that is moved by H⁻¹ f along its free coordinates.
    pub fn solve(mut self, body: &SolverBody) -> Pose {
        for (i, _) in body.is_free.iter().enumerate().filter(|(_, is_free)| !**is_free) {
            self.hessian.row_mut(i).fill(0.0);
            self.hessian.column_mut(i).fill(0.0);
            self.hessian[(i, i)] = 1.0;
            self.force[i] = 0.0;
        }
        let mut pose = body.now.pose;
        let Some(factor) = self.hessian.cholesky() else { return pose };
        let delta = factor.solve(&self.force);
        pose.position += delta.fixed_rows::<3>(0);
        pose.rotation = quaternion::rotate(&pose.rotation, &delta.fixed_rows::<3>(3).into_owned());
        pose
    }
}
