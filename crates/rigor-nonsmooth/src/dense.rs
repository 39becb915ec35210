//! Dense factorizations on one thread: their bits do not depend on the number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::lu::partial_pivoting;
use faer::perm::PermRef;
use faer::{Mat, MatMut, Par, Spec};

/// A = L Lᵀ, for guests that condense their own joints.
#[derive(Debug)]
pub struct Cholesky {
    factor: Mat<f64>,
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
        (done.is_ok() && is_finite()).then_some(Self { factor: a })
    }

    /// Factorizes the symmetric matrix of `n` rows that `entries` lists row by row; `None` if it is not positive definite.
    ///
    /// ```
    /// use rigor_nonsmooth::Cholesky;
    /// let factor = Cholesky::of_rows(2, &[4.0, 2.0, 2.0, 3.0]).expect("positive definite");
    /// let mut b = [8.0, 8.0];
    /// factor.solve(&mut b);
    /// assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15);
    /// ```
    pub fn of_rows(n: usize, entries: &[f64]) -> Option<Self> {
        Self::new(Mat::from_fn(n, n, |i, j| entries[i * n + j]))
    }

    /// Replaces b by A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        let mut memory = MemBuffer::new(llt::solve::solve_in_place_scratch::<f64>(b.len(), 1, Par::Seq));
        let n = b.len();
        let right = MatMut::from_column_major_slice_mut(b, n, 1);
        llt::solve::solve_in_place(self.factor.as_ref(), right, Par::Seq, MemStack::new(&mut memory));
    }
}

/// P A = L U with partial pivoting.
pub struct Lu {
    factors: Mat<f64>,
    rows: Vec<usize>,
    rows_inverse: Vec<usize>,
}

impl Lu {
    /// Factorizes `a`; `None` if a pivot is 0 or not finite.
    pub fn new(mut a: Mat<f64>) -> Option<Self> {
        let n = a.nrows();
        let (mut rows, mut rows_inverse) = (vec![0; n], vec![0; n]);
        let params = Spec::default();
        let mut memory = MemBuffer::new(partial_pivoting::factor::lu_in_place_scratch::<usize, f64>(
            n,
            n,
            Par::Seq,
            params,
        ));
        partial_pivoting::factor::lu_in_place(
            a.as_mut(),
            &mut rows,
            &mut rows_inverse,
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        );
        let is_good = (0..n).all(|i| a[(i, i)].is_finite() && a[(i, i)] != 0.0);
        is_good.then_some(Self { factors: a, rows, rows_inverse })
    }

    /// Replaces b by A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        let n = b.len();
        let mut memory =
            MemBuffer::new(partial_pivoting::solve::solve_in_place_scratch::<usize, f64>(n, 1, Par::Seq));
        let right = MatMut::from_column_major_slice_mut(b, n, 1);
        let rows = PermRef::new_checked(&self.rows, &self.rows_inverse, n);
        let factors = self.factors.as_ref();
        partial_pivoting::solve::solve_in_place(
            factors,
            factors,
            rows,
            right,
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }
}
