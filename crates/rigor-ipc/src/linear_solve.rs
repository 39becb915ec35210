//! H p = −g, for a symmetric positive definite matrix of 6×6 blocks.

use nalgebra::{Matrix6, Vector6};

use crate::block_cholesky::Elimination;

/// A symmetric matrix of 6×6 blocks: its diagonal, and the blocks below it.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockMatrix {
    pub diagonal: Vec<Matrix6<f64>>,
    /// (column, row) with row > column, each once, in ascending order.
    pub lower: Vec<((usize, usize), Matrix6<f64>)>,
}

/// The pivot that was not positive; its row in blocks is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotPositive;

/// Keeps the symbolic part of the factorization while the pattern holds.
#[derive(Debug, Default)]
pub(crate) struct LinearSolver {
    pattern: Vec<(usize, usize)>,
    n_blocks: usize,
    elimination: Elimination,
    pub factorizations: u64,
}

impl LinearSolver {
    /// x with (H + shift·1) x = b.
    ///
    /// # Errors
    /// [`NotPositive`] when the matrix is not positive definite.
    pub fn solve(
        &mut self,
        h: &BlockMatrix,
        shift: f64,
        b: &[Vector6<f64>],
    ) -> Result<Vec<Vector6<f64>>, NotPositive> {
        self.factorizations += 1;
        let pattern = || h.lower.iter().map(|(at, _)| *at);
        if self.n_blocks != b.len() || !self.pattern.iter().copied().eq(pattern()) {
            (self.pattern, self.n_blocks) = (pattern().collect(), b.len());
            self.elimination = Elimination::new(b.len(), pattern());
        }
        let x = self.elimination.factor(h, shift)?.solve(b);
        let is_finite = x.iter().all(|v| v.iter().all(|c| c.is_finite()));
        if is_finite { Ok(x) } else { Err(NotPositive) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of blocks, each tied to the next, and a right side.
    fn chain(n: usize) -> (BlockMatrix, Vec<Vector6<f64>>) {
        let tie = Matrix6::from_fn(|r, c| 0.1 * (r as f64 - 2.0 * c as f64).cos_like());
        let mut h = BlockMatrix { diagonal: vec![Matrix6::identity() * 4.0; n], ..BlockMatrix::default() };
        for i in 1..n {
            h.lower.push(((i - 1, i), tie));
        }
        (h, (0..n).map(|i| Vector6::from_fn(|k, _| (i * 6 + k) as f64)).collect())
    }

    trait CosLike {
        fn cos_like(self) -> f64;
    }

    impl CosLike for f64 {
        /// Any bounded function will do.
        fn cos_like(self) -> f64 {
            1.0 / (1.0 + self * self)
        }
    }

    fn residual(h: &BlockMatrix, x: &[Vector6<f64>], b: &[Vector6<f64>]) -> f64 {
        let mut r: Vec<Vector6<f64>> = h.diagonal.iter().zip(x).zip(b).map(|((m, x), b)| m * x - b).collect();
        for ((column, row), m) in &h.lower {
            r[*row] += m * x[*column];
            r[*column] += m.transpose() * x[*row];
        }
        r.iter().map(Vector6::amax).fold(0.0, f64::max)
    }

    #[test]
    fn what_is_found_solves_the_system() {
        for (n, is_closed) in [(1, false), (12, false), (13, true), (100, true)] {
            let (mut h, b) = chain(n);
            if is_closed {
                h.lower.extend([((2, n - 1), h.lower[0].1.transpose()), ((0, n - 1), h.lower[0].1)]);
                h.lower.sort_by_key(|(at, _)| *at);
            }
            let mut solver = LinearSolver::default();
            let x = solver.solve(&h, 0.0, &b).expect("it is positive definite");
            assert!(residual(&h, &x, &b) < 1e-10 * (6 * n) as f64);
            assert_eq!(solver.solve(&h, 0.0, &b), Ok(x));
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_refused_until_it_is_shifted() {
        for n in [2, 20] {
            let (mut h, b) = chain(n);
            h.diagonal[1][(3, 3)] = -1.0;
            let mut solver = LinearSolver::default();
            assert_eq!(solver.solve(&h, 0.0, &b), Err(NotPositive));
            assert!(solver.solve(&h, 3.0, &b).is_ok());
        }
    }
}
