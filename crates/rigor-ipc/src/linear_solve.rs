//! Solves H p = −g for a symmetric positive definite matrix of N × N blocks.

use std::collections::BTreeMap;

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};
use nalgebra::{DMatrix, DVector, SMatrix};

use crate::body_slots::Step;

/// A block of the matrix: the coordinates of one body, or those of one and another.
pub(crate) type Block<const N: usize> = SMatrix<f64, N, N>;

/// A symmetric matrix of N × N blocks: its diagonal blocks and those below the diagonal.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockMatrix<const N: usize> {
    pub diagonal: Vec<Block<N>>,
    /// ((column, row), block) with row > column, each once, in ascending order.
    pub lower: Vec<((usize, usize), Block<N>)>,
}

/// The matrix is not positive definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotPositive;

/// Maximum number of blocks for which a dense factorization is faster.
const DENSE: usize = 12;

/// The solvers of large groups, by the first body of each.
#[derive(Debug, Default)]
pub(crate) struct Solvers {
    large: BTreeMap<usize, LinearSolver>,
}

impl Solvers {
    /// Takes the solver of the group of these bodies; a new one if the group is small or unknown.
    pub fn take(&mut self, bodies: &[usize]) -> LinearSolver {
        bodies.first().and_then(|first| self.large.remove(first)).unwrap_or_default()
    }

    /// Keeps the solver of the group of these bodies.
    pub fn keep(&mut self, bodies: &[usize], solver: LinearSolver) {
        if let (Some(first), true) = (bodies.first(), bodies.len() > DENSE) {
            self.large.insert(*first, solver);
        }
    }

    /// Forgets the solvers that have not been used since the last call.
    pub fn prune(&mut self) {
        self.large.retain(|_, solver| std::mem::take(&mut solver.is_used));
    }
}

/// Caches the symbolic factorization while the sparsity pattern stays the same.
#[derive(Default)]
pub(crate) struct LinearSolver {
    pattern: Vec<(usize, usize)>,
    n_blocks: usize,
    symbolic: Option<SymbolicLlt<usize>>,
    is_used: bool,
    /// Number of factorizations since the last time it was set to 0.
    pub factorizations: u64,
}

impl std::fmt::Debug for LinearSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinearSolver").field("factorizations", &self.factorizations).finish_non_exhaustive()
    }
}

impl LinearSolver {
    /// Returns x with (H + shift·1) x = b.
    ///
    /// # Errors
    /// [`NotPositive`] when the matrix is not positive definite, or the solution is not finite.
    pub fn solve<const N: usize>(
        &mut self,
        h: &BlockMatrix<N>,
        shift: f64,
        b: &[Step<N>],
    ) -> Result<Vec<Step<N>>, NotPositive> {
        self.factorizations += 1;
        self.is_used = true;
        let x = match b {
            [] => return Ok(Vec::new()),
            [b] => {
                let matrix = h.diagonal[0] + Block::identity() * shift;
                vec![matrix.cholesky().ok_or(NotPositive)?.solve(b)]
            }
            _ if b.len() <= DENSE => dense(h, shift, b)?,
            _ => self.sparse(h, shift, b)?,
        };
        let is_finite = x.iter().all(|v| v.iter().all(|c| c.is_finite()));
        if is_finite { Ok(x) } else { Err(NotPositive) }
    }

    fn sparse<const N: usize>(
        &mut self,
        h: &BlockMatrix<N>,
        shift: f64,
        b: &[Step<N>],
    ) -> Result<Vec<Step<N>>, NotPositive> {
        let n = N * b.len();
        let matrix = lower_triangle(h, shift);
        let pattern = h.lower.iter().map(|(at, _)| *at);
        let is_known = self.n_blocks == b.len() && self.pattern.iter().copied().eq(pattern.clone());
        if self.symbolic.is_none() || !is_known {
            self.symbolic = SymbolicLlt::try_new(matrix.symbolic(), Side::Lower).ok();
            (self.pattern, self.n_blocks) = (pattern.collect(), b.len());
        }
        let symbolic = self.symbolic.clone().ok_or(NotPositive)?;
        let factor =
            Llt::try_new_with_symbolic(symbolic, matrix.as_ref(), Side::Lower).map_err(|_| NotPositive)?;
        let rhs = Mat::<f64>::from_fn(n, 1, |i, _| b[i / N][i % N]);
        let x = factor.solve(rhs);
        Ok((0..b.len()).map(|block| Step::from_fn(|k, _| x[(N * block + k, 0)])).collect())
    }
}

fn lower_triangle<const N: usize>(h: &BlockMatrix<N>, shift: f64) -> SparseColMat<usize, f64> {
    let n = N * h.diagonal.len();
    let mut triplets = Vec::with_capacity(N * (N + 1) / 2 * h.diagonal.len() + N * N * h.lower.len());
    for (block, m) in h.diagonal.iter().enumerate() {
        for (c, r) in (0..N).flat_map(|c| (c..N).map(move |r| (c, r))) {
            let value = m[(r, c)] + if r == c { shift } else { 0.0 };
            triplets.push(Triplet::new(N * block + r, N * block + c, value));
        }
    }
    for ((column, row), m) in &h.lower {
        for (c, r) in (0..N).flat_map(|c| (0..N).map(move |r| (c, r))) {
            triplets.push(Triplet::new(N * row + r, N * column + c, m[(r, c)]));
        }
    }
    SparseColMat::try_new_from_triplets(n, n, &triplets).expect("indices of blocks are within the matrix")
}

fn dense<const N: usize>(h: &BlockMatrix<N>, shift: f64, b: &[Step<N>]) -> Result<Vec<Step<N>>, NotPositive> {
    let n = N * b.len();
    let mut matrix = DMatrix::zeros(n, n);
    for (block, m) in h.diagonal.iter().enumerate() {
        matrix.fixed_view_mut::<N, N>(N * block, N * block).copy_from(&(m + Block::identity() * shift));
    }
    for ((column, row), m) in &h.lower {
        matrix.fixed_view_mut::<N, N>(N * row, N * column).copy_from(m);
    }
    let factor = matrix.cholesky().ok_or(NotPositive)?;
    let x = factor.solve(&DVector::from_fn(n, |i, _| b[i / N][i % N]));
    Ok((0..b.len()).map(|block| x.fixed_rows::<N>(N * block).into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix6, Vector6};

    use super::*;

    /// Returns a chain of blocks, each coupled to the next, and a right-hand side.
    fn chain(n: usize) -> (BlockMatrix<6>, Vec<Vector6<f64>>) {
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

    fn residual(h: &BlockMatrix<6>, x: &[Vector6<f64>], b: &[Vector6<f64>]) -> f64 {
        let mut r: Vec<Vector6<f64>> = h.diagonal.iter().zip(x).zip(b).map(|((m, x), b)| m * x - b).collect();
        for ((column, row), m) in &h.lower {
            r[*row] += m * x[*column];
            r[*column] += m.transpose() * x[*row];
        }
        r.iter().map(Vector6::amax).fold(0.0, f64::max)
    }

    #[test]
    fn what_is_found_solves_the_system() {
        for (n, is_closed) in [(1, false), (DENSE, false), (DENSE, true), (DENSE + 1, true), (100, true)] {
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
