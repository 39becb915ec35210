//! L Lᵀ of sparse symmetric matrices of 6×6 blocks.

use std::collections::BTreeSet;

use nalgebra::{Matrix6, Vector6};

use crate::linear_solve::{BlockMatrix, NotPositive};

/// In which order rows are eliminated, and which blocks of L there are then: what depends on the pattern alone.
#[derive(Debug, Default)]
pub(crate) struct Elimination {
    /// The block of H that is eliminated in each place, and the place of each.
    order: Vec<usize>,
    places: Vec<usize>,
    /// The first entry of each column, and where the last one ends.
    starts: Vec<usize>,
    /// The row of each entry, in ascending order within its column: first the diagonal.
    rows: Vec<usize>,
    /// The entry of each block of the lower triangle of H, and whether it stands there transposed.
    entries: Vec<(usize, bool)>,
}

/// L.
pub(crate) struct Factor<'a> {
    elimination: &'a Elimination,
    blocks: Vec<Matrix6<f64>>,
}

impl Elimination {
    /// Of `n` blocks with those at `pattern`, (column, row), below the diagonal: that block first which has the fewest others in its
    /// row when it is its turn, of several the one with the smallest number.
    pub fn new(n: usize, pattern: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut tied: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        for (column, row) in pattern.clone() {
            tied[column].insert(row);
            tied[row].insert(column);
        }
        let mut queue: BTreeSet<(usize, usize)> =
            tied.iter().enumerate().map(|(k, tied)| (tied.len(), k)).collect();
        let mut order = Vec::with_capacity(n);
        let mut below = Vec::with_capacity(n);
        while let Some((_, next)) = queue.pop_first() {
            let left = std::mem::take(&mut tied[next]);
            for &k in &left {
                queue.remove(&(tied[k].len(), k));
                tied[k].remove(&next);
                tied[k].extend(left.iter().filter(|other| **other != k));
                queue.insert((tied[k].len(), k));
            }
            order.push(next);
            below.push(left);
        }
        let mut elimination = Self { places: vec![0; n], order, ..Self::default() };
        for (place, block) in elimination.order.iter().enumerate() {
            elimination.places[*block] = place;
        }
        elimination.fill(&below);
        elimination.entries = pattern.map(|at| elimination.entry(at)).collect();
        elimination
    }

    fn fill(&mut self, below: &[BTreeSet<usize>]) {
        for (place, below) in below.iter().enumerate() {
            let start = self.rows.len();
            self.starts.push(start);
            self.rows.push(place);
            self.rows.extend(below.iter().map(|block| self.places[*block]));
            self.rows[start..].sort_unstable();
        }
        self.starts.push(self.rows.len());
    }

    fn entry(&self, (column, row): (usize, usize)) -> (usize, bool) {
        let (column, row) = (self.places[column], self.places[row]);
        let (first, last) = (column.min(row), column.max(row));
        let rows = &self.rows[self.starts[first]..self.starts[first + 1]];
        let at = rows.binary_search(&last).expect("L has every block that H has");
        (self.starts[first] + at, row < column)
    }

    /// L of H + shift·1, column after column.
    ///
    /// # Errors
    /// [`NotPositive`] when the matrix is not positive definite.
    pub fn factor(&self, h: &BlockMatrix, shift: f64) -> Result<Factor<'_>, NotPositive> {
        let mut blocks = self.scattered(h, shift);
        for column in 0..self.order.len() {
            let (start, end) = (self.starts[column], self.starts[column + 1]);
            let (left, right) = blocks.split_at_mut(end);
            let (diagonal, below) = left[start..].split_first_mut().expect("a column has its diagonal");
            *diagonal = root(diagonal).ok_or(NotPositive)?;
            below.iter_mut().for_each(|block| divide(block, diagonal));
            let rows = &self.rows[start + 1..end];
            for (k, target) in rows.iter().enumerate() {
                let mut entry = self.starts[*target];
                for (row, block) in rows[k..].iter().zip(&below[k..]) {
                    while self.rows[entry] != *row {
                        entry += 1;
                    }
                    subtract_product(&mut right[entry - end], block, &below[k]);
                    entry += 1;
                }
            }
        }
        Ok(Factor { elimination: self, blocks })
    }

    fn scattered(&self, h: &BlockMatrix, shift: f64) -> Vec<Matrix6<f64>> {
        let mut blocks = vec![Matrix6::zeros(); self.rows.len()];
        for (place, block) in self.order.iter().enumerate() {
            blocks[self.starts[place]] = h.diagonal[*block] + Matrix6::identity() * shift;
        }
        for ((_, block), (entry, is_transposed)) in h.lower.iter().zip(&self.entries) {
            blocks[*entry] = if *is_transposed { block.transpose() } else { *block };
        }
        blocks
    }
}

