//! Rows of constraints between bodies, as one linear system.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rigor_math::Vec3;

use crate::body::SolverBody;

/// Part of its diagonal that is added to a matrix whose rows repeat each other, as those of loops of joints do.
const REDUNDANT: f64 = 1e-13;

/// Connected rows up to which they are solved as one system; its cost grows as their cube.
pub(crate) const WHOLE: usize = 512;

/// A linear and an angular vector: impulse and torque, or velocity and angular velocity.
pub(crate) type Screw = (Vec3, Vec3);

/// What a row is for one body.
struct Share {
    row: usize,
    /// The row of J.
    along: Screw,
    /// Its part of M⁻¹ Jᵀ: the motion (m, rad, or per s) that a unit impulse causes.
    response: Screw,
}

/// Rows J: each a direction in which an impulse acts on a body, and its opposite on another.
pub(crate) struct Rows {
    /// Per body with rows its index and its shares.
    bodies: Vec<(usize, Vec<Share>)>,
    /// The place of each body of the solver among `bodies`.
    place: Vec<usize>,
    /// The rows of bodies that nothing moves, which may have velocities: the body, the row and its part of J.
    immovable: Vec<(usize, usize, Screw)>,
    n: usize,
}

const NONE: usize = usize::MAX;

impl Rows {
    /// No rows yet, for so many bodies.
    pub fn new(n_bodies: usize) -> Self {
        Self { bodies: Vec::new(), place: vec![NONE; n_bodies], immovable: Vec::new(), n: 0 }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Adds a row: an impulse `p` at its lever (m, world) and a `torque` on the first body, the opposites on the second; without one, on
    /// the world.
    pub fn add(
        &mut self,
        ends: [Option<usize>; 2],
        levers: [Vec3; 2],
        (p, torque): Screw,
        bodies: &[SolverBody],
    ) {
        for (sign, (end, lever)) in [1.0, -1.0].into_iter().zip(ends.into_iter().zip(levers)) {
            let Some(body) = end else { continue };
            let along = (sign * p, sign * (lever.cross(&p) + torque));
            let of_body = &bodies[body];
            if !of_body.is_moved() {
                self.immovable.push((body, self.n, along));
                continue;
            }
            if self.place[body] == NONE {
                self.place[body] = self.bodies.len();
                self.bodies.push((body, Vec::new()));
            }
            let response = (of_body.w.component_mul(&along.0), of_body.inverse_inertia * along.1);
            self.bodies[self.place[body]].1.push(Share { row: self.n, along, response });
        }
        self.n += 1;
    }

    /// Returns J M⁻¹ Jᵀ.
    pub fn matrix(&self) -> DMatrix<f64> {
        let mut matrix = DMatrix::zeros(self.n, self.n);
        for (_, shares) in &self.bodies {
            for (k, one) in shares.iter().enumerate() {
                for other in &shares[k..] {
                    let value = one.along.0.dot(&other.response.0) + one.along.1.dot(&other.response.1);
                    matrix[(one.row, other.row)] += value;
                    if one.row != other.row {
                        matrix[(other.row, one.row)] += value;
                    }
                }
            }
        }
        matrix
    }

    /// Returns J v.
    pub fn velocities(&self, bodies: &[SolverBody]) -> DVector<f64> {
        let mut u = DVector::zeros(self.n);
        let of_moved =
            self.bodies.iter().flat_map(|(body, all)| all.iter().map(|one| (*body, one.row, one.along)));
        for (body, row, along) in of_moved.chain(self.immovable.iter().copied()) {
            u[row] +=
                along.0.dot(&bodies[body].linear_velocity) + along.1.dot(&bodies[body].angular_velocity);
        }
        u
    }

    /// Returns M⁻¹ Jᵀ λ, body by body.
    pub fn responses(&self, lambda: impl Fn(usize) -> f64) -> impl Iterator<Item = (usize, Screw)> {
        self.bodies.iter().map(move |(body, shares)| {
            let sum = shares.iter().fold((Vec3::zeros(), Vec3::zeros()), |sum, share| {
                let lambda = lambda(share.row);
                (sum.0 + share.response.0 * lambda, sum.1 + share.response.1 * lambda)
            });
            (*body, sum)
        })
    }
}

/// A symmetric matrix A = D⁻¹ L Lᵀ D⁻¹ in factors, with D = diag(A)^(−½); rows that move nothing have D = 0.
pub(crate) struct Factors {
    /// The diagonal of D.
    pub scale: DVector<f64>,
    lower: Cholesky<f64, Dyn>,
}

impl Factors {
    /// Factorises a positive semidefinite matrix; `None` if it is none, but for rounding.
    pub fn new(matrix: &DMatrix<f64>) -> Option<Self> {
        let n = matrix.nrows();
        let inverse_root = |a: f64| if a > 0.0 { a.sqrt().recip() } else { 0.0 };
        let scale = DVector::from_fn(n, |i, _| inverse_root(matrix[(i, i)]));
        let scaled = DMatrix::from_fn(n, n, |i, j| scale[i] * matrix[(i, j)] * scale[j]);
        let lower = [0.0, REDUNDANT, 1e3 * REDUNDANT, 1e6 * REDUNDANT].into_iter().find_map(|more| {
            let mut regular = scaled.clone();
            for i in 0..n {
                regular[(i, i)] += if regular[(i, i)] > 0.0 { more } else { 1.0 };
            }
            let factors = regular.cholesky()?;
            // Rows that repeat others leave rounding on their diagonal.
            let pivots = factors.l_dirty().diagonal().map(|l| l * l);
            pivots.iter().all(|pivot| *pivot > 0.5 * REDUNDANT).then_some(factors)
        });
        Some(Self { scale, lower: lower? })
    }

    /// Solves L Lᵀ x = b.
    pub fn solve(&self, b: &DMatrix<f64>) -> DMatrix<f64> {
        self.lower.solve(b)
    }

    /// Solves A x = b.
    pub fn solve_whole(&self, b: &DVector<f64>) -> DVector<f64> {
        self.lower.solve(&b.component_mul(&self.scale)).component_mul(&self.scale)
    }
}
