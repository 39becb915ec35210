//! Dense factorizations on one thread: their bits do not depend on the number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting;
use faer::perm::PermRef;
use faer::{Mat, MatMut, Par, Spec};

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