impl Factor<'_> {
    /// x with L Lᵀ x = b.
    pub fn solve(&self, b: &[Vector6<f64>]) -> Vec<Vector6<f64>> {
        let Elimination { order, starts, rows, .. } = self.elimination;
        let mut y: Vec<Vector6<f64>> = order.iter().map(|block| b[*block]).collect();
        for column in 0..order.len() {
            let (diagonal, below) = (starts[column], starts[column] + 1..starts[column + 1]);
            let known = forward(&self.blocks[diagonal], &y[column]);
            y[column] = known;
            below.for_each(|entry| y[rows[entry]] -= self.blocks[entry] * known);
        }
        for column in (0..order.len()).rev() {
            let (diagonal, below) = (starts[column], starts[column] + 1..starts[column + 1]);
            let rest = below.fold(y[column], |rest, entry| rest - self.blocks[entry].tr_mul(&y[rows[entry]]));
            y[column] = backward(&self.blocks[diagonal], &rest);
        }
        self.elimination.places.iter().map(|place| y[*place]).collect()
    }
}

/// L of the lower triangle of a block; none if it is not positive definite.
fn root(m: &Matrix6<f64>) -> Option<Matrix6<f64>> {
    let mut l = Matrix6::zeros();
    for c in 0..6 {
        let mut column: [f64; 6] = std::array::from_fn(|r| m[(r, c)]);
        for k in 0..c {
            (c..6).for_each(|r| column[r] -= l[(r, k)] * l[(c, k)]);
        }
        if column[c].is_nan() || column[c] <= 0.0 {
            return None;
        }
        let pivot = column[c].sqrt();
        (c..6).for_each(|r| l[(r, c)] = column[r] / pivot);
    }
    Some(l)
}

/// m ← m L⁻ᵀ.
fn divide(m: &mut Matrix6<f64>, l: &Matrix6<f64>) {
    for c in 0..6 {
        let mut column: [f64; 6] = std::array::from_fn(|r| m[(r, c)]);
        for k in 0..c {
            (0..6).for_each(|r| column[r] -= m[(r, k)] * l[(c, k)]);
        }
        (0..6).for_each(|r| m[(r, c)] = column[r] / l[(c, c)]);
    }
}

/// m ← m − a bᵀ.
fn subtract_product(m: &mut Matrix6<f64>, a: &Matrix6<f64>, b: &Matrix6<f64>) {
    for c in 0..6 {
        let mut column: [f64; 6] = std::array::from_fn(|r| m[(r, c)]);
        for k in 0..6 {
            (0..6).for_each(|r| column[r] -= a[(r, k)] * b[(c, k)]);
        }
        (0..6).for_each(|r| m[(r, c)] = column[r]);
    }
}

/// L⁻¹ v.
fn forward(l: &Matrix6<f64>, v: &Vector6<f64>) -> Vector6<f64> {
    let mut x = *v;
    for c in 0..6 {
        x[c] /= l[(c, c)];
        (c + 1..6).for_each(|r| x[r] -= l[(r, c)] * x[c]);
    }
    x
}

/// L⁻ᵀ v.
fn backward(l: &Matrix6<f64>, v: &Vector6<f64>) -> Vector6<f64> {
    let mut x = *v;
    for r in (0..6).rev() {
        (r + 1..6).for_each(|c| x[r] -= l[(c, r)] * x[c]);
        x[r] /= l[(r, r)];
    }
    x
}
