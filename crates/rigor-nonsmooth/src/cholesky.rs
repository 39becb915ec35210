//! Factorizations of symmetric matrices, dense or sparse, on one thread: their bits do not depend on the number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, Mat, MatMut, Par, Side, Spec};

/// Number of rows up to which a matrix is factorized as a dense one.
const DENSE: usize = 64;

/// Part of the entries of a larger matrix from which it is factorized as a dense one.
const FULL: f64 = 0.25;

/// A = L Lᵀ, for guests that condense their own joints.
#[derive(Debug)]
pub struct Cholesky {
    factor: Factor,
}

#[derive(Debug)]
enum Factor {
    Dense(Mat<f64>),
    /// Ordered by approximate minimum degree.
    Sparse {
        symbolic: Box<SymbolicCholesky<usize>>,
        values: Vec<f64>,
    },
}

impl Cholesky {
    /// Factorizes the symmetric matrix `a`, of which the lower part is read; `None` if it is not positive definite.
    pub(crate) fn new(mut a: Mat<f64>) -> Option<Self> {
        let params = Spec::default();
        let mut memory =
            MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(a.nrows(), Par::Seq, params));
        let stack = MemStack::new(&mut memory);
        let done =
            llt::factor::cholesky_in_place(a.as_mut(), Default::default(), Par::Seq, stack, Spec::default());
        // A number that is not finite passes as a pivot.
        let is_finite = || (0..a.nrows()).all(|i| a[(i, i)].is_finite());
        (done.is_ok() && is_finite()).then_some(Self { factor: Factor::Dense(a) })
    }

    /// Factorizes the symmetric matrix of `n` rows with these entries (row, column, value), each named at most once, and 0 elsewhere. Both parts are
    /// given. `None` if it is not positive definite.
    ///
    /// A large matrix with few entries takes time and memory by those of its sparse factor: joints of a chain, linear in their number.
    ///
    /// ```
    /// use rigor_nonsmooth::Cholesky;
    /// let entries = [(0, 0, 4.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 3.0)];
    /// let factor = Cholesky::of_entries(2, &entries).expect("positive definite");
    /// let mut b = [8.0, 8.0];
    /// factor.solve(&mut b);
    /// assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15);
    /// ```
    pub fn of_entries(n: usize, entries: &[(usize, usize, f64)]) -> Option<Self> {
        if n <= DENSE || entries.len() as f64 > FULL * (n as f64) * (n as f64) {
            let mut a = Mat::zeros(n, n);
            entries.iter().for_each(|&(row, column, value)| a[(row, column)] = value);
            return Self::new(a);
        }
        let lower = entries.iter().filter(|(row, column, _)| row >= column);
        let lower: Vec<_> = lower.map(|&(row, column, value)| Triplet::new(row, column, value)).collect();
        let a = SparseColMat::try_new_from_triplets(n, n, &lower).ok()?;
        let params = CholeskySymbolicParams::default();
        let symbolic =
            factorize_symbolic_cholesky(a.symbolic(), Side::Lower, SymmetricOrdering::Amd, params).ok()?;
        let mut values = vec![0.0; symbolic.len_val()];
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        let none = Default::default();
        symbolic
            .factorize_numeric_llt(
                &mut values,
                a.as_ref(),
                Side::Lower,
                none,
                Par::Seq,
                stack,
                Spec::default(),
            )
            .ok()?;
        values
            .iter()
            .all(|value| value.is_finite())
            .then_some(Self { factor: Factor::Sparse { symbolic: Box::new(symbolic), values } })
    }

    /// Replaces b by A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        let n = b.len();
        let right = MatMut::from_column_major_slice_mut(b, n, 1);
        match &self.factor {
            Factor::Dense(factor) => {
                let mut memory = MemBuffer::new(llt::solve::solve_in_place_scratch::<f64>(n, 1, Par::Seq));
                llt::solve::solve_in_place(factor.as_ref(), right, Par::Seq, MemStack::new(&mut memory));
            }
            Factor::Sparse { symbolic, values } => {
                let mut memory = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
                let stack = MemStack::new(&mut memory);
                LltRef::new(symbolic, values).solve_in_place_with_conj(Conj::No, right, Par::Seq, stack);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrix of a chain of blocks of five rows, each coupled to the next, with a loop.
    fn entries(blocks: usize) -> Vec<(usize, usize, f64)> {
        let mut all = Vec::new();
        let coupled = |i: usize, j: usize| i.abs_diff(j) <= 1 || i.abs_diff(j) == blocks - 1;
        for (i, j) in
            (0..blocks).flat_map(|i| (0..blocks).map(move |j| (i, j))).filter(|&(i, j)| coupled(i, j))
        {
            for (k, l) in (0..5).flat_map(|k| (0..5).map(move |l| (k, l))) {
                let (row, column) = (5 * i + k, 5 * j + l);
                let off = 1.0 / (1.0 + row.abs_diff(column) as f64 + (row.min(column) % 7) as f64);
                all.push((row, column, if row == column { 12.0 } else { off }));
            }
        }
        all
    }

    #[test]
    fn sparse_and_dense_factors_solve_alike() {
        let n = 150;
        let entries = entries(n / 5);
        let sparse = Cholesky::of_entries(n, &entries).expect("it is dominated by its diagonal");
        assert!(matches!(sparse.factor, Factor::Sparse { .. }));
        let mut a = Mat::zeros(n, n);
        entries.iter().for_each(|&(row, column, value)| a[(row, column)] = value);
        let dense = Cholesky::new(a).expect("it is dominated by its diagonal");
        let b: Vec<f64> = (0..n).map(|i| (i % 11) as f64 - 4.0).collect();
        let [x, y] = [sparse, dense].map(|factor| {
            let mut x = b.clone();
            factor.solve(&mut x);
            x
        });
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-13), "{x:?}");
        for (i, b) in b.iter().enumerate() {
            let row: f64 =
                entries.iter().filter(|entry| entry.0 == i).map(|entry| entry.2 * x[entry.1]).sum();
            assert!((row - b).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_positive_has_no_factor() {
        for blocks in [2, 40] {
            let mut entries = entries(blocks);
            assert!(Cholesky::of_entries(5 * blocks, &entries).is_some());
            for wrong in [-1.0, f64::NAN, f64::INFINITY] {
                let at = entries.iter().position(|entry| entry.0 == 3 && entry.1 == 3).expect("its diagonal");
                entries[at].2 = wrong;
                assert!(Cholesky::of_entries(5 * blocks, &entries).is_none(), "{blocks} {wrong}");
            }
        }
    }
}
