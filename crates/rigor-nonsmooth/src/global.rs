//! Problems with the masses of the bodies.

use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};

use crate::{Cone, Delassus, Mat3, Problem, ProblemError, Vec3};

/// A friction problem with the masses of the bodies: M v = H r + f and u = Hᵀ v + w.
///
/// Without v it is the [`Problem`] of W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + w. Source: \[Acary2018\].
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalProblem {
    /// Number of velocities v.
    pub n: usize,
    /// M, symmetric and positive definite (kg, kg m²): entries (row, column, value); those at one place are added.
    pub mass: Vec<(usize, usize, f64)>,
    /// H: entries (row, column, value). Columns 3 i to 3 i + 2 are those of block i.
    pub directions: Vec<(usize, usize, f64)>,
    /// f (N s).
    pub f: Vec<f64>,
    /// w (m/s), per block.
    pub w: Vec<Vec3>,
    /// The cone of each block.
    pub cones: Vec<Cone>,
}

/// The reason why a global problem has no local form.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CondenseError {
    /// An index or a length does not fit.
    #[error("{what} has an entry at {index}, and there are {n}")]
    Index {
        /// What has the entry.
        what: &'static str,
        /// Its index.
        index: usize,
        /// How many there are.
        n: usize,
    },
    /// M is not positive definite.
    #[error("M is not positive definite: each velocity needs mass")]
    Mass,
    /// The local problem is none.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl GlobalProblem {
    /// The local problem.
    ///
    /// ```
    /// use rigor_nonsmooth::{Cone, GlobalProblem, Vec3};
    /// // A point of 2 kg that falls onto a floor: v = (v_y, v_x, v_z).
    /// let global = GlobalProblem {
    ///     n: 3,
    ///     mass: (0..3).map(|i| (i, i, 2.0)).collect(),
    ///     directions: (0..3).map(|i| (i, i, 1.0)).collect(),
    ///     f: vec![-6.0, 2.0, 0.0],
    ///     w: vec![Vec3::zeros()],
    ///     cones: vec![Cone::Friction(0.5)],
    /// };
    /// let problem = global.condense()?;
    /// assert!((problem.q()[0] - Vec3::new(-3.0, 1.0, 0.0)).norm() < 1e-14);
    /// # Ok::<(), rigor_nonsmooth::CondenseError>(())
    /// ```
    ///
    /// # Errors
    /// [`CondenseError`] for indices beyond the sizes, an M that is not positive definite, and what [`Problem::new`] refuses.
    pub fn condense(&self) -> Result<Problem, CondenseError> {
        let (n, blocks) = (self.n, self.w.len());
        let within = |what: &'static str, index: usize, n: usize| {
            if index < n { Ok(()) } else { Err(CondenseError::Index { what, index, n }) }
        };
        for &(i, j, _) in &self.mass {
            within("M", i.max(j), n)?;
        }
        for &(i, j, _) in &self.directions {
            within("H", i, n)?;
            within("H", j, 3 * blocks)?;
        }
        if self.f.len() != n {
            return Err(CondenseError::Index { what: "f", index: self.f.len(), n });
        }
        let entries: Vec<Triplet<usize, usize, f64>> =
            self.mass.iter().map(|&(i, j, value)| Triplet::new(i, j, value)).collect();
        let mass = SparseColMat::try_new_from_triplets(n, n, &entries).map_err(|_| CondenseError::Mass)?;
        let factor = mass.sp_cholesky(Side::Lower).map_err(|_| CondenseError::Mass)?;
        let mut h = vec![Vec::new(); 3 * blocks];
        self.directions.iter().for_each(|&(i, j, value)| h[j].push((i, value)));
        let times_h = |v: &Mat<f64>, block: usize| {
            let of = |a: usize| h[3 * block + a].iter().map(|&(i, value)| value * v[(i, 0)]).sum::<f64>();
            Vec3::new(of(0), of(1), of(2))
        };
        // The blocks of W that are not empty share a velocity through M⁻¹; those are found by their values.
        let mut entries = Vec::new();
        for j in 0..blocks {
            let columns: Vec<Mat<f64>> = (0..3)
                .map(|a| {
                    let mut column = Mat::zeros(n, 1);
                    h[3 * j + a].iter().for_each(|&(i, value)| column[(i, 0)] += value);
                    factor.solve(&column)
                })
                .collect();
            for i in 0..blocks {
                let block = Mat3::from_columns(&[0, 1, 2].map(|a| times_h(&columns[a], i)));
                if i == j || block != Mat3::zeros() {
                    entries.push((i, j, block));
                }
            }
        }
        let free = factor.solve(&Mat::from_fn(n, 1, |i, _| self.f[i]));
        let q = (0..blocks).map(|i| self.w[i] + times_h(&free, i)).collect();
        Ok(Problem::new(Delassus::new(blocks, entries), q, self.cones.clone())?)
    }
}
